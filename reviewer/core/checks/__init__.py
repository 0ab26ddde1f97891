"""What code can decide, code decides: the registry of built-in checks and how they are run.

Checks are deterministic: the same document gives the same findings in the same order, and a
finding is gone exactly when its cause is gone. No check reads a file, a clock or a network.
"""

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from reviewer.core.checks import (
    assume_the_yes,
    clean_copy,
    clients_words,
    grounding,
    honest_placeholders,
    house,
    left_in_file,
    no_chatbot_register,
    no_outcome_promises,
    one_decision,
    structure,
    unambiguous_scope,
    unsourced,
    whole_sheets,
)
from reviewer.core.checks.commercial_clarity import (
    arithmetic,
    dates,
    periods,
    prices,
    terms,
    timeline,
    totals,
)
from reviewer.core.checks.document import CheckedDocument, CheckedSheet, WordBox
from reviewer.core.checks.finding import Check, CheckFinding, Fault
from reviewer.core.checks.told import FitSeen, Leftover
from reviewer.core.schema import Severity

__all__ = [
    "CHECKS",
    "CHECKS_BY_CODE",
    "Check",
    "CheckFailure",
    "CheckFinding",
    "CheckedDocument",
    "CheckedSheet",
    "Examination",
    "Fault",
    "FitSeen",
    "Leftover",
    "WordBox",
    "examine",
    "run_checks",
]

logger = logging.getLogger(__name__)

CHECKS: tuple[Check, ...] = (
    *grounding.CHECKS,
    *unsourced.CHECKS,
    *no_outcome_promises.CHECKS,
    *honest_placeholders.CHECKS,
    *left_in_file.CHECKS,
    *clients_words.CHECKS,
    *unambiguous_scope.CHECKS,
    *assume_the_yes.CHECKS,
    *one_decision.CHECKS,
    *totals.CHECKS,
    *arithmetic.CHECKS,
    *prices.CHECKS,
    *dates.CHECKS,
    *timeline.CHECKS,
    *periods.CHECKS,
    *terms.CHECKS,
    *no_chatbot_register.CHECKS,
    *structure.CHECKS,
    *whole_sheets.CHECKS,
    *clean_copy.CHECKS,
    *house.CHECKS,
)
"""Every check there is, in the order of the rules; codes are stored and never change."""

CHECKS_BY_CODE: dict[str, Check] = {check.code: check for check in CHECKS}


@dataclass(frozen=True)
class CheckFailure:
    """A check that broke on a document. `reason` is the exception, for the log."""

    check: str
    reason: str


@dataclass(frozen=True)
class Examination:
    """What the checks found, which of them broke, and which could say nothing.

    `not_for_this_language` are codes of checks that read English wording, where the document
    is in another language.
    """

    findings: tuple[CheckFinding, ...]
    failures: tuple[CheckFailure, ...]
    not_for_this_language: tuple[str, ...]


def examine(
    document: CheckedDocument,
    *,
    off: Collection[str] | None = None,
    severities: Mapping[str, Severity] | None = None,
    checks: Collection[Check] = CHECKS,
) -> Examination:
    """Run the checks that are on. A check that breaks costs the others nothing and is named.

    `off` are codes of checks that do not run; None means those that are off by default.
    `severities` overrides a check's severity by code. Findings are sorted by sheet, what is
    missing from the whole document last, then by place on the sheet.
    """
    found: list[CheckFinding] = []
    failures: list[CheckFailure] = []
    skipped: list[str] = []
    for check in checks:
        if check.code in off if off is not None else not check.on_by_default:
            continue
        if check.needs_english and not document.reads_as_english:
            skipped.append(check.code)
            continue
        try:
            results = _once(check.run(document))
        except Exception as error:  # one check's fault must not cost the others
            logger.exception("The check %s broke on a document", check.code)
            failures.append(CheckFailure(check.code, repr(error)))
            continue
        override = (severities or {}).get(check.code)
        found.extend(replace(f, severity=override) if override else f for f in results)
    return Examination(_in_order(document, found), tuple(failures), tuple(skipped))


def run_checks(
    document: CheckedDocument,
    *,
    off: Collection[str] | None = None,
    severities: Mapping[str, Severity] | None = None,
) -> list[CheckFinding]:
    """The findings of `examine` alone, for callers that show nothing else."""
    return list(examine(document, off=off, severities=severities).findings)


def _once(findings: Iterable[CheckFinding]) -> list[CheckFinding]:
    """The findings without those that say the same of the same words on the same sheet."""
    kept: dict[tuple[int, str, str], CheckFinding] = {}
    for finding in findings:
        kept.setdefault((finding.sheet, finding.quote, finding.finding), finding)
    return list(kept.values())


def _in_order(document: CheckedDocument, findings: list[CheckFinding]) -> tuple[CheckFinding, ...]:
    order = {check.code: number for number, check in enumerate(CHECKS)}
    texts = {sheet.number: " ".join(sheet.text.split()) for sheet in document.sheets}

    def key(finding: CheckFinding) -> tuple[bool, int, int, int, str, str]:
        at = texts.get(finding.sheet, "").find(finding.quote) if finding.quote else -1
        return (
            finding.sheet == 0,
            finding.sheet,
            at,
            order.get(finding.check, len(order)),
            finding.quote,
            finding.finding,
        )

    return tuple(sorted(findings, key=key))

"""A review that keeps nothing: the same reading, merging and judging, in memory.

For scripts and checks. Files are converted in a folder that is gone afterwards; the
database is not touched.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from reviewer.core import estimate, matching, state
from reviewer.core.answers import AnswerRead, ReadFinding, read_answer
from reviewer.core.checks import CheckedDocument, CheckedSheet, CheckFinding, examine
from reviewer.core.estimate import NoEstimate, Residual, Seen
from reviewer.core.gate import FitFault, Gate, UnreadSheet, judge
from reviewer.core.outcomes import Outcome
from reviewer.core.prompts import Setting, SheetText, Source, pass_request
from reviewer.core.quotes import find_quote
from reviewer.core.raw import RawAnswer
from reviewer.core.rounds import Plan, is_censored
from reviewer.core.schema import Severity
from reviewer.documents.fit import HOLD_BY_DEFAULT
from reviewer.documents.intake import read_file
from reviewer.documents.sheets import DocumentRead
from reviewer.models import Kind
from reviewer.models.sheet import Unread
from reviewer.providers.base import Provider, Request
from reviewer.services.as_checked import as_stored, fit_seen, text_of_source, told_of
from reviewer.services.limits import conversion_limits
from reviewer.services.residuals import NOT_READ

CALLS_AT_ONCE = 4


Answers = dict[tuple[int, int], AnswerRead]
"""What was read, by pass and sheet."""


@dataclass(frozen=True)
class Asked:
    """What is to be reviewed, and by whom. `provider` None reads with checks alone."""

    path: Path
    name: str
    client: str = ""
    kind: str = "proposal"
    sources: tuple[tuple[str, str], ...] = ()
    passes: int = 3
    model: str = ""
    provider: Provider | None = None
    today: date = field(default_factory=date.today)


@dataclass(frozen=True)
class Found:
    """One finding of a one-off review, with what the rules need to judge it."""

    record: state.Record
    rule: str
    quote: str
    finding: str
    fix: str
    check: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The form in which scripts get it."""
        machine = self.record.machine
        shown: dict[str, Any] = {
            "sheet": self.record.sheet,
            "severity": self.record.severity,
            "rule": self.rule,
            "quote": self.quote,
            "finding": self.finding,
            "fix": self.fix,
            "source": machine.raised.value,
            "state": state.shown(self.record).value,
        }
        if self.check:
            shown["check"] = self.check
        else:
            shown["votes"] = [machine.votes, machine.passes]
        return shown


@dataclass(frozen=True)
class OneOff:
    """The result: how far it was read, what was found, and what holds it."""

    outcome: str
    models: tuple[str, ...]
    passes: int
    fit: tuple[FitFault, ...]
    findings: tuple[Found, ...]
    keeps: tuple[str, ...]
    gate: Gate
    sheets: int
    fully_read: bool
    not_read: tuple[str, ...] = ()
    """Which sheets no reader saw, or not often enough, and why."""
    receipt: str = ""
    """The receipt of the version that was kept; empty where nothing is."""

    def as_dict(self) -> dict[str, Any]:
        """The form in which scripts get it."""
        return {
            "reading": {
                "outcome": self.outcome,
                "models": list(self.models),
                "passes": self.passes,
            },
            "fit": [
                {"code": f.code, "sheet": f.sheet, "message": f.says, "holds": f.holds}
                for f in self.fit
            ],
            "findings": [found.as_dict() for found in self.findings],
            "gate": {
                "open": self.gate.is_open,
                "reasons": [
                    {"kind": reason.kind.value, "text": reason.text, "sheets": list(reason.sheets)}
                    for reason in self.gate.reasons
                ],
            },
        }


def review_file(asked: Asked) -> OneOff:
    """Convert, check and, with a provider, read the file. Raises UnreadableFile."""
    with tempfile.TemporaryDirectory(prefix="reviewer-oneoff-") as folder:
        document = read_file(
            asked.path, Path(folder) / "read", name=asked.name, limits=conversion_limits()
        )
    texts = {sheet.number: sheet.text for sheet in document.sheets}
    checked = examine(_checked(asked, document)).findings
    answers = _read(asked, document, texts) if asked.provider is not None else {}
    findings = _merge(checked, answers, texts, asked.passes)
    failed = Counter(sheet for (_, sheet), read in answers.items() if _lacks(read))
    unread = [sheet for sheet in document.sheets if sheet.unread not in {"", "blank"}]
    fit = tuple(
        FitFault(fault.code, fault.sheet, fault.message, fault.code in HOLD_BY_DEFAULT)
        for fault in document.fit
    )
    keeps = dict.fromkeys(phrase for read in answers.values() for phrase in read.keeps)
    return OneOff(
        outcome=outcome_of(read.outcome for read in answers.values()),
        models=(asked.model,) if answers else (),
        passes=asked.passes if answers else 0,
        fit=fit,
        findings=tuple(findings),
        keeps=tuple(keeps),
        gate=judge(
            fit=fit,
            unread=[UnreadSheet(s.number, Unread(s.unread).label) for s in unread],
            findings=[found.record for found in findings],
            due=Plan(passes=dict(failed)) if answers else None,
            residual=_residual(answers, findings, asked.passes),
        ),
        sheets=len(document.sheets),
        fully_read=bool(answers) and not failed and not unread,
        not_read=(
            *(f"sheet {sheet.number}, {Unread(sheet.unread).label}" for sheet in unread),
            *_lacking(answers, asked.passes),
        ),
    )


def _residual(answers: Answers, found: Sequence[Found], passes: int) -> Residual | NoEstimate:
    """What is probably left, from what every pass saw: nothing else is upheld without a check."""
    if not answers:
        return NOT_READ
    seen = [each.record for each in found if each.record.machine.raised is state.Raised.MODEL]
    upheld = [
        Seen(each.severity, each.machine.votes) for each in seen if each.machine.votes >= passes
    ]
    counted = estimate.residual(
        upheld,
        passes,
        censored=sum(is_censored(len(read.findings)) for read in answers.values()),
        failed=sum(read.outcome != Outcome.READ for read in answers.values()),
    )
    if isinstance(counted, NoEstimate) or len(upheld) == len(seen):
        return counted
    return NoEstimate(
        "No estimate: what only some of the passes saw is checked by a review in a workspace alone."
    )


def _lacking(answers: Answers, passes: int) -> list[str]:
    """The sheets of which an answer was not whole, with how it ended."""
    by_sheet: dict[int, list[str]] = {}
    for (_, sheet), read in sorted(answers.items()):
        if how := _lacks(read):
            by_sheet.setdefault(sheet, []).append(how)
    return [
        f"sheet {sheet}, {len(ended)} of {passes} passes: {', '.join(sorted(set(ended)))}"
        for sheet, ended in sorted(by_sheet.items())
    ]


def _lacks(read: AnswerRead) -> str:
    """How an answer ended that was not whole, or may hide findings; empty for any other."""
    if read.outcome != Outcome.READ:
        return read.outcome.replace("_", " ")
    return "as many findings as it may return" if is_censored(len(read.findings)) else ""


def _checked(asked: Asked, document: DocumentRead) -> CheckedDocument:
    return CheckedDocument(
        sheets=tuple(
            CheckedSheet(
                sheet.number,
                sheet.label,
                sheet.text,
                tuple((w.text, w.x0, w.y0, w.x1, w.y1) for w in sheet.words),
                tuple(paragraph.text for paragraph in sheet.paragraphs),
            )
            for sheet in document.sheets
        ),
        client=asked.client,
        other_clients=(),
        sources=tuple(text for _, text in asked.sources),
        today=asked.today,
        language="en",
        source_text=text_of_source(document.kind, asked.path.read_bytes()),
        kind=asked.kind,
        fit=fit_seen(
            ((fault.code, fault.sheet, fault.message) for fault in document.fit), HOLD_BY_DEFAULT
        ),
        **told_of(as_stored(document.source)),
    )


def _read(asked: Asked, document: DocumentRead, texts: dict[int, str]) -> Answers:
    provider = asked.provider
    assert provider is not None
    setting = Setting(
        sheets=tuple(SheetText(s.number, s.label, s.text) for s in document.sheets),
        client=asked.client,
        kind=Kind(asked.kind).label,
        today=asked.today.isoformat(),
        sources=tuple(Source(title, text) for title, text in asked.sources),
    )
    due = [
        (number, sheet.number)
        for number in range(1, asked.passes + 1)
        for sheet in document.sheets
        if not sheet.unread
    ]

    told = "\n".join([*texts.values(), *(text for _, text in asked.sources)])

    def ask(reading: tuple[int, int]) -> AnswerRead:
        number, sheet = reading
        prompt = pass_request(setting, sheet=sheet, number=number)
        raw: RawAnswer = provider.ask(Request.of(prompt, model=asked.model))
        return read_answer(raw, sheets=texts, document=told)

    if not due:
        return {}
    # The first alone, so that the rest meet a warm prompt cache.
    answers = {due[0]: ask(due[0])}
    with ThreadPoolExecutor(CALLS_AT_ONCE) as pool:
        answers.update(zip(due[1:], pool.map(ask, due[1:]), strict=True))
    return answers


def outcome_of(readings: Iterable[Outcome]) -> str:
    """One word for all readings: read whole, in part, or the commonest way they failed."""
    outcomes = Counter(readings)
    if not outcomes:
        return Outcome.NOT_RUN.value
    if set(outcomes) == {Outcome.READ}:
        return Outcome.READ.value
    if outcomes[Outcome.READ] or outcomes[Outcome.PARTLY_READ]:
        return Outcome.PARTLY_READ.value
    return max(outcomes, key=lambda outcome: (outcomes[outcome], outcome)).value


def _merge(
    checked: Sequence[CheckFinding], answers: Answers, texts: dict[int, str], passes: int
) -> list[Found]:
    seen: dict[str, ReadFinding] = {}
    sightings: list[matching.Sighting] = []
    for (number, sheet), read in sorted(answers.items()):
        for found in read.findings:
            id = f"{number}.{sheet}.{found.index}"
            seen[id] = found
            sightings.append(_sighting(id, str(number), found))
    known = [
        matching.Known(str(index), (_of_check(f"check-{index}", finding),))
        for index, finding in enumerate(checked)
    ]
    results = [_of_a_check(finding, index) for index, finding in enumerate(checked)]
    for match in matching.match_to_known(sightings, known, texts=texts):
        if match.finding is None:
            first = seen[match.group.ids[0]]
            results.append(_of_a_model(first, match.group, len(results), passes, texts))
    return sorted(results, key=gravest_first)


def gravest_first(found: Found) -> tuple[int, int, int]:
    """The order in which findings are listed: by severity, then by sheet, the document last."""
    record = found.record
    return Severity(record.severity).rank, record.sheet or 10**6, int(record.id)


def _sighting(id: str, reading: str, found: ReadFinding) -> matching.Sighting:
    return matching.Sighting(
        id=id,
        reading=reading,
        sheet=found.sheet,
        severity=found.severity.value,
        rule=found.rule,
        quote=found.quote,
        finding=found.finding,
        also=tuple((place.sheet, place.quote) for place in found.also),
    )


def _of_check(id: str, finding: CheckFinding) -> matching.Sighting:
    return matching.Sighting(
        id=id,
        reading=id,
        sheet=finding.sheet,
        severity=finding.severity.value,
        rule=finding.rule,
        quote=finding.quote,
        finding=finding.finding,
        also=tuple((place.sheet, place.quote) for place in finding.also),
    )


def _of_a_check(finding: CheckFinding, index: int) -> Found:
    return Found(
        record=state.Record(
            id=str(index),
            severity=finding.severity.value,
            machine=state.Machine(raised=state.Raised.CHECK),
            sheet=finding.sheet,
        ),
        rule=finding.rule,
        quote=finding.quote,
        finding=finding.finding,
        fix=finding.fix,
        check=finding.check,
    )


def _of_a_model(
    found: ReadFinding, group: matching.Group, index: int, passes: int, texts: dict[int, str]
) -> Found:
    on_sheet = not found.quote or find_quote(found.quote, texts.get(found.sheet, "")) is not None
    return Found(
        record=state.Record(
            id=str(index),
            severity=group.severity,
            machine=state.Machine(
                votes=group.votes, passes=max(passes, group.votes), on_sheet=on_sheet
            ),
            sheet=found.sheet,
        ),
        rule=found.rule,
        quote=found.quote,
        finding=found.finding,
        fix=found.fix,
    )

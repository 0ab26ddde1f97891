"""The house's own words: phrases that the workspace's rubric bans, and those it has learned.

Which they are is the workspace's to say; without any, the checks find nothing. A phrase of the
rubric is found as it is written, one that was learned in all its forms.
"""

import re
from collections.abc import Iterator

from reviewer.core.checks.document import CheckedDocument
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.phrases import lowered
from reviewer.core.word_forms import forms_pattern

RULE = RULES_BY_CODE["no_chatbot_register"].code


def find_banned_phrases(document: CheckedDocument) -> Iterator[Fault]:
    """Every place of every banned phrase: whole words, any case, any white space between."""
    banned = [(phrase, instead, _whole(phrase)) for phrase, instead in document.banned]
    if not banned:
        return
    for sheet in document.sheets:
        lower = lowered(sheet.text)
        for phrase, instead, pattern in banned:
            for match in pattern.finditer(lower):
                yield Fault(
                    sheet.number,
                    sheet.quote(*match.span()),
                    f"The house does not say “{phrase}”.",
                    f"Say instead: {instead}" if instead else "Say it in other words.",
                )


def find_never_said(document: CheckedDocument) -> Iterator[Fault]:
    """Every place of every phrase that a learning says is never said, in any of its forms."""
    for sheet in document.sheets if document.never_say else ():
        lower = lowered(sheet.text)
        for learned in document.never_say:
            for match in forms_pattern(learned.phrase).finditer(lower):
                instead = learned.instead
                yield Fault(
                    sheet.number,
                    sheet.quote(*match.span()),
                    f"The house never says “{learned.phrase}” (learning {learned.number}).",
                    f"Say instead: {instead}" if instead else "Say it in other words.",
                    learning=learned.number,
                    rule=learned.rule,
                )


def _whole(phrase: str) -> re.Pattern[str]:
    """The phrase as whole words of lowered text; apostrophes and hyphens of all kinds are one."""
    words = r"\s+".join(re.escape(word) for word in lowered(phrase).split())
    words = re.sub(r"['’]", "['’]", words)
    words = re.sub(r"\\-|‑", "[-\N{NON-BREAKING HYPHEN}]", words)
    return re.compile(rf"(?<!\w){words}(?!\w)")


CHECKS = (
    Check(
        code="banned_phrase",
        title="No phrase that the house has banned",
        rule=RULE,
        severity=Severity.FIX,
        good="We have done this for three carriers since 2021.",
        bad="We bring world-class delivery to every engagement.",
        find=find_banned_phrases,
        needs_english=False,
    ),
    Check(
        code="never_say",
        title="No phrase that the house has learned never to say",
        rule=RULE,
        severity=Severity.FIX,
        good="We have done this for three carriers since 2021.",
        bad="We leverage our industry-leading platform.",
        find=find_never_said,
        needs_english=False,
    ),
)

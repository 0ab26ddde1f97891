"""One decision, well framed: what the last sheets ask for, and by when."""

import re
from collections.abc import Iterator

from reviewer.core.checks.document import CheckedDocument
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.dates import dates_in
from reviewer.core.structure.phrases import any_of

RULE = RULES_BY_CODE["one_decision"].code

_VAGUE = any_of(
    "let us know what you think",
    "when(ever)? (it )?(suits|is convenient for|works for) you",
    "whenever you are ready",
    "at your (earliest )?convenience",
    "as soon as possible",
    "in due course",
    "at some point",
    "(we )?look forward to hearing from you",
    "get in touch if",
)
_ASKS = re.compile(
    r"\b(?:next\s+steps?|decision|decide|sign(?:ed|ature|ing)?|approv(?:e|al)|accept(?:ance)?|order|kick-?off"
    r"|go-ahead|confirm|authori[sz]e|award)\b",
    re.IGNORECASE,
)
_OWN_DUTY = re.compile(r"we (?:will )?(?:answer|reply|report|call|send|repair|visit|tell)\b")
_BUYER = frozenset({"you", "your", "please", "us", "we", "our", "me", "i"})
_LAST = 2
_FEWEST_SHEETS = 3


def find_vague_asks(document: CheckedDocument) -> Iterator[Fault]:
    """Words without a date where the last sheets ask the buyer to act."""
    if len(document.sheets) < _FEWEST_SHEETS or not sells(document):
        return
    for sheet in document.sheets[-_LAST:]:
        for sentence in sheet.sentences:
            match = _VAGUE.search(sentence)
            told = sentence.row or ":" in sentence.text or not _BUYER.isdisjoint(sentence.words)
            if (
                match is not None
                and told
                and not _OWN_DUTY.match(sentence.lowered)
                and not dates_in(sentence.text, sheet.forms)
            ):
                yield Fault(
                    sheet.number,
                    sheet.quote(sentence.start, sentence.end),
                    f"“{sentence.text[match.start() : match.end()]}” asks for nothing by any date.",
                    "Ask for one decision, from one person, by one date.",
                )


_PRICE = re.compile(
    r"\b(?:fixed (?:fee|price)|our (?:fee|price|offer)|total (?:fee|price)|day rate|the price (?:is|covers)"
    r"|this (?:offer|proposal) (?:is valid|holds))\b",
    re.IGNORECASE,
)


def sells(document: CheckedDocument) -> bool:
    """Whether the document offers work at a price: it has money, and words a price is given in."""
    money = sum(amount.is_money for sheet in document.sheets for amount in sheet.amounts)
    return money >= 2 and bool(_PRICE.search(document.text))


def find_no_ask(document: CheckedDocument) -> Iterator[Fault]:
    """A priced proposal whose last sheets ask for no decision at all."""
    if len(document.sheets) < _FEWEST_SHEETS or not sells(document):
        return
    if not any(_ASKS.search(sheet.text) for sheet in document.sheets[-_LAST:]):
        yield Fault(
            0,
            "",
            "The last sheets ask for nothing: no decision, no signature, no next step.",
            "End with the one decision you want, who takes it and by when.",
        )


def find_no_date_asked(document: CheckedDocument) -> Iterator[Fault]:
    """A priced proposal whose last sheets have no date on them."""
    if len(document.sheets) < _FEWEST_SHEETS or not sells(document):
        return
    last = document.sheets[-_LAST:]
    if not any(sheet.dates for sheet in last) and any(_ASKS.search(sheet.text) for sheet in last):
        yield Fault(
            0,
            "",
            "The last sheets ask for a decision and give no date for it.",
            "Say by which day you need the decision, and what it holds in place.",
        )


CHECKS = (
    Check(
        code="vague_ask",
        title="A date beside what is asked",
        rule=RULE,
        severity=Severity.FIX,
        good="Our fee is $9,000, half of it, $4,500, at the start.\f\fPlease sign by 30 April 2032.",
        bad="Our fee is $9,000, half of it, $4,500, at the start.\f\fLet us know what you think.",
        find=find_vague_asks,
    ),
    Check(
        code="no_ask",
        title="A decision is asked for",
        rule=RULE,
        severity=Severity.FIX,
        good="Our fee is $9,000, half of it, $4,500, at the start.\fTeam\fPlease sign by 30 April 2032.",
        bad="Our fee is $9,000, half of it, $4,500, at the start.\fTeam\fThank you for reading.",
        find=find_no_ask,
    ),
    Check(
        code="no_date_asked",
        title="A date for the decision",
        rule=RULE,
        severity=Severity.FIX,
        good="Our fee is $9,000, half of it, $4,500, at the start.\fTeam\fPlease sign by 30 April 2032.",
        bad="Our fee is $9,000, half of it, $4,500, at the start.\fTeam\fPlease sign below.",
        find=find_no_date_asked,
    ),
)

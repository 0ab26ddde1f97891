"""No outcome promises: a business result with a figure, stated as a fact of the future."""

import re
from collections.abc import Iterator

from reviewer.core.checks.document import CheckedDocument
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.sentences import Sentence

RULE = RULES_BY_CODE["no_outcome_promises"].code

_RESULT = (
    r"cut|reduce|decrease|lower|shorten|halve|save|increase|raise|grow|double|triple|improve|boost"
    r"|lift|fall|drop|rise|shrink|accelerate|eliminate|deliver savings|generate|recover|free up"
    r"|pay for itself|pay back|break even"
)
_PROMISE = re.compile(
    rf"\b(?:will|shall|['’]ll|guarantee(?:s|d)?(?: to| that)?|ensure(?:s)?)\b[^.;:?]{{0,40}}?\b(?:{_RESULT})\b"
    r"|\b(?:pays|paid) (?:for itself|back) (?:in|within)\b"
    r"|\bguarantee[sd]? (?:you |an? |the )?[^.;:?]{0,30}?\b(?:return|saving|savings|reduction|increase|result|results|improvement)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"[$€£]\s?\d|\d(?:[\d.,]*\d)?\s?(?:%|per ?cent\b|percentage points?\b|x\b|times\b|fold\b)"
    r"|\bby (?:a )?(?:half|third|quarter|two thirds|factor)\b|\b(?:two|three|four|five|ten)fold\b"
    r"|\bin (?:under|less than) [\w-]+ (?:days|weeks|months|years)\b"
    r"|\b\d[\d,.]* (?:million|thousand|hours|FTEs?)\b",
    re.IGNORECASE,
)
_SOFT = re.compile(
    r"\b(?:aim|aims|target|targets|targeted|expect|expects|expected|estimate|estimated|estimates|may"
    r"|might|could|can|would|should|if|unless|assum\w+|goal|objective|hope|intend|designed to|hypothesi\w*"
    r"|predict\w*|propos\w+|plan to|plans to|not|never|likely|potential\w*|up to|whether|intended)\b|\?",
    re.IGNORECASE,
)
_A_PART = re.compile(
    r"\bthe (?:first |last |next |other )?\d[\d.,]*\s?(?:%|per ?cent\b)|\b(?:lower|raise|drop|lift) \d[\d.,]*\s?(?:%|per ?cent) of\b"
    r"|(?:%|per ?cent) of (?:its|their|the) (?:height|width|length|depth|weight|volume)\b"
    r"|\b(?:show|mark|flag|log|display|list|report) (?:an?|any|each|every)\b",
    re.IGNORECASE,
)
"""A share that is picked out, as "the 12% of records", and not a change."""
_TERMS = re.compile(
    r"\b(?:fees?|prices?|rates?|invoices?|payments?|paid|salary|salaries|wages?|rent|budget|costs? of|tax|VAT"
    r"|interest|index(?:ed|ation)?|inflation|day rate|charge[sd]?|licen[cs]es?|discount|stipend|funds?"
    r"|funding|grant|deposit|coverage|test cases|sample size)\b",
    re.IGNORECASE,
)


_TELLING = frozenset(
    {
        "will",
        "shall",
        "ll",
        "guarantee",
        "guarantees",
        "guaranteed",
        "ensure",
        "ensures",
        "pays",
        "paid",
    }
)
"""One of these words every promise has in it; to look for them is quick."""


def promises_a_result(sentence: Sentence) -> bool:
    """Whether a sentence says with a figure that a result will come, and softens nothing."""
    if _TELLING.isdisjoint(sentence.words):
        return False
    promise = _PROMISE.search(sentence.text)
    if promise is None:
        return False
    figure = _FIGURE.search(sentence.text, promise.start())
    if figure is None or figure.start() - promise.end() > 80:
        return False
    return not any(softer.search(sentence.text) for softer in (_SOFT, _TERMS, _A_PART))


def find_promised_results(document: CheckedDocument) -> Iterator[Fault]:
    """Sentences that say a result will come, with its figure, and nothing that softens it."""
    for sheet, sentence in document.sentences():
        if sentence.row or not promises_a_result(sentence):
            continue
        yield Fault(
            sheet.number,
            sheet.quote(sentence.start, sentence.end),
            "Promises a result with a figure as a fact of the future. The buyer can hold you to it, "
            "and it depends on more than your work.",
            "Say what you will do, and give the figure as a target against a baseline both sides "
            "have agreed.",
        )


CHECKS = (
    Check(
        code="promised_result",
        title="No promised results with a figure",
        rule=RULE,
        severity=Severity.BLOCK,
        good="The target is a time to assignment 40% shorter than the baseline we sign together.",
        bad="By the end of the project, the time to assignment will fall by 40%.",
        find=find_promised_results,
    ),
)

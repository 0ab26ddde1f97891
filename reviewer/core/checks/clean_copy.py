"""Clean copy: a word written twice, and one word spelt two ways."""

import re
from collections.abc import Iterator
from operator import eq

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault, place
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity

RULE = RULES_BY_CODE["structure"].code

_WORD = re.compile(r"\w+")
_DOUBLED = re.compile(
    r"(?<![\w-])(the|a|an|of|to|and|is|are|for|with|at|by|we|you|our|your|it|be|as|from|or|this"
    r"|will|which|not|they|them|their)\s+\1(?![\w-])",
    re.IGNORECASE,
)


_WHAT_IT = re.compile(r"\bwhat (?:\w+ ){1,4}$", re.IGNORECASE)
_PRINTED_TWICE_BEFORE = re.compile(r"\b(\w+),?\s+\1,?\s+$")
_PRINTED_TWICE_AFTER = re.compile(r"\s+(\w+),?\s+\1\b")
"""Words doubled on either side too: bold type made by printing every word twice."""


def find_doubled_words(document: CheckedDocument) -> Iterator[Fault]:
    """One small word twice in a row; those that may stand so, as in "log in in", are left out."""
    for sheet, sentence in document.sentences():
        said = _WORD.findall(sentence.lowered)
        if sentence.row or not any(map(eq, said, said[1:])):
            continue
        for match in _DOUBLED.finditer(sheet.text, sentence.start, sentence.end):
            before, after = sheet.text[: match.start()][-60:], sheet.text[match.end() :][:60]
            if match[1].lower() == "is" and _WHAT_IT.search(before):
                continue
            if _PRINTED_TWICE_BEFORE.search(before) or _PRINTED_TWICE_AFTER.match(after):
                continue
            yield Fault(
                sheet.number,
                sheet.quote(match.start(), match.end()),
                f"“{match[1]}” stands twice.",
                "Delete one.",
            )


_VERBS = (
    "organ recogn optim priorit summar standard custom digit minim maxim util synchron author "
    "categor special modern final harmon visual formal central"
)
_ENDINGS = ("e", "ed", "es", "er", "ers", "ing", "ation", "ations")
_WORDS = (
    "centre/center centres/centers colour/color colours/colors behaviour/behavior "
    "behaviours/behaviors favourable/favorable favourably/favorably labour/labor analyse/analyze "
    "analysed/analyzed analysing/analyzing analyser/analyzer defence/defense honour/honor"
)
_ROOTS = {"centres": "centre", "colours": "colour", "behaviours": "behaviour"}


def _spellings() -> dict[str, tuple[str, bool]]:
    """Every form, with the word it is a form of and whether it is spelt the American way."""
    forms: dict[str, tuple[str, bool]] = {}
    for stem in _VERBS.split():
        for ending in _ENDINGS:
            forms[f"{stem}is{ending}"] = (stem, False)
            forms[f"{stem}iz{ending}"] = (stem, True)
    for pair in _WORDS.split():
        british, american = pair.split("/")
        word = "analyse" if british.startswith("analys") else _ROOTS.get(british, british)
        word = word.removesuffix("y").removesuffix("e")
        forms[british], forms[american] = (word, False), (word, True)
    return forms


_SPELLINGS = _spellings()
_FORMS = frozenset(_SPELLINGS)
_LONG_WORD = re.compile(r"(?<![\w.@/-])[a-z]{5,15}(?![\w@]|[.-]\w)")
_CITED = re.compile(r"\b(?:19|20)\d\d\b|et al|doi|https?:|[“”\"]")

_REFERENCE = re.compile(r"(?:19|20)\d\d\)?[.,;:]|\bdoi\b", re.IGNORECASE)
_A_LIST = 4
"""Years and DOIs on a sheet from which on it is a list of other people's titles."""

_Place = tuple[CheckedSheet, int, int]


def find_two_spellings(document: CheckedDocument) -> Iterator[Fault]:
    """One word in British and in American spelling.

    Capitalised words may be names; titles and quotations keep their own spelling.
    """
    places: dict[str, tuple[list[_Place], list[_Place]]] = {}
    for sheet, sentence in document.sentences():
        if sentence.words.isdisjoint(_FORMS):
            continue
        if len(_REFERENCE.findall(sheet.text)) >= _A_LIST:
            continue
        for match in _LONG_WORD.finditer(sheet.text, sentence.start, sentence.end):
            form = _SPELLINGS.get(match.group())
            if form is None or _CITED.search(sentence.text):
                continue
            word, american = form
            places.setdefault(word, ([], []))[american].append((sheet, *match.span()))
    for both in places.values():
        if not all(both):
            continue
        (rarer, *_), (usual, *_) = sorted(both, key=len)
        sheet, start, end = rarer
        other, its_start, its_end = usual
        yield Fault(
            sheet.number,
            sheet.quote(start, end),
            f"Spelt “{sheet.quote(start, end)}” here and "
            f"“{other.quote(its_start, its_end)}” on sheet {other.number}.",
            "Use the client's spelling everywhere.",
            also=(place(other, its_start, its_end),),
        )


CHECKS = (
    Check(
        code="doubled_word",
        title="No word twice in a row",
        rule=RULE,
        severity=Severity.CONSIDER,
        good="The rules are kept in the table.",
        bad="The rules are kept in the the table.",
        find=find_doubled_words,
    ),
    Check(
        code="two_spellings",
        title="One word, one spelling",
        rule=RULE,
        severity=Severity.CONSIDER,
        good="We organise the workshops. They are organised by line.",
        bad="We organise the workshops. They are organized by line.",
        find=find_two_spellings,
    ),
)

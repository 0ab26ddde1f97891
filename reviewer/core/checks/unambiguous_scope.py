"""Scope is unambiguous: open-ended words, and the same count said two ways."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault, place
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Place, Severity
from reviewer.core.structure.amounts import WORDS_FOR_NUMBERS
from reviewer.core.structure.phrases import Phrases, any_of
from reviewer.core.structure.sentences import Sentence

RULE = RULES_BY_CODE["unambiguous_scope"].code

_OPEN = any_of(
    "as (and when )?(needed|required|necessary)",
    "where (needed|required|necessary)",
    "including(,)? but not limited to",
    "and other (relevant |related |necessary |required )?(systems?|services?|tasks?|activities|tools|stakeholders)",
    "and (any )?other (work|items|matters)",
    "and so (on|forth)",
    "a reasonable (number|amount) of",
    "other duties as assigned",
)
_OPEN_AT_AN_END = re.compile(r"^where appropriate\b|(?<!more ),? and (?:much )?more(?=\s?[.,;)]|$)")
_ET_CETERA = re.compile(r",? ?\betc\b\.?")
_OPENINGS = (
    _OPEN,
    Phrases(_OPEN_AT_AN_END, frozenset({"appropriate", "more"})),
    Phrases(_ET_CETERA, frozenset({"etc"})),
)
_PROMISES_WORK = re.compile(
    r"\bwe(?:['’]ll| will| shall| provide| deliver| support| build| train| configure| leverage)\b|\b(?:will|shall) (?:also )?(?:be"
    r" (?:integrated|connected|delivered|provided|supported|migrated|included|trained)|provide|include|deliver"
    r"|support|cover|integrate)\b|\bin scope\b|\bour (?:services?|scope|work) (?:includes?|covers?)\b",
    re.IGNORECASE,
)
_SCOPE_HEADING = re.compile(
    r"\b(?:in scope|scope of (?:work|services)|deliverables?|our services|what (?:we|you) (?:will|get))\b|^scope$",
    re.IGNORECASE,
)
_NOT_SCOPE = re.compile(r"\bout of scope\b|\bnot (?:in scope|included)\b|\bassumption", re.I)
_CLOSED = re.compile(
    r"\b(?:up to \d+|at most|no more than|not more than|maximum|agreed|priced)\b", re.I
)


def find_open_scope(document: CheckedDocument) -> Iterator[Fault]:
    """Open-ended words where the seller says what it will do. One finding a sentence."""
    for sheet, sentence in document.sentences():
        match = next(filter(None, (some.search(sentence) for some in _OPENINGS)), None)
        if (
            match is None
            or _NEGATED.search(_clause(sentence.text, match))
            or _CLOSED.search(sentence.text)
        ):
            continue
        if _NAMED_AFTER.match(sentence.text, match.end()):
            continue
        heading = document.heading_above(sheet, sentence.start)
        listed = sentence.item and _SCOPE_HEADING.search(heading) is not None
        if _NOT_SCOPE.search(heading) or not (
            listed or _PROMISES_WORK.search(_clause(sentence.text, match))
        ):
            continue
        words = sentence.text[match.start() : match.end()].strip(" ,")
        yield Fault(
            sheet.number,
            sheet.quote(sentence.start, sentence.end),
            f"“{words}” leaves open how much is included, at a price that does not change.",
            "Name what is included and how many, and say that anything else is a change.",
        )


_NAMED_AFTER = re.compile(r"\s+(?:items |work |matters )?(?:that|which|listed|named)\b")
_NEGATED = re.compile(r"\b(?:will|shall|do|does) not\b|\bwon['’]t\b", re.IGNORECASE)


def _clause(text: str, match: re.Match[str]) -> str:
    """The part between semicolons in which a phrase stands."""
    end = text.find(";", match.end())
    return text[text.rfind(";", 0, match.start()) + 1 : end if end >= 0 else len(text)]


_AT_A_TIME = re.compile(
    r"\b(?:in|from|since|until|by) (?:(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Sept|Nov"
    r"|Dec)ember|October|week \d|phase \d|(?:19|20)\d\d|spring|summer|autumn|winter)"
    r"|\b[Oo]n (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|week)days?\b|\bat (?:night|weekends)\b"
)
"""A count that is one of a time, and another at another."""
_COUNT = re.compile(
    r"\b(?:all(?: of)?(?: the| our| your| its)?|your|our|its)\s+"
    r"(?P<number>\d{1,3}|[a-z]+)\s+(?P<words>(?:[a-z][\w-]*\s+){0,2}?[a-z][a-z-]+s)\b",
    re.IGNORECASE,
)
_WHOLE = frozenset({"all", "your", "our", "its"})
_PASSING_WORDS = (
    "days weeks months years hours minutes times percent points thirds quarters steps others ones "
    "parts options sides ways things questions examples pages sheets words sentences"
)
_PASSING = frozenset(_PASSING_WORDS.split())
_NARROWED = re.compile(
    r"\s+(?:that|which|who|whose|where|with|without|above|below|of|from|in|on)\b"
)


@dataclass(frozen=True, slots=True)
class _Counted:
    sheet: CheckedSheet
    start: int
    end: int
    number: int
    words: tuple[str, ...]


def find_two_counts(document: CheckedDocument) -> Iterator[Fault]:
    """The whole of one thing counted two ways: "your four channels", "all five channels"."""
    counted = list(_counts(document))
    told: set[str] = set()
    for number, first in enumerate(counted):
        for second in counted[number + 1 :]:
            noun = first.words[-1]
            if noun != second.words[-1] or noun in told or first.number == second.number:
                continue
            if not _same_thing(first.words, second.words):
                continue
            told.add(noun)
            yield Fault(
                second.sheet.number,
                second.sheet.quote(second.start, second.end),
                f"{second.number} {noun} here, {first.number} on sheet {first.sheet.number}.",
                "Use one number, or say which of them are meant.",
                also=(place(first.sheet, first.start, first.end),),
            )


def _counts(document: CheckedDocument) -> Iterator[_Counted]:
    for sheet, sentence in document.sentences():
        if _WHOLE.isdisjoint(sentence.words) or _AT_A_TIME.search(sentence.text):
            continue
        for match in _COUNT.finditer(sheet.text, sentence.start, sentence.end):
            written = match["number"].lower()
            number = WORDS_FOR_NUMBERS.get(written, -1)
            if written.isdigit():
                number = int(written)
            words = tuple(match["words"].lower().split())
            if number < 2 or words[-1] in _PASSING or words[0] in WORDS_FOR_NUMBERS:
                continue
            if not _NARROWED.match(sheet.text, match.end()):
                yield _Counted(sheet, match.start(), match.end(), number, words)


def _same_thing(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether one description is the other, or a shorter form of it."""
    longer, shorter = (first, second) if len(first) >= len(second) else (second, first)
    return longer[len(longer) - len(shorter) :] == shorter


_MEETS = re.compile(
    r"\b(?:the|a|our) (?P<who>[a-z][a-z -]{3,40}?) (?:chaired by [\w .]{3,40} )?meets (?:every|once every) "
    r"(?P<every>\w+ (?:days?|weeks?|months?)|day|week|month)\b",
    re.IGNORECASE,
)


def find_two_rhythms(document: CheckedDocument) -> Iterator[Fault]:
    """One body that meets at two intervals."""
    seen: dict[str, tuple[str, CheckedSheet, Sentence]] = {}
    for sheet, sentence in document.sentences():
        for match in _MEETS.finditer(sentence.text) if "meets" in sentence.words else ():
            who, every = match["who"].lower(), match["every"].lower()
            if who not in seen:
                seen[who] = (every, sheet, sentence)
                continue
            before, other, its = seen[who]
            if before != every:
                yield Fault(
                    sheet.number,
                    sheet.quote(sentence.start, sentence.end),
                    f"The {who} meets every {every} here, every {before} on sheet {other.number}.",
                    "Use one interval in both places.",
                    also=(Place(sheet=other.number, quote=other.quote(its.start, its.end)),),
                )


_SCOPE_WORDS = re.compile(r"\bscope\b|\bdeliverables\b", re.IGNORECASE)
_CLOSES = re.compile(
    r"\b(?:out of scope|not in scope|outside (?:the|this|of)|not included|does not include|do not include|excluded?"
    r"|exclud(?:es|ing)|exclusions?|is treated as a change|anything (?:else|not listed)|not part of|beyond the scope"
    r"|not cover(?:ed)?|limited to)\b",
    re.IGNORECASE,
)
_SELLS = re.compile(
    r"\b(?:our (?:fee|price|offer|quote|quotation)|fixed (?:fee|price)|day rate|the (?:fee|price) is)\b",
    re.I,
)


def find_no_limits(document: CheckedDocument) -> Iterator[Fault]:
    """A priced proposal with a scope and no line anywhere that says where it ends."""
    text = document.text
    if not (_SCOPE_WORDS.search(text) and _SELLS.search(text)) or _CLOSES.search(text):
        return
    yield Fault(
        0,
        "",
        "Nothing says what is not included, so the buyer may take anything to be.",
        "Add a short list of what is out of scope.",
    )


CHECKS = (
    Check(
        code="open_scope",
        title="No open-ended scope",
        rule=RULE,
        severity=Severity.FIX,
        good="We will connect the intake to Keystone and to the agents' mailbox.",
        bad="We will connect the intake to Keystone and other systems as needed.",
        find=find_open_scope,
    ),
    Check(
        code="two_counts",
        title="One count of one thing",
        rule=RULE,
        severity=Severity.FIX,
        good="We redesign your four reporting channels.\n\nThe question sets serve all four channels.",
        bad="We redesign your four reporting channels.\n\nThe question sets serve all five channels.",
        find=find_two_counts,
    ),
    Check(
        code="two_rhythms",
        title="One interval for one meeting",
        rule=RULE,
        severity=Severity.FIX,
        good="The steering committee meets every four weeks.",
        bad="The steering committee meets every four weeks.\n\nThe steering committee meets every two weeks.",
        find=find_two_rhythms,
    ),
    Check(
        code="no_limits",
        title="A line that says what is out of scope",
        rule=RULE,
        severity=Severity.FIX,
        good="Our fee is $40,000 for the scope below.\n\nOut of scope: data migration.",
        bad="Our fee is $40,000 for the scope below.\n\nScope: the intake form and its rules.",
        find=find_no_limits,
    ),
)

"""Grounding: research nobody can look up, superlatives of oneself, quotations of nobody."""

import re
from collections.abc import Iterator

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.phrases import Phrases, any_of
from reviewer.core.structure.sentences import Block, Sentence

RULE = RULES_BY_CODE["grounding"].code

_NAMELESS_PATTERN = re.compile(
    r"\b(?<!your )(?<!our )(?<!own )(?:research|studies|surveys|experts?|statistics|reports|analysts|evidence|data|science|industry (?:data|research"
    r"|benchmarks|reports))\s+(?:clearly |consistently |repeatedly |often |now )?"
    r"(?:shows?|suggests?|indicates?|proves?|says?|agrees?|confirms?|estimates?|reveals?|finds?|demonstrates?)\b(?! up\b)"
    r"|\baccording to (?:research|studies|surveys|experts|analysts|statistics|recent (?:research|studies))\b"
    r"|\b(?:it is (?:well|widely) known|everyone knows) that\b",
)
_RESEARCH = (
    "research studies surveys expert experts statistics reports analysts evidence data science "
    "benchmarks known knows"
)
_NAMELESS = Phrases(_NAMELESS_PATTERN, frozenset(_RESEARCH.split()))
_FIGURE = re.compile(
    r"\d(?:[\d.,]*\d)?\s?(?:%|per ?cent|times|x\b|million|billion)|[$€£]\s?\d|\b(?:one|two|three|four|nine) (?:in|out of)"
    r" (?:three|four|five|ten)\b|\b(?:half|two thirds|three quarters|a majority|most) of\b|\d+ (?:in|out of) \d+",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"\[\s?\d|\[@|\(\s?[A-Z][\w.&’' -]{1,60},? (?:19|20)\d\d|et al|https?:|\bdoi\b|[¹²³⁴-⁹]|\b(?:19|20)\d\d[a-z]?\)"
    r"|\b(?:by|from|according to|see) [A-Z][a-z]+",
)


def is_cited(text: str) -> bool:
    """Whether a text names something that can be looked up: a reference, a year, an address."""
    return bool(_CITED.search(text))


def has_nameless_research(sentence: Sentence) -> bool:
    """Whether a sentence leans on "studies" or "research", which another check judges."""
    return _NAMELESS.search(sentence) is not None


def find_nameless_research(document: CheckedDocument) -> Iterator[Fault]:
    """A figure from "studies" or "research" that the sentence does not name."""
    for sheet, sentence in document.sentences():
        match = _NAMELESS.search(sentence)
        if match is None or not _FIGURE.search(sentence.text) or _CITED.search(sentence.text):
            continue
        if _in_sources(document, sentence.text):
            continue
        yield Fault(
            sheet.number,
            sheet.quote(sentence.start, sentence.end),
            f"“{sentence.text[match.start() : match.end()]}” names no source that the buyer can look up.",
            "Name the study with its author and year, or use the buyer's own figures.",
        )


def _in_sources(document: CheckedDocument, sentence: str) -> bool:
    """Whether an attached source has the sentence's figure beside one of its longer words."""
    figures = [figure.group() for figure in _FIGURE.finditer(sentence)]
    words = {word.lower() for word in re.findall(r"[A-Za-z]{6,}", sentence)}
    for source in document.sources:
        for line in source.splitlines():
            if any(f in line for f in figures) and len(words & set(line.lower().split())) >= 2:
                return True
    return False


_BOASTS = any_of(
    "best (positioned|placed|equipped|suited) to",
    "(first|best) and only",
    "(we are|we're) (among |one of )?the (first|best|largest|biggest|leading|fastest)",
    "no other (firm|vendor|provider|company|consultancy|product|solution|platform) (offers|provides|can|matches|delivers)",
    "(global|world) leaders?",
    "market leaders?",
    "world[- ]class",
    "best[- ]in[- ]class",
    "(industry|market|world)[- ]leading",
    "second to none",
    "unparalleled",
    "unrivall?ed",
    "unmatched (expertise|experience|quality|capabilit(y|ies)|track record)",
    "uniquely (placed|positioned|qualified)",
    "(the|a|our|as) ((country|nation|world|industry|region|market)('s)? )?(leading|foremost|premier|number one|largest)"
    " (~ )?(experts?|provider|providers|consultancy|consultants?|firm|company|agency|specialists?|partner)",
    "exceptional value",
    "the (best|most experienced|most trusted) (~ )?(team|firm|partner|people|company|consultants|provider)",
)
_OF_THE_WORLD = any_of(
    "(world|industry|market)'s (first|best|leading|largest|biggest|fastest|foremost|premier|most ~)",
)
"""Said of anything: there is no need to say whose."""
_SELF = re.compile(r"\b(?:we|our|us|ours)\b|['’]s leading\b", re.IGNORECASE)
_OTHERS_SAY = re.compile(
    r"\b(?:ranked|rated|awarded|named|according to|survey|index|rank)\b|#\d", re.I
)


def find_boasts(document: CheckedDocument) -> Iterator[Fault]:
    """Superlatives the seller gives itself, with nothing beside them that could be checked."""
    for sheet, sentence in document.sentences():
        world = _OF_THE_WORLD.search(sentence)
        match = world or _BOASTS.search(sentence)
        if match is None or _of_others(sentence.lowered, match):
            continue
        if _CITED.search(sentence.text) or _OTHERS_SAY.search(sentence.text):
            continue
        if world is None and not _SELF.search(sentence.text):
            continue
        yield Fault(
            sheet.number,
            sheet.quote(sentence.start, sentence.end),
            f"“{sentence.text[match.start() : match.end()]}” is a superlative with nothing behind it.",
            "Replace it by a fact the buyer can check: how many, for whom, who to ask.",
        )


_DENIED = re.compile(r"\b(?:not|never)\b(?! (?:just|only|merely))")
_OF_A_TURN = re.compile(r"\bour first and only")
_ONE_IN_EACH = re.compile(r"\s+(?:in|of|for) (?:each|every)\b")


def _of_others(lowered: str, match: re.Match[str]) -> bool:
    """Whether the superlative is not claimed, counts one's own turns, or is one of each place."""
    if _DENIED.search(lowered, 0, match.start()) or _OF_A_TURN.match(lowered, match.start() - 4):
        return True
    return _ONE_IN_EACH.match(lowered, match.end()) is not None


_QUOTED = re.compile(r"^[“\"](?P<words>[^“”\"]{30,400})[”\"]\s*(?P<after>.*)$", re.DOTALL)
_PERSON = re.compile(r"\b[A-Z][\w’'-]*\.?(?:\s+[A-Z]\.)?\s+[A-Z][\w’'-]+")
_ROLE = re.compile(
    r"\b(?:executive|manager|director|client|customer|officer|head|chief|president|lead|owner|partner"
    r"|insurer|company|carrier|bank|user|team)\b",
    re.IGNORECASE,
)
_MOST_ROLE_WORDS = 9


def find_quotations_of_nobody(document: CheckedDocument) -> Iterator[Fault]:
    """A quotation set by itself, given to a role without a name."""
    for sheet, quote, said_by in _quotations(document):
        is_role = _ROLE.search(said_by) and len(said_by.split()) <= _MOST_ROLE_WORDS
        if is_role and not _PERSON.search(said_by):
            yield Fault(
                sheet.number,
                quote,
                f"Quoted from “{said_by}”: nobody the buyer could ask.",
                "Name the person, the organisation and the year, or leave the quotation out.",
            )


_NAMED = re.compile(
    r"(?:(?:Dr|Prof|Mrs?|Ms)\.?\s+)?[A-Z][\w’'-]*\.?(?:\s+[A-Z]\.)?\s+[A-Z][\w’'-]+\s*(?:,|\(|$)"
)
_A_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def find_undated_quotations(document: CheckedDocument) -> Iterator[Fault]:
    """A quotation set by itself, given to a named person, that does not say when it was said."""
    for sheet, quote, said_by in _quotations(document):
        is_short = len(said_by.split()) <= _MOST_ROLE_WORDS
        if is_short and _NAMED.match(said_by) and not _A_YEAR.search(said_by):
            yield Fault(
                sheet.number,
                quote,
                f"Quoted from {said_by.rstrip('.')}, and nothing says when it was said.",
                "Add the year, so that the buyer can tell which work it is about.",
            )


def _quotations(document: CheckedDocument) -> Iterator[tuple[CheckedSheet, str, str]]:
    """Quotations set by themselves, with their sheet, and the words that say who said them."""
    for sheet in document.sheets:
        for number, block in enumerate(sheet.blocks):
            match = _QUOTED.match(sheet.text[block.start : block.end])
            if match is None or len(match["words"].split()) < 6:
                continue
            said_by = match["after"].strip(" \n—–-,") or _next_block(sheet, number)
            end = block.start + match.end("words") + 1
            said_by = " ".join(said_by.strip(" \n—–-,").split())
            yield sheet, sheet.quote(block.start, end), said_by


def _next_block(sheet: CheckedSheet, number: int) -> str:
    following: tuple[Block, ...] = sheet.blocks[number + 1 : number + 2]
    return sheet.text[following[0].start : following[0].end] if following else ""


CHECKS = (
    Check(
        code="nameless_research",
        title="Research has a name",
        rule=RULE,
        severity=Severity.FIX,
        good="In the 2031 survey of the National Dental Board, 38% of patients had changed practice.",
        bad="Studies show that 38% of patients leave after one bad experience.",
        find=find_nameless_research,
    ),
    Check(
        code="superlative",
        title="No superlatives of oneself",
        rule=RULE,
        severity=Severity.FIX,
        good="We have moved 14 clinics to answered reminders since 2027.",
        bad="We are the country's leading experts in patient access.",
        find=find_boasts,
    ),
    Check(
        code="quoted_nobody",
        title="Quotations have a name",
        rule=RULE,
        severity=Severity.CONSIDER,
        good="“Our adjusters start the day with the right claims.” Ines Maddox, Port of Selby, 2031",
        bad="“Our adjusters start the day with the right claims.” Claims executive, regional insurer",
        find=find_quotations_of_nobody,
    ),
    Check(
        code="undated_quotation",
        title="Quotations have a date",
        rule=RULE,
        severity=Severity.CONSIDER,
        good="“Our adjusters start the day with the right claims.” Ines Maddox, Port of Selby, 2031",
        bad="“Our adjusters start the day with the right claims.” Ines Maddox, Port of Selby",
        find=find_undated_quotations,
    ),
)

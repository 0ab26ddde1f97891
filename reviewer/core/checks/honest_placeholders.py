"""Honest placeholders: what is left over from a template, and another client's name."""

import re
from collections.abc import Iterator

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault, place
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity

RULE = RULES_BY_CODE["honest_placeholders"].code

_FIELD_WORDS = (
    r"insert|tbd|tbc|tba|todo|to ?do|placeholder|fill in|to come|to follow|pending|waiting"
    r"|client|customer|company|organi[sz]ation|recipient|your|name|date|amount|price|figure"
    r"|number|title|address|project|logo|xx+"
)
_TASKS = r"(?:enter|add|check|update|describe|list|confirm) \w"
_BRACKETED = re.compile(
    rf"(?<![\w\])])\[(?=[^\[\]]{{0,60}}\b(?:{_FIELD_WORDS})\b|{_TASKS})[^\[\]]{{2,160}}\]",
    re.IGNORECASE,
)
_MERGE_FIELD = re.compile(
    r"\{\{[^{}\n]{1,60}\}\}|<<[^<>\n]{1,60}>>|«\w{1,40}»|\$\{\w{1,40}\}|\{%[^%\n]{1,60}%\}"
    r"|<(?:insert|client|customer|company|your|project|recipient|contact)\b[^<>\n]{0,40}>"
    r"|%%\w{2,40}%%",
    re.IGNORECASE,
)
_CROSSED_OUT_NUMBER = re.compile(
    r"[$€£]\s?[Xx]{1,4}(?:,[Xx\d]{3})*\b|\b[Xx]{1,3}(?:,(?:XXX|xxx|000))+\b|\b[Xx]{2,3}\s?%"
    r"|\b[Xx]{2}[/.][Xx]{2}[/.](?:[Xx]{2,4}|\d{2,4})\b|\bX{4,}\b"
)
_LOREM = re.compile(r"\blorem\s+ipsum\b|\bdolor\s+sit\s+amet\b", re.IGNORECASE)
_UNSETTLED = "confirmed|determined|decided|defined|advised|announced|completed"
_OPEN_POINT = re.compile(
    r"\bT\.?B\.?[DCA]\b\.?|\bTODO\b|\bFIXME\b"
    rf"|\b[Tt]o\s+be\s+(?:{_UNSETTLED})\b",
)
_SETTLED = re.compile(
    r"\s*[,(]?\s*(?:by|in|during|at|after|before|on|with|jointly|together|as|from|through|via|using"
    r"|once|when|per|based|to)\b"
)
_MENTIONED = re.compile(r"[\"“'‘]$")
_SAYS = re.compile(r"\b(?:says|reads|prints|shows)\s+[\"“']?(?:\[[^\[\]]*\]\s*/\s*)?$")
"""Words that are told of a form, and none of this text's own."""
_A_NAME = re.compile(r"TODO\s+(?:[A-Z][a-z]|[A-Z]{2})")
_CITATION = re.compile(r"\[\s*(?:\d|[@^])")
_CONSEQUENCE = {
    "field": (
        "A field of the template was left unfilled.",
        "Fill it in, or delete the sentence it stands in.",
    ),
    "number": (
        "A figure was never filled in; the buyer sees the letters that held its place.",
        "Put the figure, or say who will state it and by when.",
    ),
    "text": ("Filler text from a template.", "Replace it with your own text, or delete it."),
    "open": (
        "Left open without saying who settles it and by when.",
        "Settle it, or say who will and by which date.",
    ),
}


_KINDS = (
    ("field", _MERGE_FIELD, ("{", "<", "«", "%%")),
    ("field", _BRACKETED, ("[",)),
    ("number", _CROSSED_OUT_NUMBER, ("xx", "$x", "€x", "£x", "$ x", "€ x", "£ x", "x,")),
    ("text", _LOREM, ("lorem", "dolor")),
    ("open", _OPEN_POINT, ("tbd", "tbc", "tba", "t.b.", "todo", "fixme", *_UNSETTLED.split("|"))),
)
"""Kind, pattern, and lower-case words one of which the pattern needs; to look for them is quick."""


def find_placeholders(document: CheckedDocument) -> Iterator[Fault]:
    """Brackets to be filled in, merge fields, crossed-out figures, filler text, open points."""
    for sheet in document.sheets:
        taken: list[tuple[int, int]] = []
        lower = sheet.text.lower()
        for kind, pattern, hints in _KINDS:
            if not any(hint in lower for hint in hints):
                continue
            for match in pattern.finditer(sheet.text):
                start, end = match.span()
                if any(start < right and end > left for left, right in taken):
                    continue
                if not _is_left_over(kind, sheet.text, match):
                    continue
                taken.append((start, end))
                finding, fix = _CONSEQUENCE[kind]
                severity = Severity.FIX if kind == "open" else None
                yield Fault(sheet.number, sheet.quote(start, end), finding, fix, severity=severity)


def _is_left_over(kind: str, text: str, match: re.Match[str]) -> bool:
    if kind == "open" and _MENTIONED.search(text[: match.start()][-1:]):
        return False
    if kind == "open":
        return not (_SETTLED.match(text, match.end()) or _A_NAME.match(text, match.start()))
    if kind == "field" and match.group().startswith("["):
        if _SAYS.search(text[max(0, match.start() - 80) : match.start()]):
            return False
        followed_by_link = text[match.end() : match.end() + 1] in {"(", "["}
        return not followed_by_link and not _CITATION.match(match.group())
    return True


_LEGAL_FORM = re.compile(
    r"[,\s]+(?:Inc|Incorporated|Ltd|Limited|LLC|LLP|LP|plc|PLC|Corp|Corporation|Co|Company|GmbH"
    r"|AG|SE|KG|S\.?A|S\.?A\.?S|SARL|S\.?r\.?l|SpA|S\.p\.A|NV|N\.V|BV|B\.V|AB|A/S|AS|Oy|Oyj|Pty"
    r"|Group|Holding|Holdings)\.?$"
)
_AS_REFERENCE = re.compile(
    r"\b(?:reference|references|case stud(?:y|ies)|clients? includ|worked (?:with|for)|client since"
    r"|customers? such as|similar (?:work|project|engagement)|previous(?:ly)?|on behalf of)\b",
    re.IGNORECASE,
)


def find_other_clients(document: CheckedDocument) -> Iterator[Fault]:
    """Names of the workspace's other clients, whole and with their capitals."""
    names = [name for name in map(short_name, document.other_clients) if name]
    own = short_name(document.client).casefold()
    patterns = [
        (name, _whole_name(name))
        for name in dict.fromkeys(names)
        if not own or f" {name.casefold()} " not in f" {own} "
    ]
    for sheet in document.sheets:
        for name, pattern in patterns:
            if name.partition(" ")[0] not in sheet.text:
                continue
            yield from _other_client(document, sheet, name, pattern, own)


def _other_client(
    document: CheckedDocument, sheet: CheckedSheet, name: str, pattern: re.Pattern[str], own: str
) -> Iterator[Fault]:
    spans = [
        match.span()
        for match in pattern.finditer(sheet.text)
        if not _inside_own_name(sheet.text, match, name, own)
        and not _ordinary_word(document, sheet, match, name)
    ]
    if not spans:
        return
    first, *rest = spans
    sentence = next((s for s in sheet.sentences if s.start <= first[0] < s.end), None)
    deliberate = sentence is not None and bool(_AS_REFERENCE.search(sentence.text))
    yield Fault(
        sheet.number,
        sheet.quote(*first),
        f"Names {name}, who is a client of yours and not this proposal's buyer."
        if not deliberate
        else f"Names {name}, another client of yours, as a reference.",
        f"Put {document.client or 'this client'} here, after reading the sentence against this client."
        if not deliberate
        else f"Make sure that {name} agreed to be named, or describe them without the name.",
        also=tuple(place(sheet, *span) for span in rest),
        severity=Severity.CONSIDER if deliberate else None,
    )


def short_name(name: str) -> str:
    """A company's name without its legal form, with single spaces."""
    name = " ".join(name.split())
    while (shorter := _LEGAL_FORM.sub("", name)) != name and len(shorter) > 2:
        name = shorter
    return name


def _whole_name(name: str) -> re.Pattern[str]:
    words = [re.escape(word) for word in name.split()]
    return re.compile(r"(?<![\w@.-])" + r"\s+".join(words) + r"(?![\w@]|\.\w|-\w)")


def _inside_own_name(text: str, match: re.Match[str], name: str, own: str) -> bool:
    """Whether the name found is a part of the buyer's own longer name at this place."""
    if name.casefold() not in own:
        return False
    around = " ".join(text[max(0, match.start() - len(own)) : match.end() + len(own)].split())
    return own in around.casefold()


def _ordinary_word(
    document: CheckedDocument, sheet: CheckedSheet, match: re.Match[str], name: str
) -> bool:
    """Whether a one-word name is used as the word it also is: "Target dates are …"."""
    if " " in name or any(character.isupper() for character in name[1:]):
        return False
    lower = re.compile(rf"\b{re.escape(name.lower())}\b")
    if not any(lower.search(other.text) for other in document.sheets):
        return False
    before = sheet.text[: match.start()].rstrip()
    starts_sentence = (
        not before or before[-1] in ".!?:\n•" or "\n" in sheet.text[len(before) : match.start()]
    )
    after = sheet.text[match.end() :].lstrip()[:1]
    return starts_sentence or after.isupper()


CHECKS = (
    Check(
        code="placeholders",
        title="Nothing left over from a template",
        rule=RULE,
        severity=Severity.BLOCK,
        good="Licences are contracted by you directly; we estimate them at $42,000 a year.",
        bad="Licences are contracted by you directly; we estimate them at $XX,000 a year.",
        find=find_placeholders,
        needs_english=False,
    ),
    Check(
        code="other_client",
        title="No other client's name",
        rule=RULE,
        severity=Severity.BLOCK,
        good="We see no reason why Harbor Mutual should be different.",
        bad="We see no reason why Coastal Mutual should be different.",
        find=find_other_clients,
        needs_english=False,
    ),
)

"""Honest placeholders: comments, tracked changes and highlighting that were left in the file.

A Word file or a PDF tells of its own, words on marker yellow are seen on the sheet, and in
plain text the marks of CriticMarkup are. What a file tells is found again on the sheets by
its words and its paragraph; where neither is found it is said of the document.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault, place
from reviewer.core.checks.told import Leftover
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.squeezed import Squeezed

RULE = RULES_BY_CODE["honest_placeholders"].code

_MOST_PLACES = 12
_MOST_WORDS_OF_NOTE = 24
_TELLING = 12
"""Letters of words that are looked for on all sheets without their paragraph."""
_CUT_AT_LEAST = 200
"""Letters from which on a paragraph may have been cut short where the file was read."""
_CRITIC = {
    "comment": re.compile(r"\{>>(?P<said>[^{}]{1,400}?)<<\}"),
    "change": re.compile(r"\{\+\+[^{}]{1,400}?\+\+\}|\{--[^{}]{1,400}?--\}|\{~~[^{}]{1,400}?~~\}"),
    "highlight": re.compile(
        r"\{==[^{}]{1,400}?==\}|(?<![\w={])==(?![\s=])[^={}\n]{1,120}(?<!\s)==(?![\w=}])"
    ),
}


@dataclass(frozen=True, slots=True)
class _Found:
    """A leftover with its place. `sheet` None where it is nowhere on the sheets."""

    left: Leftover
    sheet: CheckedSheet | None
    start: int = 0
    end: int = 0


def _in_file(document: CheckedDocument, kind: str) -> Iterator[_Found]:
    """What the file tells, in its order, each looked for from the paragraph of the last one."""
    sheets = document.sheets
    squeezed = [Squeezed(sheet.text) for sheet in sheets]
    position = start = 0
    for left in document.leftovers:
        if left.kind != kind:
            continue
        order = [*range(position, len(sheets)), *range(position)]
        for index in order:
            if left.sheet not in (0, sheets[index].number):
                continue
            found = _letters(squeezed[index], left, start if index == position else 0)
            if found is not None:
                position, start = index, found[0]
                yield _Found(left, sheets[index], *squeezed[index].span(*found[1]))
                break
        else:
            yield _Found(left, next((s for s in sheets if s.number == left.sheet), None))


_Letters = tuple[int, int]


def _letters(text: Squeezed, left: Leftover, start: int) -> tuple[int, _Letters] | None:
    """The first letter of its paragraph, and the letters to quote: its words, or else that."""
    around = text.find(left.around, start) or text.find(left.around)
    if around is None:  # no paragraph is known, or it goes on on another sheet
        words = text.find(left.words, start) or text.find(left.words)
        told = left.sheet or len(left.words) >= _TELLING
        return (words[0], words) if words is not None and told else None
    words = text.find(left.words, around[0])
    is_cut = len(left.around) >= _CUT_AT_LEAST
    inside = words is not None and (words[1] <= around[1] or is_cut)
    return around[0], words if words is not None and inside else around


def _written(document: CheckedDocument, kind: str) -> Iterator[_Found]:
    """What stands in the text itself, in the marks of CriticMarkup."""
    mark = {"comment": "{>>", "change": "{", "highlight": "=="}[kind]
    for sheet in document.sheets:
        if mark not in sheet.text:
            continue
        for match in _CRITIC[kind].finditer(sheet.text):
            said = match["said"] if kind == "comment" else ""
            yield _Found(Leftover(kind, sheet.number, match.group(), said), sheet, *match.span())


def find_comments(document: CheckedDocument) -> Iterator[Fault]:
    """Comments and notes, each with what it says."""
    for found in [*_written(document, "comment"), *_in_file(document, "comment")]:
        note = _cut(found.left.note)
        yield Fault(
            found.sheet.number if found.sheet else 0,
            _quote(found),
            f"A comment was left in the file: “{note}”." if note else "A comment was left in.",
            "Answer it, and delete it in the file before you upload it again.",
        )


def find_changes(document: CheckedDocument) -> Iterator[Fault]:
    """Tracked changes, one finding a sheet."""
    by_sheet: dict[int, list[_Found]] = {}
    for found in [*_written(document, "change"), *_in_file(document, "change")]:
        by_sheet.setdefault(found.sheet.number if found.sheet else 0, []).append(found)
    for number, changes in by_sheet.items():
        first, *rest = sorted(changes, key=lambda found: (found.end == 0, found.start))
        many = f"{len(changes)} tracked changes were" if rest else "A tracked change was"
        said = _cut(first.left.note)
        spans = {(f.start, f.end): f.sheet for f in rest if f.sheet and f.end}
        spans.pop((first.start, first.end), None)
        yield Fault(
            number,
            _quote(first),
            f"{many} left in the file" + (f" (here: {said})." if said else "."),
            "Accept or reject each of them in the file, and upload it again.",
            also=tuple(place(sheet, *span) for span, sheet in spans.items())[:_MOST_PLACES],
        )


def find_highlights(document: CheckedDocument) -> Iterator[Fault]:
    """Highlighted words, one finding a stretch."""
    for found in [*_written(document, "highlight"), *_in_file(document, "highlight")]:
        note = _cut(found.left.note)
        yield Fault(
            found.sheet.number if found.sheet else 0,
            _quote(found),
            "These words were left highlighted, as something still to be settled."
            + (f" The note says: “{note}”." if note else ""),
            "Settle what was marked, and take the highlighting off.",
        )


def _quote(found: _Found) -> str:
    return found.sheet.quote(found.start, found.end) if found.sheet else ""


def _cut(note: str) -> str:
    words = note.split()
    more = " …" if len(words) > _MOST_WORDS_OF_NOTE else ""
    return " ".join(words[:_MOST_WORDS_OF_NOTE]) + more


CHECKS = (
    Check(
        code="comment_left",
        title="No comments left in the file",
        rule=RULE,
        severity=Severity.FIX,
        good="The fee is $658,000.",
        bad="The fee is $658,000. {>>Karin: is this with travel?<<}",
        find=find_comments,
        needs_english=False,
    ),
    Check(
        code="change_left",
        title="No tracked changes left in the file",
        rule=RULE,
        severity=Severity.FIX,
        good="The fee is fixed at $658,000.",
        bad="The fee is {++fixed at++}{--about--} $658,000.",
        find=find_changes,
        needs_english=False,
    ),
    Check(
        code="highlight_left",
        title="Nothing left highlighted",
        rule=RULE,
        severity=Severity.FIX,
        good="The pilot starts on 9 February 2032.",
        bad="The pilot starts on {==9 February 2032==}.",
        find=find_highlights,
        needs_english=False,
    ),
)

"""Structure: nothing twice, nothing empty, and a table of contents that tells the truth."""

import re
from collections.abc import Iterator
from itertools import pairwise

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault, place
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.headings import Heading

RULE = RULES_BY_CODE["structure"].code

_ENOUGH_WORDS = 30
_A_RUNNING_HEAD = 3
"""Places from which on the same words are a running head, or a form's own."""
_MOST_NAMED = 6
_LETTERS = re.compile(r"[^\W_]+")


def find_repeated_paragraphs(document: CheckedDocument) -> Iterator[Fault]:
    """A paragraph of some length that stands word for word in an earlier place too.

    List items and table cells may repeat: what every milestone includes is said at each.
    """
    places: dict[str, list[tuple[CheckedSheet, int, int]]] = {}
    for sheet in document.sheets:
        if sheet.number in document.twins:
            continue  # said once already, of the whole sheet
        for block in sheet.blocks:
            if block.row or block.item or block.end - block.start < 2 * _ENOUGH_WORDS - 1:
                continue
            words = _LETTERS.findall(sheet.text[block.start : block.end].lower())
            if len(words) >= _ENOUGH_WORDS:
                places.setdefault(" ".join(words), []).append((sheet, block.start, block.end))
    for spans in places.values():
        if not 2 <= len(spans) < _A_RUNNING_HEAD:
            continue
        (first, start, end), (sheet, again, its_end) = spans
        yield Fault(
            sheet.number,
            sheet.quote(again, its_end),
            f"Stands word for word on sheet {first.number} already.",
            "Keep it where the buyer needs it, and delete it here.",
            also=(place(first, start, end),),
        )


def find_empty_sections(document: CheckedDocument) -> Iterator[Fault]:
    """Headings with nothing under them before the next of their size or larger, one finding a sheet."""
    for sheet in document.sheets:
        empty = [
            heading
            for heading, following in pairwise(document.headings[sheet.number])
            if _is_empty(sheet, heading, following)
        ]
        if not empty:
            continue
        first, *rest = empty
        named = ", ".join(f"“{heading.text}”" for heading in empty[:_MOST_NAMED])
        more = f" and {len(empty) - _MOST_NAMED} more" if len(empty) > _MOST_NAMED else ""
        yield Fault(
            sheet.number,
            sheet.quote(first.start, first.end),
            f"Nothing stands under {named}{more}.",
            "Write the section, or delete its heading.",
            also=tuple(place(sheet, heading.start, heading.end) for heading in rest),
        )


def _is_empty(sheet: CheckedSheet, heading: Heading, following: Heading) -> bool:
    if following.size < 0.97 * heading.size or following.start < heading.end:
        return False
    a_label = ":" in heading.text
    return not a_label and not sheet.text[heading.end : following.start].strip()


_CONTENTS = re.compile(r"^(?:table of )?contents$", re.IGNORECASE)
_ENTRY = re.compile(r"^(?P<title>[^\n]{3,90}?)[ .·…_]{2,}(?P<page>\d{1,3})$", re.MULTILINE)


def find_wrong_contents(document: CheckedDocument) -> Iterator[Fault]:
    """Entries of a table of contents whose heading stands on another sheet than they say."""
    for sheet in document.sheets[:4]:
        entries = list(_ENTRY.finditer(sheet.text))
        titled = any(_CONTENTS.match(line.strip()) for line in sheet.text.splitlines())
        if not titled or len(entries) < 3:
            continue
        found = [(entry, _sheet_of(document, sheet, entry["title"])) for entry in entries]
        shifts = [where - int(entry["page"]) for entry, where in found if where]
        if not shifts:
            return
        usual = max(set(shifts), key=shifts.count)
        if shifts.count(usual) * 2 <= len(shifts):
            return
        for entry, where in found:
            if where and where - int(entry["page"]) != usual:
                yield Fault(
                    sheet.number,
                    sheet.quote(entry.start(), entry.end()),
                    f"“{entry['title'].strip(' .')}” stands on sheet {where}.",
                    f"Write {where - usual}.",
                )
        return


def _sheet_of(document: CheckedDocument, contents: CheckedSheet, title: str) -> int:
    """The sheet on which a title is a line by itself; 0 where there is none, or more than one."""
    wanted = " ".join(_LETTERS.findall(title.lower()))
    found = [
        sheet.number
        for sheet in document.sheets
        if sheet is not contents
        and any(
            " ".join(_LETTERS.findall(line.lower())) == wanted for line in sheet.text.splitlines()
        )
    ]
    return found[0] if len(found) == 1 else 0


_SAME_SIZE = 0.06
"""Share by which sizes of one kind of heading differ, as the boxes of their letters tell them."""
_SHARE_OF_SHEETS = 0.8
_FEWEST_SHEETS = 5


def find_two_ideas(document: CheckedDocument) -> Iterator[Fault]:
    """A second heading of the top size on one sheet, where nearly every other sheet has one alone."""
    headings = document.headings
    if len(document.sheets) < _FEWEST_SHEETS:
        return
    top = [max((h.size for h in headings[s.number]), default=0.0) for s in document.sheets]
    largest = sorted(top)[len(top) // 2]
    tops = {
        sheet.number: [
            h for h in headings[sheet.number] if abs(h.size - largest) < _SAME_SIZE * largest
        ]
        for sheet in document.sheets
    }
    alone = [sheet for sheet in document.sheets if len(tops[sheet.number]) == 1]
    if largest == 0 or len(alone) < _SHARE_OF_SHEETS * len(document.sheets):
        return
    for sheet in document.sheets:
        for second in tops[sheet.number][1:]:
            first = tops[sheet.number][0]
            yield Fault(
                sheet.number,
                sheet.quote(second.start, second.end),
                f"A second idea on one sheet, after “{first.text}”.",
                "Give it a sheet of its own, or a smaller heading.",
                also=(place(sheet, first.start, first.end),),
            )


_MARKDOWN_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*$")
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)")


def find_skipped_levels(document: CheckedDocument) -> Iterator[Fault]:
    """Headings two levels below the one above, where the source tells their levels."""
    last = 0
    texts = [(sheet, " ".join(sheet.text.split())) for sheet in document.sheets]
    for level, title in document.outline or _markdown_headings(document.source_text or ""):
        sheet = next((sheet for sheet, text in texts if title in text), None)
        if last and level > last + 1 and sheet is not None:
            yield Fault(
                sheet.number,
                title,
                f"A heading of level {level} right under one of level {last}.",
                f"Make it level {last + 1}.",
            )
        last = level


def _markdown_headings(source: str) -> Iterator[tuple[int, str]]:
    fenced = False
    for line in source.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        match = None if fenced else _MARKDOWN_HEADING.match(line)
        if match is not None:
            yield len(match[1]), " ".join(re.sub(r"[*_`]", "", match[2]).split())


_REPEATED = (
    "A patient receives a text message seven days before the appointment, and answers with one"
    " letter: C to confirm, X to cancel, or nothing at all, in which case the desk calls."
)

CHECKS = (
    Check(
        code="said_twice",
        title="Nothing is said twice",
        rule=RULE,
        severity=Severity.FIX,
        good=_REPEATED,
        bad=f"{_REPEATED}\f{_REPEATED}",
        find=find_repeated_paragraphs,
        needs_english=False,
    ),
    Check(
        code="empty_section",
        title="No heading without text",
        rule=RULE,
        severity=Severity.FIX,
        good="# The problem\n\nOne appointment in eight is missed.\n\n# The plan\n\nReminders.",
        bad="# The problem\n\n# The plan\n\nReminders that patients can answer.",
        find=find_empty_sections,
        needs_english=False,
    ),
    Check(
        code="contents",
        title="The table of contents is right",
        rule=RULE,
        severity=Severity.FIX,
        good="Contents\n\nTeam ..... 2\nPrice ..... 3\nTerms ..... 4\fTeam\fPrice\fTerms",
        bad="Contents\n\nTeam ..... 2\nPrice ..... 3\nTerms ..... 5\fTeam\fPrice\fTerms",
        find=find_wrong_contents,
    ),
    Check(
        code="two_ideas",
        title="One idea a sheet",
        rule=RULE,
        severity=Severity.CONSIDER,
        good="\f".join(f"# Sheet {n}\n\nIts one idea." for n in range(1, 7)),
        bad="\f".join(f"# Sheet {n}\n\nIts one idea." for n in range(1, 7))
        + "\n\n# Another\n\nA second idea.",
        find=find_two_ideas,
        needs_english=False,
    ),
    Check(
        code="skipped_level",
        title="Headings go down one level at a time",
        rule=RULE,
        severity=Severity.CONSIDER,
        good="# Plan\n\n## Phase one\n\nWe listen.",
        bad="# Plan\n\n### Phase one\n\nWe listen.",
        find=find_skipped_levels,
        needs_english=False,
    ),
)

"""Structure: sheets that are empty, overfull, the same as another, or numbered out of order.

All but the same sheet twice are measured where the file is read, and told; what holds an
export there already only shows here, so that nobody has to settle it twice.
"""

import re
from collections.abc import Iterator, Sequence

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.checks.told import FitSeen
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Place, Severity
from reviewer.core.structure.squeezed import Squeezed

RULE = RULES_BY_CODE["structure"].code

_NUMBER = re.compile(r"Page number (\S{1,12}) ")
_WORD = re.compile(r"[(“\"']?[^\W\d_]+(?:['’-][^\W\d_]+)*[.,;:!?)”\"']{0,2}")
_MOSTLY = 0.5
_QUOTED = re.compile(r"“([^“”]{1,200})”")


def find_blank_sheets(document: CheckedDocument) -> Iterator[Fault]:
    """Sheets with nothing on them."""
    for seen in _seen(document, "blank"):
        yield _fault(
            seen, "", "Nothing is on this sheet.", "Take it out, or put what belongs here."
        )


def find_page_numbers_out_of_order(document: CheckedDocument) -> Iterator[Fault]:
    """Printed page numbers that go back, or stand on two sheets."""
    for seen in _seen(document, "page_numbers_out_of_order", "page_number_twice"):
        sheet = _sheet(document, seen)
        match = _NUMBER.match(seen.message)
        quote = _line_with(sheet, match[1]) if sheet and match else ""
        yield _fault(seen, quote, seen.message, "Number the sheets anew.")


def find_overfull_sheets(document: CheckedDocument) -> Iterator[Fault]:
    """Sheets with more text than fits, so that it runs over other text."""
    for seen in _seen(document, "overfull"):
        sheet = _sheet(document, seen)
        match = _QUOTED.search(seen.message)
        words = match[1].rstrip("…").split() if match else []
        if sheet is None or not _is_prose(sheet.text):
            continue
        quote = _words_of(sheet, words)
        yield _fault(seen, quote, seen.message, "Shorten the text, or give it another sheet.")


def find_the_same_sheet_twice(document: CheckedDocument) -> Iterator[Fault]:
    """Sheets with just the words of an earlier one, running lines aside."""
    for sheet in document.sheets:
        first = document.twins.get(sheet.number)
        if first is None:
            continue
        twin = next(other for other in document.sheets if other.number == first)
        yield Fault(
            sheet.number,
            _first_line(sheet),
            f"This sheet has the words of sheet {first}.",
            "Take one of the two out.",
            also=(Place(sheet=first, quote=_first_line(twin)),),
        )


def _first_line(sheet: CheckedSheet) -> str:
    line = next((s for s in sheet.sentences if len(s.text.split()) > 1), sheet.sentences[0])
    return sheet.quote(line.start, line.end)


def _seen(document: CheckedDocument, *codes: str) -> Iterator[FitSeen]:
    return (seen for seen in document.fit if seen.code in codes)


def _fault(seen: FitSeen, quote: str, finding: str, fix: str) -> Fault:
    severity = Severity.CONSIDER if seen.holds else None
    return Fault(seen.sheet, quote, finding, fix, severity=severity)


def _sheet(document: CheckedDocument, seen: FitSeen) -> CheckedSheet | None:
    return next((sheet for sheet in document.sheets if sheet.number == seen.sheet), None)


def _is_prose(text: str) -> bool:
    """Whether most of a text is words; one in a private code of its font is other signs."""
    words = text.split()
    return sum(bool(_WORD.fullmatch(word)) for word in words) > _MOSTLY * len(words)


def _line_with(sheet: CheckedSheet, number: str) -> str:
    """The line at the foot of a sheet, or at its head, that holds its number; "" where the same
    words stand elsewhere on the sheet, and quoting them would show the wrong place."""
    lines = [" ".join(line.split()) for line in sheet.text.splitlines() if line.strip()]
    whole = re.compile(rf"(?<!\w){re.escape(number)}(?!\w)")
    found = next((line for line in [*reversed(lines[-3:]), *lines[:3]] if whole.search(line)), "")
    only = re.findall(rf"(?<!\w){re.escape(found)}(?!\w)", " ".join(lines)) if found else []
    return found if len(only) == 1 else ""


def _words_of(sheet: CheckedSheet, words: Sequence[str]) -> str:
    """As many of the words as stand together on the sheet; they are named by where they overlap."""
    squeezed = Squeezed(sheet.text)
    for length in range(len(words), 0, -1):
        found = squeezed.find("".join(words[:length]))
        if found is not None:
            return sheet.quote(*squeezed.span(*found))
    return ""


_A_SHEET = (
    "# {}\n\nWe follow forty appointments from the booking to the visit, and note each call. The "
    "desk signs what we counted, so that both sides measure from the same day.\n"
)
_GOOD = f"{_A_SHEET.format('Reminders')}\f# Waiting list\n\nWhoever answers first has the visit."
_BAD = f"{_A_SHEET.format('Reminders')}\f{_A_SHEET.format('Reminders')}"

CHECKS = (
    Check(
        code="blank_sheet",
        title="No empty sheets",
        rule=RULE,
        severity=Severity.FIX,
        good="Every sheet has something on it.",
        bad="A sheet with nothing on it, between two others.",
        find=find_blank_sheets,
        needs_english=False,
    ),
    Check(
        code="page_numbers",
        title="Page numbers in order",
        rule=RULE,
        severity=Severity.FIX,
        good="Sheets that print Page 1, Page 2, Page 3.",
        bad="Sheets that print Page 1, Page 3, Page 2.",
        find=find_page_numbers_out_of_order,
        needs_english=False,
    ),
    Check(
        code="overfull_sheet",
        title="No overfull sheets",
        rule=RULE,
        severity=Severity.CONSIDER,
        good="Text that ends above the foot of its sheet.",
        bad="Text that runs over other text.",
        find=find_overfull_sheets,
        needs_english=False,
    ),
    Check(
        code="same_sheet_twice",
        title="No sheet twice",
        rule=RULE,
        severity=Severity.FIX,
        good=_GOOD,
        bad=_BAD,
        find=find_the_same_sheet_twice,
        needs_english=False,
    ),
)

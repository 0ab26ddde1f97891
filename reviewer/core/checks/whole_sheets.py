"""Structure: sheets that are empty, overfull, the same as another, or numbered out of order.

All but the same sheet twice are measured where the file is read, and told; what holds an
export there already only shows here, so that nobody has to settle it twice.
"""

import re
from collections.abc import Iterator

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.checks.told import FitSeen
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Place, Severity
from reviewer.core.structure.squeezed import Squeezed

RULE = RULES_BY_CODE["structure"].code

_NUMBER = re.compile(r"Page number (\S{1,12}) ")
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
    """Sheets with more text than fits: it runs over other text, off the page, or is cut."""
    for seen in _seen(document, "overfull", "clipped", "off_page"):
        sheet = _sheet(document, seen)
        match = _QUOTED.search(seen.message)
        quote = _words_of(sheet, match[1].rstrip("…")) if sheet and match else ""
        yield _fault(seen, quote, seen.message, "Shorten the text, or give it another sheet.")


def find_the_same_sheet_twice(document: CheckedDocument) -> Iterator[Fault]:
    """Sheets with just the words of an earlier one, running lines aside."""
    for sheet in document.sheets:
        first = document.twins.get(sheet.number)
        if first is None:
            continue
        line = next((s for s in sheet.sentences if len(s.text.split()) > 2), None)
        quote = sheet.quote(line.start, line.end) if line else ""
        yield Fault(
            sheet.number,
            quote,
            f"This sheet has the words of sheet {first}.",
            "Take one of the two out.",
            also=(Place(sheet=first, quote=quote),) if quote else (),
        )


def _seen(document: CheckedDocument, *codes: str) -> Iterator[FitSeen]:
    return (seen for seen in document.fit if seen.code in codes)


def _fault(seen: FitSeen, quote: str, finding: str, fix: str) -> Fault:
    severity = Severity.CONSIDER if seen.holds else None
    return Fault(seen.sheet, quote, finding, fix, severity=severity)


def _sheet(document: CheckedDocument, seen: FitSeen) -> CheckedSheet | None:
    return next((sheet for sheet in document.sheets if sheet.number == seen.sheet), None)


def _line_with(sheet: CheckedSheet, number: str) -> str:
    """The line at the foot of a sheet, or at its head, that holds its number."""
    lines = [line.strip() for line in sheet.text.splitlines() if line.strip()]
    ends = [*reversed(lines[-3:]), *lines[:3]]
    whole = re.compile(rf"(?<!\w){re.escape(number)}(?!\w)")
    return next((" ".join(line.split()) for line in ends if whole.search(line)), "")


def _words_of(sheet: CheckedSheet, words: str) -> str:
    """As many of the words as stand together on the sheet; they are named by where they overlap."""
    squeezed = Squeezed(sheet.text)
    parts = words.split()
    for length in range(len(parts), 0, -1):
        found = squeezed.find("".join(parts[:length]))
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
        bad="Text that runs over the foot, or off the sheet.",
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

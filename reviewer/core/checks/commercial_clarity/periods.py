"""Commercial clarity: periods with a first and a last day, and how long they are said to be."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.amounts import WORDS_FOR_NUMBERS
from reviewer.core.structure.dates import dates_in
from reviewer.core.structure.rows import Cell, Row
from reviewer.core.structure.sentences import Sentence

RULE = RULES_BY_CODE["commercial_clarity"].code

RANGE = re.compile(r"^\s*(?:to|and|until|till|through|-|–|—)\s*$", re.IGNORECASE)
"""What stands between the first and the last day of a period."""

_LENGTH = re.compile(
    rf"\b(?P<number>\d{{1,3}}|{'|'.join(WORDS_FOR_NUMBERS)})[ -](?P<working>working |business )?"
    r"(?P<unit>day|week|month)s?\b(?![ -]old\b| (?:a|per|each|every)\b)(?P<after>['’]?)",
    re.IGNORECASE,
)
_UNITS = frozenset({"day", "days", "week", "weeks", "month", "months"})
_OTHER_LENGTH = re.compile(
    r"\b(?:notice|within|after|before|prior|later|earlier|every|each|per|warranty|payable|receipt"
    r"|about|around|roughly|nearly|almost|over|at least|at most|up to|less than|more than"
    r"|first|last|of which)\b",
    re.IGNORECASE,
)
_FROM_AND_TO = 2
_DAYS_OF_A_MONTH = 30.44
_ROOM = {"day": 1.0, "week": 7.0, "month": 16.0}
"""Days by which a length and its dates may differ: counting both ends, or neither."""


def find_lengths_off_their_dates(document: CheckedDocument) -> Iterator[Fault]:
    """A sentence that gives the first and the last day of a period, and another length for it."""
    for sheet, sentence in document.sentences():
        if len(sheet.dates) < _FROM_AND_TO or _UNITS.isdisjoint(sentence.words):
            continue
        lengths = [] if sentence.row else list(_LENGTH.finditer(sentence.text))
        if len(lengths) != 1 or lengths[0]["after"] or _OTHER_LENGTH.search(sentence.text):
            continue
        period = _period(sheet, sentence)
        if period is None or period[1] <= period[0]:
            continue
        first, last = period
        length = lengths[0]
        number, unit = _number(length["number"]), length["unit"].lower()
        if _fits(first, last, number, unit, working=bool(length["working"])):
            continue
        yield Fault(
            sheet.number,
            sheet.quote(sentence.start, sentence.end),
            f"From {first.day} {first:%B %Y} to {last.day} {last:%B %Y} it is "
            f"{_in_words(first, last, unit)}, not {number} {unit}s.",
            "Make the length and the dates agree.",
        )


def _number(written: str) -> int:
    return int(written) if written.isdigit() else WORDS_FOR_NUMBERS[written.lower()]


def _period(sheet: CheckedSheet, sentence: Sentence) -> tuple[date, date] | None:
    """The first and last day of the one range of dates in a sentence."""
    written = dates_in(sentence.text, sheet.forms)
    if len(written) != 2:
        return None
    first, last = written
    if not RANGE.match(sentence.text[first.end : last.start]):
        return None
    year = last.year if last.year is not None else first.year
    days = first.on(year), last.on(year)
    return (days[0], days[1]) if days[0] is not None and days[1] is not None else None


def _fits(first: date, last: date, number: int, unit: str, *, working: bool) -> bool:
    calendar = (last - first).days
    if unit == "day":
        weekdays = sum(
            (first + timedelta(days=n)).weekday() < 5 for n in range(min(calendar + 1, 3000))
        )
        counts = [weekdays] if working else [calendar + 1, weekdays]
        return any(abs(count - number) <= _ROOM["day"] for count in counts)
    meant = number * (7.0 if unit == "week" else _DAYS_OF_A_MONTH)
    return abs(calendar + 0.5 - meant) < _ROOM[unit]


def _in_words(first: date, last: date, unit: str) -> str:
    days = (last - first).days + 1
    if unit == "day":
        return f"{days} days"
    many = days / (7 if unit == "week" else _DAYS_OF_A_MONTH)
    return f"{round(many, 1):g} {unit}s"


_BEGIN = re.compile(
    r"(?:planned |project )?(?:start|begin|beginning|from)(?: date)?s?", re.IGNORECASE
)
_END = re.compile(
    r"(?:planned |project )?(?:end|finish|until|to|completion|due)(?: date)?s?", re.IGNORECASE
)


def rows_that_end_first(document: CheckedDocument) -> Iterator[Fault]:
    """Rows of a table with a column of starts and one of ends, whose end comes first."""
    for sheet in document.sheets:
        columns: tuple[Cell, Cell] | None = None
        for row in document.rows(sheet):
            columns = _columns(row.cells) or columns
            days = _start_and_end(row, columns, sheet) if columns else None
            if days is not None and days[1] < days[0] and row.whole:
                yield Fault(
                    sheet.number,
                    sheet.quote(row.start, row.end),
                    "Ends before it starts.",
                    "Correct one of the two dates.",
                )


def _columns(cells: Sequence[Cell]) -> tuple[Cell, Cell] | None:
    for begin, end in pairwise(cells):
        if _BEGIN.fullmatch(begin.text) and _END.fullmatch(end.text):
            return begin, end
    return None


def _start_and_end(
    row: Row, columns: tuple[Cell, Cell], sheet: CheckedSheet
) -> tuple[date, date] | None:
    days = []
    for column in columns:
        over = [cell for cell in row.cells if cell.over(column.x0, column.x1)]
        written = dates_in(over[0].text, sheet.forms) if len(over) == 1 else ()
        day = written[0].on() if len(written) == 1 else None
        if day is None:
            return None
        days.append(day)
    return days[0], days[1]


CHECKS = (
    Check(
        code="period_length",
        title="Periods are as long as their dates",
        rule=RULE,
        severity=Severity.FIX,
        good="The pilot runs for 8 weeks, from 5 January to 27 February 2032.",
        bad="The pilot runs for 12 weeks, from 5 January to 27 February 2032.",
        find=find_lengths_off_their_dates,
    ),
)

"""Commercial clarity: dates that are possible, and weekdays that are theirs."""

from collections.abc import Iterator
from datetime import date, timedelta

from reviewer.core.checks.document import CheckedDocument
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.dates import WEEKDAYS, WrittenDate

RULE = RULES_BY_CODE["commercial_clarity"].code


def find_wrong_weekdays(document: CheckedDocument) -> Iterator[Fault]:
    """Dates whose weekday is another one, and days that no calendar has.

    A date without a year is compared in every year the document speaks of, or in this year
    and the next where it speaks of none; it is a fault only where none of them fits.
    """
    years = sorted(document.years) or [document.today.year, document.today.year + 1]
    for sheet in document.sheets:
        for written in sheet.dates:
            quote = sheet.quote(written.start, written.end)
            if not written.possible:
                yield Fault(
                    sheet.number,
                    quote,
                    "There is no such day.",
                    "Put the day that is meant.",
                )
            elif written.weekday is not None:
                days = _candidates(written, years)
                if days and all(day.weekday() != written.weekday for day in days):
                    yield _wrong_weekday(sheet.number, quote, written, days)


def _candidates(written: WrittenDate, years: list[int]) -> list[date]:
    if written.year is not None:
        years = [written.year]
    return [day for year in years if (day := written.on(year)) is not None]


def _wrong_weekday(sheet: int, quote: str, written: WrittenDate, days: list[date]) -> Fault:
    assert written.weekday is not None
    day = days[0]
    right = WEEKDAYS[day.weekday()]
    shift = (written.weekday - day.weekday() + 3) % 7 - 3
    nearest = day + timedelta(days=shift)
    said = f"{day.day} {day:%B %Y}"
    return Fault(
        sheet,
        quote,
        f"{said} is a {right}, not a {WEEKDAYS[written.weekday]}.",
        f"Write {right}, or the date that is meant: {WEEKDAYS[written.weekday]} is "
        f"{nearest.day} {nearest:%B %Y}.",
    )


CHECKS = (
    Check(
        code="weekday",
        title="Weekdays match their dates",
        rule=RULE,
        severity=Severity.FIX,
        good="The project starts on Monday 2 February 2026.",
        bad="The project starts on Tuesday 2 February 2026.",
        find=find_wrong_weekdays,
    ),
)

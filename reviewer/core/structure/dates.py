"""Dates as they are written, with the weekday beside them where there is one.

Day-month, month-day and ISO forms with or without a year. Forms of digits alone
(03/04/2026) are read where they have one meaning, or where it is known which comes first.
"""

import re
from dataclasses import dataclass
from datetime import date

from reviewer.core.structure.forms import PLAIN, Forms

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MONTH = (
    r"(?P<{}>January|February|March|April|May|June|July|August|September|October|November"
    r"|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"(?P<{}>[0-3]?\d)(?:st|nd|rd|th)?"
_WEEKDAY = (
    r"(?:\b(?P<weekday>Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
    r"|Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)\b\.?,?\s+(?:the\s+)?)?"
)
_WEEKDAY_AFTER = (
    r"(?:\s*\((?:an?\s+)?(?P<weekday_after>Monday|Tuesday|Wednesday|Thursday|Friday|Saturday"
    r"|Sunday|Mon|Tues?|Wed|Thurs?|Thu|Fri|Sat|Sun)\))?"
)
_DATE = re.compile(
    _WEEKDAY
    + r"(?<![\d.,/-])(?:"
    + r"(?P<iso_year>(?:19|20)\d\d)-(?P<iso_month>[01]\d)-(?P<iso_day>[0-3]\d)(?!\d)"
    + r"|" + _DAY.format("day_first") + r"(?:\s+of)?\s+" + _MONTH.format("month_after")
    + r"(?:,?\s+(?P<year_after>(?:19|20)\d\d)\b)?"
    + r"|" + _MONTH.format("month_first") + r"\s+" + _DAY.format("day_after") + r"(?![\d:.%]\d|\d)"
    + r"(?:,?\s+(?P<year_last>(?:19|20)\d\d)\b)?"
    + r"|(?P<left>[0-3]?\d)(?P<mark>[./])(?P<right>[0-3]?\d)(?P=mark)(?P<digits_year>(?:19|20)\d\d)\b"
    + r")" + _WEEKDAY_AFTER
)  # fmt: skip

_HINT = re.compile(
    r"[ADFJMNOS](?<!\w[A-Z])(?:an|eb|ar|pr|ay|un|ul|ug|ep|ct|ov|ec)"
    r"|[0-9](?:-[01]\d-[0-3]|[./][0-3]?\d[./](?:19|20))"
)
"""What every date has in it; the rest is only sought around it, which is several times as fast."""
_BEFORE_HINT, _AFTER_HINT = 30, 40


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date as written. `year` is None where none is written, `weekday` counts from Monday 0.

    `possible` is False for a day that no calendar has, such as 31 June.
    """

    start: int
    end: int
    year: int | None
    month: int
    day: int
    weekday: int | None
    possible: bool = True

    def on(self, year: int | None = None) -> date | None:
        """The calendar day, in `year` where none is written; None where there is no such day."""
        chosen = self.year if self.year is not None else year
        if chosen is None:
            return None
        try:
            return date(chosen, self.month, self.day)
        except ValueError:
            return None


def dates_in(text: str, forms: Forms = PLAIN) -> tuple[WrittenDate, ...]:
    """Every date in `text`, in order."""
    found: list[WrittenDate] = []
    cursor = 0
    for hint in _HINT.finditer(text):
        if hint.start() < cursor:
            continue
        match = _DATE.search(
            text, max(cursor, hint.start() - _BEFORE_HINT), hint.end() + _AFTER_HINT
        )
        if match is None or match.end() <= hint.start():
            continue
        cursor = match.end()
        written = _written(match, forms)
        if written is not None:
            found.append(written)
    return tuple(found)


def _written(match: re.Match[str], forms: Forms) -> WrittenDate | None:
    parts = _parts(match, forms)
    if parts is None:
        return None
    year, month, day = parts
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    name = match["weekday"] or match["weekday_after"]
    weekday = _weekday(name) if name else None
    try:
        date(year if year is not None else 2024, month, day)
        possible = True
    except ValueError:
        possible = False
    return WrittenDate(match.start(), match.end(), year, month, day, weekday, possible)


def _parts(match: re.Match[str], forms: Forms) -> tuple[int | None, int, int] | None:
    if match["iso_year"]:
        return int(match["iso_year"]), int(match["iso_month"]), int(match["iso_day"])
    if match["month_after"]:
        return _year(match["year_after"]), _month(match["month_after"]), int(match["day_first"])
    if match["month_first"]:
        return _year(match["year_last"]), _month(match["month_first"]), int(match["day_after"])
    left, right, year = int(match["left"]), int(match["right"]), int(match["digits_year"])
    if left > 12 >= right:
        return year, right, left
    if right > 12 >= left:
        return year, left, right
    if left == right or forms.day_first is False:
        return year, left, right
    return (year, right, left) if forms.day_first else None


def _year(written: str | None) -> int | None:
    return int(written) if written else None


def _month(name: str) -> int:
    return next(n for n, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _weekday(name: str) -> int:
    return next(n for n, weekday in enumerate(WEEKDAYS) if weekday.startswith(name[:3]))

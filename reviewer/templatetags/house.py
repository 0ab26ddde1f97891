"""How people, ages and counts are written, and the two settings that scripts need."""

import json
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.utils import timezone

from reviewer.core.wording import counted
from reviewer.services.naming import name_of

register = template.Library()

MINUTE, HOUR, DAY = 60, 3600, 86400


@register.filter
def person(user: Any) -> str:
    """The name a team uses."""
    return name_of(user)


@register.filter
def age(moment: datetime | None) -> str:
    """How long ago, short enough for a column: 'now', '4 min', '2 h', '3 d', '5 w', '2 y'."""
    if moment is None:
        return "–"
    seconds = max(0.0, (timezone.now() - moment).total_seconds())
    if seconds < MINUTE:
        return "now"
    for limit, unit, name in (
        (HOUR, MINUTE, "min"),
        (DAY, HOUR, "h"),
        (14 * DAY, DAY, "d"),
        (365 * DAY, 7 * DAY, "w"),
    ):
        if seconds < limit:
            return f"{int(seconds // unit)} {name}"
    return f"{int(seconds // (365 * DAY))} y"


@register.filter
def minutes(length: timedelta) -> str:
    """A length of time in whole minutes, at least one: '15 minutes'."""
    return counted(max(1, round(length.total_seconds() / MINUTE)), "minute")


@register.filter
def megabytes(size: int) -> str:
    """Bytes as '2.4 MB', small files as '12 KB'."""
    return f"{size / 1048576:.1f} MB" if size >= 1048576 else f"{max(1, round(size / 1024))} KB"


@register.filter("counted")
def counted_noun(number: int, noun: str) -> str:
    """`3|counted:"block"` is '3 blocks'; a plural that is not an s is given: "fix,fixes"."""
    one, _, many = noun.partition(",")
    return counted(number, one, many)


@register.filter
def outcome_name(outcome: str) -> str:
    """An outcome as a table names it: 'read', 'partly read', 'no call'."""
    return outcome.replace("_", " ")


@register.filter
def add_to(number: float, other: float) -> float:
    """The sum of two numbers that need not be whole."""
    return round(number + other, 1)


@register.simple_tag
def querystring_of(request: Any, page: int) -> str:
    """The address's own query with another page."""
    query = request.GET.copy()
    query["page"] = page
    return str(query.urlencode())


@register.simple_tag
def htmx_config() -> str:
    """htmx without inline style, without eval, and without pages kept in the browser's store.

    Answers that carry a sentence for the person (409, 422) are shown like any other. What
    comes is alive when it is seen: with htmx's own delay, a key that is pressed at once would
    send a form as a page of its own.
    """
    return json.dumps(
        {
            "includeIndicatorStyles": False,
            "allowEval": False,
            "historyCacheSize": 0,
            "defaultSettleDelay": 0,
            "refreshOnHistoryMiss": True,
            "responseHandling": [
                {"code": "204", "swap": False},
                {"code": "[23]..", "swap": True},
                {"code": "409|422", "swap": True},
                {"code": "[45]..", "swap": False, "error": True},
            ],
        }
    )

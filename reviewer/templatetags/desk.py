"""How the desk writes lengths of time."""

from datetime import datetime

from django import template

from reviewer.templatetags.house import age

register = template.Library()


@register.filter
def took(seconds: float | None) -> str:
    """`0.4` is '0 s', `65` is '1 min 5 s', `4000` is '1 h 6 min'; None is 'no time'."""
    if seconds is None:
        return "no time"
    whole = int(max(0.0, seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


@register.filter
def ago(moment: datetime | None) -> str:
    """'just now', '4 min ago', '3 d ago'."""
    said = age(moment)
    return "just now" if said == "now" else f"{said} ago"

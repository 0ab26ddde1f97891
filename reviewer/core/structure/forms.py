"""How a text writes dates and numbers: the workspace's setting, or what the text itself tells.

03/04/2026 is 3 April in Britain and 4 March in America. Where nobody says which, other dates
of the same text do (25/04/2026 has one reading), and where those are silent or disagree the
date is left alone. ISO dates and dates with the name of the month need no setting.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

SETTINGS = ("en-US", "en-GB", "ISO")
"""What a workspace may choose: month first, day first, or year first and digits in groups
parted by spaces (12 500,75)."""

_DIGITS = re.compile(r"(?<![\d./])([0-3]?\d)([./])([0-3]?\d)\2(?:19|20)\d\d(?!\d)")


class Forms(NamedTuple):
    """`day_first` None leaves alone a date that reads two ways; `spaced` says that digits come
    in groups parted by spaces, and that a comma may be a decimal mark."""

    day_first: bool | None = None
    spaced: bool = False


PLAIN = Forms()


def forms_of(setting: str, texts: Iterable[str]) -> Forms:
    """The forms in which `texts` are to be read. An unknown setting is as none."""
    if setting in ("en-US", "en-GB"):
        return Forms(day_first=setting == "en-GB")
    return Forms(_told_by(texts) if setting != "ISO" else None, spaced=setting == "ISO")


def _told_by(texts: Iterable[str]) -> bool | None:
    """Whether the day comes first in the dates that have one reading; None unless all agree."""
    told = set()
    for text in texts:
        for left, _, right in _DIGITS.findall(text):
            if 12 < int(left) <= 31 and 1 <= int(right) <= 12:
                told.add(True)
            elif 12 < int(right) <= 31 and 1 <= int(left) <= 12:
                told.add(False)
    return told.pop() if len(told) == 1 else None

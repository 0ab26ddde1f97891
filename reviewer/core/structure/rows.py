"""Rows and cells of a sheet, from where its words stand.

A row is what stands at one height; a cell is what stands together in it. Tables come out as
rows whose cells line up, whichever order the text was extracted in. Where no boxes are known,
the lines of the text are read as if set in a fixed-width face.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from operator import itemgetter
from statistics import median
from typing import NamedTuple

from reviewer.core.structure.forms import PLAIN, Forms

_SAMPLE = 1000
"""Words of a document that are looked at to tell whether its boxes hug their letters."""
_LOOK_AHEAD = 400
"""Characters within which the next word of a sheet must stand in its text."""
_CELL_GAP = 0.75
"""Share of a row's size that parts two cells; a space is about a quarter of it."""
_TALL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZbdfhijklt0123456789$€£%&/()[]“”\"'?!")
_DEEP = frozenset("gjpqy,;()[]/$Q")
_TELLING_WORDS = 5
"""A few words of a row tell its size well enough."""
_TALL_PART, _LOW_PART, _DEEP_PART = 0.73, 0.53, 0.21
"""Parts of the type size that letters take above the line, with and without ascenders, and below."""


WordBox = tuple[str, float, float, float, float]
"""A word with its box in points: left, top, right and bottom."""


class PlacedWord(NamedTuple):
    """A word with its offsets in the sheet's text and its box in points."""

    text: str
    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float


class Cell(NamedTuple):
    """Words that stand together in a row. `text` has single spaces."""

    text: str
    start: int
    end: int
    x0: float
    x1: float

    def over(self, x0: float, x1: float) -> bool:
        """Whether the cell stands above or below a stretch of the sheet's width."""
        return min(self.x1, x1) - max(self.x0, x0) > 0


@dataclass(frozen=True)
class Row:
    """What stands at one height. Offsets span all its words; `whole` says whether nothing
    else stands between them in the text, so that the span may be quoted. `size` is the size
    of its type in points, as far as the boxes tell; `forms` how its numbers are written.
    """

    words: tuple[PlacedWord, ...]
    start: int
    end: int
    y0: float
    y1: float
    whole: bool
    size: float
    forms: Forms = PLAIN

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The row's cells from left to right."""
        gap = _CELL_GAP * self.size
        groups: list[list[PlacedWord]] = []
        right = -gap
        group: list[PlacedWord] = []
        for word in self.words:
            if group and word[3] - right < gap:
                group.append(word)
            else:
                group = [word]
                groups.append(group)
            right = word[5]
        return tuple(_cell(group) for group in groups)


def _cell(words: list[PlacedWord]) -> Cell:
    first, last = words[0], words[-1]
    if first is last:
        return Cell(first[0], first[1], first[2], first[3], first[5])
    text = " ".join([word[0] for word in words])
    start, end = min([word[1] for word in words]), max([word[2] for word in words])
    return Cell(text, start, end, first[3], last[5])


def place_words(text: str, boxes: Sequence[WordBox]) -> tuple[PlacedWord, ...]:
    """The words with their offsets in `text`; a word that is not where it should be is left out."""
    if not boxes:
        return _fixed_width(text)
    placed: list[PlacedWord] = []
    cursor = 0
    for word, x0, y0, x1, y1 in boxes:
        if not word.strip():
            continue
        start = text.find(word, cursor, cursor + len(word) + _LOOK_AHEAD)
        if start < 0:
            continue
        cursor = start + len(word)
        placed.append(PlacedWord(word, start, cursor, x0, y0, x1, y1))
    return tuple(placed)


def _fixed_width(text: str) -> tuple[PlacedWord, ...]:
    placed: list[PlacedWord] = []
    offset = 0
    for height, line in enumerate(text.splitlines(keepends=True)):
        for match in re.finditer(r"[^\s|]+", line):
            left, right = match.span()
            placed.append(
                PlacedWord(
                    match.group(),
                    offset + left,
                    offset + right,
                    left * 5.0,
                    height * 12.0,
                    right * 5.0,
                    height * 12.0 + 9.0,
                )
            )
        offset += len(line)
    return tuple(placed)


def rows_of(
    words: Sequence[PlacedWord], forms: Forms = PLAIN, *, tight: bool = False
) -> tuple[Row, ...]:
    """Rows from the top down. Words belong to one row where their heights overlap by half.

    `tight` says that boxes hug the letters, as `boxes_are_tight` tells of a document.
    """
    open_rows: list[list[PlacedWord]] = []
    top = bottom = 0.0  # of the tallest word of the row that is open
    for word in sorted(words, key=_by_height):
        y0, y1 = word[4], word[6]
        overlap = (y1 if y1 < bottom else bottom) - (y0 if y0 > top else top)
        height, tallest = y1 - y0, bottom - top
        if open_rows and overlap > 0.5 * (height if height < tallest else tallest):
            open_rows[-1].append(word)
            if height > tallest:
                top, bottom = y0, y1
        else:
            open_rows.append([word])
            top, bottom = y0, y1
    starts = sorted(word.start for word in words)
    return tuple(_row(sorted(row, key=_LEFT), starts, tight, forms) for row in open_rows)


def boxes_are_tight(words: Iterable[WordBox]) -> bool:
    """Whether boxes hug the letters, so that words without tall letters have lower ones.

    One answer for a document: on a sheet of a few words there may be none to tell it by.
    """
    tall: list[float] = []
    low: list[float] = []
    for text, _, y0, _, y1 in islice(words, _SAMPLE):
        if not _TALL.isdisjoint(text):
            tall.append(y1 - y0)
        elif text.isalpha() and _DEEP.isdisjoint(text):
            low.append(y1 - y0)
    return bool(tall and low) and median(low) < 0.9 * median(tall)


def _size(word: PlacedWord, tight: bool) -> float:
    height = word.y1 - word.y0
    if not tight:
        return height
    above = _LOW_PART if _TALL.isdisjoint(word.text) else _TALL_PART
    return height / (above + (0.0 if _DEEP.isdisjoint(word.text) else _DEEP_PART))


def _by_height(word: PlacedWord) -> tuple[float, float]:
    return word[4] + word[6], word[3]


_LEFT = itemgetter(3)


def _row(words: list[PlacedWord], starts: list[int], tight: bool, forms: Forms) -> Row:
    start, end = min([word[1] for word in words]), max([word[2] for word in words])
    telling = words[:: max(1, len(words) // _TELLING_WORDS)]
    standing_between = bisect_left(starts, end) - bisect_left(starts, start)
    return Row(
        tuple(words),
        start,
        end,
        min([word[4] for word in words]),
        max([word[6] for word in words]),
        standing_between == len(words),
        median(_size(word, tight) for word in telling),
        forms,
    )

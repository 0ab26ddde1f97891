"""The words of a sheet as lines of text over its image, to be selected and copied. Pure.

Lengths are points from the top left of the sheet as shown. A line is as high as its highest
word, so that a dash can be pointed at as well as a letter, and its words keep the white
space of the sheet's text between them, so that what is copied is what was written.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewer.models import Sheet

BASELINE = 0.8
"""Where letters stand in a line, as a share of its height from its top."""
SIZE = 0.86
"""Size of type whose letters fill a line from top to bottom, as a share of its height."""
OF_ONE_HEIGHT = 2.5
"""A word more times higher than its line so far is not of the line."""
THINNEST = 0.5

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Piece:
    """One word: what stands before it on its line, where it begins, how long it is."""

    before: str
    text: str
    x: float
    length: float


@dataclass(frozen=True, slots=True)
class TextLine:
    """Words beside each other; `y` is where letters stand, `size` the size of the type."""

    y: float
    size: float
    pieces: tuple[Piece, ...]


@dataclass(slots=True)
class _Row:
    top: float
    bottom: float
    pieces: list[Piece] = field(default_factory=list)

    def holds(self, top: float, bottom: float) -> bool:
        ours, theirs = self.bottom - self.top, bottom - top
        shared = min(self.bottom, bottom) - max(self.top, top)
        least, most = sorted((max(ours, THINNEST), max(theirs, THINNEST)))
        return shared >= least / 2 and (most == ours or most <= OF_ONE_HEIGHT * least)


def text_lines(sheet: Sheet) -> list[TextLine]:
    """Every word of the sheet once, in reading order."""
    rows: list[_Row] = []
    for before, text, (x0, top, x1, bottom) in _words(sheet.words, sheet.text):
        breaks = not rows or "\n" in before or not rows[-1].holds(top, bottom)
        if breaks:
            rows.append(_Row(top, bottom))
        row = rows[-1]
        row.top, row.bottom = min(row.top, top), max(row.bottom, bottom)
        space = " " if before and not breaks else ""
        row.pieces.append(Piece(space, text, round(x0, 2), round(max(x1 - x0, THINNEST), 2)))
    return [_line(row) for row in rows]


def _line(row: _Row) -> TextLine:
    height = max(row.bottom - row.top, THINNEST)
    y, size = row.top + BASELINE * height, SIZE * height
    return TextLine(round(y, 2), round(size, 2), tuple(row.pieces))


def _words(words: Sequence[Sequence[Any]], text: str) -> Iterator[tuple[str, str, Box]]:
    """Each word with the white space before it, as the sheet's text has it."""
    for before, (word, x0, y0, x1, y1) in zip(_between(words, text), words, strict=True):
        yield before, word, (x0, y0, x1, y1)


def _between(words: Iterable[Sequence[Any]], text: str) -> Iterator[str]:
    at = 0
    for word, *_ in words:
        start = text.find(word, at)
        if start < 0:  # the text is not made of these words; a space is what stands for it
            yield " "
            continue
        yield text[at:start]
        at = start + len(word)

"""The lines of a sheet, from its words: where each stands and how it is set."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

from reviewer.documents.letters import Letters


@dataclass(frozen=True, slots=True)
class Line:
    """Words `first` to `last` (inclusive). `cells` are the left edges after wide gaps, the
    line's own left edge first: a line of a table has two or more. `fonts` are the names of
    all its fonts; `base` is the lowest edge of most of its words, in points."""

    first: int
    last: int
    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    base: float
    size: float
    fonts: frozenset[str]
    cells: tuple[float, ...]

    def stored(self) -> list[Any]:
        """The line as JSON can hold it; `restored` takes it back."""
        return [getattr(self, one.name) for one in fields(self)[:-2]] + [
            sorted(self.fonts),
            self.cells,
        ]

    @classmethod
    def restored(cls, stored: list[Any]) -> "Line":
        *plain, fonts, cells = stored
        first, last, text, x0, y0, x1, y1, base, size = plain
        return cls(first, last, text, x0, y0, x1, y1, base, size, frozenset(fonts), tuple(cells))


def read_lines(letters: Letters) -> list[Line]:
    """All lines in reading order; every word is in exactly one."""
    found: list[Line] = []
    first = 0
    for index in range(1, len(letters.words) + 1):
        if index == len(letters.words) or letters.line[index] != letters.line[first]:
            found.append(_line(letters, first, index - 1))
            first = index
    return found


def _line(letters: Letters, first: int, last: int) -> Line:
    words = letters.words[first : last + 1]
    styles = [letters.styles[s] for s in letters.style[first : last + 1]]
    size = Counter(style.size for style in styles).most_common(1)[0][0]
    size = size or max(word.y1 - word.y0 for word in words)
    return Line(
        first,
        last,
        _joined(letters, first, last),
        min(word.x0 for word in words),
        min(word.y0 for word in words),
        max(word.x1 for word in words),
        max(word.y1 for word in words),
        sorted(word.y1 for word in words)[len(words) // 2],
        size,
        frozenset(style.font for style in styles),
        _cells(words, size),
    )


def _joined(letters: Letters, first: int, last: int) -> str:
    parts = [letters.words[first].text]
    for index in range(first + 1, last + 1):
        parts.append("" if letters.glued[index] else " ")
        parts.append(letters.words[index].text)
    return "".join(parts)


def _cells(
    words: Sequence[tuple[str, float, float, float, float]], size: float
) -> tuple[float, ...]:
    edges = [words[0][1]]
    for before, word in pairwise(words):
        if word[1] - before[3] > 1.6 * size:
            edges.append(word[1])
    return tuple(edges)

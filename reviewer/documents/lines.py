"""The lines of a sheet, from its words: where each stands and how it is set."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
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

    def stored(self) -> tuple[Any, ...]:
        """The line's fields in their order."""
        return tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = tuple(one.name for one in fields(Line))


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
    _, lefts, tops, rights, bottoms = zip(*letters.words[first : last + 1], strict=True)
    styles = [letters.styles[s] for s in set(letters.style[first : last + 1])]
    size = styles[0].size
    if len(styles) > 1:
        usual = Counter(letters.style[first : last + 1]).most_common(1)[0][0]
        size = letters.styles[usual].size
    size = size or max(bottoms) - min(tops)
    return Line(
        first,
        last,
        _joined(letters, first, last),
        min(lefts),
        min(tops),
        max(rights),
        max(bottoms),
        sorted(bottoms)[len(bottoms) // 2],
        size,
        frozenset(style.font for style in styles),
        _cells(lefts, rights, size),
    )


def _joined(letters: Letters, first: int, last: int) -> str:
    parts = [letters.words[first].text]
    for index in range(first + 1, last + 1):
        parts.append("" if letters.glued[index] else " ")
        parts.append(letters.words[index].text)
    return "".join(parts)


def _cells(lefts: Sequence[float], rights: Sequence[float], size: float) -> tuple[float, ...]:
    wide = 1.6 * size
    after = [left for right, left in zip(rights, lefts[1:], strict=False) if left - right > wide]
    return (lefts[0], *after)

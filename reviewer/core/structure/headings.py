"""Headings of a sheet: short lines set larger than the text, or marked with # in plain text."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewer.core.structure.rows import Row

_LARGER = 1.12
"""How many times larger than body text a line must be set to be a heading."""
_MOST_WORDS = 14
_FEWEST_LETTERS = 3
_LINE_PITCH = 1.75
"""Type sizes from the top of a line to the top of the next, up to which a heading goes on."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with its place. `size` is its type size in points; larger is higher up."""

    text: str
    start: int
    end: int
    size: float
    y0: float
    y1: float
    """Top and bottom in points; `last_y0` is the top of its last line."""
    last_y0: float


def body_size(rows: Sequence[Row]) -> float:
    """The type size in points that most characters of the rows are set in; 0 without rows."""
    weights: Counter[float] = Counter()
    for row in rows:
        weights[round(row.size * 2) / 2] += sum(len(word[0]) for word in row.words)
    return weights.most_common(1)[0][0] if weights else 0.0


def headings_of(rows: Sequence[Row], body: float, *, plain: bool) -> tuple[Heading, ...]:
    """The headings among `rows`, given the type size of the document's body text.

    `plain` says that the rows come from lines of text without boxes, in which only # marks one.
    """
    found: list[Heading] = []
    for row in rows:
        text = " ".join(word.text for word in row.words)
        level = len(text) - len(text.lstrip("#")) if plain else 0
        size = row.size * (2 - level / 8) if level else row.size
        if size < _LARGER * body:
            continue
        if len(row.cells) > 1 or len(row.words) > _MOST_WORDS or text[-1:] in ".;,:":
            continue
        if sum(character.isalpha() for character in text) < _FEWEST_LETTERS:
            continue
        last = found[-1] if found else None
        wraps = (
            last is not None
            and not level
            and abs(last.size - size) < 0.15 * size
            and row.y0 - last.last_y0 < _LINE_PITCH * size
        )
        if wraps and last is not None:
            found[-1] = replace(
                last, text=f"{last.text} {text}", end=row.end, y1=row.y1, last_y0=row.y0
            )
        else:
            found.append(
                Heading(text.lstrip("# "), row.start, row.end, size, row.y0, row.y1, row.y0)
            )
    return tuple(found)

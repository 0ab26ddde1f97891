"""Headings of a sheet: short lines set larger than the text, or marked with # in plain text."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.structure.rows import Row

_LARGER = 1.12
"""How many times taller than body text a line must be set to be a heading."""
_MOST_WORDS = 14
_FEWEST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with its place. `size` is its height in points, larger being higher up."""

    text: str
    start: int
    end: int
    size: float
    y0: float
    y1: float


def body_height(rows: Sequence[Row]) -> float:
    """The height in points that most characters of the rows are set in; 0 without rows."""
    weights: Counter[float] = Counter()
    for row in rows:
        weights[round(row.y1 - row.y0, 1)] += sum(len(word.text) for word in row.words)
    return weights.most_common(1)[0][0] if weights else 0.0


def headings_of(rows: Sequence[Row], body: float, *, plain: bool) -> tuple[Heading, ...]:
    """The headings among `rows`, given the height of the document's body text.

    `plain` says that the rows come from lines of text without boxes, in which only # marks one.
    """
    found: list[Heading] = []
    for row in rows:
        text = " ".join(word.text for word in row.words)
        level = len(text) - len(text.lstrip("#")) if plain else 0
        size = row.y1 - row.y0 if not level else (row.y1 - row.y0) * (2 - level / 8)
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
            and row.y0 - last.y1 < 0.6 * size
        )
        if wraps and last is not None:
            found[-1] = Heading(
                f"{last.text} {text}", last.start, row.end, last.size, last.y0, row.y1
            )
        else:
            found.append(Heading(text.lstrip("# "), row.start, row.end, size, row.y0, row.y1))
    return tuple(found)

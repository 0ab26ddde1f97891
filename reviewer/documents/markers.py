"""List markers brought back to the lines they stand before.

Some programs draw all bullets and numbers of a page after its text. Read in that order
they would be a heap at the page's end, and a list would read as one run of words.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from reviewer.documents.sheets import Word

MARKER = re.compile(
    r"^(?:[•◦▪▫‣●○■□–—*·o\uf0b7\uf0a7➢✓✔☐☑☒-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)])$"
)
_MOST_COMPARED = 200_000
"""Markers times lines; a page beyond that is no list."""
_FARTHEST = 45.0
"""Points between a marker and its text."""


def bring_markers_home(words: Sequence[Word], line: Sequence[int]) -> list[list[int]] | None:
    """The lines, as indexes of words, with each lone marker on the line it stands before;
    None where nothing has to move.

    `line` gives the index of each word's line, rising by one.
    """
    starts = [0, *(i for i in range(1, len(words)) if line[i] != line[i - 1]), len(words)]
    spans = [range(first, last) for first, last in pairwise(starts)]
    lone = [index for index, span in enumerate(spans) if _is_lone_marker(words, span)]
    if not lone or len(lone) * len(spans) > _MOST_COMPARED:
        return None
    marker_lines = set(lone)
    before: dict[int, list[int]] = {}
    for index in lone:
        home = _home(words, spans, words[spans[index][0]], marker_lines)
        if home is not None:
            before.setdefault(home, []).append(index)
    if not before:
        return None
    moved = {index for markers in before.values() for index in markers}
    lines: list[list[int]] = []
    for index, span in enumerate(spans):
        if index in moved:
            continue
        markers = [spans[marker][0] for marker in before.get(index, [])]
        lines.append([*markers, *span])
    return lines


def _is_lone_marker(words: Sequence[Word], span: range) -> bool:
    return len(span) == 1 and MARKER.match(words[span[0]].text) is not None


def _home(
    words: Sequence[Word], spans: Sequence[range], marker: Word, lone: set[int]
) -> int | None:
    """The line that begins just after the marker, at its height."""
    best: tuple[float, int] | None = None
    middle = (marker.y0 + marker.y1) / 2
    for index, span in enumerate(spans):
        if index in lone or not span:
            continue
        first = words[span[0]]
        gap = first.x0 - marker.x1
        if -1 <= gap <= _FARTHEST and first.y0 - 2 <= middle <= first.y1 + 2:
            nearest = (gap, index)
            best = nearest if best is None else min(best, nearest)
    return best[1] if best else None

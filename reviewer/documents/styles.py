"""How the text of a page is set: size, font, painted or not, and what clips it.

Asked once a text object and not once a word, because most words share theirs.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points from the top left of the page as shown."""

Shown = Callable[[float, float], tuple[float, float]]
"""From a point in the page's own space to one on the page as shown."""


class Style(NamedTuple):
    """How a run of text is set: size in points as shown, its font, and whether the file
    carries that font; `drawn` is False for text that is placed but not painted, `clip` the
    box outside of which nothing of it shows."""

    size: float
    font: str
    embedded: bool
    drawn: bool
    clip: Box | None


_UNKNOWN = Style(0.0, "", True, True, None)
_INVISIBLE = 3
_CLIP_ONLY = 7


def read_styles(
    pdfium: Any, page_text: Any, firsts: Sequence[int], shown: Shown
) -> tuple[list[int], list[Style]]:
    """For each word, given by the index of its first character, an index into the styles."""
    styles: list[Style] = []
    seen: dict[int, int] = {}
    known: dict[Style, int] = {}
    indexes: list[int] = []
    get = pdfium.FPDFText_GetTextObject
    for first in firsts:
        handle = get(page_text, first)
        address = ctypes.cast(handle, ctypes.c_void_p).value or 0 if handle else 0
        index = seen.get(address)
        if index is None:
            style = _style(pdfium, page_text, first, handle, shown) if address else _UNKNOWN
            index = known.setdefault(style, len(styles))
            if index == len(styles):
                styles.append(style)
            seen[address] = index
        indexes.append(index)
    return indexes, styles


def _style(pdfium: Any, page_text: Any, first: int, handle: Any, shown: Shown) -> Style:
    matrix = pdfium.FS_MATRIX()
    size = pdfium.FPDFText_GetFontSize(page_text, first)
    if pdfium.FPDFText_GetMatrix(page_text, first, matrix):
        size *= (matrix.c**2 + matrix.d**2) ** 0.5
    font = pdfium.FPDFTextObj_GetFont(handle)
    name, embedded = "", True
    if font:
        buffer = ctypes.create_string_buffer(128)
        pdfium.FPDFFont_GetBaseFontName(font, buffer, 128)
        name = buffer.value.decode("utf-8", "replace")
        embedded = pdfium.FPDFFont_GetIsEmbedded(font) != 0
    mode = pdfium.FPDFTextObj_GetTextRenderMode(handle)
    drawn = mode not in (_INVISIBLE, _CLIP_ONLY)
    return Style(round(size, 2), name, embedded, drawn, _clip(pdfium, handle, shown))


def _clip(pdfium: Any, handle: Any, shown: Shown) -> Box | None:
    """The box within which the object shows, or None where nothing clips it."""
    path = pdfium.FPDFPageObj_GetClipPath(handle)
    if not path:
        return None
    box: Box | None = None
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(max(0, pdfium.FPDFClipPath_CountPaths(path))):
        points: list[tuple[float, float]] = []
        for part in range(max(0, min(200, pdfium.FPDFClipPath_CountPathSegments(path, index)))):
            segment = pdfium.FPDFClipPath_GetPathSegment(path, index, part)
            if segment and pdfium.FPDFPathSegment_GetPoint(segment, x, y):
                points.append(shown(x.value, y.value))
        if not points:
            continue
        x0, y0 = min(p[0] for p in points), min(p[1] for p in points)
        x1, y1 = max(p[0] for p in points), max(p[1] for p in points)
        if box is not None:
            x0, y0 = max(x0, box[0]), max(y0, box[1])
            x1, y1 = min(x1, box[2]), min(y1, box[3])
        box = (x0, y0, x1, y1)
    return box

"""How the text of a page is set: size, font, painted or not, and what clips it.

Asked once a text object and not once a word, because most words share theirs.
"""

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points from the top left of the page as shown."""

Shown = Callable[[float, float], tuple[float, float]]
"""From a point in the page's own space to one on the page as shown."""


class Style(NamedTuple):
    """How a run of text is set: size in points as shown, its font, and whether the file
    carries that font; `drawn` is False for text that is placed but not painted, `clip` the
    box outside of which nothing of it shows, `turned` True for text that runs up or down."""

    size: float
    font: str
    embedded: bool
    drawn: bool
    clip: Box | None
    turned: bool = False


_UNKNOWN = Style(0.0, "", True, True, None)
_INVISIBLE = 3
_CLIP_ONLY = 7


class Styles:
    """The styles of one page, each once, by the index of a character."""

    def __init__(self, pdfium: Any, page_text: Any, shown: Shown) -> None:
        self._pdfium = pdfium
        self._page_text = page_text
        self._shown = shown
        self._seen: dict[int, int] = {}
        self._known: dict[Style, int] = {}
        self.all: list[Style] = []

    def at(self, character: int) -> int:
        """The index, in `all`, of the style that a character is set in."""
        handle = self._pdfium.FPDFText_GetTextObject(self._page_text, character)
        address = ctypes.cast(handle, ctypes.c_void_p).value or 0 if handle else 0
        index = self._seen.get(address)
        if index is None:
            style = _UNKNOWN
            if address:
                style = _style(self._pdfium, self._page_text, character, handle, self._shown)
            index = self._known.setdefault(style, len(self.all))
            if index == len(self.all):
                self.all.append(style)
            self._seen[address] = index
        return index


def _style(pdfium: Any, page_text: Any, first: int, handle: Any, shown: Shown) -> Style:
    matrix = pdfium.FS_MATRIX()
    turned = False
    size = pdfium.FPDFText_GetFontSize(page_text, first)
    if pdfium.FPDFText_GetMatrix(page_text, first, matrix):
        size *= (matrix.c**2 + matrix.d**2) ** 0.5
        from_x, from_y = shown(0.0, 0.0)
        to_x, to_y = shown(matrix.a, matrix.b)
        turned = abs(to_y - from_y) > abs(to_x - from_x)
    font = pdfium.FPDFTextObj_GetFont(handle)
    name, embedded = "", True
    if font:
        buffer = ctypes.create_string_buffer(128)
        pdfium.FPDFFont_GetBaseFontName(font, buffer, 128)
        name = buffer.value.decode("utf-8", "replace")
        embedded = pdfium.FPDFFont_GetIsEmbedded(font) != 0
    mode = pdfium.FPDFTextObj_GetTextRenderMode(handle)
    drawn = mode not in (_INVISIBLE, _CLIP_ONLY)
    return Style(round(size, 2), name, embedded, drawn, _clip(pdfium, handle, shown), turned)


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

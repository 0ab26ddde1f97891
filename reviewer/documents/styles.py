"""How the text of a page is set: size, font, painted or not, and what clips it.

Asked once a text object and not once a word, because most words share theirs.
"""

import ctypes
import math
from collections.abc import Callable
from typing import Any, NamedTuple

Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points from the top left of the page as shown."""

Shown = Callable[[float, float], tuple[float, float]]
"""From a point in the page's own space to one on the page as shown."""


class Style(NamedTuple):
    """How a run of text is set: size in points as shown, its font, and whether the file
    carries that font; `drawn` is False for text that is placed but not painted, `clip` the
    box outside of which nothing of it shows, `turned` True for text that runs up or down,
    `known` False for text whose codes the file gives no meaning."""

    size: float
    font: str
    embedded: bool
    drawn: bool
    clip: Box | None
    turned: bool = False
    known: bool = True


_UNKNOWN = Style(0.0, "", True, True, None)
_INVISIBLE = 3
_CLIP_ONLY = 7


def quick(function: Any, result: Any) -> Any:
    """A function of pdfium by its address, for what is asked once a word.

    Nothing is checked or converted, and no other thread runs meanwhile: whole numbers go as a
    C int, and whoever calls gives addresses as `c_void_p`. It costs half of a checked call.
    """
    entry = ctypes.cast(function, ctypes.c_void_p).value
    return ctypes.PYFUNCTYPE(result)(entry or 0)


class Styles:
    """The styles of one page, each once, by the index of a character."""

    def __init__(self, pdfium: Any, page_text: Any, shown: Shown) -> None:
        self._pdfium = pdfium
        whole, address = ctypes.c_int, ctypes.c_void_p
        self._object_at = quick(pdfium.FPDFText_GetTextObject, address)
        self._size_at = quick(pdfium.FPDFText_GetFontSize, ctypes.c_double)
        self._matrix_at = quick(pdfium.FPDFText_GetMatrix, whole)
        self._lost_at = quick(pdfium.FPDFText_HasUnicodeMapError, whole)
        self._font_of = quick(pdfium.FPDFTextObj_GetFont, address)
        self._mode_of = quick(pdfium.FPDFTextObj_GetTextRenderMode, whole)
        self._clip_of = quick(pdfium.FPDFPageObj_GetClipPath, address)
        self._paths_of = quick(pdfium.FPDFClipPath_CountPaths, whole)
        self._page_text = ctypes.cast(page_text, address)
        self._shown = shown
        self._seen: dict[int, int] = {}
        self._known: dict[Style, int] = {}
        self._alike: dict[tuple[object, ...], int] = {}
        self._fonts: dict[int, tuple[str, bool]] = {}
        matrix = (ctypes.c_float * 6)()
        self._matrix = memoryview(matrix).cast("B").cast("f")
        self._matrix_address = ctypes.c_void_p(ctypes.addressof(matrix))
        self.all: list[Style] = []

    def at(self, character: int) -> int:
        """The index, in `all`, of the style that a character is set in."""
        address = self._object_at(self._page_text, character) or 0
        index = self._seen.get(address)
        if index is None:
            index = self._asked(character, address) if address else self._listed(_UNKNOWN)
            self._seen[address] = index
        return index

    def _listed(self, style: Style) -> int:
        index = self._known.setdefault(style, len(self.all))
        if index == len(self.all):
            self.all.append(style)
        return index

    def _asked(self, character: int, address: int) -> int:
        """The index of the style of a text object. Most say the same of themselves as another
        of the page, and are not looked at further."""
        page_text, handle = self._page_text, ctypes.c_void_p(address)
        placed = self._matrix_at(page_text, character, self._matrix_address)
        matrix = self._matrix.tolist()[:4] if placed else None
        size = self._size_at(page_text, character)
        font = self._font_of(handle) or 0
        mode = self._mode_of(handle)
        lost = self._lost_at(page_text, character)
        clip = self._clip(handle)
        said = (size, *(matrix or ()), font, mode, lost, clip)
        index = self._alike.get(said)
        if index is None:
            turned = False
            if matrix is not None:
                a, b, c, d = matrix
                size *= math.hypot(c, d)
                from_x, from_y = self._shown(0.0, 0.0)
                to_x, to_y = self._shown(a, b)
                turned = abs(to_y - from_y) > abs(to_x - from_x)
            drawn = mode not in (_INVISIBLE, _CLIP_ONLY)
            name, embedded = self._font(font)
            style = Style(round(size, 2), name, embedded, drawn, clip, turned, lost != 1)
            index = self._alike[said] = self._listed(style)
        return index

    def _font(self, address: int) -> tuple[str, bool]:
        """A font's name, and whether the file carries it."""
        if not address:
            return "", True
        known = self._fonts.get(address)
        if known is None:
            handle = ctypes.cast(address, self._pdfium.FPDF_FONT)
            buffer = ctypes.create_string_buffer(128)
            self._pdfium.FPDFFont_GetBaseFontName(handle, buffer, 128)
            name = buffer.value.decode("utf-8", "replace")
            known = name, self._pdfium.FPDFFont_GetIsEmbedded(handle) != 0
            self._fonts[address] = known
        return known

    def _clip(self, handle: ctypes.c_void_p) -> Box | None:
        """The box within which the object shows, or None where nothing clips it."""
        address = self._clip_of(handle) or 0
        if not address or self._paths_of(ctypes.c_void_p(address)) < 1:
            return None
        pdfium = self._pdfium
        return _clipped_to(pdfium, ctypes.cast(address, pdfium.FPDF_CLIPPATH), self._shown)


def _clipped_to(pdfium: Any, path: Any, shown: Shown) -> Box | None:
    """The box that all paths of a clip have in common."""
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

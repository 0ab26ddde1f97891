"""A PDF opened with pdfium, page by page. Runs in the child process only.

Promises: the number of pages is never believed (a page counts when it loads), a page is
upright as people see it, and no raster is larger than `MOST_PIXELS`.

Refused: locked files and forms whose pages only an XFA program can make. pdfium is not thread-safe; nothing here may be called from two threads.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewer.documents.errors import unreadable
from reviewer.documents.marks import Annotation, annotations_of
from reviewer.documents.styles import Shown

SCALE = 2.0
"""Pixels a point of the page image: 144 dots an inch, sharp on a dense screen."""
LONGEST_SIDE = 6000
MOST_PIXELS = 16_000_000
"""Of one raster, in pixels: 64 MB while it is drawn."""
MOST_SKIPPED = 1000
"""Pages that a file names and does not have, before the rest is not asked for."""

_MOST_ANNOTATIONS = 5000
_PASSWORD_NEEDED = 4
_UNKNOWN_SECURITY = 5


@dataclass(slots=True)
class Page:
    """One loaded page. `width` and `height` are points, after rotation."""

    raw: Any
    helper: Any
    width: float
    height: float
    shown: Shown
    annotations: tuple[Annotation, ...] = ()
    """Notes and markers as they were before anything was drawn in."""


@contextmanager
def open_pdf(path: Path) -> Iterator[Any]:
    """The document, closed afterwards; raises `UnreadableFile` where it cannot be opened."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code == _PASSWORD_NEEDED:
            raise unreadable("locked", what="PDF") from error
        if code == _UNKNOWN_SECURITY:
            raise unreadable("damaged", what="a PDF with its own protection") from error
        raise unreadable("damaged", what="a PDF") from error
    try:
        form = pdfium.FPDF_GetFormType(document.raw)
        if form == pdfium.FORMTYPE_XFA_FULL:
            raise unreadable("form_not_supported")
        if form == pdfium.FORMTYPE_ACRO_FORM:
            document.init_forms()
        yield document
    finally:
        document.close()


def load_page(document: Any, index: int) -> Page | None:
    """Page `index`, counted from 0, or None where the file names a page it does not have."""
    import pypdfium2

    try:
        helper = document[index]
        annotations = annotations_of(helper)
        if _draw_in_what_was_filled_in(helper):
            helper.close()
            helper = document[index]
    except (pypdfium2.PdfiumError, IndexError):
        return None
    width, height = helper.get_size()
    if not (0 < width < 1e6 and 0 < height < 1e6):
        helper.close()
        return None
    shown = _shown(helper, width, height)
    return Page(helper.raw, helper, width, height, shown, annotations)


def nth_page(document: Any, number: int) -> Page | None:
    """Sheet `number`, counted from 1 over the pages that load, as reading counts them."""
    loaded = 0
    for index in range(min(len(document), number + MOST_SKIPPED)):
        page = load_page(document, index)
        if page is None:
            continue
        loaded += 1
        if loaded == number:
            return page
        page.helper.close()
    return None


def _draw_in_what_was_filled_in(helper: Any) -> bool:
    """Make what stands in form fields, notes and stamps part of the page, where it is text
    like any other; True where the page must be loaded again for it to be seen."""
    import pypdfium2.raw as pdfium

    for index in range(min(pdfium.FPDFPage_GetAnnotCount(helper.raw), _MOST_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(helper.raw, index)
        if not annotation:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        pdfium.FPDFPage_CloseAnnot(annotation)
        if kind in (pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP):
            flattened = pdfium.FPDFPage_Flatten(helper.raw, pdfium.FLAT_NORMALDISPLAY)
            return bool(flattened == pdfium.FLATTEN_SUCCESS)
    return False


def label(document: Any, index: int) -> str:
    """What the file calls the page ("iv", "A-3"), or its number."""
    named = "".join(c for c in document.get_page_label(index) if c.isprintable()).strip()
    return named[:40] or str(index + 1)


def scale_for(width: float, height: float, wanted: float = SCALE) -> float:
    """Pixels a point: what is wanted where the raster then stays within bounds. A page of
    ordinary size never is near them at the scale that page images have."""
    most = MOST_PIXELS if wanted > SCALE else MOST_PIXELS / 3
    side = (LONGEST_SIDE if wanted > SCALE else LONGEST_SIDE / 2) / max(width, height)
    return min(wanted, side, math.sqrt(most / (width * height)))


@dataclass(slots=True)
class Raster:
    """A page as pixels: a Pillow image in RGB, and the rows it was made from, four bytes a
    pixel in the order red, green, blue, unused. The rows live until `close`."""

    image: Any
    pixels: memoryview
    stride: int
    bitmap: Any

    def close(self) -> None:
        self.pixels.release()
        self.bitmap.close()


def raster(page: Page, scale: float) -> Raster:
    """The page on white, with its annotations and form fields; `scale` is pixels a point."""
    from PIL import Image

    bitmap = page.helper.render(scale=scale, prefer_bgrx=True, rev_byteorder=True)
    size = (bitmap.width, bitmap.height)
    image = Image.frombytes("RGB", size, bitmap.buffer, "raw", "RGBX", bitmap.stride)
    return Raster(image, memoryview(bitmap.buffer).cast("B"), bitmap.stride, bitmap)


def _shown(helper: Any, width: float, height: float) -> Shown:
    """From page space to the page as shown: the visible box, then the page's rotation."""
    left, bottom, right, top = helper.get_bbox()
    turn = helper.get_rotation()
    if turn == 90:
        return lambda x, y: (y - bottom, x - left)
    if turn == 180:
        return lambda x, y: (right - x, y - bottom)
    if turn == 270:
        return lambda x, y: (top - y, right - x)
    return lambda x, y: (x - left, top - y)

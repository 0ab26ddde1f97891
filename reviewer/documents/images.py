"""Page images: how a sheet's picture is kept, and whether its words can be seen in it.

Images are PNG: lossless, so that thin type stays sharp, and quick at its lowest level of
compression; a page without colour, as most are, is kept in one byte a pixel. The thumbnail
is a JPEG made from the page image.
"""

from pathlib import Path
from typing import Any

from reviewer.documents.sheets import Word

THUMBNAIL_WIDTH = 220
"""Pixels at least, where the page image has as many."""
FAINTEST = 24
"""Difference in brightness, of 255, below which a person sees nothing."""
_WHITE = b"\xff"
_LIGHT = bytes(range(256 - FAINTEST, 256))
"""What cannot be seen on white."""


def save_page(image: Any, path: Path) -> int:
    """Write the page image, an RGB one; returns its size in bytes."""
    kept = _without_colour(image) or image
    kept.save(path, format="PNG", compress_level=1)
    return path.stat().st_size


def _without_colour(image: Any) -> Any:
    """The same pixels, one byte each; None where any has a colour.

    With a palette of all greys rather than as brightness: PNG tries five filters on each row
    of anything but a palette, which takes longer than all the rest.
    """
    from PIL import ImageChops

    red, green, blue = image.split()
    if ImageChops.difference(red, green).getbbox() or ImageChops.difference(green, blue).getbbox():
        return None
    return red.convert("P")


def save_thumbnail(image: Any, path: Path) -> int:
    """Write a picture made of whole blocks of the page image's pixels; its size in bytes."""
    factor = max(1, min(image.width // THUMBNAIL_WIDTH, image.height // THUMBNAIL_WIDTH))
    small = image.reduce(factor) if factor > 1 else image
    small.save(path, format="JPEG", quality=82)
    return path.stat().st_size


class Ink:
    """Where a page image is not of one colour.

    `pixels` are the image's rows, four bytes a pixel and `stride` bytes a row.
    """

    def __init__(
        self, image: Any, pixels: memoryview, stride: int, width: float, height: float
    ) -> None:
        self._image = image
        self._gray: Any = None
        self._pixels = pixels
        self._stride = stride
        self._wide, self._high = image.size
        self._across = image.width / width
        self._down = image.height / height

    def blank(self) -> bool:
        """Whether the whole page is of one colour."""
        darkest, lightest = self._brightness().getextrema()
        return bool(lightest - darkest < FAINTEST)

    def shows(self, word: Word) -> bool:
        """Whether anything can be seen within the word's box.

        Nearly every word shows in the row of pixels through its middle, in green, which is
        looked at first; only where it does not, the whole box is.
        """
        _, x0, y0, x1, y1 = word
        across, down = self._across, self._down
        left, right = int(x0 * across), int(x1 * across) + 1
        top, bottom = int(y0 * down), int(y1 * down) + 1
        if left < 0 or top < 0 or right > self._wide or bottom > self._high:
            left, right = max(0, left), min(self._wide, right)
            top, bottom = max(0, top), min(self._high, bottom)
        if left >= right or top >= bottom:
            return False
        start = (top + bottom) // 2 * self._stride + 1
        row = self._pixels[start + 4 * left : start + 4 * right : 4].tobytes()
        if _WHITE in row and row.translate(None, _LIGHT):
            return True
        if max(row) - min(row) >= FAINTEST:
            return True
        box = self._brightness().crop((left, top, right, bottom))
        darkest, lightest = box.getextrema()
        return bool(lightest - darkest >= FAINTEST)

    def _brightness(self) -> Any:
        if self._gray is None:
            self._gray = self._image.convert("L")
        return self._gray

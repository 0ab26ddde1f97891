"""Page images: how a sheet's picture is kept, and whether its words can be seen in it.

Images are PNG: lossless, so that thin type stays sharp, and quick at its lowest level of
compression. The thumbnail is made from the page image.
"""

from pathlib import Path
from typing import Any

from reviewer.documents.sheets import Word

THUMBNAIL_WIDTH = 220
FAINTEST = 24
"""Difference in brightness, of 255, below which a person sees nothing."""


def save_page(image: Any, path: Path) -> int:
    """Write the page image; returns its size in bytes."""
    image.save(path, format="PNG", compress_level=1)
    return path.stat().st_size


def save_thumbnail(image: Any, path: Path) -> int:
    """Write a picture at most `THUMBNAIL_WIDTH` pixels wide and twice as high."""
    width, height = image.size
    factor = max(1, width // (2 * THUMBNAIL_WIDTH), height // (4 * THUMBNAIL_WIDTH))
    small = image.reduce(factor) if factor > 1 else image.copy()
    small.thumbnail((THUMBNAIL_WIDTH, 2 * THUMBNAIL_WIDTH))
    small.save(path, format="PNG", compress_level=1)
    return path.stat().st_size


class Ink:
    """Where a page image is not of one colour."""

    def __init__(self, image: Any, width: float, height: float) -> None:
        self._gray = image.convert("L")
        self._across = image.width / width
        self._down = image.height / height

    def blank(self) -> bool:
        """Whether the whole page is of one colour."""
        low, high = self._gray.getextrema()
        return bool(high - low < FAINTEST)

    def shows(self, word: Word) -> bool:
        """Whether anything can be seen within the word's box."""
        left = max(0, int(word.x0 * self._across))
        top = max(0, int(word.y0 * self._down))
        right = min(self._gray.width, int(word.x1 * self._across) + 1)
        bottom = min(self._gray.height, int(word.y1 * self._down) + 1)
        if left >= right or top >= bottom:
            return False
        low, high = self._gray.crop((left, top, right, bottom)).getextrema()
        return bool(high - low >= FAINTEST)

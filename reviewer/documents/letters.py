"""The words of one page of a PDF, with the box of each on the page as shown.

Promises: words in reading order as the file has it, white space never inside a word, one
character a word in scripts written without spaces, ligatures spelled out, no NUL and no
control characters. A word that a line break cuts stays two words, each with its own box,
the first with its hyphen. Boxes are the glyphs' own, so each lies on its ink.

Refused: pages with more characters than `MOST_CHARACTERS`; what is beyond is left out and
said. Speed matters here: a call into pdfium costs about as much as the work it does, so
the text is taken in one call and boxes by word, not by character.
"""

import ctypes
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reviewer.documents.markers import bring_markers_home
from reviewer.documents.placing import Placer
from reviewer.documents.righttoleft import RIGHT_TO_LEFT, reading_order, spell_ligatures
from reviewer.documents.sheets import Word
from reviewer.documents.styles import Box, Shown, Style, Styles, quick

MOST_CHARACTERS = 200_000

# Thai, Lao, Khmer and Myanmar; kana, Han, compatibility forms; supplementary Han.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_BREAK = "\x02\ufffe"
_SPACE = r"\s\x00-\x1f\x7f-\x9f"
_TOKEN = re.compile(
    rf"[{_UNSPACED}\U00020000-\U0003ffff][\u0300-\u036f\u3099\u309a\ufe00-\ufe0f]*"
    rf"|[^{_SPACE}{_BREAK}{_UNSPACED}\U00020000-\U0003ffff]+[{_BREAK}]?"
    rf"|[{_BREAK}]"
)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}\U00020000-\U0003ffff]")
_FORMS = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdfb\ufe70-\ufefc]")
_SPECIAL = re.compile(f"[{_BREAK}\ud800-\udfff]")
_PRIVATE = re.compile("[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]")


@dataclass(slots=True)
class Letters:
    """The text layer of one page: words, and for each word what else is known of it.

    `line` is the index of the word's line, `glued` whether no white space stands before it
    on its line, `style` the index of its style in `styles`. `unknown` and `known` count
    letters; `cut` says that the page had more characters than are read.
    """

    words: list[Word]
    line: list[int]
    glued: list[bool]
    style: list[int]
    styles: list[Style]
    unknown: int
    known: int
    cut: bool

    @property
    def text(self) -> str:
        """The words with their white space; a line break where the page breaks a line."""
        parts: list[str] = []
        for index, word in enumerate(self.words):
            if index:
                same = self.line[index] == self.line[index - 1]
                parts.append("\n" if not same else "" if self.glued[index] else " ")
            parts.append(word.text)
        return "".join(parts)

    @property
    def unreadable(self) -> bool:
        """Whether most letters are in a private code or have no meaning in the file."""
        return self.unknown > self.known


def read_letters(text_page: Any, shown: Shown) -> Letters:
    """The words of one pypdfium2 text page, which stays open and the caller's."""
    import pypdfium2.raw as pdfium

    page_text = text_page.raw
    count = max(0, pdfium.FPDFText_CountChars(page_text))
    text = _characters(pdfium, page_text, min(count, MOST_CHARACTERS))
    rectangle = _Rectangle(pdfium, page_text, shown)
    styles = Styles(pdfium, page_text, shown)
    placer = Placer()
    spell = _spelling(text, rectangle)
    previous_end = 0
    broken = False
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        box = rectangle(start, end - start)
        if box is None:
            continue
        raw = token.group()
        style = styles.at(start)
        placer.place(
            Word(spell(raw, start), *box),
            style,
            turned=styles.all[style].turned,
            ended=broken,
            spaced=bool(text[previous_end:start].strip("\r\n")),
            adjacent=previous_end == start and start > 0,
            unspaced_script=raw[0] > "\u0dff" and bool(_IS_UNSPACED.match(raw)),
        )
        broken = raw[-1] in _BREAK
        previous_end = end
    lines = bring_markers_home(placer.words, placer.line)
    if lines is not None:
        placer.reorder(lines)
    if RIGHT_TO_LEFT.search(text):
        placer.reorder(reading_order(placer.words, placer.line))
    unknown, known = _judge(text, placer, styles.all)
    return Letters(
        placer.words,
        placer.line,
        placer.glued,
        placer.style,
        styles.all,
        unknown,
        known,
        count > MOST_CHARACTERS,
    )


def _characters(pdfium: Any, page_text: Any, count: int) -> str:
    """All characters, one a pdfium index, so that offsets are pdfium's own. A character
    beyond the first 65,536 may be two halves here; spelling a word joins them."""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(page_text, 0, count, buffer)
    if written == count + 1:
        text = bytes(buffer)[: 2 * count].decode("utf-16-le", "surrogatepass")
        return text if len(text) == count else "".join(map(chr, buffer[:count]))
    get = pdfium.FPDFText_GetUnicode
    codes = (get(page_text, index) for index in range(count))
    return "".join(chr(code) if code <= 0x10FFFF else "\ufffd" for code in codes)


def _spelling(text: str, rectangle: "_Rectangle") -> Callable[[str, int], str]:
    """How the words of this text are spelled out; a page without rare forms pays nothing."""
    if not (_FORMS.search(text) or RIGHT_TO_LEFT.search(text) or _SPECIAL.search(text)):
        return lambda raw, start: raw

    def spell(raw: str, start: int) -> str:
        if raw.isascii() and raw[-1] != "\x02":
            return raw
        raw = spell_ligatures(raw, start, rectangle.left_of)
        if raw[-1] in _BREAK:
            raw = raw[:-1] + "-"
        raw = raw.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found.group()), raw)

    return spell


class _Rectangle:
    """The box around a run of characters, in points on the page as shown."""

    def __init__(self, pdfium: Any, page_text: Any, shown: Shown) -> None:
        self._count = quick(pdfium.FPDFText_CountRects, ctypes.c_int)
        self._get = quick(pdfium.FPDFText_GetRect, ctypes.c_int)
        self._origin = quick(pdfium.FPDFText_GetCharOrigin, ctypes.c_int)
        self._page_text = ctypes.cast(page_text, ctypes.c_void_p)
        self._shown = shown
        edges = (ctypes.c_double * 4)()
        first = ctypes.addressof(edges)
        self._edges = memoryview(edges).cast("B").cast("d")
        self._addresses = [ctypes.c_void_p(first + 8 * index) for index in range(4)]

    def left_of(self, character: int) -> float:
        """Where a character begins, in the page's own space."""
        self._origin(self._page_text, character, *self._addresses[:2])
        return round(self._edges[0], 2)

    def __call__(self, start: int, length: int) -> Box | None:
        page_text, get, addresses = self._page_text, self._get, self._addresses
        found = self._count(page_text, start, length)
        if found < 1:
            return None
        get(page_text, 0, *addresses)
        x0, y1, x1, y0 = self._edges.tolist()
        for index in range(1, found):
            get(page_text, index, *addresses)
            left, top, right, bottom = self._edges.tolist()
            x0, x1 = min(x0, left), max(x1, right)
            y0, y1 = min(y0, bottom), max(y1, top)
        if not (x0 <= x1 and y0 <= y1):
            return None
        ax, ay = self._shown(x0, y0)
        bx, by = self._shown(x1, y1)
        if ax > bx:
            ax, bx = bx, ax
        if ay > by:
            ay, by = by, ay
        return ax, ay, bx, by


def _judge(text: str, placer: Placer, styles: Sequence[Style]) -> tuple[int, int]:
    """How many letters have no meaning in the file, and how many have one."""
    if all(style.known for style in styles) and not _PRIVATE.search(text):
        return 0, 1
    unknown = known = 0
    for word, style in zip(placer.words, placer.style, strict=True):
        if _PRIVATE.search(word.text) or not styles[style].known:
            unknown += len(word.text)
        else:
            known += len(word.text)
    return unknown, known

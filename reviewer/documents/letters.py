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
from dataclasses import dataclass, field
from typing import Any

from reviewer.documents.markers import bring_markers_home
from reviewer.documents.sheets import Word
from reviewer.documents.styles import Box, Shown, Style, read_styles

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
_PRIVATE = re.compile("[\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]")


@dataclass(slots=True)
class Letters:
    """The text layer of one page: words, and for each word what else is known of it.

    `line` is the index of the word's line, `first` the index of its first character in
    pdfium's numbering, `glued` whether no white space stands before it on its line,
    `style` the index of its style in `styles`.
    """

    words: list[Word] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    glued: list[bool] = field(default_factory=list)
    style: list[int] = field(default_factory=list)
    styles: list[Style] = field(default_factory=list)
    unknown: int = 0
    known: int = 0
    cut: bool = False
    span: tuple[float, float] = (0.0, 0.0)

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


def read_letters(page_text: Any, shown: Shown) -> Letters:
    """The words of one pdfium text page (a raw handle)."""
    import pypdfium2.raw as pdfium

    count = max(0, pdfium.FPDFText_CountChars(page_text))
    letters = Letters(cut=count > MOST_CHARACTERS)
    text = _characters(pdfium, page_text, min(count, MOST_CHARACTERS))
    rectangle = _Rectangle(pdfium, page_text, shown)
    previous_end = 0
    broken = False
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        box = rectangle(start, end - start)
        if box is None:
            continue
        raw = token.group()
        spelled = _spelled(raw)
        between = text[previous_end:start]
        _place(letters, spelled, box, start, between, broken)
        broken = raw[-1] in _BREAK
        previous_end = end
    lines = bring_markers_home(letters.words, letters.line)
    if lines is not None:
        _reorder(letters, lines)
    letters.style, letters.styles = read_styles(pdfium, page_text, letters.first, shown)
    _judge(pdfium, page_text, letters)
    return letters


def _characters(pdfium: Any, page_text: Any, count: int) -> str:
    """All characters, one a pdfium index, so that offsets are pdfium's own."""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(page_text, 0, count, buffer)
    raw = bytes(buffer)[: max(0, 2 * (written - 1))]
    text = raw.decode("utf-16-le", "surrogatepass")
    if len(text) != count:  # a character outside the basic plane, or one without a code
        get = pdfium.FPDFText_GetUnicode
        text = "".join(
            chr(code) if code <= 0x10FFFF else "\ufffd"
            for code in (get(page_text, index) for index in range(count))
        )
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


def _spelled(raw: str) -> str:
    if raw[-1] in _BREAK:
        raw = raw[:-1] + "-"
    if _FORMS.search(raw):
        raw = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found.group()), raw)
    return raw


class _Rectangle:
    """The box around a run of characters, in points on the page as shown."""

    def __init__(self, pdfium: Any, page_text: Any, shown: Shown) -> None:
        self._count = pdfium.FPDFText_CountRects
        self._get = pdfium.FPDFText_GetRect
        self._page_text = page_text
        self._shown = shown
        self._edges = [ctypes.c_double() for _ in range(4)]
        self._refs = [ctypes.byref(edge) for edge in self._edges]

    def __call__(self, start: int, length: int) -> Box | None:
        found = self._count(self._page_text, start, length)
        if found < 1:
            return None
        left, top, right, bottom = self._edges
        self._get(self._page_text, 0, *self._refs)
        x0, y1, x1, y0 = left.value, top.value, right.value, bottom.value
        for index in range(1, found):
            self._get(self._page_text, index, *self._refs)
            x0, x1 = min(x0, left.value), max(x1, right.value)
            y0, y1 = min(y0, bottom.value), max(y1, top.value)
        if not (x0 <= x1 and y0 <= y1):
            return None
        ax, ay = self._shown(x0, y0)
        bx, by = self._shown(x1, y1)
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)


def _place(
    letters: Letters,
    spelled: str,
    box: Box,
    start: int,
    between: str,
    broken: bool,
) -> None:
    """Add a word: on the line before it, glued to the word before it, or on a new line."""
    if not letters.words:
        letters.words.append(Word(spelled, *box))
        letters.line.append(0)
        letters.first.append(start)
        letters.glued.append(False)
        letters.span = (box[1], box[3])
        return
    before = letters.words[-1]
    same_line = not broken and _continues(before, letters.span, box)
    letters.span = (
        (min(letters.span[0], box[1]), max(letters.span[1], box[3]))
        if same_line
        else (box[1], box[3])
    )
    unspaced = bool(_IS_UNSPACED.match(spelled)) or bool(_IS_UNSPACED.match(before.text[-1]))
    touching = same_line and not between.strip("\r\n") and _touches(before, box)
    if touching and between and not unspaced:
        # pdfium ends a line at a superscript; on the page the word goes on.
        letters.words[-1] = Word(
            before.text + spelled,
            min(before.x0, box[0]),
            min(before.y0, box[1]),
            max(before.x1, box[2]),
            max(before.y1, box[3]),
        )
        return
    letters.words.append(Word(spelled, *box))
    letters.line.append(letters.line[-1] + (0 if same_line else 1))
    letters.first.append(start)
    letters.glued.append(same_line and (not between or touching))


def _continues(before: Word, span: tuple[float, float], box: Box) -> bool:
    """Whether a box goes on the line of the word before it, in either direction.

    `span` is how high the line is so far: what follows a superscript shares height with
    the line, not with it.
    """
    y0, y1 = box[1], box[3]
    height = y1 - y0
    if _overlap(before.y0, before.y1, y0, y1) > 0.3 * min(before.y1 - before.y0, height):
        return True
    onwards = box[0] > before.x0
    if onwards and _overlap(*span, y0, y1) > 0.3 * min(span[1] - span[0], height):
        return True
    # A dash, a comma or an apostrophe may share no height with its neighbour.
    apart = max(0.0, max(before.y0, y0) - min(before.y1, y1))
    small = min(before.y1 - before.y0, height) < 4
    return small and apart < 3 and -2 < box[0] - before.x1 < 30


def _reorder(letters: Letters, lines: list[list[int]]) -> None:
    """Put the words in this order of lines."""
    order = [index for line in lines for index in line]
    letters.words = [letters.words[index] for index in order]
    letters.first = [letters.first[index] for index in order]
    letters.glued = [letters.glued[index] for index in order]
    letters.line = [number for number, line in enumerate(lines) for _ in line]


def _overlap(a0: float, a1: float, b0: float, b1: float) -> float:
    return min(a1, b1) - max(a0, b0)


def _touches(before: Word, box: Box) -> bool:
    gap = box[0] - before.x1
    return abs(gap) < 0.12 * max(before.y1 - before.y0, box[3] - box[1], 4)


def _judge(pdfium: Any, page_text: Any, letters: Letters) -> None:
    """Count letters that mean something and letters that do not, by each word's first."""
    failed = pdfium.FPDFText_HasUnicodeMapError
    for word, first in zip(letters.words, letters.first, strict=True):
        if _PRIVATE.search(word.text) or failed(page_text, first) == 1:
            letters.unknown += len(word.text)
        else:
            letters.known += len(word.text)

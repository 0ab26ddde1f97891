"""What somebody marked on a page of a PDF: notes and markers, and words on marker yellow.

Notes are annotations of the file. Yellow is looked for in the picture of the page, behind
the words, so that it counts however it came there. It must end where the words end, and be
some words long or stand in the midst of others: a table cell, a box, a page or a label that
is yellow by design is no mark.
"""

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from reviewer.documents.sheets import Leftover, Word
from reviewer.documents.styles import Shown

MOST = 200
"""Marks of one page; what is beyond says nothing new."""
_MOST_LETTERS = 240
_MOST_NOTE = 2000
_HIDDEN = 0b100010
"""Flags of an annotation that is shown to nobody: hidden, no view."""
_BEYOND = 1.5
"""Heights of a line from its words, at which a mark has ended and a design has not."""


_THROUGH, _ALONG = 2, 13
"""Of 17 points across a word, how many are yellow in its middle, and just above or below it."""


Stretch = tuple[float, float, float, float]
"""Left, bottom, right and top in the page's own space, which is upside down and unturned."""


_A_FEW_WORDS = 4


class Annotation(NamedTuple):
    """A note or a marker: what it is drawn in, and the stretches of text it was laid on."""

    kind: str
    box: Stretch
    quads: tuple[Stretch, ...]
    note: str


def annotations_of(helper: Any) -> tuple[Annotation, ...]:
    """The notes and markers of a page, before anything of it is drawn in."""
    import pypdfium2.raw as pdfium

    kinds = {
        pdfium.FPDF_ANNOT_HIGHLIGHT: "highlight",
        pdfium.FPDF_ANNOT_TEXT: "comment",
        pdfium.FPDF_ANNOT_STRIKEOUT: "comment",
        pdfium.FPDF_ANNOT_SQUIGGLY: "comment",
        pdfium.FPDF_ANNOT_CARET: "comment",
    }
    found: list[Annotation] = []
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(helper.raw), 10 * MOST)):
        raw = pdfium.FPDFPage_GetAnnot(helper.raw, index)
        if not raw:
            continue
        kind = kinds.get(pdfium.FPDFAnnot_GetSubtype(raw))
        if kind and not pdfium.FPDFAnnot_GetFlags(raw) & _HIDDEN and len(found) < MOST:
            box = pdfium.FS_RECTF()
            pdfium.FPDFAnnot_GetRect(raw, box)
            edges = box.left, box.bottom, box.right, box.top
            found.append(Annotation(kind, edges, tuple(_quads(pdfium, raw)), _note(pdfium, raw)))
        pdfium.FPDFPage_CloseAnnot(raw)
    return tuple(found)


def _quads(pdfium: Any, raw: Any) -> Iterator[Stretch]:
    for index in range(min(pdfium.FPDFAnnot_CountAttachmentPoints(raw), MOST)):
        quad = pdfium.FS_QUADPOINTSF()
        if pdfium.FPDFAnnot_GetAttachmentPoints(raw, index, quad):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            yield min(xs), min(ys), max(xs), max(ys)


def _note(pdfium: Any, raw: Any) -> str:
    size = min(pdfium.FPDFAnnot_GetStringValue(raw, b"Contents", None, 0), 2 * _MOST_NOTE)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDFAnnot_GetStringValue(
        raw, b"Contents", ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size
    )
    return short(buffer.raw[: size - 2].decode("utf-16-le", "ignore"))


@dataclass(frozen=True, slots=True)
class Picture:
    """A page's picture: rows of four bytes a pixel, and how many pixels a point has."""

    pixels: memoryview
    stride: int
    wide: int
    high: int
    across: float
    down: float

    def is_yellow(self, x: float, y: float) -> bool:
        """Whether a point of the page has the yellow of a marker pen."""
        column, row = int(x * self.across), int(y * self.down)
        if not (0 <= column < self.wide and 0 <= row < self.high):
            return False
        at = row * self.stride + 4 * column
        pixels = self.pixels
        return pixels[at + 2] < 110 and pixels[at] >= 240 and pixels[at + 1] >= 230


def marked_on(
    sheet: int,
    words: Sequence[Word],
    lines: Sequence[int],
    picture: Picture,
    annotations: Sequence[Annotation],
    shown: Shown,
) -> list[Leftover]:
    """Everything marked on one sheet, in the order of its words; notes on no words come last."""
    found: list[tuple[int, Leftover]] = []
    # The picture shows annotations too: what is yellow within one is told by itself.
    drawn_in = set(_under(words, [each.box for each in annotations], shown, touching=True))
    for annotation in annotations:
        under = _under(words, annotation.quads, shown)
        said = short(" ".join(words[index].text for index in under))
        if said or annotation.note:
            left = Leftover(annotation.kind, sheet, said, annotation.note, "")  # type: ignore[arg-type]
            found.append((under[0] if under else len(words), left))
    for run in _yellow_runs(words, lines, picture):
        if drawn_in.isdisjoint(run):
            said = short(" ".join(words[index].text for index in run))
            found.append((run[0], Leftover("highlight", sheet, said, "", "")))
    found.sort(key=lambda entry: entry[0])
    return [left for _, left in found[:MOST]]


def _under(
    words: Sequence[Word], stretches: Sequence[Stretch], shown: Shown, *, touching: bool = False
) -> list[int]:
    """Indexes of the words whose middle lies in one of the stretches, or that touch one."""
    boxes = []
    for left, bottom, right, top in stretches:
        (xa, ya), (xb, yb) = shown(left, bottom), shown(right, top)
        boxes.append((min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb)))
    found = []
    for index, word in enumerate(words) if boxes else ():
        wide, high = (word.x1 - word.x0) / 2, (word.y1 - word.y0) / 2
        x, y = word.x0 + wide, word.y0 + high
        if not touching:
            wide = high = 0.0
        if any(
            x0 - wide <= x <= x1 + wide and y0 - high <= y <= y1 + high for x0, y0, x1, y1 in boxes
        ):
            found.append(index)
    return found


def _yellow_runs(
    words: Sequence[Word], lines: Sequence[int], picture: Picture
) -> Iterator[list[int]]:
    """Words in a row that stand on marker yellow which ends where they end on their line."""
    run: list[int] = []
    for index in _on_yellow(words, picture):
        if run and index == run[-1] + 1:
            run.append(index)
            continue
        if run and _is_mark(words, lines, run, picture):
            yield run
        run = [index]
    if run and _is_mark(words, lines, run, picture):
        yield run


def _on_yellow(words: Sequence[Word], picture: Picture) -> Iterator[int]:
    yellow = picture.is_yellow
    for index, word in enumerate(words):
        _, x0, y0, x1, y1 = word
        # Just left of the word and just above it there is paper, or what it is marked with.
        if not (yellow(x0 - 0.5, (y0 + y1) / 2) or yellow((x0 + x1) / 2, y0 - 0.5)):
            continue
        columns = [word.x0 + share * (word.x1 - word.x0) / 16 for share in range(17)]
        over, through, below = (
            sum(picture.is_yellow(x, y) for x in columns)
            for y in (word.y0 - 0.5, (word.y0 + word.y1) / 2, word.y1 + 0.5)
        )
        # Above or below its letters, and between them: a rule under the word is no mark.
        if through >= _THROUGH and max(over, below) >= _ALONG:
            yield index


def _is_mark(
    words: Sequence[Word], lines: Sequence[int], run: Sequence[int], picture: Picture
) -> bool:
    if len(run) < _A_FEW_WORDS and not _has_neighbour(words, lines, run):
        return False
    for line in {lines[index] for index in run}:
        on_line = [words[index] for index in run if lines[index] == line]
        height = max(word.y1 - word.y0 for word in on_line)
        middle = (on_line[0].y0 + on_line[0].y1) / 2
        left = min(word.x0 for word in on_line) - _BEYOND * height
        right = max(word.x1 for word in on_line) + _BEYOND * height
        if picture.is_yellow(left, middle) or picture.is_yellow(right, middle):
            return False
    return True


def _has_neighbour(words: Sequence[Word], lines: Sequence[int], run: Sequence[int]) -> bool:
    """Whether another word of its line stands next to it, as in a sentence."""
    first, last = words[run[0]], words[run[-1]]
    near = _BEYOND * (first.y1 - first.y0)
    before, after = run[0] - 1, run[-1] + 1
    return (
        before >= 0 and lines[before] == lines[run[0]] and first.x0 - words[before].x1 < near
    ) or (
        after < len(words) and lines[after] == lines[run[-1]] and words[after].x0 - last.x1 < near
    )


def short(text: str) -> str:
    """On one line, without control characters, and cut at a word where it is long."""
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if len(text) <= _MOST_LETTERS:
        return text
    return text[:_MOST_LETTERS].rpartition(" ")[0] or text[:_MOST_LETTERS]

"""The paragraphs of a sheet: what people change, and what is read again when it changed.

Promises: the same words give the same hash however their lines break and wherever they
stand; a table row is one paragraph; running heads and page numbers belong to none; every
other word belongs to exactly one.

The grouping is by measure: distance between lines, size, font, indent, bullets. It need
not be what the author's program called a paragraph, but it must be the same for the same
page, and small enough that one edit changes one.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence, Set
from itertools import pairwise

from reviewer.documents.lines import Line
from reviewer.documents.sheets import ParagraphRead

_MARKED = re.compile(
    r"^(?:[•◦▪▫‣●○■□–—*·o\uf0b7\uf0a7➢✓✔☐☑☒-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)])(?:\s+|$)"
)
_INNER_HYPHEN = re.compile(r"(?<=[a-zà-ÿ])[-\u2010\u00ad]\s*(?=[a-zà-ÿ])")
_UNSPACED = re.compile(
    "(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]) "
    "(?=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff])"
)
_USUAL_PITCH = 1.45
_TALLEST_ROW = 24
"""Lines in the cells of one row of a table, counted together."""


def read_paragraphs(lines: Sequence[Line], running: Set[int]) -> tuple[ParagraphRead, ...]:
    """The paragraphs of one sheet. `running` are the indexes of lines that belong to none."""
    body = [line for index, line in enumerate(lines) if index not in running]
    usual = _usual_pitch(body)
    blocks: list[_Block] = []
    for line in body:
        if blocks and blocks[-1].takes(line, usual):
            blocks[-1].add(line)
        else:
            blocks.append(_Block(line))
    return tuple(block.paragraph() for block in blocks)


def paragraph_hash(text: str) -> str:
    """The identity of a paragraph's words.

    White space, hyphens inside words and the marker of a list item are left aside: a new
    line break, or a new item above, is no change of what is said.
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).split())
    plain = _MARKED.sub("", plain) or plain
    if not plain.isascii():
        plain = _UNSPACED.sub("", _INNER_HYPHEN.sub("", plain))
    elif "-" in plain:
        plain = _INNER_HYPHEN.sub("", plain)
    return "sha256:" + hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:32]


class _Block:
    """Lines that are one paragraph so far. What `takes` asks of all of them is kept as they
    come, so that a long block costs no more a line than a short one."""

    def __init__(self, start: Line) -> None:
        self.start = start
        self.lines = [start]
        self.cell, self.right = start.cells[-1], start.x1
        self.row = len(start.cells) > 1 and not _MARKED.match(start.text)
        self._top, self._bottom = start.y0, start.y1
        self._fonts = start.fonts
        self._edges = set(start.cells)

    def add(self, line: Line) -> None:
        if self._beside(line):
            self.row = True
            self.cell, self.right = line.cells[-1], line.x1
        self.right = max(self.right, line.x1)
        self._top, self._bottom = min(self._top, line.y0), max(self._bottom, line.y1)
        self._fonts |= line.fonts
        self._edges.update(line.cells)
        self.lines.append(line)

    def takes(self, line: Line, usual: float) -> bool:
        """Whether the line goes on what this block says."""
        if self._beside(line):
            return True
        before = self.lines[-1]
        pitch = line.base - before.base
        near = 0 < pitch <= 1.28 * usual * max(before.size, line.size)
        if not near or line.x0 > before.x1 + 2 * line.size:
            return False
        if self.row:
            return len(line.cells) == 1 and self._under_a_cell(line)
        return (
            len(line.cells) == 1
            and abs(line.size - before.size) <= 0.12 * before.size
            and not _MARKED.match(line.text)
            and not self._set_apart(line)
            and not self._indent_ends_it(line)
        )

    def _beside(self, line: Line) -> bool:
        """The line is the next cell of the row that this block is."""
        if line.x0 < self.right - 1 or len(self.lines) > _TALLEST_ROW:
            return False
        return self._top - 1 <= (line.y0 + line.y1) / 2 <= self._bottom + 1

    def _under_a_cell(self, line: Line) -> bool:
        if self.cell == self.start.x0 or line.x0 <= self.start.x0 + 1:
            return False
        aligned = any(abs(line.x0 - edge) < 1.5 for edge in self._edges)
        return aligned and line.y0 - self.lines[-1].y1 < 0.75 * line.size

    def _set_apart(self, line: Line) -> bool:
        """A heading in its own font above text in another."""
        return len(self._fonts) == 1 and not self._fonts & line.fonts

    def _indent_ends_it(self, line: Line) -> bool:
        before = self.lines[-1]
        if len(self.lines) < 2:
            return False
        step = line.x0 - before.x0
        hanging = self.start.x0 < self.lines[1].x0 - 0.5 * line.size
        if step > 0.8 * line.size:
            return not hanging
        return step < -0.8 * line.size and hanging

    def paragraph(self) -> ParagraphRead:
        text = ""
        for line in self.lines:
            joint = "" if not text or re.search(r"[^\W\d_]-$", text) else " "
            text += joint + line.text
        first = min(line.first for line in self.lines)
        last = max(line.last for line in self.lines)
        return ParagraphRead(text, paragraph_hash(text), first, last)


def _usual_pitch(lines: Sequence[Line]) -> float:
    """The distance between lines, in sizes, that most neighbours on the sheet have."""
    steps = Counter(
        round((line.base - before.base) / line.size, 1)
        for before, line in pairwise(lines)
        if before.size == line.size and 0.9 * line.size < line.base - before.base < 2.2 * line.size
    )
    if not steps:
        return _USUAL_PITCH
    most = steps.most_common(1)[0][1]
    return min(step for step, count in steps.items() if count >= 0.5 * most)

"""Blocks and sentences of a sheet, as spans of its text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.structure.phrases import lowered, words_of
from reviewer.core.structure.rows import Row

_END = re.compile(r"[.!?][\"'”’)\]]{0,2}\s+(?=[\"'“‘(\[]?[A-Z0-9])|[.!?][\"'”’)\]]{0,2}\s*$")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|approx|ca|incl|excl|Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|Figs|Sec"
    r"|Inc|Ltd|Co|Corp|Jr|Sr|al|ed|eds|pp|vol|[A-Z])|\b[A-Z]\.[A-Z])\.$"
)
_BULLET = re.compile(r"[•◦‣▪▫●○■□➢✓✔\uf0b7\uf0a7–—*·o-]\s|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item, heading or table row. `row` says that it has cells side by side."""

    start: int
    end: int
    row: bool = False
    item: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a block. `text` has single spaces and no bullet, `lowered` is it in lower case
    and `words` its words; offsets are the sheet's."""

    text: str
    start: int
    end: int
    block: int
    lowered: str
    words: frozenset[str]
    row: bool = False
    """Whether it is a table row, which is words side by side and no sentence."""
    item: bool = False


def blocks_of(text: str, rows: Sequence[Row], paragraphs: Sequence[str]) -> tuple[Block, ...]:
    """The sheet's blocks in the order of its text; from `paragraphs` where they can be found."""
    lines = _lines(text)
    tabular = _lines_with_cells(lines, rows)
    breaks = _paragraph_starts(text, paragraphs) or _starts_from_gaps(rows)
    blocks: list[Block] = []
    for start, end in lines:
        item = bool(_BULLET.match(text, start))
        last = blocks[-1] if blocks else None
        if (
            last is None
            or item
            or last.row
            or start in tabular
            or start in breaks
            or text.count("\n", last.end, start) > 1
        ):
            blocks.append(Block(start, end, start in tabular, item))
        else:
            blocks[-1] = Block(last.start, end, last.row, last.item)
    return tuple(blocks)


def _lines(text: str) -> list[tuple[int, int]]:
    lines: list[tuple[int, int]] = []
    for match in re.finditer(r"[^\r\n\f]+", text):
        line = match.group()
        start = match.start() + len(line) - len(line.lstrip())
        if not line.isspace():
            lines.append((start, match.start() + len(line.rstrip())))
    return lines


def _lines_with_cells(lines: Sequence[tuple[int, int]], rows: Sequence[Row]) -> set[int]:
    """Starts of the lines that are table rows: several cells, and nothing else between them."""
    ends = dict(lines)
    return {
        row.start
        for row in rows
        if row.whole and _is_tabular(row) and row.end <= ends.get(row.start, -1)
    }


def _is_tabular(row: Row) -> bool:
    """Whether a row has cells side by side; a bullet and its words are no cells."""
    cells = len(row.cells)
    return cells > 2 or (cells == 2 and not _BULLET.fullmatch(f"{row.cells[0].text} "))


def _paragraph_starts(text: str, paragraphs: Sequence[str]) -> set[int]:
    starts: set[int] = set()
    cursor = 0
    for paragraph in paragraphs:
        words = paragraph.split()
        if not words:
            continue
        opening = r"\s+".join(re.escape(word) for word in words[:6])
        found = re.compile(opening).search(text, cursor)
        if found:
            starts.add(found.start())
            cursor = found.end()
    return starts


def _starts_from_gaps(rows: Sequence[Row]) -> set[int]:
    """Starts of the rows that stand apart from the row above, or are set in another size."""
    starts: set[int] = set()
    last: Row | None = None
    for row in rows:
        if last is not None:
            resized = not 0.85 * last.size < row.size < 1.18 * last.size
            if row.y0 - last.y1 > 0.75 * last.size or resized:
                starts.add(row.start)
        last = row
    return starts


def sentences_of(text: str, blocks: Sequence[Block]) -> tuple[Sentence, ...]:
    """The sentences of every block, in order."""
    found: list[Sentence] = []
    for number, block in enumerate(blocks):
        start = _after_bullet(text, block.start, block.end) if block.item else block.start
        if not block.row:
            for match in _END.finditer(text, start, block.end):
                if _ABBREVIATION.search(text, max(start, match.start() - 8), match.start() + 1):
                    continue
                _add(found, text, start, match.end(), number, block)
                start = match.end()
        _add(found, text, start, block.end, number, block)
    return tuple(found)


def _after_bullet(text: str, start: int, end: int) -> int:
    """Where the words of a list item begin, after its bullet or number."""
    bullet = _BULLET.match(text, start, end)
    return bullet.end() if bullet else start


def _add(found: list[Sentence], text: str, start: int, end: int, number: int, block: Block) -> None:
    raw = text[start:end]
    words = raw.split()
    if words:
        said = " ".join(words)
        left = start + len(raw) - len(raw.lstrip())
        right = start + len(raw.rstrip())
        lower = lowered(said)
        found.append(
            Sentence(said, left, right, number, lower, words_of(lower), block.row, block.item)
        )

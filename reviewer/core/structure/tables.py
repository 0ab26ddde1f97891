"""Rows of tables whose cells the source gives, set in the place of what the boxes tell.

Where Markdown, HTML or Word says which cells a table has, no gap between words has to be
judged. A table counts where every row of it is found on the sheets, in order and with nothing
in between; otherwise the boxes are all there is. Of a table that goes on from another sheet
only a part stands here, and the part says so, so that nobody sums it.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from reviewer.core.structure.forms import PLAIN, Forms
from reviewer.core.structure.rows import PlacedWord, Row
from reviewer.core.structure.squeezed import Squeezed

Table = tuple[tuple[str, ...], ...]

CONTINUED = "(continued)"
"""What stands in every column above the rows of a table that began on an earlier sheet."""

_COLUMN_WIDTH = 1000.0
_TRIES = 20
"""Places at which the first row of a table is looked for before it is given up."""
_BEYOND_THE_PAGE = 1_000_000.0
"""Columns get places of their own, so that nothing else of the sheet is over or under them."""


@dataclass(frozen=True, slots=True)
class TableSheet:
    """What is needed of one sheet: its text and words, and its rows as the boxes tell them."""

    text: str
    words: tuple[PlacedWord, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    """One row of a table on a sheet: its cells with their columns and offsets."""

    cells: tuple[tuple[int, str, int, int], ...]

    @property
    def start(self) -> int:
        return self.cells[0][2]

    @property
    def end(self) -> int:
        return self.cells[-1][3]


def rows_with_tables(
    sheets: Mapping[int, TableSheet], tables: Sequence[Table], forms: Forms = PLAIN
) -> dict[int, tuple[Row, ...]]:
    """The rows of each sheet by number, those of the tables with the cells of the source."""
    squeezed = {number: Squeezed(sheet.text) for number, sheet in sheets.items()}
    placed: dict[int, list[list[_Placed]]] = {number: [] for number in sheets}
    continued: set[tuple[int, int]] = set()
    where = (0, 0)
    for table in tables:
        found = _place(table, list(sheets), squeezed, where)
        if found is None:
            continue
        rows, where = found
        for part, (number, on_sheet) in enumerate(rows):
            if part:
                continued.add((number, len(placed[number])))
            placed[number].append(on_sheet)
    return {
        number: _merged(sheet, placed[number], {n for s, n in continued if s == number}, forms)
        for number, sheet in sheets.items()
    }


_Where = tuple[int, int]
"""A place among the sheets: the position of one, and how many of its letters come before."""
_Parts = list[tuple[int, list[_Placed]]]
"""The rows of one table by the number of the sheet they stand on."""


def _place(
    table: Table, numbers: Sequence[int], squeezed: Mapping[int, Squeezed], where: _Where
) -> tuple[_Parts, _Where] | None:
    """Every row of the table at its place from `where` on; None where one is not found."""
    for _ in range(_TRIES):
        first = _next(table[0], numbers, squeezed, where)
        if first is None:
            return None
        found = _follow(table, numbers, squeezed, first)
        if found is not None:
            return found
        where = first[0], first[1] + 1
    return None


def _next(
    row: Sequence[str], numbers: Sequence[int], squeezed: Mapping[int, Squeezed], where: _Where
) -> _Where | None:
    position, start = where
    for later in range(position, len(numbers)):
        at = squeezed[numbers[later]].find("".join(row), start if later == position else 0)
        if at is not None:
            return later, at[0]
    return None


def _follow(
    table: Table, numbers: Sequence[int], squeezed: Mapping[int, Squeezed], first: _Where
) -> tuple[_Parts, _Where] | None:
    """The rows of the table one after the other from `first` on, over as many sheets as it takes."""
    position, start = first
    parts: _Parts = [(numbers[position], [])]
    for row in table:
        letters = squeezed[numbers[position]]
        found = letters.find("".join(row), start)
        if found is None or found[0] != start:
            position += 1
            letters = squeezed[numbers[position]] if position < len(numbers) else Squeezed("")
            found = letters.find("".join(row))
            if found is None:
                return None
            parts.append((numbers[position], []))
        parts[-1][1].append(_row_at(row, letters, found[0]))
        start = found[1]
    return parts, (position, start)


def _row_at(row: Sequence[str], letters: Squeezed, at: int) -> _Placed:
    cells = []
    for column, cell in enumerate(row):
        length = len("".join(cell.split()))
        if length:
            cells.append((column, cell, *letters.span(at, at + length)))
        at += length
    return _Placed(tuple(cells))


def _merged(
    sheet: TableSheet, tables: Sequence[list[_Placed]], continued: set[int], forms: Forms
) -> tuple[Row, ...]:
    if not tables:
        return sheet.rows
    spans = [(rows[0].start, rows[-1].end) for rows in tables]
    kept = [
        row
        for row in sheet.rows
        if not any(row.start < end and start < row.end for start, end in spans)
    ]
    words = sorted(sheet.words, key=lambda word: word.start)
    starts = [word.start for word in words]
    for index, rows in enumerate(tables):
        here = [_row(row, words, starts, sheet.rows, forms) for row in rows]
        if index in continued:
            kept.append(_marker(here, forms))
        kept.extend(here)
    return tuple(sorted(kept, key=lambda row: (row.y0 + row.y1) / 2))


def _row(
    placed: _Placed,
    words: Sequence[PlacedWord],
    starts: Sequence[int],
    rows: Sequence[Row],
    forms: Forms,
) -> Row:
    inside = words[bisect_left(starts, placed.start) : bisect_left(starts, placed.end)]
    y0 = min((word.y0 for word in inside), default=0.0)
    y1 = max((word.y1 for word in inside), default=y0)
    sizes = [row.size for row in rows if row.start < placed.end and placed.start < row.end]
    cells = tuple(
        _word(cell, column, start, end, y0, y1) for column, cell, start, end in placed.cells
    )
    return Row(
        cells, placed.start, placed.end, y0, y1, True, median(sizes) if sizes else 10.0, forms
    )


def _word(cell: str, column: int, start: int, end: int, y0: float, y1: float) -> PlacedWord:
    x0 = _BEYOND_THE_PAGE + column * _COLUMN_WIDTH
    return PlacedWord(" ".join(cell.split()), start, end, x0, y0, x0 + _COLUMN_WIDTH / 2, y1)


def _marker(rows: Sequence[Row], forms: Forms) -> Row:
    """A row above the part of a table that stands here, with a word in every column."""
    first = rows[0]
    columns = {word.x0 for row in rows for word in row.words}
    words = tuple(
        PlacedWord(CONTINUED, first.start, first.start, x0, first.y0, x0 + 1, first.y0)
        for x0 in sorted(columns)
    )
    return Row(words, first.start, first.start, first.y0, first.y0, False, first.size, forms)

"""Columns of numbers: what stands above a total, from where the cells stand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from reviewer.core.structure.amounts import Amount, only_amount
from reviewer.core.structure.rows import Cell, Row

_TOTAL = re.compile(
    r"(?:grand |overall |project |sub-?|combined )?(?:totals?|sum)\b|(?:in )?total\b|overall\b",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:[-–—−]|n/?a|nil|none|free|included|incl\.?|no charge|waived|not (?:applicable|charged))\.?",
    re.IGNORECASE,
)
_FARTHEST = 4.5
"""Type sizes of empty space after which rows no longer belong to one table."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One number of a column, with its cell and the label at the left of its row."""

    amount: Amount
    cell: Cell
    row: Row
    label: str

    @property
    def is_total(self) -> bool:
        """Whether its row calls itself a total."""
        return is_total_label(self.label)


@dataclass(frozen=True, slots=True)
class Column:
    """Numbers of one column in consecutive rows, from the top down, under `header`.

    `complete` says that every row from the header down has a number, or a word for nothing.
    """

    entries: tuple[Entry, ...]
    header: str
    complete: bool
    unknown: bool
    """Whether a row has words where its number should be, such as "on request"."""


@lru_cache(maxsize=4096)
def is_total_label(label: str) -> bool:
    """Whether the label of a row says that it sums the rows above."""
    return bool(_TOTAL.match(label)) and len(label.split()) <= 6


def entries_of(row: Row) -> tuple[Entry, ...]:
    """The numbers of a row that have a cell to themselves, after its label."""
    found: list[Entry] = []
    label = row.cells[0].text if row.cells else ""
    for cell in row.cells:
        amount = only_amount(cell.text, row.forms)
        if amount is not None:
            found.append(Entry(amount, cell, row, label))
    return tuple(found)


def column_above(rows: Sequence[Row], index: int, cell: Cell) -> Column:
    """The numbers above `cell` of the row at `index`, up to the header of their column.

    Rows without a cell there are the further lines of a row that wraps, and are passed over.
    """
    entries: list[Entry] = []
    header: list[str] = []
    unknown = False
    below = rows[index]
    for row in reversed(rows[:index]):
        height = max(1.0, below.size)
        if below.y0 - row.y1 > _FARTHEST * height:
            break
        over = [other for other in row.cells if other.over(cell.x0 - 2, cell.x1 + 2)]
        if header and not over:
            break
        if not over:
            if len(row.cells) == 1 and len(row.words) > 14:
                break
            continue
        amount = only_amount(over[0].text, row.forms) if len(over) == 1 else None
        if header:
            if amount is not None or below.y0 - row.y1 > 0.8 * height:
                break
            header.insert(0, over[0].text)
        elif amount is not None:
            entries.append(Entry(amount, over[0], row, row.cells[0].text))
        elif len(over) == 1 and _NOTHING.fullmatch(over[0].text):
            pass
        elif entries and _is_header(over[0], row):
            header.insert(0, over[0].text)
        else:
            unknown = True
            break
        below = row
    return Column(tuple(reversed(entries)), " ".join(header), bool(header), unknown)


def _is_header(cell: Cell, row: Row) -> bool:
    """Whether a cell above numbers reads as their heading and not as a row's missing value."""
    missing = re.search(
        r"\b(?:continued|request|TBD|TBC|confirmed|quoted?|later|open)\b", cell.text
    )
    return missing is None and len(cell.text.split()) <= 8

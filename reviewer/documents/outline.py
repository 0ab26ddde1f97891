"""Tables and headings as the source has them, where it is HTML or Word.

The page shows a table's words; which cell a word belongs to, and how deep a heading is, only
the source knows for certain. Markdown comes here as the HTML that was made of it.

Refused: tables within which other tables stand, which are made for layout; and more rows and
letters than the bounds.
"""

import re
from collections.abc import Iterable
from typing import Any

from reviewer.documents.sheets import SourceRead, Table
from reviewer.documents.word import parse

MOST_TABLES = 200
MOST_CELLS = 10_000
MOST_HEADINGS = 1000
_MOST_LETTERS = 1000
"""Of one cell or heading; `_MOST_IN_ALL` of all cells together."""
_MOST_IN_ALL = 300_000
_MOST_COLUMNS = 60
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING_NAME = re.compile(r"heading ([1-6])", re.IGNORECASE)


def outline_of_html(text: str) -> SourceRead:
    """The tables and headings of a whole HTML document."""
    import lxml.html

    parser = lxml.html.HTMLParser(encoding="utf-8", no_network=True)
    tree: Any = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    headings = [
        (int(element.tag[1]), said)
        for element in tree.iter("h1", "h2", "h3", "h4", "h5", "h6")
        if (said := _line(element.text_content()))
    ]
    tables = (_html_table(table) for table in tree.iter("table") if not _holds(table, "table"))
    return SourceRead(tables=_bounded(tables), headings=tuple(headings[:MOST_HEADINGS]))


def _html_table(table: Any) -> list[list[str]]:
    rows: list[list[str]] = []
    held: dict[int, int] = {}  # columns that a cell of an earlier row still reaches into
    for row in table.iter("tr"):
        cells: list[str] = []
        for cell in row:
            if cell.tag not in ("td", "th"):
                continue
            _skip_held(cells, held)
            down, wide = _span(cell.get("rowspan")), _span(cell.get("colspan"))
            if down > 1:
                held.update({len(cells) + offset: down for offset in range(wide)})
            cells.extend([_line(cell.text_content()), *[""] * (wide - 1)])
        _skip_held(cells, held)
        held = {column: left - 1 for column, left in held.items() if left > 1}
        rows.append(cells[:_MOST_COLUMNS])
    return rows


def _skip_held(cells: list[str], held: dict[int, int]) -> None:
    while held.get(len(cells), 0) > 0 and len(cells) < _MOST_COLUMNS:
        cells.append("")


def _span(given: str | None) -> int:
    return min(int(given), _MOST_COLUMNS) if given and given.isdecimal() and int(given) else 1


def outline_of_word(parts: dict[str, bytes]) -> SourceRead:
    """The tables and headings of a Word file's text."""
    document = parse(parts["word/document.xml"])
    levels = _heading_styles(parts.get("word/styles.xml", b""))
    headings = []
    for paragraph in document.iter(f"{_W}p"):
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        level = levels.get(style.get(f"{_W}val") or "") if style is not None else None
        if level and (said := _line(_shown(paragraph))):
            headings.append((level, said))
    tables = (
        [_word_row(row) for row in table.iter(f"{_W}tr")]
        for table in document.iter(f"{_W}tbl")
        if not _holds(table, f"{_W}tbl")
    )
    return SourceRead(tables=_bounded(tables), headings=tuple(headings[:MOST_HEADINGS]))


def _heading_styles(part: bytes) -> dict[str, int]:
    """Which styles are headings, of which level, by their built-in names."""
    if not part:
        return {}
    found = {}
    for style in parse(part).iter(f"{_W}style"):
        name = style.find(f"{_W}name")
        named = _HEADING_NAME.fullmatch(name.get(f"{_W}val") or "") if name is not None else None
        if named:
            found[style.get(f"{_W}styleId") or ""] = int(named[1])
    return found


def _word_row(row: Any) -> list[str]:
    cells: list[str] = []
    for cell in row.iter(f"{_W}tc"):
        span = cell.find(f"{_W}tcPr/{_W}gridSpan")
        merged = cell.find(f"{_W}tcPr/{_W}vMerge")
        goes_on = merged is not None and merged.get(f"{_W}val") != "restart"
        said = " ".join(_shown(paragraph) for paragraph in cell.iter(f"{_W}p"))
        wide = _span(span.get(f"{_W}val")) if span is not None else 1
        cells.extend(["" if goes_on else _line(said), *[""] * (wide - 1)])
    return cells[:_MOST_COLUMNS]


def _shown(paragraph: Any) -> str:
    """The text of a paragraph as it is shown, with its tracked changes accepted."""
    letters = []
    for piece in paragraph.iter(f"{_W}t", f"{_W}tab", f"{_W}br"):
        if any(up.tag in (f"{_W}del", f"{_W}moveFrom") for up in piece.iterancestors()):
            continue
        letters.append(piece.text or "" if piece.tag == f"{_W}t" else " ")
    return "".join(letters)


def _holds(table: Any, tag: str) -> bool:
    return next((inner for inner in table.iter(tag) if inner is not table), None) is not None


def _line(text: str) -> str:
    return " ".join(text.split())[:_MOST_LETTERS]


def _bounded(tables: Iterable[list[list[str]]]) -> tuple[Table, ...]:
    """Tables of at least two rows and two columns, as many as fit."""
    kept: list[Table] = []
    cells = letters = 0
    for table in tables:
        rows = tuple(tuple(row) for row in table if any(row))
        cells += sum(map(len, rows))
        letters += sum(len(cell) for row in rows for cell in row)
        if len(kept) >= MOST_TABLES or cells > MOST_CELLS or letters > _MOST_IN_ALL:
            break
        if len(rows) > 1 and max(map(len, rows)) > 1:
            kept.append(rows)
    return tuple(kept)

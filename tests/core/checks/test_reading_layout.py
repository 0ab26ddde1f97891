"""Rows, cells, columns and headings, from where the words of a sheet stand."""

from reviewer.core.checks import CheckedDocument, CheckedSheet
from reviewer.core.structure.columns import column_above, entries_of
from tests.core.checks.written import TODAY

Box = tuple[str, float, float, float, float]


def _line(y: float, *cells: tuple[float, str], size: float = 10.0) -> list[Box]:
    """Words of one line with loose boxes; each cell starts at its x, letters are half a size wide."""
    boxes: list[Box] = []
    for x, text in cells:
        for word in text.split():
            width = len(word) * size / 2
            boxes.append((word, x, y, x + width, y + size))
            x += width + size / 4
    return boxes


def _sheet(*lines: list[Box]) -> CheckedSheet:
    text = "\n".join(" ".join(word for word, *_ in line) for line in lines)
    return CheckedSheet(1, "1", text, tuple(box for line in lines for box in line))


TABLE = _sheet(
    _line(0, (0, "Phase"), (200, "Days"), (300, "Fee")),
    _line(15, (0, "1 Understand"), (200, "52"), (300, "$91,000")),
    _line(30, (0, "2 Design, with a"), (200, "84"), (300, "$147,000")),
    _line(45, (0, "further workshop")),
    _line(60, (0, "Total"), (200, "136"), (300, "$248,000")),
)


def test_words_at_one_height_are_a_row_and_gaps_part_its_cells() -> None:
    assert [[cell.text for cell in row.cells] for row in TABLE.rows] == [
        ["Phase", "Days", "Fee"],
        ["1 Understand", "52", "$91,000"],
        ["2 Design, with a", "84", "$147,000"],
        ["further workshop"],
        ["Total", "136", "$248,000"],
    ]


def test_a_column_is_what_stands_above_over_wrapped_lines_up_to_its_header() -> None:
    total = entries_of(TABLE.rows[4])[1]
    column = column_above(TABLE.rows, 4, total.cell)
    assert [str(entry.amount.value) for entry in column.entries] == ["91000", "147000"]
    assert (column.header, column.complete, column.unknown) == ("Fee", True, False)


def test_a_word_for_what_is_missing_makes_a_column_unknown() -> None:
    sheet = _sheet(
        _line(0, (0, "Phase"), (200, "Fee")),
        _line(15, (0, "Design"), (200, "$91,000")),
        _line(30, (0, "Build"), (200, "on request")),
        _line(45, (0, "Test"), (200, "$4,000")),
        _line(60, (0, "Total"), (200, "$95,000")),
    )
    column = column_above(sheet.rows, 4, entries_of(sheet.rows[4])[0].cell)
    assert column.unknown


def test_rows_do_not_depend_on_the_order_in_which_words_were_extracted() -> None:
    boxes = [*_line(0, (0, "Total")), *_line(15, (0, "below")), *_line(0, (200, "$95,000"))]
    sheet = CheckedSheet(1, "1", "Total\nbelow\n$95,000", tuple(boxes))
    first, second = sheet.rows
    assert [cell.text for cell in first.cells] == ["Total", "$95,000"]
    assert (first.whole, second.whole) == (False, True)


def test_boxes_that_hug_their_letters_give_the_size_of_the_type() -> None:
    def tight(y: float, size: float, *words: str) -> list[Box]:
        boxes: list[Box] = []
        x = 0.0
        for word in words:
            tall = any(c in "bdfhklt" or c.isupper() for c in word)
            deep = any(c in "gjpqy" for c in word)
            top = y + size * (0.0 if tall else 0.2)
            boxes.append((word, x, top, x + len(word) * 5, y + size * (0.94 if deep else 0.73)))
            x += len(word) * 5 + 3
        return boxes

    body = [tight(40 + 15 * n, 10, "we", "are", "the", "people", "who", "came") for n in range(6)]
    sheet = _sheet(tight(0, 14, "one", "more", "season"), *body)
    document = CheckedDocument(sheets=(sheet,), client="", today=TODAY)
    assert [heading.text for heading in document.headings[1]] == ["one more season"]
    assert all(9 < row.size < 11 for row in sheet.rows[1:])


def test_large_words_on_every_sheet_are_a_running_head_and_no_heading() -> None:
    sheets = tuple(
        CheckedSheet(
            n,
            str(n),
            f"Northgate Clinics\nPart {n} of it\nplain text of the sheet in its usual size here",
            (
                *_line(0, (0, "Northgate Clinics"), size=16),
                *_line(30, (0, f"Part {n} of it"), size=14),
                *_line(60, (0, "plain text of the sheet in its usual size here")),
            ),
        )
        for n in (1, 2, 3)
    )
    document = CheckedDocument(sheets=sheets, client="", today=TODAY)
    assert [h.text for hs in document.headings.values() for h in hs] == [
        "Part 1 of it",
        "Part 2 of it",
        "Part 3 of it",
    ]


def test_what_stands_above_a_place_is_its_heading() -> None:
    text = "Milestones\nplain text of the sheet in its usual size here"
    boxes = [
        *_line(0, (0, "Milestones"), size=14),
        *_line(30, (0, "plain text of the sheet in its usual size here")),
    ]
    sheet = CheckedSheet(1, "1", text, tuple(boxes))
    document = CheckedDocument(sheets=(sheet,), client="", today=TODAY)
    assert document.heading_above(sheet, text.index("plain")) == "Milestones"

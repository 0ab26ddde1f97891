"""The line of JSON that is written by hand says what a general encoder would."""

import json

from reviewer.documents.rows import closed_row, sheet_row
from reviewer.documents.sheets import ParagraphRead, Word


def test_a_row_reads_back_as_what_was_written() -> None:
    words = [
        Word('quoted "fee"', 1, 2.345, 3, 4),
        Word("back\\slash\t\u2028", -0.5, 1e3, 2000.126, 9),
        Word("größer 価格 𒀀", 0, 0, 0, 0),
    ]
    paragraphs = [ParagraphRead('a "b"', "sha256:0", 0, 2)]
    row = closed_row(sheet_row({"number": 1, "text": "a\n\x07b"}, words), paragraphs)
    assert row.count("\n") == 1
    read = json.loads(row)
    assert read["number"] == 1
    assert read["text"] == "a\n\x07b"
    assert [text for text, *_ in read["words"]] == [word.text for word in words]
    assert read["words"][1][1:] == [-0.5, 1000, 2000.13, 9]
    assert read["paragraphs"] == [['a "b"', "sha256:0", 0, 2]]


def test_a_sheet_without_words_or_paragraphs_is_a_row_too() -> None:
    assert json.loads(closed_row(sheet_row({"number": 1}, []), [])) == {
        "number": 1,
        "words": [],
        "paragraphs": [],
    }

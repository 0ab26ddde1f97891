"""One fault a document, each found on its sheet and nothing else said; a clean twin has none."""

from pathlib import Path

import pytest

from reviewer.documents import fit
from reviewer.documents.sheets import DocumentRead
from tests.documents.conftest import Read
from tests.documents.making import Deck

LONG = "".join(f"<p>Line {n} of a list that is far too long for its sheet.</p>" for n in range(60))

FAULTS = {
    "clipped": Deck(
        body={
            3: '<div style="top: 300pt; height: 13pt; overflow: hidden; font-size: 30pt">'
            "Half of these words is cut away</div>"
        }
    ),
    "overfull": Deck(
        body={3: '<p style="top: 82pt">Here a second text was set over the first by mistake</p>'}
    ),
    "off_page": Deck(
        body={3: '<p style="top: 300pt; left: -700pt">Nobody will ever see this text</p>'}
    ),
    "hidden_words": Deck(
        body={3: '<p style="top: 300pt; color: #fff">We reserve the right to raise the fee</p>'}
    ),
    "small_text": Deck(
        body={3: '<p style="top: 300pt; font-size: 5pt">Terms and conditions that few read</p>'}
    ),
    "image_not_loaded": Deck(
        body={3: '<img style="top: 300pt" src="https://example.com/plan.png" alt="The plan">'}
    ),
    "footer_moved": Deck(sheets=5, foot_at={3: 770}),
    "page_number_twice": Deck(sheets=5, numbers={3: 2}),
    "page_numbers_out_of_order": Deck(sheets=6, numbers={3: 4, 4: 3}),
}


def codes(document: DocumentRead) -> set[tuple[str, int]]:
    return {(fault.code, fault.sheet) for fault in document.fit}


def test_a_clean_deck_has_no_fault_and_neither_has_its_pdf(read: Read, tmp_path: Path) -> None:
    document = read(Deck().write(tmp_path / "clean.html"))
    assert [sheet.number for sheet in document.sheets] == [1, 2, 3, 4]
    assert document.fit == ()
    assert read(document.pdf).fit == ()


@pytest.mark.parametrize("code", sorted(FAULTS))
def test_a_deck_with_one_fault_has_that_fault_alone(code: str, read: Read, tmp_path: Path) -> None:
    document = read(FAULTS[code].write(tmp_path / "fault.html"))
    where = 4 if code == "page_numbers_out_of_order" else 3
    assert codes(document) == {(code, where)}
    if code != "image_not_loaded":  # only the conversion knows what it did not load
        assert codes(read(document.pdf)) == {(code, where)}


def test_text_that_runs_out_at_the_edge_of_the_page_is_clipped(read: Read, tmp_path: Path) -> None:
    wide = '<p style="top: 300pt; white-space: nowrap; font-size: 24pt">' + "Wide words " * 9
    document = read(Deck(body={2: wide + "</p>"}).write(tmp_path / "wide.html"))
    assert {("clipped", 2), ("off_page", 2)} >= codes(document) >= {("clipped", 2)}


def test_a_sheet_that_runs_over_is_overfull_and_the_others_are_not(
    read: Read, tmp_path: Path
) -> None:
    style = ".sheet { position: static; padding: 40pt; box-sizing: border-box } "
    style += ".sheet > * { position: static } .foot { display: none }"
    deck = Deck(body={2: f"<div>{LONG}</div>"}, style=style)
    document = read(deck.write(tmp_path / "long.html"))
    assert ("overfull", 2) in codes(document)
    assert {sheet for code, sheet in codes(document) if code == "overfull"} == {2}


def test_words_covered_by_a_white_box_are_hidden(read: Read, tmp_path: Path) -> None:
    cover = '<div style="top: 78pt; height: 20pt; background: #fff">&nbsp;</div>'
    document = read(Deck(body={1: cover}).write(tmp_path / "covered.html"))
    assert ("hidden_words", 1) in codes(document)


def test_a_blank_sheet_is_said_and_is_not_unread_text(read: Read, tmp_path: Path) -> None:
    style = ".sheet:nth-child(2) > * { display: none }"
    document = read(Deck(style=style).write(tmp_path / "blank.html"))
    assert codes(document) == {("blank", 2)}
    assert [sheet.unread for sheet in document.sheets] == ["", "blank", "", ""]


def test_sheets_of_two_sizes_are_said_of_the_document(read: Read, tmp_path: Path) -> None:
    style = "@page wide { size: 842pt 595pt } .sheet:nth-child(2) { page: wide; height: 595pt }"
    document = read(Deck(style=style, foot_at={2: 560}).write(tmp_path / "mixed.html"))
    assert ("mixed_sizes", 0) in codes(document)
    assert "sheet 2 is not" in next(f.message for f in document.fit if f.code == "mixed_sizes")


def test_an_appendix_that_starts_again_at_one_is_no_repeated_number(
    read: Read, tmp_path: Path
) -> None:
    document = read(Deck(sheets=6, numbers={5: 1, 6: 2}).write(tmp_path / "appendix.html"))
    assert document.fit == ()


def test_every_code_either_holds_by_default_or_only_shows() -> None:
    assert not fit.HOLD_BY_DEFAULT & fit.SHOW_ONLY
    assert set(FAULTS) <= fit.CODES
    assert {"clipped", "hidden_words"} <= fit.HOLD_BY_DEFAULT
    assert {"mixed_sizes", "fonts_not_embedded"} <= fit.SHOW_ONLY

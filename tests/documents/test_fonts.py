"""Characters that no font can draw are said, and only of pages that were made here."""

import re
from importlib.resources import files
from pathlib import Path

from reviewer.checks import FONTS
from reviewer.documents.fonts import has_family, without_a_font
from tests.documents.conftest import Read
from tests.documents.making import HandPdf, text_at

NOWHERE = "\U000e0fff"
"""A code point that Unicode has not given to any character."""


def test_letters_of_every_day_have_a_font_and_an_unassigned_one_has_none() -> None:
    assert without_a_font("abc12") == set()
    assert without_a_font(f"abc{NOWHERE}") == {NOWHERE}
    assert without_a_font("") == set()


def test_a_family_that_nobody_made_is_not_installed() -> None:
    assert not has_family("Nobody Made This-Font 4711")


def test_the_fonts_that_are_checked_are_those_that_are_asked_for_first() -> None:
    style = files("reviewer.documents").joinpath("print.css").read_text("utf-8")
    assert tuple(re.findall(r'font-family: "([^"]+)"', style)) == FONTS


def test_a_sheet_that_would_show_boxes_says_which_characters(read: Read) -> None:
    document = read("# Offer\n\nA letter without a font: \U00012000\n\nAnd more text.\n", "a.md")
    lost = without_a_font("\U00012000")
    said = [fault.message for fault in document.fit if fault.code == "letters_not_shown"]
    assert len(said) == len(lost)
    assert all("\U00012000" in message for message in said)


def test_a_pdf_brings_its_own_fonts_and_is_not_asked(read: Read, tmp_path: Path) -> None:
    document = read(HandPdf([text_at(60, 700, "Hello")]).write(tmp_path / "a.pdf"))
    assert "letters_not_shown" not in {fault.code for fault in document.fit}

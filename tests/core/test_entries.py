"""One entry: kept wherever it can be used, cut where it is too long, dropped by name."""

from typing import Any

import pytest

from reviewer.core.entries import (
    ALSO_PLACES,
    BOUNDS,
    FINDING_WORDS,
    Dropped,
    ReadFinding,
    SheetTexts,
    cut_at_sentence,
    read_entry,
)
from tests.core.reader_cases import SHEETS, entry


def kept(given: dict[str, Any]) -> ReadFinding:
    found = read_entry(0, given, SheetTexts(SHEETS))
    assert isinstance(found, ReadFinding), found
    return found


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (entry(fix=None), "it lacks fix"),
        ({"sheet": 1}, "it lacks severity, rule, quote, finding and fix"),
        (entry("2"), "its sheet is not a whole number from 0 up"),
        (entry(7), "the document has no sheet 7"),
        (entry(severity="Urgent\nnow"), "its severity “Urgent now” is not block, fix or consider"),
        (entry(rule=3), "its rule is not text"),
        (entry(finding=""), "its finding is empty"),
        (["a"], "it is not an object"),
    ],
)
def test_what_cannot_be_kept_says_why(given: Any, why: str) -> None:
    assert read_entry(4, given, SheetTexts(SHEETS)) == Dropped(4, why)


def test_a_document_without_sheets_has_none_that_exist() -> None:
    assert isinstance(read_entry(0, entry(1), SheetTexts({})), Dropped)
    assert isinstance(read_entry(0, entry(0), SheetTexts({})), ReadFinding)


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("grounding", "grounding"),
        (" Assume the yes ", "assume_the_yes"),
        ("The client’s words", "clients_words"),
        ("grounding every number must have a source", "other"),
        ("", "other"),
    ],
)
def test_a_rule_is_matched_to_its_code_and_kept_as_written(written: str, code: str) -> None:
    found = kept(entry(rule=written))
    assert (found.rule, found.rule_as_written) == (code, written)


def test_a_long_finding_is_cut_at_a_sentence_and_says_so() -> None:
    sentences = "One two three four five. " * 20
    found = kept(entry(finding=sentences))
    assert found.shortened == ("finding",)
    assert found.finding.endswith("five.")
    assert FINDING_WORDS - 5 <= len(found.finding.split()) <= FINDING_WORDS


@pytest.mark.parametrize("name", ["finding", "fix", "quote", "rule"])
def test_no_field_is_longer_than_its_bound_and_none_is_dropped_for_it(name: str) -> None:
    for text in ("word " * 9000, "x" * 9000, "字" * 9000, "A. " * 9000):
        found = kept(entry(**{name: text}))
        value = found.rule_as_written if name == "rule" else getattr(found, name)
        assert 0 < len(value) <= BOUNDS[name]
        assert found.shortened == ("rule_as_written" if name == "rule" else name,)


def test_a_quote_that_is_cut_still_stands_on_its_sheet() -> None:
    text = "Numbers follow. " + "one two three " * 300
    found = read_entry(0, entry(1, quote=text), SheetTexts({1: text}))
    assert isinstance(found, ReadFinding)
    assert found.on_sheet is True
    assert found.shortened == ("quote",)


def test_what_fits_is_left_as_it_is() -> None:
    given = entry(finding=" ".join(["word"] * FINDING_WORDS), quote="q" * BOUNDS["quote"])
    found = kept(given)
    assert (found.finding, found.quote, found.shortened) == (given["finding"], given["quote"], ())


@pytest.mark.parametrize(
    ("text", "characters", "words", "expected"),
    [
        ("One. Two. Three.", 10, 0, "One. Two."),
        ("One two three four", 12, 0, "One two…"),
        ("One two three four", 99, 2, "One two…"),
        ("He paid 3.50 for it, no more", 15, 0, "He paid 3.50…"),
        ("一二三。四五六。", 5, 0, "一二三。"),
        ("abcdefgh", 5, 0, "abcd…"),
        ("short", 5, 0, "short"),
    ],
)
def test_text_is_cut_at_a_sentence_or_else_at_a_word(
    text: str, characters: int, words: int, expected: str
) -> None:
    assert cut_at_sentence(text, characters, words) == expected


def test_members_that_a_finding_does_not_have_are_left_out_and_named() -> None:
    found = kept({**entry(), "confidence": 0.9, "id": "F1"})
    assert found.left_out == ("confidence", "id")


def test_other_places_are_kept_singly() -> None:
    good = {"sheet": 1, "quote": "tower"}
    bad = [{"sheet": 9, "quote": "x"}, {"sheet": 1}, "words", {"sheet": "1", "quote": "x"}]
    found = kept(entry(also=[good, *bad, good]))
    assert [place.sheet for place in found.also] == [1, 1]
    assert found.left_out == ("also",)
    assert kept(entry(also="sheet 1")).left_out == ("also",)
    assert len(kept(entry(also=[good] * 99)).also) == ALSO_PLACES


def test_a_learning_is_text() -> None:
    assert kept(entry(learning="L2")).learning == "L2"
    assert kept(entry(learning=2)).left_out == ("learning",)
    assert kept({**entry(), "learning": None}).learning is None

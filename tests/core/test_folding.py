"""Texts that look the same fold to the same string, and the way back is exact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.folding import fold, skeleton, text_key, words

LOOK_THE_SAME = [
    ("The fee is\u00a0$642,000", "the fee  is\n$642,000", "white space"),
    ("“never ‘once’ ”", "\"never 'once' \"", "quotation marks"),
    ("weeks 1–4", "weeks 1-4", "dashes"),
    ("a well‑known firm", "a well-known firm", "a hyphen that does not break"),
    ("the first ofﬁce ﬂoor", "the first office floor", "ligatures"),
    ("the configu-\nration of it", "the configuration of it", "hyphenation at a line's end"),
    ("the configu\u00ad\nration", "the configuration", "a soft hyphen at a line's end"),
    ("the configu\ufffe\nration", "the configuration", "a PDF's mark of hyphenation"),
    ("in two-\nweek sprints", "in two-week sprints", "a hyphen kept at a line's end"),
    ("RFP HM-2025-\n117", "RFP HM-2025-117", "a number broken at its hyphen"),
    ("| Phone | 46% | 22 hours |", "Phone   46%      22 hours", "table borders"),
    ("| A | B |\n| --- | :---: |\n| 1 | 2 |", "A B\n1 2", "the rule under a table's head"),
    ("│ Phone │ 46% │", "Phone 46%", "drawn borders"),
    ("fi\u200bxed\u2060 fee\ufeff", "fixed fee", "characters that show nothing"),
    ("сору of аn оffer", "copy of an offer", "Cyrillic letters that look Latin"),
    ("ΡΟΡΕ", "pope", "Greek capitals that look Latin"),
    ("ＦＥＥ　１２", "fee 12", "full width forms"),
    ("e\u0301tude", "étude", "a composed letter"),
    ("STRASSE", "straße", "case"),
    ("見積\n金額", "見積金額", "a line's end where words are not spaced"),
    ("ｶﾞｲﾄﾞ", "ガイド", "half-width kana"),
    ("각", "\u1100\u1161\u11a8", "Hangul from its parts"),
]

DIFFER = [
    ("1.2 million", "12 million"),
    ("$642,000", "€642,000"),
    ("17%", "17"),
    ("weeks 1-4", "weeks 14"),
    ("5 µm", "5 mm"),
    ("not able", "notable"),
]


@pytest.mark.parametrize(("one", "other", "what"), LOOK_THE_SAME)
def test_what_looks_the_same_folds_to_the_same(one: str, other: str, what: str) -> None:
    assert fold(one).text == fold(other).text, what
    assert text_key(one) == text_key(other), what


@pytest.mark.parametrize(("one", "other"), DIFFER)
def test_what_a_reader_can_tell_apart_stays_apart(one: str, other: str) -> None:
    assert fold(one).text != fold(other).text


@pytest.mark.parametrize(("one", "other"), DIFFER[:5])
def test_the_key_of_a_text_keeps_the_separators_inside_numbers(one: str, other: str) -> None:
    assert text_key(one) != text_key(other)


def test_a_ligature_leads_back_to_its_one_character() -> None:
    folded = fold("an oﬃce")

    start = folded.text.index("ffi")
    assert folded.original(start, start + 3) == (4, 5)


def test_a_hyphenated_word_leads_back_to_both_its_lines() -> None:
    text = "the configu-\nration of it"
    folded = fold(text)

    start = folded.text.index("configuration")
    first, last = folded.original(start, start + len("configuration"))
    assert text[first:last] == "configu-\nration"


def test_a_composed_letter_leads_back_to_all_its_marks() -> None:
    text = "un e\u0301tat"
    folded = fold(text)

    start = folded.text.index("é")
    assert folded.original(start, start + 1) == (3, 5)


def test_the_skeleton_keeps_a_space_between_two_numbers() -> None:
    assert skeleton(fold("Phone 46% 22 hours, 1 4"))[0] == "phone46%22hours1 4"


def test_a_number_with_its_separators_is_one_word_and_a_character_is_one_where_unspaced() -> None:
    found = [word for word, _, _ in words(fold("Pay $1,250.50 by 2026-01, 見積 re: HM/117."))]
    assert found == ["pay", "1,250.50", "by", "2026", "01", "見", "積", "re", "hm/117"]


texts = st.text(
    st.one_of(
        st.sampled_from("ab1 \n\t-–|'\".,%$…"),
        st.sampled_from("ﬁ\u0301\u00ad\ufffe\u200bа見積ｶﾞ각"),
        st.characters(),
    ),
    max_size=60,
)


@given(texts)
def test_every_folded_character_knows_where_it_comes_from(text: str) -> None:
    folded = fold(text)

    assert len(folded.text) == len(folded.origin) == len(folded.ends)
    assert all(
        0 <= start < end <= len(text) for start, end in zip(folded.origin, folded.ends, strict=True)
    )
    assert list(folded.origin) == sorted(folded.origin)
    assert list(folded.ends) == sorted(folded.ends)


@given(texts)
def test_a_folded_text_has_no_white_space_but_single_spaces_within(text: str) -> None:
    folded = fold(text).text

    assert folded == folded.strip()
    assert "  " not in folded
    assert not any(character.isspace() and character != " " for character in folded)


@given(texts, texts)
def test_the_skeleton_indexes_into_the_folded_text(one: str, other: str) -> None:
    folded = fold(one + " " + other)
    bare, kept = skeleton(folded)

    assert bare == "".join(folded.text[index] for index in kept)

"""Amounts, dates, sentences and the language of a text, with their places."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.structure.amounts import amounts_in, as_written, only_amount
from reviewer.core.structure.dates import dates_in
from reviewer.core.structure.language import reads_as_english
from tests.core.checks.written import written


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("$658,000", 658000, "USD"),
        ("£1.50", "1.50", "GBP"),
        ("4.600,00 EUR", 4600, "EUR"),
        ("1.234.567", 1234567, ""),
        ("12,50 €", "12.50", "EUR"),
        ("$1.1 million", 1100000, "USD"),
        ("$20k", 20000, "USD"),
        ("12.5%", "12.5", "%"),
        ("40 per cent", 40, "%"),
        ("USD 4800", 4800, "USD"),
        ("US$ 90", 90, "USD"),
        ("4,200", 4200, ""),
        ("1.234", "1.234", ""),
    ],
)
def test_an_amount_is_read_as_written(text: str, value: int | str, unit: str) -> None:
    (amount,) = amounts_in(f"It comes to {text}, then.")
    assert (amount.value, amount.unit) == (Decimal(value), unit)


@pytest.mark.parametrize(
    "text", ["TLS1.2", "M4", "HM-2025-117", "3/4", "A4", "12,50", "v2", "5m", "x3y", "§12", "#7"]
)
def test_parts_of_other_things_are_no_amounts(text: str) -> None:
    assert amounts_in(f"See {text} for more.") == ()


def test_an_amount_knows_how_exactly_it_was_written() -> None:
    rounded, exact, about = amounts_in("$1.1 million or $1,100,000, about 70 days")
    assert (rounded.step, exact.step) == (Decimal(100000), Decimal(1))
    assert [amount.about for amount in (rounded, exact, about)] == [False, False, True]


@pytest.mark.parametrize("cell", ["$91,000", "12 days", "~12", "46%", "$1,200 a month", "(12)"])
def test_a_cell_with_one_number_is_an_amount(cell: str) -> None:
    assert only_amount(cell) is not None


@pytest.mark.parametrize(
    "cell", ["1-4", "12 of 14", "Phase 3 ends", "on request", "12 days a week off"]
)
def test_a_cell_with_more_than_a_number_is_none(cell: str) -> None:
    assert only_amount(cell) is None


@given(st.decimals(min_value=0, max_value=10**9, places=2))
def test_an_amount_written_by_us_is_read_back(value: Decimal) -> None:
    like = amounts_in("$1")[0]
    (again,) = amounts_in(as_written(value, like))
    assert (again.value, again.unit) == (value, "USD")


@pytest.mark.parametrize(
    ("text", "day", "weekday"),
    [
        ("Thursday 20 November 2025", date(2025, 11, 20), 3),
        ("Thu, Nov. 20, 2025", date(2025, 11, 20), 3),
        ("the 20th of November 2025", date(2025, 11, 20), None),
        ("November 20, 2025", date(2025, 11, 20), None),
        ("2025-11-20 (Thursday)", date(2025, 11, 20), 3),
        ("20.11.2025", date(2025, 11, 20), None),
        ("11/20/2025", date(2025, 11, 20), None),
        ("5/5/2025", date(2025, 5, 5), None),
    ],
)
def test_a_date_is_read_with_its_weekday(text: str, day: date, weekday: int | None) -> None:
    (found,) = dates_in(f"We meet on {text} at nine.")
    assert (found.on(), found.weekday) == (day, weekday)


def test_a_date_of_digits_with_two_meanings_is_left_alone() -> None:
    assert dates_in("Signed on 03/04/2026.") == ()


def test_a_date_without_a_year_takes_the_one_it_is_given() -> None:
    (found,) = dates_in("I will call you on Thursday 20 November to hear more.")
    assert found.on() is None
    assert found.on(2025) == date(2025, 11, 20)


def test_a_day_that_no_calendar_has_is_read_and_marked() -> None:
    (found,) = dates_in("The pilot ends on 31 June 2032.")
    assert not found.possible


def test_sentences_end_where_they_end_and_not_at_abbreviations() -> None:
    sheet = written(
        "We met Dr. Arnason at 9 a.m. in Ohio. She said: go on! Fig. 3 shows it."
    ).sheets[0]
    assert [sentence.text for sentence in sheet.sentences] == [
        "We met Dr. Arnason at 9 a.m. in Ohio.",
        "She said: go on!",
        "Fig. 3 shows it.",
    ]


def test_a_sentence_goes_on_over_the_end_of_a_line_but_not_of_a_paragraph() -> None:
    sheet = written(
        "The plates stay\nin the store.\n\nNo heading ends here\n\n- first\n- second"
    ).sheets[0]
    assert [sentence.text for sentence in sheet.sentences] == [
        "The plates stay in the store.",
        "No heading ends here",
        "first",
        "second",
    ]


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("The price of the work is fixed and we will bring it to you with the plan. " * 3, True),
        ("Der Preis für die Arbeit ist fest und wir werden ihn mit dem Plan bringen. " * 3, False),
        (
            "Le prix de la mission est fixe et nous le donnons avec le plan dans une lettre. " * 3,
            False,
        ),
        ("El precio de los trabajos es fijo y se entrega con el plan para la obra. " * 3, False),
        ("Total 52 84 136", True),
    ],
)
def test_english_is_told_from_other_languages(text: str, english: bool) -> None:
    assert reads_as_english(text) is english


def test_a_text_too_short_to_tell_is_in_the_language_of_the_workspace() -> None:
    assert not reads_as_english("Total 52 84 136", "de")

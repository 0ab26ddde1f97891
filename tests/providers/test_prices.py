"""What readings cost, to the millionth of a dollar, and when that is not known."""

from datetime import date
from decimal import Decimal

import pytest

from reviewer.core.raw import Usage
from reviewer.providers.prices import PRICES_OF, TABLE, Price, Row, cost, row_for

MILLION = Usage(10**6, 10**6, 10**6, 10**6)


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        ("claude-opus-5-5", "29.20"),
        ("claude-opus-5", "36.75"),
        ("claude-opus-4-8", "36.75"),
        ("claude-opus-4-5-20251101", "36.75"),
        ("claude-opus-4-1", "110.25"),
        ("claude-opus-4-20250514", "110.25"),
        ("claude-sonnet-5-5", "14.60"),
        ("claude-sonnet-4-6", "22.05"),
        ("claude-haiku-4-5-20251001", "7.35"),
        ("claude-fable-5-1", "72.75"),
        ("claude-fable-5", "73.50"),
        ("anthropic/claude-opus-5-5", "29.20"),
        ("us.anthropic.claude-opus-4-6-v1", "36.75"),
        ("claude-opus-4-5@20251101", "36.75"),
        ("Claude-Sonnet-4-5", "22.05"),
    ],
)
def test_a_million_tokens_of_each_kind(model, dollars) -> None:
    assert cost(MILLION, model) == Decimal(dollars)


@pytest.mark.parametrize(
    "model",
    [
        "",
        "qwen2.5-coder-1.5b-instruct",
        "claude-fable-5-2",
        "claude-opus-6",
        "claude-opus-5-6",
        "claude-sonnet-5-5-nightly",
        "not-claude-opus-5-5",
        "claude-opus-45",
        "gpt-6",
    ],
)
def test_an_unknown_model_has_no_price(model) -> None:
    assert cost(MILLION, model) is None


def test_long_prompts_of_a_model_may_have_a_price_of_their_own() -> None:
    assert cost(Usage(input_tokens=100_000), "claude-haiku-5-5") == Decimal("0.010000")
    assert cost(Usage(90_000, 0, 10_001, 0), "claude-haiku-5-5") == Decimal("0.045500")


def test_every_cache_write_costs_a_quarter_more_and_a_read_less_than_input() -> None:
    for row in TABLE:
        for price in filter(None, (row.price, row.long)):
            assert price.cache_write == price.input * Decimal("1.25")
            assert price.cache_read < price.input < price.output


def test_no_row_is_hidden_by_one_before_it() -> None:
    for row in TABLE:
        name = row.family.replace("(?:fable|mythos)", "fable").replace("(?:5|4-[5-8])", "4-8")
        name = name.replace("(?:-[01])?", "-1").replace("(?:-[0156])?", "-6")
        assert row_for(f"claude-{name}") is row


def test_a_house_may_have_its_own_table() -> None:
    table = (Row("opus-5-5", Price(*map(Decimal, ("1", "2", "3", "4")))),)
    assert cost(MILLION, "claude-opus-5-5", table) == Decimal(10)
    assert cost(MILLION, "claude-sonnet-5-5", table) is None


def test_costs_of_many_small_readings_add_up_exactly() -> None:
    one = cost(Usage(input_tokens=333, output_tokens=7), "claude-opus-5-5")
    assert one == Decimal("0.001472")
    assert sum([one] * 1000) == Decimal("1.472")


def test_the_table_says_of_which_day_it_is() -> None:
    assert date(2026, 1, 1) < PRICES_OF <= date(2026, 12, 31)

"""What is a number, and what is only figures."""

import pytest

from reviewer.core.typed import typed_number


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), (" 12 ", 12), ("007", 7), ("9" * 9, 999999999)]
)
def test_figures_that_any_column_holds_are_a_number(text: str, number: int) -> None:
    assert typed_number(text) == number


@pytest.mark.parametrize(
    "text", ["", " ", "-1", "1.5", "1 2", "x", "²", "٣", "1\0", "9" * 10, "9" * 5000]
)
def test_anything_else_is_none(text: str) -> None:
    assert typed_number(text) is None

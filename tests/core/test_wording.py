"""A number of things is said in one way."""

import pytest

from reviewer.core.wording import counted


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ((0, "sheet"), "0 sheets"),
        ((1, "sheet"), "1 sheet"),
        ((2, "fix", "fixes"), "2 fixes"),
        ((1200, "answer"), "1,200 answers"),
        ((3, "no call", "no call"), "3 no call"),
    ],
)
def test_a_number_of_things(said: tuple[int, str], words: str) -> None:
    assert counted(*said) == words

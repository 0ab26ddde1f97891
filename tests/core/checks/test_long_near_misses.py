"""No check takes a long text that nearly matches, over and over, for a reason to hang.

The bound is a hundred times what any of these takes when nothing backtracks: quadratic
behaviour at this length runs into minutes.
"""

import time

import pytest

from reviewer.core.checks import CHECKS
from tests.core.checks.written import written

CHARACTERS = 20_000
SECONDS = 20.0
SEEDS = (
    "1, ", "1 x ", "12 + ", "$1 ", "1,111,", "1", "we will ", "we will cut the ", "A ", "A-", "word ",
    "[insert ", "[", "{{", "<<a", "“quoted words and more ", '"', "Total 1\n", "- 10% on \n",
    "in today's a b c ", "as the country's leading a b ", "all five ", "(e.g. ", "Mr. ", " . ",
    "the steering committee meets every ", "5 May 2032 ", "May 5 ", "Label: ", "costs: 1\n",
    "Contents\n.. 1\n", "Title ..... ", "Harbor ", "# h\n", "etc ", "a.b.c. ", "x", " ", "\n",
)  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_long_near_misses_are_read_in_seconds(seed: str) -> None:
    text = (seed * (CHARACTERS // len(seed) + 1))[:CHARACTERS]
    document = written(text, client="Harbor Mutual", other_clients=("Coastal Mutual",))
    started = time.process_time()
    for check in CHECKS:
        list(check.run(document))
    assert time.process_time() - started < SECONDS

"""How many are left: worked values, the upper end of each severity, and when to say nothing."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.estimate import (
    NoEstimate,
    Residual,
    Seen,
    from_passes,
    from_votes,
    poisson_bound,
    residual,
)
from reviewer.core.schema import Severity
from tests.shared_cases import case, needs_cases

# votes of each finding, passes: seen, chao2, low, high, coverage; worked by hand.
WORKED = [
    ([3, 3, 3, 3], 3, (4, 4, 4, 4, 1)),
    ([1], 2, (1, 1, 1, 1, 1)),
    ([1, 1, 2], 2, (3, 3.25, 3.0046, 16.7116, 0.75)),
    ([], 3, (0, 0, 0, 0, 1)),
]


@pytest.mark.parametrize(("votes", "passes", "expected"), WORKED)
def test_worked_values(votes: list[int], passes: int, expected: tuple[float, ...]) -> None:
    found = from_votes(votes, passes)

    got = (found.seen, found.chao2, found.low, found.high, found.coverage)
    assert got == pytest.approx(expected, abs=0.001)
    assert found.passes == passes


@needs_cases
def test_the_shared_values_are_met_to_a_thousandth() -> None:
    for entry in json.loads(case("estimate.json").read_text())["cases"]:
        found = from_passes(entry["passes"])
        for name, value in entry["expect"].items():
            assert getattr(found, name) == pytest.approx(value, abs=0.001), name


def test_an_id_counts_once_a_pass() -> None:
    assert from_passes([["a", "a"], ["a"], ["b"]]) == from_passes([["a"], ["a"], ["b"]])


@pytest.mark.parametrize(("votes", "passes"), [([1], 1), ([0], 3), ([4], 3)])
def test_votes_that_cannot_be_are_refused(votes: list[int], passes: int) -> None:
    with pytest.raises(ValueError):
        from_votes(votes, passes)


passes_of = st.integers(2, 8).flatmap(
    lambda passes: st.tuples(st.lists(st.integers(1, passes), max_size=60), st.just(passes))
)


@given(passes_of)
def test_the_estimate_lies_within_its_interval_and_above_what_was_seen(
    given_votes: tuple[list[int], int],
) -> None:
    votes, passes = given_votes
    found = from_votes(votes, passes)

    assert found.seen <= found.low <= found.chao2 + 1e-9
    assert found.chao2 <= found.high + 1e-9
    assert math.isfinite(found.high)
    assert 0 <= found.coverage <= 1


@given(passes_of, st.randoms(use_true_random=False))
def test_the_order_of_passes_and_ids_changes_nothing(
    given_votes: tuple[list[int], int], random: object
) -> None:
    votes, passes = given_votes
    named = [[str(i) for i, count in enumerate(votes) if p < count] for p in range(passes)]
    turned = [list(reversed(one)) for one in reversed(named)]

    assert from_passes(named) == from_passes(turned) == from_votes(votes, passes)


# Each severity


def upheld(block: list[int], fix: list[int], consider: list[int]) -> list[Seen]:
    named = zip(("block", "fix", "consider"), (block, fix, consider), strict=True)
    return [Seen(severity, votes) for severity, all_votes in named for votes in all_votes]


def test_each_severity_gets_its_share_of_what_is_unseen() -> None:
    found = upheld([3] * 20, [3] * 30 + [2] * 10 + [1] * 6, [2] * 5 + [1] * 14)
    left = residual(found, 3)

    assert isinstance(left, Residual)
    block, fix, consider = (left.of(severity) for severity in Severity)
    assert (block.seen, fix.seen, consider.seen) == (20, 46, 19)
    assert block.high == 20 + poisson_bound(0.5) == 22
    unseen = left.all.unseen_high
    assert fix.high == 46 + poisson_bound(unseen * 6 / 20 + 0.5)
    assert consider.high == 19 + poisson_bound(unseen * 14 / 20 + 0.5)


def test_what_was_named_twice_and_refuted_is_added_to_the_upper_end() -> None:
    found = upheld([3] * 20, [1, 2], [])
    with_it = residual(found, 3, refuted_twice={"block": 2})
    without = residual(found, 3)

    assert isinstance(with_it, Residual)
    assert isinstance(without, Residual)
    assert with_it.of("block").high == without.of("block").high + 2
    assert with_it.of("fix") == without.of("fix")


SILENT = [
    (upheld([3] * 9, [], []), 3, {"failed": 1}, "1 reading failed"),
    (upheld([3] * 9, [], []), 3, {"censored": 2}, "2 readings returned as many"),
    (upheld([2] * 9, [], []), 2, {}, "takes 3 passes"),
    (upheld([3] * 4, [], []), 3, {}, "takes 5 upheld findings"),
]


@pytest.mark.parametrize(("found", "passes", "left", "why"), SILENT)
def test_no_number_is_given_where_it_would_make_the_text_look_cleaner(
    found: list[Seen], passes: int, left: dict[str, int], why: str
) -> None:
    said = residual(found, passes, **left)  # type: ignore[arg-type]

    assert isinstance(said, NoEstimate)
    assert why in said.reason


@pytest.mark.parametrize(
    ("mean", "bound"), [(0, 0), (0.05, 0), (0.06, 1), (0.5, 2), (3, 6), (100, 117), (2000, 2074)]
)
def test_the_poisson_bound_is_exceeded_in_at_most_one_of_twenty(mean: float, bound: int) -> None:
    assert poisson_bound(mean) == bound

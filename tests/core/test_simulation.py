"""The simulated world is what it says, equal for equal seeds, and ours ends in it."""

from collections import Counter
from dataclasses import replace

import pytest

from reviewer.core.schema import Severity
from reviewer.core.simulation.comparison import as_table, compare
from reviewer.core.simulation.naive import ROUNDS_AT_MOST, two_passes, until_clean
from reviewer.core.simulation.ours import ours
from reviewer.core.simulation.outcome import Outcome, Row, row
from reviewer.core.simulation.policies import ROUNDS, VARIANTS, Policy
from reviewer.core.simulation.world import SHEETS, Settings, World

SOME = Settings(documents=50, seed=7)
pytestmark = pytest.mark.xdist_group("simulation")
"""In one process, where what they look at is made once."""


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    return {found.policy: found for found in compare(SOME, Policy())}


# The world


def world(**changes: object) -> World:
    return World(replace(Settings(), **changes), 1, "a test")  # type: ignore[arg-type]


def test_findings_are_spread_evenly_over_the_sheets() -> None:
    some = world(findings=48)
    on_sheets = Counter(some.sheet(fault) for fault in some.faults)

    assert on_sheets == dict.fromkeys(range(1, SHEETS + 1), 4)


def test_severities_come_in_their_shares() -> None:
    drawn = Counter(fault.severity for fault in world(findings=4000).faults)

    assert drawn["block"] / 4000 == pytest.approx(0.15, abs=0.02)
    assert drawn["fix"] / 4000 == pytest.approx(0.45, abs=0.03)
    assert drawn["consider"] / 4000 == pytest.approx(0.40, abs=0.03)


def test_a_reading_sees_a_finding_by_its_detectability() -> None:
    plain = world(findings=4000, spread=0.0, false=0.0, cap=10_000)
    seen, censored = plain.read(plain.sheets)

    assert len(seen) / 4000 == pytest.approx(1 - 2.71828**-1, abs=0.03)
    assert not censored


def test_a_reading_returns_no_more_than_its_cap_and_says_that_it_was_cut() -> None:
    full = world(findings=100, spread=0.0, false=0.0, cap=15)
    seen, censored = full.read(full.sheets)

    assert len(seen) == len(set(seen)) == 15
    assert censored


def test_the_cap_keeps_what_is_easier_to_see_more_often() -> None:
    kept, all_of_them = [], []
    for document in range(40):
        full = World(Settings(findings=100, spread=1.0, false=0.0), document, "cap")
        kept += [fault.weight for fault in full.read(full.sheets)[0]]
        all_of_them += [fault.weight for fault in full.faults]

    assert sum(kept) / len(kept) > 1.3 * sum(all_of_them) / len(all_of_them)


def test_false_findings_are_each_their_own_and_as_many_as_stated() -> None:
    empty = World(Settings(findings=1, false=3.0), 1, "false")
    named = [fault for _ in range(400) for fault in empty.read(empty.sheets)[0] if not fault.true]

    assert len(named) == len(set(named))
    assert len(named) / 400 == pytest.approx(3.0, abs=0.4)


def test_a_reading_of_one_sheet_has_its_share_of_false_findings() -> None:
    empty = World(Settings(findings=1, false=12.0), 1, "share")
    named = [fault for _ in range(400) for fault in empty.read([5])[0] if not fault.true]

    assert len(named) / 400 == pytest.approx(1.0, abs=0.2)
    assert {empty.sheet(fault) for fault in named} == {5}


def test_the_checker_says_the_same_again() -> None:
    some = world(findings=500)
    first = [some.check_upholds(fault) for fault in some.faults]

    assert [some.check_upholds(fault) for fault in some.faults] == first
    assert sum(first) / 500 == pytest.approx(0.9, abs=0.05)


def test_a_true_finding_is_never_dismissed() -> None:
    some = world()
    assert not any(some.person_dismisses(fault) for fault in some.faults for _ in range(20))


def test_an_edit_cures_and_may_break_its_own_sheet() -> None:
    some = world(findings=300, cure=0.95, break_=0.1)
    for fault in list(some.faults):
        some.edit(fault)

    original, added = some.faults[:300], some.faults[300:]
    assert sum(not fault.true for fault in original) / 300 == pytest.approx(0.95, abs=0.04)
    assert len(added) / 300 == pytest.approx(0.1, abs=0.05)
    assert all(fault.true for fault in added)


def test_reflow_moves_what_follows_an_edit_and_nothing_before_it() -> None:
    some = world(reflow=True, break_=0.0)
    fault = max(some.faults, key=lambda one: -abs(one.paragraph - 40))
    before = list(some.sheet_of)
    for _ in range(12):
        some.edit(fault)

    assert some.sheet_of[: fault.paragraph + 1] == before[: fault.paragraph + 1]
    assert some.sheet_of != before


def test_without_reflow_an_edit_moves_nothing() -> None:
    some = world(break_=0.0)
    before = list(some.sheet_of)
    some.edit(some.faults[0])

    assert some.sheet_of == before
    assert sum(some.revision) == 1


def test_calls_are_billed_by_the_cache() -> None:
    some = world(break_=0.0)
    some.pay(findings=2)
    assert some.cost == 12_500 + 1_000
    some.pay(verdicts=1)
    assert some.cost == 13_500 + 1_000 + 150
    some.edit(some.faults[0])
    some.pay()
    assert some.cost == 14_650 + 12_500
    assert some.calls == 3


def test_a_call_that_is_made_alone_writes_no_cache() -> None:
    some = world()
    some.pay(alone=True)
    some.pay(alone=True)

    assert some.cost == 20_000


# The policies


def test_equal_seeds_give_equal_numbers_and_others_do_not() -> None:
    few = Settings(documents=3)

    assert compare(few, Policy()) == compare(few, Policy())
    assert compare(few, Policy()) != compare(replace(few, seed=2), Policy())


def test_every_policy_meets_the_same_document() -> None:
    one, other = World(Settings(), 3, "one"), World(Settings(), 3, "other")

    assert [(f.paragraph, f.severity, f.weight) for f in one.faults] == [
        (f.paragraph, f.severity, f.weight) for f in other.faults
    ]


def test_a_loop_that_has_nothing_to_find_ends_at_once() -> None:
    easy = Settings(findings=1, spread=0.0, false=0.0, cure=1.0, break_=0.0)
    ends = [until_clean(easy, document) for document in range(20)]

    assert all(end.ended for end in ends)
    assert max(end.rounds for end in ends) <= 2


def test_until_clean_does_not_end_where_readings_invent() -> None:
    ends = [until_clean(replace(SOME, false=8.0), document) for document in range(10)]

    assert not any(end.ended for end in ends)
    assert all(end.rounds == ROUNDS_AT_MOST for end in ends)


def test_two_passes_that_agree_hold_for_no_false_finding() -> None:
    many = replace(SOME, findings=100)
    ends = [two_passes(settings, n) for settings in (SOME, many) for n in range(20)]

    assert not all(end.ended for end in ends)
    assert not any(end.false_blocks_holding for end in ends)


def test_ours_ends_in_every_document_and_with_reflow_too(rows: dict[str, Row]) -> None:
    flowing = row("ours", [ours(replace(SOME, reflow=True), n) for n in range(20)])

    for found in (rows["ours"], flowing):
        assert found.rounds_most <= ROUNDS
        assert found.never_ends == 0
        assert found.needs_manager <= 0.2
        assert found.false_blocks_holding <= 0.1


def test_ours_misses_far_less_than_the_loops_at_a_bounded_cost(rows: dict[str, Row]) -> None:
    missed = {name: found.blocks_missed for name, found in rows.items()}

    assert missed["ours"] <= missed["two passes intersected"] / 5
    assert missed["ours"] <= missed["until no block"] / 3
    assert rows["ours"].cost <= 2.5 * rows["two passes intersected"].cost


def test_the_truth_is_seldom_above_the_stated_upper_end(rows: dict[str, Row]) -> None:
    for severity in Severity:
        assert rows["ours"].above[severity] <= 0.07


@pytest.mark.parametrize("spread", [0.0, 1.5])
def test_the_order_holds_for_readers_of_every_kind(spread: float) -> None:
    found = {
        one.policy: one.blocks_missed
        for one in compare(replace(SOME, documents=15, spread=spread), Policy())
    }

    assert found["ours"] < found["two passes intersected"]
    assert found["ours"] < found["until no block"]


def test_a_perfect_world_opens_the_gate_after_one_reading() -> None:
    perfect = Settings(findings=1, spread=0.0, false=0.0, cure=1.0, break_=0.0, cap=15)
    ends = [ours(perfect, document) for document in range(10)]

    assert not any(end.needs_manager for end in ends)
    assert not any(end.blocks_missed for end in ends)


def test_more_passes_cost_more() -> None:
    few = [ours(SOME, document, Policy(passes=3)) for document in range(5)]
    many = [ours(SOME, document, Policy(passes=6)) for document in range(5)]

    assert sum(end.cost for end in few) < sum(end.cost for end in many)


def test_variants_are_rows_of_their_own_and_differ_from_ours() -> None:
    found = compare(Settings(documents=1), Policy(), variants=True)

    assert len(found) == 4 + len(VARIANTS)
    assert len({one.policy for one in found}) == len(found)
    assert Policy() not in VARIANTS.values()


# The figures


def test_a_row_gives_means_a_document_and_shares_of_documents() -> None:
    found = row(
        "some",
        [
            Outcome(2, 1, 10, 100.0, 1, 0, above={"block": True}),
            Outcome(3, 2, 30, 300.0, 0, 4, needs_manager=True, ended=False, above={"block": False}),
        ],
    )

    assert (found.rounds, found.rounds_most, found.visits) == (2.5, 3, 1.5)
    assert (found.calls, found.cost) == (20, 200)
    assert (found.blocks_missed, found.false_blocks_holding) == (0.5, 0.5)
    assert (found.needs_manager, found.never_ends) == (0.5, 0.5)
    assert found.above == {"block": 0.5}


def test_the_table_has_a_line_for_each_policy(rows: dict[str, Row]) -> None:
    lines = as_table(list(rows.values())).splitlines()

    assert len(lines) == 2 + len(rows)
    assert len({line.count("|") for line in lines}) == 1
    assert lines[5].startswith("| ours |")

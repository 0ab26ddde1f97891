"""What is shown of a finding, as a table of what the machine saw and what people decided."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.state import (
    Decided,
    Dismissal,
    Evidence,
    Machine,
    Mark,
    People,
    Raised,
    Record,
    Shown,
    Verdict,
    acceptance_lapsed,
    is_closed,
    marks,
    severity_of,
    shown,
)

CHANGED = {"evidence": Evidence.CHANGED}
GONE = {"evidence": Evidence.GONE}
HOLDS = {"recheck": Verdict.HOLDS}
NOT = {"recheck": Verdict.DOES_NOT_HOLD}
CLAIMED = {"decided": Decided.FIX_CLAIMED}
DISMISSED = {"decided": Decided.DISMISSED}
ACCEPTED = {"decided": Decided.ACCEPTED}
CHECK = {"raised": Raised.CHECK}
TWO_MODELS = {"gone_by": frozenset({"one", "another"})}


def record(machine: dict[str, Any], people: dict[str, Any], severity: str = "block") -> Record:
    return Record("F1", severity, Machine(**machine), People(**people))


TABLE = [
    ("just raised", {}, {}, Shown.OPEN),
    ("not seen again is not fixed", {"votes": 0, "passes": 3}, {}, Shown.OPEN),
    ("its words gone is not fixed", GONE, {}, Shown.OPEN),
    ("claimed, nobody looked yet", CHANGED, CLAIMED, Shown.FIX_CLAIMED),
    ("claimed, changed, check agrees", CHANGED | NOT, CLAIMED, Shown.FIXED),
    ("claimed, words gone, check agrees", GONE | NOT, CLAIMED, Shown.FIXED),
    ("changed and gone without a claim", CHANGED | NOT, {}, Shown.FIXED),
    ("another place changed, check agrees", {"other_changed": True} | NOT, CLAIMED, Shown.FIXED),
    ("check agrees but nothing changed", NOT, CLAIMED, Shown.FIX_CLAIMED),
    ("claimed, the check says it holds", CHANGED | HOLDS, CLAIMED, Shown.STILL_THERE),
    ("claimed though nothing changed", HOLDS, CLAIMED, Shown.STILL_THERE),
    ("changed without a claim, holds", CHANGED | HOLDS, {}, Shown.STILL_THERE),
    ("unchanged, open, holds", HOLDS, {}, Shown.OPEN),
    ("claimed, check unsure", CHANGED | {"recheck": Verdict.UNSURE}, CLAIMED, Shown.FIX_CLAIMED),
    ("open, check unsure", CHANGED | {"recheck": Verdict.UNSURE}, {}, Shown.OPEN),
    ("check agrees, a pass saw it again", CHANGED | NOT | {"seen_again": 1}, CLAIMED, Shown.FIX_CLAIMED),
    ("a built-in check is silent", CHECK | NOT, {}, Shown.FIXED),
    ("a built-in check reports again", CHECK | CHANGED | HOLDS, CLAIMED, Shown.STILL_THERE),
    ("once still there, one model", CHANGED | NOT | {"times_still_there": 1}, CLAIMED, Shown.FIX_CLAIMED),
    ("once still there, two models", CHANGED | NOT | TWO_MODELS | {"times_still_there": 1}, CLAIMED, Shown.FIXED),
    ("still there, a reviewer closes", CHANGED | HOLDS | {"times_still_there": 1}, CLAIMED | {"closed_by_reviewer": True}, Shown.FIXED),
    ("a reviewer closes what did not change", HOLDS, CLAIMED | {"closed_by_reviewer": True}, Shown.STILL_THERE),
    ("dismissed", HOLDS, DISMISSED, Shown.DISMISSED),
    ("dismissed, then its words changed", CHANGED, DISMISSED | {"lapsed": True}, Shown.OPEN),
    ("accepted", CHANGED, ACCEPTED, Shown.ACCEPTED),
    ("accepted until yesterday", {}, ACCEPTED | {"lapsed": True}, Shown.OPEN),
    ("a decision counts before what was seen", CHANGED | NOT, DISMISSED, Shown.DISMISSED),
]  # fmt: skip


@pytest.mark.parametrize(("what", "machine", "people", "expected"), TABLE)
def test_what_is_shown(
    what: str, machine: dict[str, Any], people: dict[str, Any], expected: Shown
) -> None:
    assert shown(record(machine, people)) is expected, what


def test_what_is_no_block_is_closed_by_one_model_after_a_still_there() -> None:
    once = CHANGED | NOT | {"times_still_there": 1}

    assert shown(record(once, CLAIMED, "fix")) is Shown.FIXED
    assert shown(record(once, CLAIMED, "block")) is Shown.FIX_CLAIMED


MARKS = [
    ({}, {}, set()),
    ({"late": True}, {}, {Mark.LATE}),
    (GONE, {}, {Mark.LOST_ITS_PLACE}),
    (GONE | {"late": True}, CLAIMED, {Mark.LATE, Mark.LOST_ITS_PLACE}),
    (GONE | NOT, CLAIMED, set()),
    (GONE, DISMISSED, set()),
    (GONE, ACCEPTED, {Mark.LOST_ITS_PLACE}),
]


@pytest.mark.parametrize(("machine", "people", "expected"), MARKS)
def test_marks_stand_beside_the_state(
    machine: dict[str, Any], people: dict[str, Any], expected: set[Mark]
) -> None:
    assert marks(record(machine, people)) == expected


machines = st.builds(
    Machine,
    raised=st.sampled_from(Raised),
    passes=st.just(3),
    votes=st.integers(0, 3),
    evidence=st.sampled_from(Evidence),
    other_changed=st.booleans(),
    verdict=st.sampled_from(Verdict),
    recheck=st.sampled_from(Verdict),
    gone_by=st.sets(st.sampled_from("abc")).map(frozenset),
    seen_again=st.integers(0, 2),
    times_still_there=st.integers(0, 3),
    on_sheet=st.booleans(),
    late=st.booleans(),
)
peoples = st.builds(
    People,
    decided=st.sampled_from(Decided),
    lapsed=st.booleans(),
    upheld=st.booleans(),
    closed_by_reviewer=st.booleans(),
)
records = st.builds(
    Record,
    id=st.just("F1"),
    severity=st.sampled_from(["block", "fix", "consider"]),
    machine=machines,
    people=peoples,
)


@given(records, st.integers(0, 3))
def test_votes_alone_never_change_what_is_shown(finding: Record, votes: int) -> None:
    machine = replace(finding.machine, votes=votes)

    assert shown(replace(finding, machine=machine)) is shown(finding)


@given(records)
def test_only_a_person_or_a_check_that_answered_closes_a_finding(finding: Record) -> None:
    if is_closed(finding):
        decided = finding.people.decided in (Decided.DISMISSED, Decided.ACCEPTED)
        answered = finding.machine.recheck is Verdict.DOES_NOT_HOLD
        assert decided or answered or finding.people.closed_by_reviewer


def test_more_votes_than_passes_cannot_be() -> None:
    with pytest.raises(ValueError):
        Machine(votes=2, passes=1)


@pytest.mark.parametrize(
    ("sighted", "by_check", "expected"),
    [
        (["fix"], None, "fix"),
        (["consider", "fix", "consider"], None, "fix"),
        (["block", "fix", "fix"], None, "block"),
        (["block", "fix", "fix"], "fix", "fix"),
        (["block", "fix", "fix"], "block", "block"),
        (["block", "fix"], "fix", "block"),
        (["block", "block", "fix"], "consider", "block"),
        (["fix", "consider", "consider"], "consider", "fix"),
    ],
)
def test_severity_is_the_highest_unless_a_check_decides_a_minority_block(
    sighted: list[str], by_check: str | None, expected: str
) -> None:
    assert severity_of(sighted, by_check) == expected


def test_a_finding_without_a_sighting_has_no_severity() -> None:
    with pytest.raises(ValueError):
        severity_of([])


BEFORE = Dismissal("grounding", "f1-words", 0, "fix", frozenset({"f1-other"}))


@pytest.mark.parametrize(
    ("change", "covered"),
    [
        ({}, True),
        ({"severity": "consider"}, True),
        ({"severity": "block"}, False),
        ({"sentence": "f1-new words"}, False),
        ({"occurrence": 1}, False),
        ({"rule": "structure"}, False),
        ({"others": frozenset({"f1-new other"})}, False),
    ],
)
def test_a_dismissal_covers_the_same_words_until_something_of_it_changes(
    change: dict[str, Any], covered: bool
) -> None:
    assert BEFORE.covers(replace(BEFORE, **change)) is covered


@pytest.mark.parametrize(
    ("until_date", "until_version", "lapsed"),
    [
        (None, None, False),
        (date(2026, 3, 1), None, False),
        (date(2026, 2, 28), None, True),
        (None, 4, False),
        (None, 3, True),
        (date(2026, 9, 1), 3, True),
    ],
)
def test_an_acceptance_runs_out_with_its_day_or_its_version(
    until_date: date | None, until_version: int | None, lapsed: bool
) -> None:
    assert (
        acceptance_lapsed(
            until_date=until_date,
            until_version=until_version,
            today=date(2026, 3, 1),
            version=4,
        )
        is lapsed
    )

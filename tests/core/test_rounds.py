"""What is due, cleared, late, upheld and undecided, as tables."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.rounds import (
    Context,
    Covered,
    Paragraph,
    Plan,
    Standing,
    cleared,
    halves,
    has_agreement,
    holds,
    is_calibrated,
    is_censored,
    is_late,
    is_told,
    may_hold,
    needs_fresh_check,
    needs_manager,
    plan,
    quotes_say_unread,
    standing,
)
from reviewer.core.rubric import RULE_CODES
from reviewer.core.state import (
    Decided,
    Evidence,
    Machine,
    People,
    Raised,
    Record,
    Shown,
    Verdict,
    shown,
)
from tests.core.test_state import records

CONTEXT = Context("Harbor Mutual", "sources-1", "rubric-1", "prompt-1")
TEXT = [Paragraph(1, "a"), Paragraph(1, "b"), Paragraph(2, "c"), Paragraph(3, "d", "chart-1")]


def passes(count: int, paragraphs: list[Paragraph] = TEXT, **more: Any) -> list[Covered]:
    """So many passes over the paragraphs, one answer a sheet."""
    return [
        Covered(
            f"pass {number}",
            frozenset(p.read_as for p in paragraphs if p.sheet == sheet),
            **({"context": CONTEXT} | more),
        )
        for number in range(count)
        for sheet in sorted({paragraph.sheet for paragraph in paragraphs})
    ]


def due(
    paragraphs: list[Paragraph],
    coverage: list[Covered],
    findings: list[Record] | None = None,
    **more: Any,
) -> Plan:
    return plan(paragraphs, CONTEXT, coverage, findings or [], **more)


# What is cleared, and what is due


def test_round_one_reads_every_sheet_three_times_and_the_document_once() -> None:
    first = due(TEXT, [])

    assert first.passes == {1: 3, 2: 3, 3: 3}
    assert first.document
    assert first.calls == 10
    assert not first.is_clear


def test_a_review_of_an_unchanged_version_has_no_call_to_make() -> None:
    again = due(TEXT, passes(3), document_read=True)

    assert again == Plan()
    assert again.calls == 0
    assert again.is_clear


NOT_CLEARING: list[tuple[str, list[Covered]]] = [
    ("too few passes", passes(2)),
    ("one pass counted thrice", [replace(c, pass_id="pass 0") for c in passes(3)]),
    ("cut off", passes(2) + [replace(c, complete=False) for c in passes(3)[6:]]),
    ("censored", passes(2) + [replace(c, censored=True) for c in passes(3)[6:]]),
    ("an uncalibrated model", passes(3, calibrated=False)),
    ("another client", passes(3, context=replace(CONTEXT, client="Coastal Mutual"))),
    ("other sources", passes(3, context=replace(CONTEXT, sources="sources-2"))),
    ("another rubric", passes(3, context=replace(CONTEXT, rubric="rubric-2"))),
    ("another prompt", passes(3, context=replace(CONTEXT, prompt="prompt-2"))),
]


@pytest.mark.parametrize(("what", "coverage"), NOT_CLEARING)
def test_what_does_not_clear(what: str, coverage: list[Covered]) -> None:
    assert not cleared(TEXT, CONTEXT, coverage), what
    assert due(TEXT, coverage, document_read=True).passes.keys() == {1, 2, 3}, what


def test_missing_passes_are_made_up_and_no_more() -> None:
    coverage = passes(3, TEXT[:2]) + passes(2, TEXT[2:3])

    assert due(TEXT, coverage).passes == {2: 1, 3: 3}


def test_two_answers_of_one_pass_on_a_sheet_may_clear_it_together() -> None:
    halved = [
        Covered(f"pass {number}", frozenset({paragraph.read_as}), CONTEXT)
        for number in range(3)
        for paragraph in TEXT
    ]

    assert cleared(TEXT, CONTEXT, halved) == frozenset(TEXT)


def test_an_edit_makes_its_sheet_due_and_no_other() -> None:
    edited = [Paragraph(1, "a"), Paragraph(1, "b, edited"), *TEXT[2:]]

    verification = due(edited, passes(3))
    assert verification.passes == {1: 3}
    assert verification.document


def test_paragraphs_that_moved_to_other_sheets_stay_cleared() -> None:
    moved = [Paragraph(2, "a"), Paragraph(2, "b"), Paragraph(3, "c"), Paragraph(5, "d", "chart-1")]

    assert due(moved, passes(3), document_read=True).is_clear


def test_another_image_beside_the_same_words_is_something_else() -> None:
    redrawn = [*TEXT[:3], Paragraph(3, "d", "chart-2")]

    assert due(redrawn, passes(3)).passes == {3: 3}


def test_widening_the_sample_adds_passes_over_everything() -> None:
    assert due(TEXT, passes(3), document_read=True, widen=1).passes == {1: 1, 2: 1, 3: 1}


def test_a_policy_may_ask_for_more_passes() -> None:
    assert due(TEXT, passes(3), document_read=True, passes=4).passes == {1: 1, 2: 1, 3: 1}


def test_nothing_is_due_where_there_is_no_text() -> None:
    assert due([], []).is_clear


# Targeted checks

CHANGED = {"evidence": Evidence.CHANGED}
CLAIMED = {"decided": Decided.FIX_CLAIMED}


def record(
    machine: dict[str, Any] | None = None,
    people: dict[str, Any] | None = None,
    severity: str = "block",
    id: str = "F1",
    sheet: int = 1,
) -> Record:
    return Record(id, severity, Machine(**(machine or {})), People(**(people or {})), sheet)


CHECKS = [
    ("open and untouched", {}, {}, False),
    ("claimed and changed", CHANGED, CLAIMED, True),
    ("changed without a claim", CHANGED, {}, True),
    ("another of its places changed", {"other_changed": True}, {}, True),
    ("its words gone", {"evidence": Evidence.GONE}, CLAIMED, True),
    ("asked already", CHANGED | {"recheck": Verdict.HOLDS}, CLAIMED, False),
    ("fixed", CHANGED | {"recheck": Verdict.DOES_NOT_HOLD}, CLAIMED, False),
    ("claimed though nothing changed", {}, CLAIMED, False),
    ("a built-in check", CHANGED | {"raised": Raised.CHECK}, CLAIMED, False),
    ("dismissed", CHANGED, {"decided": Decided.DISMISSED}, False),
    ("dismissed, lapsed", CHANGED, {"decided": Decided.DISMISSED, "lapsed": True}, True),
    ("a person raised it", CHANGED | {"raised": Raised.PERSON}, CLAIMED, True),
]


@pytest.mark.parametrize(("what", "machine", "people", "asked"), CHECKS)
def test_a_finding_is_asked_about_once_for_each_change(
    what: str, machine: dict[str, Any], people: dict[str, Any], asked: bool
) -> None:
    found = due(TEXT, passes(3), [record(machine, people)], document_read=True)

    assert found.checks == (("F1",) if asked else ()), what
    assert found.calls == int(asked), what


def test_the_checks_of_one_sheet_are_one_call() -> None:
    touched = [
        record(CHANGED, id="F1", sheet=2),
        record(CHANGED, id="F2", sheet=1),
        record(CHANGED, id="F3", sheet=2),
    ]
    found = due(TEXT, passes(3), touched, document_read=True)

    assert found.checks == ("F2", "F1", "F3")
    assert found.check_sheets == (1, 2)
    assert found.calls == 2


def test_a_claim_without_a_change_is_still_there_at_no_cost() -> None:
    found = due(TEXT, passes(3), [record({}, CLAIMED)], document_read=True)

    assert found.unchanged_claims == ("F1",)
    assert found.is_clear


# Late


@pytest.mark.parametrize(
    ("what", "places", "late"),
    [
        ("on text that was cleared", ["a"], True),
        ("on text that is new", ["x"], False),
        ("a contradiction of two cleared places", ["a", "b"], True),
        ("a contradiction with a new place", ["a", "x"], False),
        ("missing from the document", [], False),
    ],
)
def test_a_finding_is_late_where_all_its_places_had_been_cleared(
    what: str, places: list[str], late: bool
) -> None:
    clear = {("a", ""), ("b", "")}

    assert is_late([(place, "") for place in places], clear) is late, what


# Upheld, undecided, neither

ALL = {"votes": 3, "passes": 3}
TWO = {"votes": 2, "passes": 3}
ONE = {"votes": 1, "passes": 3}
HOLDS = {"verdict": Verdict.HOLDS}
UNSURE = {"verdict": Verdict.UNSURE}
REFUTED = {"verdict": Verdict.DOES_NOT_HOLD}
NOT_THERE = {"on_sheet": False}
LATE = {"late": True}
UPHELD, UNDECIDED, NOT_UPHELD = Standing.UPHELD, Standing.UNDECIDED, Standing.NOT_UPHELD

STANDING = [
    # what, machine, people, as a block, as a fix
    ("every pass saw it", ALL, {}, UPHELD, UPHELD),
    ("one pass of one agrees with nobody", {"votes": 1, "passes": 1}, {}, UNDECIDED, NOT_UPHELD),
    ("the check says it holds", ONE | HOLDS, {}, UPHELD, UPHELD),
    ("a sweep found it and the check upholds it", {"passes": 3, "swept": 1} | HOLDS, {}, UPHELD, UPHELD),
    ("named once and refuted", ONE | REFUTED, {}, NOT_UPHELD, NOT_UPHELD),
    ("named twice and refuted", TWO | REFUTED, {}, UNDECIDED, NOT_UPHELD),
    ("named by a pass and by a sweep, refuted", ONE | {"swept": 1} | REFUTED, {}, UNDECIDED, NOT_UPHELD),
    ("every pass saw it, refuted", ALL | REFUTED, {}, UNDECIDED, UPHELD),
    ("the check is unsure", TWO | UNSURE, {}, UNDECIDED, NOT_UPHELD),
    ("every pass saw it, the check is unsure", ALL | UNSURE, {}, UNDECIDED, UPHELD),
    ("no check has answered", TWO, {}, UNDECIDED, NOT_UPHELD),
    ("not on the sheet", ALL | HOLDS | NOT_THERE, {}, UNDECIDED, NOT_UPHELD),
    ("not on the sheet, a person looked", ALL | NOT_THERE, {"upheld": True}, UPHELD, UPHELD),
    ("a person raised it", {"raised": Raised.PERSON}, {}, UPHELD, UPHELD),
    ("a built-in check raised it", {"raised": Raised.CHECK}, {}, UPHELD, UPHELD),
    ("agreed once, not seen by later passes", {"votes": 3, "passes": 6, "agreed": True}, {}, UPHELD, UPHELD),
]  # fmt: skip


@pytest.mark.parametrize(("what", "machine", "people", "block", "fix"), STANDING)
def test_what_a_finding_is_worth(
    what: str, machine: dict[str, Any], people: dict[str, Any], block: Standing, fix: Standing
) -> None:
    assert standing(record(machine, people)) is block, what
    assert standing(record(machine, people, "fix")) is fix, what


HOLDING = [
    # what, machine, people, as a block, as a fix; a consider never holds
    ("upheld and open", ALL, {}, True, True),
    ("undecided", TWO | UNSURE, {}, True, False),
    ("neither", ONE | REFUTED, {}, False, False),
    ("claimed, not confirmed", ALL | CHANGED, CLAIMED, True, False),
    ("still there", ALL | CHANGED | {"recheck": Verdict.HOLDS}, CLAIMED, True, True),
    ("confirmed fixed", ALL | CHANGED | {"recheck": Verdict.DOES_NOT_HOLD}, CLAIMED, False, False),
    ("its words gone, nobody decided", ALL | {"evidence": Evidence.GONE}, {}, True, True),
    ("dismissed", ALL, {"decided": Decided.DISMISSED}, False, False),
    ("accepted", ALL, {"decided": Decided.ACCEPTED}, False, False),
    ("accepted, lapsed", ALL, {"decided": Decided.ACCEPTED, "lapsed": True}, True, True),
    ("late, two votes, upheld by a check", TWO | HOLDS | LATE, {}, True, False),
    ("late, one vote, upheld by a check", ONE | HOLDS | LATE, {}, False, False),
    ("late, every pass, no check", ALL | LATE, {}, False, False),
    ("late, two votes, refuted", TWO | REFUTED | LATE, {}, False, False),
    ("late, two votes, unsure", TWO | UNSURE | LATE, {}, False, False),
    ("late, but a person says it stands", ONE | LATE, {"upheld": True}, True, True),
    ("raised by a person on cleared text", {"raised": Raised.PERSON} | LATE, {}, True, True),
]  # fmt: skip


@pytest.mark.parametrize(("what", "machine", "people", "block", "fix"), HOLDING)
def test_what_holds_an_export(
    what: str, machine: dict[str, Any], people: dict[str, Any], block: bool, fix: bool
) -> None:
    assert holds(record(machine, people)) is block, what
    assert holds(record(machine, people, "fix")) is fix, what
    assert not holds(record(machine, people, "consider")), what


@given(records)
def test_what_holds_is_never_closed_and_never_a_consider(finding: Record) -> None:
    if holds(finding):
        assert shown(finding) not in (Shown.FIXED, Shown.DISMISSED, Shown.ACCEPTED)
        assert finding.severity != "consider"
        assert may_hold(finding)


@given(records)
def test_one_reader_alone_never_holds_a_version(finding: Record) -> None:
    machine = finding.machine
    alone = (
        machine.raised is Raised.MODEL
        and not finding.people.upheld
        and machine.votes + machine.swept <= 1
        and machine.verdict is Verdict.DOES_NOT_HOLD
        and machine.on_sheet
    )
    if alone:
        assert not holds(finding)


@pytest.mark.parametrize(
    ("what", "machine", "severity", "asked"),
    [
        ("a block that every pass saw", ALL, "block", True),
        ("a fix that every pass saw", ALL, "fix", False),
        ("below full agreement", TWO, "consider", True),
        ("answered", TWO | UNSURE, "block", False),
        ("not on the sheet", TWO | NOT_THERE, "block", False),
        ("raised by a person", {"raised": Raised.PERSON}, "block", False),
    ],
)
def test_the_fresh_check_is_asked_about_blocks_and_what_is_not_agreed(
    what: str, machine: dict[str, Any], severity: str, asked: bool
) -> None:
    assert needs_fresh_check(record(machine, severity=severity)) is asked, what


@pytest.mark.parametrize(
    ("what", "machine", "people", "severity", "told"),
    [
        ("a fix", ONE | REFUTED, {}, "fix", True),
        ("a block that holds", ALL | HOLDS, {}, "block", True),
        ("a block named once and refuted", ONE | REFUTED, {}, "block", False),
        ("a late block named once", ONE | HOLDS | LATE, {}, "block", False),
        ("a dismissed one", ONE | REFUTED, {"decided": Decided.DISMISSED}, "block", True),
    ],
)
def test_a_sweep_is_told_of_all_but_blocks_that_want_a_second_vote(
    what: str, machine: dict[str, Any], people: dict[str, Any], severity: str, told: bool
) -> None:
    assert is_told(record(machine, people, severity)) is told, what


@pytest.mark.parametrize(("times", "expected"), [(0, False), (1, False), (2, True)])
def test_what_is_still_there_in_two_rounds_goes_to_a_manager(times: int, expected: bool) -> None:
    machine = ALL | CHANGED | {"recheck": Verdict.HOLDS, "times_still_there": times}

    assert needs_manager(record(machine, CLAIMED)) is expected
    assert not needs_manager(record(machine, {"decided": Decided.ACCEPTED}))


def test_agreement_takes_two_passes() -> None:
    assert has_agreement(Machine(votes=2, passes=2))
    assert not has_agreement(Machine(votes=1, passes=1))
    assert not has_agreement(Machine())


# Censored, calibrated, unread


@pytest.mark.parametrize(("returned", "expected"), [(14, False), (15, True), (16, True)])
def test_an_answer_at_its_limit_is_censored(returned: int, expected: bool) -> None:
    assert is_censored(returned) is expected


def test_the_rubric_is_halved_until_a_single_rule_is_left() -> None:
    waiting, asked = [RULE_CODES], []
    while waiting:
        rules = waiting.pop()
        asked.append(rules)
        waiting.extend(halves(rules) or ())

    singles = sorted(rules[0] for rules in asked if len(rules) == 1)
    assert singles == sorted(RULE_CODES)
    assert halves(("grounding",)) is None


@pytest.mark.parametrize(
    ("found", "planted", "expected"),
    [(8, 10, True), (7, 10, False), (10, 10, True), (9, 9, False), (16, 20, True), (15, 20, False)],
)
def test_a_model_clears_that_found_eight_of_ten_planted_faults(
    found: int, planted: int, expected: bool
) -> None:
    assert is_calibrated(found, planted) is expected


@pytest.mark.parametrize(
    ("sought", "missing", "expected"),
    [(0, 0, False), (2, 2, False), (3, 1, True), (4, 1, False), (9, 3, True), (9, 2, False)],
)
def test_a_sheet_where_a_third_of_the_quotes_are_missing_is_not_read(
    sought: int, missing: int, expected: bool
) -> None:
    assert quotes_say_unread(sought, missing) is expected


@given(st.integers(0, 5), st.integers(1, 5))
def test_more_passes_never_make_more_due(made: int, wanted: int) -> None:
    fewer = due(TEXT, passes(made), document_read=True, passes=wanted)
    more = due(TEXT, passes(made + 1), document_read=True, passes=wanted)

    assert more.calls <= fewer.calls
    assert fewer.is_clear is (made >= wanted)

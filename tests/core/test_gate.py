"""The reasons that hold a version, in their order, and what an approval is bound to."""

from dataclasses import replace
from typing import Any

import pytest

from reviewer.core.estimate import NoEstimate
from reviewer.core.gate import (
    Approval,
    FitFault,
    ReasonKind,
    UnreadSheet,
    approval_stands,
    judge,
)
from reviewer.core.rounds import Plan
from reviewer.core.state import Decided, Evidence, Machine, People, Raised, Record, Verdict

CLIPPED = FitFault("clipped_text", 4, "text is cut off at the foot of sheet 4", holds=True)
MIXED = FitFault("mixed_sizes", 0, "sheets have two sizes", holds=False)
UNREAD = UnreadSheet(7, "the model could not be reached")
UPHELD = Machine(votes=3, passes=3, verdict=Verdict.HOLDS)
UNSURE = Machine(votes=2, passes=3, verdict=Verdict.UNSURE)
BLOCK = Record("F1", "block", UPHELD, sheet=2)
UNDECIDED = Record("F2", "block", UNSURE, sheet=3)
FIX = Record("F3", "fix", UPHELD, sheet=5)
CONSIDER = Record("F4", "consider", UPHELD, sheet=5)


def kinds(**parts: Any) -> list[ReasonKind]:
    return [reason.kind for reason in judge(**({"due": Plan()} | parts)).reasons]


def test_nothing_holds_a_version_that_fits_was_read_and_has_nothing_open() -> None:
    gate = judge(fit=[MIXED], findings=[CONSIDER], due=Plan())

    assert gate.is_open
    assert gate.reasons == ()


def test_all_reasons_come_in_their_order() -> None:
    everything = {
        "fit": [CLIPPED],
        "unread": [UNREAD],
        "findings": [FIX, UNDECIDED, BLOCK],
        "due": None,
    }

    assert kinds(**everything) == list(ReasonKind)


ONE_REASON = [
    ("a fit fault that holds", {"fit": [CLIPPED, MIXED]}, ReasonKind.FIT, (), (4,)),
    ("a sheet not read", {"unread": [UNREAD]}, ReasonKind.UNREAD, (), (7,)),
    ("an upheld block", {"findings": [BLOCK]}, ReasonKind.BLOCKS_OPEN, ("F1",), (2,)),
    ("an undecided block", {"findings": [UNDECIDED]}, ReasonKind.BLOCKS_UNDECIDED, ("F2",), (3,)),
    ("an upheld fix", {"findings": [FIX]}, ReasonKind.FIXES_UNDECIDED, ("F3",), (5,)),
    ("no review", {"due": None}, ReasonKind.NOT_CLEARED, (), ()),
    ("passes missing", {"due": Plan(passes={2: 1, 1: 3})}, ReasonKind.NOT_CLEARED, (), (1, 2)),
    ("the document not read", {"due": Plan(document=True)}, ReasonKind.NOT_CLEARED, (), ()),
    ("a check due", {"due": Plan(checks=("F9",), check_sheets=(1,))}, ReasonKind.NOT_CLEARED, ("F9",), ()),
]  # fmt: skip


@pytest.mark.parametrize(("what", "parts", "kind", "findings", "sheets"), ONE_REASON)
def test_each_reason_alone_holds(
    what: str,
    parts: dict[str, Any],
    kind: ReasonKind,
    findings: tuple[str, ...],
    sheets: tuple[int, ...],
) -> None:
    gate = judge(**({"due": Plan()} | parts))

    assert not gate.is_open, what
    (reason,) = gate.reasons
    assert (reason.kind, reason.findings, reason.sheets) == (kind, findings, sheets), what
    assert reason.text.endswith("."), what
    assert ".." not in reason.text, what


NOT_HOLDING = [
    ("a fit fault that only shows", {"fit": [MIXED]}),
    ("a fit fault waived", {"fit": [replace(CLIPPED, waived=True)]}),
    ("an unread sheet waived", {"unread": [replace(UNREAD, waived=True)]}),
    ("an incomplete review signed for", {"due": None, "signed_for_due": True}),
    ("a block dismissed", {"findings": [replace(BLOCK, people=People(Decided.DISMISSED))]}),
    ("an undecided block accepted", {"findings": [replace(UNDECIDED, people=People(Decided.ACCEPTED))]}),
    ("a fix claimed", {"findings": [replace(FIX, people=People(Decided.FIX_CLAIMED))]}),
    ("a late fix", {"findings": [replace(FIX, machine=replace(UPHELD, late=True))]}),
    ("a late block with one vote", {"findings": [replace(BLOCK, machine=Machine(votes=1, passes=3, verdict=Verdict.HOLDS, late=True))]}),
    ("a block named once and refuted", {"findings": [replace(BLOCK, machine=Machine(votes=1, passes=3, verdict=Verdict.DOES_NOT_HOLD))]}),
    ("a fix whose quote is not there", {"findings": [replace(FIX, machine=replace(UPHELD, on_sheet=False))]}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "parts"), NOT_HOLDING)
def test_nothing_else_holds(what: str, parts: dict[str, Any]) -> None:
    assert kinds(**parts) == [], what


def test_a_block_holds_though_its_words_are_gone() -> None:
    gone = replace(BLOCK, machine=replace(UPHELD, evidence=Evidence.GONE))

    assert kinds(findings=[gone]) == [ReasonKind.BLOCKS_OPEN]


def test_a_late_block_with_two_votes_and_an_upheld_check_holds() -> None:
    late = replace(BLOCK, machine=Machine(votes=2, passes=3, verdict=Verdict.HOLDS, late=True))

    assert kinds(findings=[late]) == [ReasonKind.BLOCKS_OPEN]


def test_the_sentence_says_what_became_of_the_claims() -> None:
    claimed = People(Decided.FIX_CLAIMED)
    changed = replace(UPHELD, evidence=Evidence.CHANGED)
    still = replace(changed, recheck=Verdict.HOLDS)
    gate = judge(
        findings=[
            BLOCK,
            Record("F8", "block", changed, claimed, 4),
            Record("F9", "block", still, claimed, 4),
        ],
        due=Plan(),
    )

    assert gate.reasons[0].text == (
        "3 blocks open (1 claimed fixed, not confirmed, 1 still there)."
    )


def test_what_a_check_or_a_person_raised_holds_without_a_reading() -> None:
    raised = [
        Record("F5", "block", Machine(raised=Raised.CHECK)),
        Record("F6", "fix", Machine(raised=Raised.PERSON)),
    ]

    assert kinds(findings=raised) == [ReasonKind.BLOCKS_OPEN, ReasonKind.FIXES_UNDECIDED]


def test_what_was_signed_for_is_stated_beside_the_yes() -> None:
    gate = judge(
        fit=[replace(CLIPPED, waived=True)],
        unread=[replace(UNREAD, waived=True)],
        due=None,
        signed_for_due=True,
        residual=NoEstimate("No estimate: nothing was read."),
    )

    assert gate.is_open
    assert len(gate.signed) == 3
    assert "could not be reached" in gate.signed[1]
    assert isinstance(gate.residual, NoEstimate)


def test_signing_for_nothing_states_nothing() -> None:
    assert judge(due=Plan(), signed_for_due=True).signed == ()


# Approval


def approved() -> tuple[Approval, dict[str, Any]]:
    gate = judge(findings=[CONSIDER], due=Plan())
    stands = {"bytes_hash": "sha256-1", "gate": gate, "policy_key": "policy-1"}
    return Approval("sha256-1", gate.key, "policy-1"), stands


def test_an_approval_stands_while_bytes_gate_and_policy_are_what_was_signed() -> None:
    approval, now = approved()

    assert approval_stands(approval, **now)


@pytest.mark.parametrize(
    "change",
    [
        {"bytes_hash": "sha256-2"},
        {"policy_key": "policy-2"},
        {"gate": judge(findings=[BLOCK], due=Plan())},
        {"gate": judge(due=None, signed_for_due=True)},
    ],
)
def test_an_approval_falls_when_bytes_gate_or_policy_change(change: dict[str, Any]) -> None:
    approval, now = approved()

    assert not approval_stands(approval, **(now | change))


def test_an_approval_of_a_closed_gate_never_stands() -> None:
    gate = judge(findings=[BLOCK], due=Plan())
    approval = Approval("sha256-1", gate.key, "policy-1")

    assert not approval_stands(approval, bytes_hash="sha256-1", gate=gate, policy_key="policy-1")


def test_findings_of_a_sheet_are_named_in_the_order_of_their_numbers() -> None:
    several = [replace(BLOCK, id=number) for number in ("10", "9", "100")]
    assert judge(findings=several, due=Plan()).reasons[0].findings == ("9", "10", "100")


def test_the_order_of_findings_does_not_change_the_gate() -> None:
    one = judge(findings=[BLOCK, FIX, UNDECIDED], due=Plan())
    other = judge(findings=[UNDECIDED, BLOCK, FIX], due=Plan())

    assert one == other
    assert one.key == other.key

"""What people decide about a finding: who may, what is kept, and how it is taken back."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import pytest

from reviewer.models import Decision, Event, Finding, Membership, Version
from reviewer.services import findings
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.placing import carry_findings
from tests.factories import Cast, make_finding, make_proposal, make_version

REASON = "The client asked for it."


@dataclass
class Desk:
    """A proposal that Wen owns and edited last, with its newest version."""

    cast: Cast
    version: Version

    def finding(self, **fields) -> Finding:
        return make_finding(self.version, **fields)

    def fix(self, by: Membership, finding: Finding) -> Finding:
        return findings.mark_fixed(by=by, finding=_seen(finding), version=self.version)

    def dismiss(self, by: Membership, finding: Finding, reason: str = REASON) -> Finding:
        return findings.dismiss(by=by, finding=_seen(finding), version=self.version, reason=reason)

    def accept(self, by: Membership, finding: Finding, reason: str = REASON) -> Finding:
        return findings.accept(by=by, finding=_seen(finding), version=self.version, reason=reason)

    def reopen(self, by: Membership, finding: Finding) -> Finding:
        return findings.reopen(by=by, finding=_seen(finding), version=self.version)

    def dismiss_kind(self, by: Membership, **kind: str) -> int:
        kind = {"rule": "grounding", "severity": "fix", "reason": REASON, **kind}
        return findings.dismiss_kind(
            by=by, proposal=self.version.proposal, version=self.version, **kind
        )

    def undo(self, by: Membership) -> Finding | None:
        return findings.undo_last(by=by, proposal=self.version.proposal, version=self.version)


def _seen(finding: Finding) -> Finding:
    """The finding as a page would load it now."""
    return Finding.objects.select_related("proposal").get(pk=finding.pk)


@pytest.fixture
def desk(cast) -> Desk:
    return _desk(cast, owner=cast.wen, editor=cast.wen)


def _desk(cast: Cast, *, owner: Membership, editor: Membership) -> Desk:
    proposal = make_proposal(cast.workspace, owner=owner)
    return Desk(cast, make_version(proposal, uploaded_by=editor.user))


YES, NO = True, False
ROLES = [
    # act, severity, who edited last, whose proposal: what Wen, Rae and Max may
    ("fix", "block", "wen", "wen", (YES, YES, YES)),
    ("fix", "fix", "wen", "max", (YES, YES, YES)),
    ("fix", "consider", "rae", "max", (YES, YES, YES)),
    ("dismiss", "consider", "wen", "wen", (YES, YES, YES)),
    ("dismiss", "consider", "wen", "max", (NO, YES, YES)),
    ("dismiss", "fix", "wen", "wen", (NO, YES, YES)),
    ("dismiss", "fix", "rae", "wen", (NO, YES, YES)),
    ("dismiss", "block", "wen", "wen", (NO, YES, YES)),
    ("dismiss", "block", "rae", "wen", (NO, NO, YES)),
    ("dismiss", "block", "max", "wen", (NO, YES, NO)),
    ("accept", "consider", "wen", "wen", (NO, YES, YES)),
    ("accept", "fix", "rae", "wen", (NO, YES, YES)),
    ("accept", "block", "wen", "wen", (NO, YES, YES)),
    ("accept", "block", "rae", "wen", (NO, NO, YES)),
    ("accept", "block", "max", "wen", (NO, YES, NO)),
]


@pytest.mark.parametrize("who", ["wen", "rae", "max", "ola"])
@pytest.mark.parametrize(("act", "severity", "editor", "owner", "allowed"), ROLES)
def test_who_may_decide_what(cast, who, act, severity, editor, owner, allowed):
    desk = _desk(cast, owner=getattr(cast, owner), editor=getattr(cast, editor))
    finding, by = desk.finding(severity=severity), getattr(cast, who)
    may = dict(zip(("wen", "rae", "max"), allowed, strict=True)).get(who, NO)
    ask: Callable[[Membership, Finding], bool] = {
        "fix": findings.may_mark_fixed,
        "dismiss": findings.may_dismiss,
        "accept": findings.may_accept,
    }[act]
    assert ask(by, _seen(finding)) is may
    if may:
        assert getattr(desk, act)(by, finding).status != Finding.Status.OPEN
        return
    with pytest.raises(NotAllowed):
        getattr(desk, act)(by, finding)
    assert _seen(finding).status == Finding.Status.OPEN
    assert not Decision.objects.exists()


def test_everyone_of_the_workspace_may_reopen_and_nobody_else(desk, cast):
    finding = desk.finding(severity="block")
    desk.dismiss(cast.max, finding)
    with pytest.raises(NotAllowed):
        desk.reopen(cast.ola, finding)
    assert desk.reopen(cast.wen, finding).status == Finding.Status.OPEN


@pytest.mark.parametrize("reason", ["", "  \n\t "])
@pytest.mark.parametrize("act", ["dismiss", "accept"])
def test_without_a_reason_nothing_is_dismissed_or_accepted(desk, cast, act, reason):
    finding = desk.finding()
    with pytest.raises(Refused, match="Say why"):
        getattr(desk, act)(cast.rae, finding, reason)
    assert _seen(finding).status == Finding.Status.OPEN


def test_a_decision_keeps_who_when_why_and_on_which_version(desk, cast):
    finding = desk.dismiss(cast.rae, desk.finding())
    kept = _seen(finding)
    assert (kept.decided_by, kept.decision_reason) == (cast.rae.user, REASON)
    assert kept.decided_at is not None
    assert kept.decided_version == desk.version
    decision = finding.decisions.get()
    assert (decision.act, decision.actor, decision.reason) == ("dismiss", cast.rae.user, REASON)
    event = Event.objects.get(subject="finding", subject_id=finding.pk)
    assert (event.from_state, event.to_state, event.why) == ("open", "dismissed", REASON)
    assert event.actor == cast.rae.user


def test_a_reopened_finding_has_no_decision_beside_it(desk, cast):
    finding = desk.finding()
    desk.dismiss(cast.rae, finding)
    desk.reopen(cast.wen, finding)
    kept = _seen(finding)
    assert (kept.decided_by, kept.decided_at, kept.decision_reason) == (None, None, "")
    assert finding.decisions.count() == 2


def test_of_two_people_who_decide_at_once_one_is_told(desk, cast):
    finding = desk.finding()
    seen_by_rae, seen_by_max = _seen(finding), _seen(finding)
    findings.mark_fixed(by=cast.rae, finding=seen_by_rae, version=desk.version)
    with pytest.raises(MovedMeanwhile):
        findings.dismiss(by=cast.max, finding=seen_by_max, version=desk.version, reason=REASON)
    assert _seen(finding).status == Finding.Status.FIX_CLAIMED
    assert finding.decisions.count() == 1


def test_what_is_decided_already_is_not_decided_again(desk, cast):
    finding = desk.dismiss(cast.rae, desk.finding())
    with pytest.raises(MovedMeanwhile, match="dismissed"):
        desk.fix(cast.wen, finding)


def test_claiming_a_fix_waits_for_what_is_looked_at_next(desk, cast):
    still_there = desk.finding(
        recheck=Finding.Verdict.HOLDS, evidence=Finding.Evidence.CHANGED, quote=""
    )
    assert _seen(still_there).shown_state == "still_there"
    desk.fix(cast.wen, still_there)
    assert _seen(still_there).shown_state == "fix_claimed"


def test_claiming_what_is_confirmed_fixed_leaves_it_confirmed(desk, cast):
    gone = desk.finding(
        raised=Finding.Raised.CHECK,
        recheck=Finding.Verdict.DOES_NOT_HOLD,
        evidence=Finding.Evidence.GONE,
    )
    desk.fix(cast.wen, gone)
    assert _seen(gone).shown_state == "fixed"


# Taking back ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("", "fix"),
        ("", "dismiss"),
        ("", "accept"),
        ("fix", "dismiss"),
        ("fix", "accept"),
        ("accept", "fix"),
        ("accept", "dismiss"),
    ],
)
def test_taking_back_restores_what_was_before(desk, cast, first, then):
    finding = desk.finding()
    if first:
        getattr(desk, first)(cast.rae, finding)
    before = _state(finding)
    getattr(desk, then)(cast.max, finding)
    assert desk.undo(cast.max) == finding
    assert _state(finding) == before


def _state(finding: Finding) -> tuple[object, ...]:
    seen = _seen(finding)
    return (
        seen.status,
        seen.decision_reason,
        seen.decided_by,
        bool(seen.decided_at),
        seen.decided_version,
    )


def test_taking_back_a_reopening_gives_the_dismissal_back_to_who_made_it(desk, cast):
    finding = desk.finding()
    desk.dismiss(cast.rae, finding, "It is in the RFP.")
    desk.reopen(cast.max, finding)
    desk.undo(cast.max)
    seen = _seen(finding)
    assert (seen.status, seen.decided_by) == ("dismissed", cast.rae.user)
    assert seen.decision_reason == "It is in the RFP."


def test_taking_back_twice_goes_one_decision_further(desk, cast):
    one, two = desk.finding(), desk.finding()
    desk.fix(cast.wen, one)
    desk.fix(cast.wen, two)
    assert desk.undo(cast.wen) == two
    assert desk.undo(cast.wen) == one
    assert desk.undo(cast.wen) is None
    assert {_seen(one).status, _seen(two).status} == {"open"}


def test_taking_back_takes_only_ones_own(desk, cast):
    finding = desk.finding()
    desk.fix(cast.wen, finding)
    assert desk.undo(cast.rae) is None
    assert _seen(finding).status == Finding.Status.FIX_CLAIMED


def test_what_somebody_else_decided_since_is_not_taken_back(desk, cast):
    finding = desk.finding()
    desk.fix(cast.wen, finding)
    desk.dismiss(cast.rae, finding)
    with pytest.raises(MovedMeanwhile, match="decided again"):
        desk.undo(cast.wen)
    assert _seen(finding).status == Finding.Status.DISMISSED


def test_what_somebody_else_decided_the_same_way_since_is_theirs(desk, cast):
    finding = desk.finding()
    desk.dismiss(cast.max, finding)
    desk.reopen(cast.wen, finding)
    desk.dismiss(cast.rae, finding, "Checked with the client.")
    with pytest.raises(MovedMeanwhile, match="decided again"):
        desk.undo(cast.max)
    assert _seen(finding).decided_by == cast.rae.user


def test_what_somebody_else_took_back_since_can_be_taken_back(desk, cast):
    finding = desk.finding()
    desk.fix(cast.wen, finding)
    desk.dismiss(cast.rae, finding)
    desk.undo(cast.rae)
    assert desk.undo(cast.wen) == finding
    assert _seen(finding).status == Finding.Status.OPEN


@pytest.mark.parametrize(
    "end", [{"until": date(2999, 1, 2)}, {"until_version": 7}], ids=["day", "version"]
)
def test_an_acceptance_that_counts_again_ends_when_it_was_to_end(desk, cast, end):
    accepted = desk.finding(severity="fix")
    for then in (desk.reopen, desk.dismiss):
        findings.accept(
            by=cast.rae, finding=_seen(accepted), version=desk.version, reason=REASON, **end
        )
        then(cast.rae, accepted)
        assert _ends(accepted) == (None, None)
        desk.undo(cast.rae)
        assert _seen(accepted).status == "accepted"
        assert _ends(accepted) == (end.get("until"), end.get("until_version"))
        desk.undo(cast.rae)
        assert (_seen(accepted).status, _ends(accepted)) == ("open", (None, None))


def _ends(finding: Finding) -> tuple[date | None, int | None]:
    now = _seen(finding)
    return now.accepted_until, now.accepted_until_version


def test_an_acceptance_made_on_an_old_version_cannot_end_before_the_newest(desk, cast):
    accepted = desk.finding(severity="fix")
    make_version(desk.version.proposal, uploaded_by=cast.wen.user)
    with pytest.raises(Refused, match="has passed already"):
        findings.accept(
            by=cast.rae,
            finding=_seen(accepted),
            version=desk.version,
            reason=REASON,
            until_version=desk.version.number,
        )


def test_taking_back_is_in_the_log_and_names_what_it_undoes(desk, cast):
    finding = desk.finding()
    desk.dismiss(cast.rae, finding)
    desk.undo(cast.rae)
    dismissal, undo = finding.decisions.order_by("id")
    assert (undo.act, undo.undoes) == ("undo", dismissal)
    assert list(Event.objects.filter(subject="finding").values_list("from_state", "to_state")) == [
        ("open", "dismissed"),
        ("dismissed", "open"),
    ]


def test_still_there_stays_so_when_what_came_after_is_taken_back(desk, cast):
    finding = desk.finding()
    desk.fix(cast.wen, finding)
    Finding.objects.update(recheck=Finding.Verdict.HOLDS)
    desk.accept(cast.rae, finding)
    desk.undo(cast.rae)
    assert _seen(finding).shown_state == "still_there"


# A whole kind ------------------------------------------------------------------------


def test_a_kind_is_dismissed_with_one_reason(desk, cast):
    same = [desk.finding() for _ in range(3)]
    others = [desk.finding(rule="structure"), desk.finding(severity="consider")]
    assert desk.dismiss_kind(cast.rae) == 3
    assert {_seen(f).status for f in same} == {"dismissed"}
    assert {_seen(f).decision_reason for f in same} == {REASON}
    assert {_seen(f).status for f in others} == {"open"}


def test_blocks_are_never_dismissed_as_a_kind(desk, cast):
    block = desk.finding(severity="block")
    with pytest.raises(Refused, match="one by one"):
        desk.dismiss_kind(cast.max, severity="block")
    assert _seen(block).status == Finding.Status.OPEN


def test_a_kind_leaves_decided_and_confirmed_findings_as_they_are(desk, cast):
    claimed = desk.fix(cast.wen, desk.finding())
    fixed = desk.finding(raised=Finding.Raised.CHECK, recheck=Finding.Verdict.DOES_NOT_HOLD)
    desk.finding()
    assert desk.dismiss_kind(cast.rae) == 1
    assert _seen(claimed).status == Finding.Status.FIX_CLAIMED
    assert _seen(fixed).shown_state == "fixed"


def test_a_kind_that_may_not_be_dismissed_stays_whole(desk, cast):
    findings_of_kind = [desk.finding() for _ in range(2)]
    with pytest.raises(NotAllowed):
        desk.dismiss_kind(cast.wen)
    assert {_seen(f).status for f in findings_of_kind} == {"open"}
    assert not Decision.objects.exists()


def test_a_kind_needs_a_reason(desk, cast):
    desk.finding()
    with pytest.raises(Refused, match="Say why"):
        desk.dismiss_kind(cast.rae, reason=" ")


def test_a_kind_leaves_other_proposals_alone(desk, cast):
    desk.finding()
    elsewhere = _desk(cast, owner=cast.wen, editor=cast.wen).finding()
    assert desk.dismiss_kind(cast.rae) == 1
    assert _seen(elsewhere).status == Finding.Status.OPEN


def test_numbers_of_findings_count_up_within_a_proposal(desk):
    assert findings.next_number(desk.version.proposal_id) == 1
    desk.finding(number=7)
    assert findings.next_number(desk.version.proposal_id) == 8


def test_a_kind_dismissed_as_one_is_taken_back_as_one(desk):
    dismissed = [desk.finding(severity="fix", rule="grounding") for _ in range(3)]
    assert desk.dismiss_kind(desk.cast.rae) == 3
    desk.undo(desk.cast.rae)
    assert {_seen(finding).status for finding in dismissed} == {"open"}


def test_a_batch_is_not_taken_back_where_one_of_it_was_decided_again(desk):
    first, second = (desk.finding(severity="fix", rule="grounding") for _ in range(2))
    desk.dismiss_kind(desk.cast.rae)
    desk.reopen(desk.cast.max, second)
    with pytest.raises(MovedMeanwhile):
        desk.undo(desk.cast.rae)
    assert _seen(first).status == "dismissed"


def test_an_acceptance_ends_with_its_version(desk):
    finding = desk.finding(severity="fix")
    findings.accept(
        by=desk.cast.rae,
        finding=_seen(finding),
        version=desk.version,
        reason=REASON,
        until_version=1,
    )
    carry_findings(desk.version, make_version(desk.version.proposal))
    assert _seen(finding).status == "open"
    assert finding.decisions.last().act == "lapse"


def test_an_end_that_has_passed_is_refused(desk):
    finding = desk.finding(severity="fix")
    with pytest.raises(Refused, match="has passed"):
        findings.accept(
            by=desk.cast.rae,
            finding=_seen(finding),
            version=desk.version,
            reason=REASON,
            until=date(2020, 1, 1),
        )


def test_what_was_found_still_there_can_be_claimed_again_once(desk, cast):
    finding = desk.finding(
        status="fix_claimed", decided_by=cast.wen.user, recheck="holds", times_still_there=1
    )
    assert _seen(finding).shown_state == "still_there"
    desk.fix(cast.wen, finding)
    seen = _seen(finding)
    assert (seen.shown_state, seen.times_still_there) == ("fix_claimed", 1)
    with pytest.raises(MovedMeanwhile, match="claimed fixed already"):
        desk.fix(cast.rae, finding)


def test_a_claim_that_is_taken_back_is_still_there_again(desk, cast):
    finding = desk.finding(
        status="fix_claimed", decided_by=cast.wen.user, recheck="holds", times_still_there=1
    )
    desk.fix(cast.wen, finding)
    assert desk.undo(cast.wen) == finding
    seen = _seen(finding)
    assert (seen.shown_state, seen.status, seen.recheck) == ("still_there", "fix_claimed", "holds")

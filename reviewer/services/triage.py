"""What reviewers and managers decide beyond fixed and dismissed: what stands, how grave, whose.

Each act is appended as a decision with its author, and the gate page lists those that
lower, merge or close. None of them is hidden in another.
"""

from typing import Any

from django.db import transaction

from reviewer.core.rounds import Standing, standing
from reviewer.core.schema import Severity
from reviewer.core.state import Shown, is_closed
from reviewer.models import Apart, Decision, Finding, FindingPlace, Membership, Proposal, Version
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.findings import may_accept, may_dismiss, next_number, reason_given
from reviewer.services.ground import Ground
from reviewer.services.lapsing import lapse
from reviewer.services.locking import hold_row
from reviewer.services.placing import carry_raised
from reviewer.services.rubric import rule_titles
from reviewer.services.storable import typed_text
from reviewer.services.votes import recount_on

Act, Status = Decision.Act, Finding.Status
SOMEBODY_ELSE = (
    "Somebody else changed this finding a moment ago, so nothing was changed. Look at it again "
    "and decide."
)


def may_raise(by: Membership, proposal: Proposal) -> bool:
    """Everyone in the workspace may raise a finding of their own, or raise a severity."""
    return by.workspace_id == proposal.workspace_id


def may_lower(by: Membership, finding: Finding) -> bool:
    """Who may lower a severity: as who may dismiss the finding."""
    return may_dismiss(by, finding)


def may_sign(by: Membership, finding: Finding) -> bool:
    """Who may sign that a finding stands, or that it is fixed: as who may accept it."""
    return may_accept(by, finding)


def awaits_signature(finding: Finding) -> bool:
    """Whether a signature would change anything: a block that does not hold by itself, and
    that nobody has decided. What a person or a built-in check raised holds already."""
    record = finding.record()
    waits = record.is_block and standing(record) is not Standing.UPHELD
    return waits and not is_closed(record)


def may_merge(by: Membership, *findings: Finding) -> bool:
    """Reviewers and managers merge and take apart; a writer what is only to consider, on an
    own proposal."""
    for finding in findings:
        proposal = finding.proposal
        if by.workspace_id != proposal.workspace_id:
            return False
        own = proposal.owner_id == by.user_id and finding.severity == Severity.CONSIDER
        if not by.may_triage and not own:
            return False
    return True


def uphold(*, by: Membership, finding: Finding, version: Version, reason: str = "") -> Finding:
    """Sign that a finding stands, singly: an undecided block then holds as upheld."""
    _signer(by, finding)
    if finding.is_upheld:
        raise Refused("Somebody has signed that it stands already, so nothing was changed.")
    seen = {"is_upheld": False, "status": finding.status}
    return _note(by, finding, version, Act.UPHOLD, reason, {"is_upheld": True}, seen)


def close_as_fixed(*, by: Membership, finding: Finding, version: Version, reason: str) -> Finding:
    """A reviewer looked at the changed text and signs that the fault is gone.

    Raises Refused where nothing of it has changed: a claim alone closes nothing.
    """
    _signer(by, finding)
    if finding.raised == Finding.Raised.CHECK:
        raise Refused(
            "A built-in check raised this: it is gone as soon as its cause is. Change the text, "
            "or dismiss it with a reason."
        )
    if finding.evidence == Finding.Evidence.PRESENT and not finding.other_changed:
        raise Refused(
            "The words it is about stand unchanged, so it was not closed. Change them, or "
            "dismiss it with a reason."
        )
    seen = {
        "status": finding.status,
        "evidence": finding.evidence,
        "other_changed": finding.other_changed,
        "touched_in": finding.touched_in,
    }
    changes = {"is_closed_by_reviewer": True}
    return _note(by, finding, version, Act.CLOSE, reason_given(reason), changes, seen)


def change_severity(
    *, by: Membership, finding: Finding, version: Version, severity: str, reason: str
) -> Finding:
    """Raise or lower a finding. Lowering takes who may dismiss it; raising takes any member."""
    if severity not in {each.value for each in Severity}:
        raise Refused("That severity is not known, so nothing was changed.")
    if not may_raise(by, finding.proposal):
        raise NotAllowed("Only members of the workspace change the severity of a finding.")
    if severity == finding.severity:
        raise Refused("It has that severity already, so nothing was changed.")
    lowers = Severity(severity).rank > Severity(finding.severity).rank
    if lowers and not may_lower(by, finding):
        raise NotAllowed("You may not lower this finding. Ask a reviewer or a manager.")
    details = {"from": finding.severity, "to": severity}
    seen = {"severity": finding.severity, "status": finding.status}
    changes = {"severity": severity, "severity_by_person": True}
    return _note(
        by, finding, version, Act.CHANGE_SEVERITY, reason_given(reason), changes, seen, details
    )


def raise_own(
    *,
    by: Membership,
    proposal: Proposal,
    version: Version,
    sheet: int,
    first_word: int,
    last_word: int,
    severity: str,
    rule: str,
    text: str,
    edit: str = "",
) -> Finding:
    """A person's own finding over the words that they selected; it counts as upheld.

    Words are counted from 0 in the sheet's reading order. On a version that is not the newest
    it is carried to the later ones. Raises Refused where there are no such words, or nothing is
    said about them.
    """
    if not may_raise(by, proposal):
        raise NotAllowed("Only members of the workspace raise findings on its proposals.")
    said = typed_text(text)
    if not said or severity not in {each.value for each in Severity}:
        raise Refused("Say what is wrong, and how grave it is. Nothing was raised.")
    if rule not in rule_titles(proposal.workspace_id):
        raise Refused("That rule is not in the rubric, so nothing was raised. Choose one of it.")
    ground = Ground(version)
    on = ground.sheets.get(sheet)
    if on is None or not 0 <= first_word <= last_word < len(on.words):
        raise Refused("Those words are not on the sheet any more. Select them again.")
    span = on.span(first_word, last_word)
    with transaction.atomic():
        Proposal.objects.select_for_update(no_key=True).get(pk=proposal.pk)
        finding = Finding.objects.create(
            proposal=proposal,
            number=next_number(proposal.pk),
            severity=severity,
            rule=rule,
            sheet=sheet,
            quote=on.text[span[0] : span[1]],
            text=said,
            edit=typed_text(edit),
            raised=Finding.Raised.PERSON,
            is_upheld=True,
            first_version=version,
            checked_version=version,
        )
        FindingPlace.objects.create(
            finding=finding,
            version=version,
            sheet=sheet,
            first_word=first_word,
            last_word=last_word,
            boxes=on.boxes(first_word, last_word),
        )
        _append(by, finding, version, Act.RAISE, "", {})
        carry_raised(finding, version)
    return finding


def merge(
    *, by: Membership, finding: Finding, into: Finding, version: Version, reason: str = ""
) -> Finding:
    """Merge `finding` into another of its proposal; the graver severity and a signature stay.

    It can be taken apart again. Raises Refused where either is merged already, where a
    built-in check raised it, and where the other one is fixed while this one is not.
    """
    if finding.proposal_id != into.proposal_id or finding.pk == into.pk:
        raise Refused("A finding is merged into another one of its own proposal.")
    if not may_merge(by, finding, into):
        raise NotAllowed(
            "Reviewers and managers merge findings; writers what is only to consider, on their "
            "own proposals. Nothing was changed."
        )
    with transaction.atomic():
        Proposal.objects.select_for_update(no_key=True).get(pk=finding.proposal_id)
        finding, into = _as_they_are(finding, into)
        _refuse_to_merge(by, finding, into)
        Apart.objects.filter(**_pair(finding, into)).delete()
        Finding.objects.filter(pk=finding.pk).update(merged_into=into)
        finding.merged_into = into
        details = _take_over(finding, into, version)
        recount_on([into.pk], version)
        _append(by, finding, version, Act.MERGE, typed_text(reason), details)
    into.refresh_from_db()
    return into


def _as_they_are(*findings: Finding) -> list[Finding]:
    rows = Finding.objects.select_related("proposal").in_bulk([one.pk for one in findings])
    if len(rows) != len(findings):
        raise MovedMeanwhile(SOMEBODY_ELSE)
    return [rows[one.pk] for one in findings]


def _refuse_to_merge(by: Membership, finding: Finding, into: Finding) -> None:
    if finding.merged_into_id or into.merged_into_id:
        raise Refused("One of the two is merged already. Take it apart first.")
    if finding.raised == Finding.Raised.CHECK:
        raise Refused(
            "A built-in check raised it, so it is gone exactly when its cause is. Merge the "
            "other one into it instead."
        )
    if is_closed(finding.record()):
        return
    if into.shown_state == Shown.FIXED:
        raise Refused("The other one is fixed, and this one is not. Nothing was merged.")
    if is_closed(into.record()) and not may_dismiss(by, finding):
        raise NotAllowed(
            "The other one is decided, so merging this into it would decide it too, and that "
            "you may not. Nothing was changed."
        )


def _take_over(finding: Finding, into: Finding, version: Version) -> dict[str, Any]:
    """Give the graver severity and the signature to the one that stays; tells what changed."""
    before = into.severity
    details: dict[str, Any] = {"into": into.number, "severity_before": before}
    if Severity(finding.severity).rank < Severity(before).rank:
        into.severity = finding.severity
        if into.status in Finding.DECIDED:
            why = f"#{finding.number}, a {finding.severity}, was merged into it"
            lapse(into, version, why)
    stands = standing(finding.record()) is Standing.UPHELD
    if stands and standing(into.record()) is not Standing.UPHELD:
        into.is_upheld = details["upheld_by_it"] = True
    details["severity_after"] = into.severity
    into.save(update_fields=["severity", "is_upheld"])
    return details


def take_apart(*, by: Membership, finding: Finding, version: Version) -> Finding:
    """Undo a merge; the two are never merged again by the house itself."""
    into = finding.merged_into
    if into is None:
        raise Refused("It is not merged into another, so there is nothing to take apart.")
    if not may_merge(by, finding, into):
        raise NotAllowed("Only reviewers and managers take findings apart.")
    with transaction.atomic():
        Proposal.objects.select_for_update(no_key=True).get(pk=finding.proposal_id)
        split = Finding.objects.filter(pk=finding.pk, merged_into=into).update(merged_into=None)
        if split != 1:
            raise MovedMeanwhile(SOMEBODY_ELSE)
        finding.merged_into = None
        Apart.objects.get_or_create(defaults=None, **_pair(finding, into))
        into.refresh_from_db()
        _give_back(finding, into)
        recount_on([finding.pk, into.pk], version)
        _append(by, finding, version, Act.SPLIT, "", {"from": into.number})
    return finding


def _give_back(finding: Finding, into: Finding) -> None:
    """Take from the one that stayed what the merge alone had given it."""
    last = finding.decisions.filter(act=Act.MERGE).last()
    if last is None:
        return
    since = into.decisions.filter(pk__gt=last.pk)
    told = last.details
    if (
        into.severity == told.get("severity_after")
        and not since.filter(act=Act.CHANGE_SEVERITY).exists()
    ):
        into.severity = told["severity_before"]
    if told.get("upheld_by_it") and not since.filter(act=Act.UPHOLD).exists():
        into.is_upheld = False
    into.save(update_fields=["severity", "is_upheld"])


def _pair(one: Finding, other: Finding) -> dict[str, int]:
    first, second = sorted([one.pk, other.pk])
    return {"first_id": first, "second_id": second}


def _signer(by: Membership, finding: Finding) -> None:
    if not may_sign(by, finding):
        raise NotAllowed(
            "A reviewer or a manager signs this; a block not by who edited the proposal last."
        )


def _note(
    by: Membership,
    finding: Finding,
    version: Version,
    act: str,
    reason: str,
    changes: dict[str, Any],
    seen: dict[str, Any],
    details: dict[str, Any] | None = None,
) -> Finding:
    """Change a finding that is still as the person saw it, and append the decision."""
    with transaction.atomic():
        hold_row(Proposal, finding.proposal_id)
        if Finding.objects.filter(pk=finding.pk, **seen).update(**changes) != 1:
            raise MovedMeanwhile(SOMEBODY_ELSE)
        for name, value in changes.items():
            setattr(finding, name, value)
        _append(by, finding, version, act, typed_text(reason), details or {})
    return finding


def _append(
    by: Membership,
    finding: Finding,
    version: Version,
    act: str,
    reason: str,
    details: dict[str, Any],
) -> None:
    Decision.objects.create(
        finding=finding,
        version=version,
        act=act,
        reason=reason,
        status_before=finding.status,
        status_after=finding.status,
        details=details,
        actor=by.user,
    )
    record(
        workspace=by.workspace_id,
        subject=finding,
        verb=Act(act).label,
        by=by,
        why=reason,
        proposal_id=finding.proposal_id,
    )

"""What reviewers and managers decide beyond fixed and dismissed: what stands, how grave, whose.

Each act is appended as a decision with its author, and the gate page lists those that
lower, merge or close. None of them is hidden in another.
"""

from typing import Any

from django.db import transaction

from reviewer.core.schema import Severity
from reviewer.models import Apart, Decision, Finding, FindingPlace, Membership, Proposal, Version
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.findings import may_accept, may_dismiss, next_number
from reviewer.services.ground import Ground

Act, Status = Decision.Act, Finding.Status


def may_sign(by: Membership, finding: Finding) -> bool:
    """Who may sign that a finding stands, or that it is fixed: as who may accept it."""
    return may_accept(by, finding)


def uphold(*, by: Membership, finding: Finding, version: Version, reason: str = "") -> Finding:
    """Sign that a finding stands, singly: an undecided block then holds as upheld."""
    _signer(by, finding)
    finding.is_upheld = True
    return _note(by, finding, version, Act.UPHOLD, reason, ["is_upheld"])


def close_as_fixed(*, by: Membership, finding: Finding, version: Version, reason: str) -> Finding:
    """A reviewer looked at the changed text and signs that the fault is gone.

    Raises Refused where nothing of it has changed: a claim alone closes nothing.
    """
    _signer(by, finding)
    if finding.evidence == Finding.Evidence.PRESENT and not finding.other_changed:
        raise Refused(
            "The words it is about stand unchanged, so it was not closed. Change them, or "
            "dismiss it with a reason."
        )
    finding.is_closed_by_reviewer = True
    return _note(by, finding, version, Act.CLOSE, _given(reason), ["is_closed_by_reviewer"])


def change_severity(
    *, by: Membership, finding: Finding, version: Version, severity: str, reason: str
) -> Finding:
    """Raise or lower a finding. Lowering takes who may dismiss it; raising takes anybody."""
    if severity not in {each.value for each in Severity}:
        raise Refused("That severity is not known, so nothing was changed.")
    if severity == finding.severity:
        raise Refused("It has that severity already, so nothing was changed.")
    lowers = Severity(severity).rank > Severity(finding.severity).rank
    if lowers and not may_dismiss(by, finding):
        raise NotAllowed("You may not lower this finding. Ask a reviewer or a manager.")
    before = finding.severity
    finding.severity, finding.severity_by_person = severity, True
    details = {"from": before, "to": severity}
    fields = ["severity", "severity_by_person"]
    return _note(by, finding, version, Act.CHANGE_SEVERITY, _given(reason), fields, details)


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

    Words are counted from 0 in the sheet's reading order. Raises Refused where there are
    none such, or nothing is said about them.
    """
    if not text.strip() or severity not in {each.value for each in Severity}:
        raise Refused("Say what is wrong, and how grave it is. Nothing was raised.")
    ground = Ground(version)
    on = ground.sheets.get(sheet)
    if on is None or not 0 <= first_word <= last_word < len(on.words):
        raise Refused("Those words are not on the sheet any more. Select them again.")
    span = on.span(first_word, last_word)
    with transaction.atomic():
        Proposal.objects.select_for_update().get(pk=proposal.pk)
        finding = Finding.objects.create(
            proposal=proposal,
            number=next_number(proposal.pk),
            severity=severity,
            rule=rule,
            sheet=sheet,
            quote=on.text[span[0] : span[1]],
            text=text.strip()[:2000],
            edit=edit.strip()[:2000],
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
    return finding


def merge(
    *, by: Membership, finding: Finding, into: Finding, version: Version, reason: str = ""
) -> Finding:
    """Merge `finding` into another of its proposal; the graver severity stays.

    It can be taken apart again. Raises Refused where either is merged already.
    """
    if not by.may_triage:
        raise NotAllowed("Only reviewers and managers merge findings.")
    if finding.proposal_id != into.proposal_id or finding.pk == into.pk:
        raise Refused("A finding is merged into another one of its own proposal.")
    if finding.merged_into_id or into.merged_into_id:
        raise Refused("One of the two is merged already. Take it apart first.")
    details = {"into": into.number, "severity_before": into.severity}
    with transaction.atomic():
        Proposal.objects.select_for_update().get(pk=finding.proposal_id)
        Apart.objects.filter(**_pair(finding, into)).delete()
        Finding.objects.filter(pk=finding.pk).update(merged_into=into)
        finding.merged_into = into
        if Severity(finding.severity).rank < Severity(into.severity).rank:
            into.severity = finding.severity
        into.votes, into.passes = max(into.votes, finding.votes), max(into.passes, finding.passes)
        into.save(update_fields=["severity", "votes", "passes"])
        _append(by, finding, version, Act.MERGE, reason, details)
    return into


def take_apart(*, by: Membership, finding: Finding, version: Version) -> Finding:
    """Undo a merge; the two are never merged again by the house itself."""
    if not by.may_triage:
        raise NotAllowed("Only reviewers and managers take findings apart.")
    into = finding.merged_into
    if into is None:
        raise Refused("It is not merged into another, so there is nothing to take apart.")
    with transaction.atomic():
        Proposal.objects.select_for_update().get(pk=finding.proposal_id)
        Finding.objects.filter(pk=finding.pk).update(merged_into=None)
        finding.merged_into = None
        Apart.objects.get_or_create(defaults=None, **_pair(finding, into))
        last = finding.decisions.filter(act=Act.MERGE).last()
        before = last.details.get("severity_before") if last else None
        if before and into.severity != before:
            into.severity = before
            into.save(update_fields=["severity"])
        _append(by, finding, version, Act.SPLIT, "", {"from": into.number})
    return finding


def _pair(one: Finding, other: Finding) -> dict[str, int]:
    first, second = sorted([one.pk, other.pk])
    return {"first_id": first, "second_id": second}


def _signer(by: Membership, finding: Finding) -> None:
    if not may_sign(by, finding):
        raise NotAllowed(
            "A reviewer or a manager signs this; a block not by who edited the proposal last."
        )


def _given(reason: str) -> str:
    if not reason.strip():
        raise Refused("Say why, in a few words: the reason stays beside the finding.")
    return reason.strip()[:2000]


def _note(
    by: Membership,
    finding: Finding,
    version: Version,
    act: str,
    reason: str,
    fields: list[str],
    details: dict[str, Any] | None = None,
) -> Finding:
    with transaction.atomic():
        finding.save(update_fields=fields)
        _append(by, finding, version, act, reason.strip()[:2000], details or {})
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

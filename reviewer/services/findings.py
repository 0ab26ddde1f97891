"""What people decide about a finding. Each decision is appended and can be taken back."""

import secrets
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from reviewer.core.schema import Severity
from reviewer.core.state import Shown
from reviewer.models import Decision, Finding, Membership, Proposal, Version
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.events import move
from reviewer.services.locking import hold_row
from reviewer.services.storable import storable, typed_text

Act = Decision.Act
Status = Finding.Status
RECHECK = "recheck"
"""In the details of a claim: what the newest check had said before it."""
UNTIL, UNTIL_VERSION = "accepted_until", "accepted_until_version"
"""In the details of an acceptance and on its finding: when it ends."""
TAKEN_BACK = (Act.MARK_FIXED, Act.DISMISS, Act.ACCEPT, Act.REOPEN)
"""The acts that undo takes back; a merge is taken apart, a signature is given anew."""


def next_number(proposal_id: int, count: int = 1) -> int:
    """The next finding number of a proposal, given once; call it with the proposal's row locked.

    Where more than one is asked for, it is the first of so many in a row.

    A number whose finding is gone is not given again: a page that still shows it must not
    decide another finding.
    """
    of = Proposal.objects.filter(pk=proposal_id)
    given = of.aggregate(last=Max("last_number"), top=Max("findings__number"))
    number = max(given["last"] or 0, given["top"] or 0) + 1
    of.update(last_number=number + count - 1)
    return number


def may_mark_fixed(by: Membership, finding: Finding) -> bool:
    """Everyone in the workspace may say that a finding is fixed, and reopen it."""
    return by.workspace_id == finding.proposal.workspace_id


def may_dismiss(by: Membership, finding: Finding) -> bool:
    """Reviewers and managers; a writer only a `consider` of an own proposal.

    A block is not dismissed by the one who edited the proposal last.
    """
    if by.workspace_id != finding.proposal.workspace_id:
        return False
    if not by.may_triage:
        own = finding.proposal.owner_id == by.user_id
        return own and finding.severity == Severity.CONSIDER
    return finding.severity != Severity.BLOCK or not _edited_last(by, finding.proposal)


def may_accept(by: Membership, finding: Finding) -> bool:
    """Reviewers and managers; a block not by the one who edited the proposal last."""
    return by.may_triage and may_dismiss(by, finding)


def reason_given(reason: str) -> str:
    """The reason, as it is kept; Refused where there is none."""
    given = typed_text(reason)
    if not given:
        raise Refused("Say why, in a few words: the reason stays beside the finding.")
    return given


def mark_fixed(*, by: Membership, finding: Finding, version: Version) -> Finding:
    """Claim that a finding is fixed. It is confirmed only by a check or a reading."""
    if not may_mark_fixed(by, finding):
        raise NotAllowed("Only members of the workspace can mark a finding as fixed.")
    if finding.status == Status.FIX_CLAIMED and finding.shown_state != Shown.STILL_THERE:
        raise MovedMeanwhile(
            f"{finding} is claimed fixed already, so nothing was changed. The next reading looks "
            "whether it is."
        )
    return _decide(by, finding, version, Act.MARK_FIXED, Status.FIX_CLAIMED)


def dismiss(*, by: Membership, finding: Finding, version: Version, reason: str) -> Finding:
    """Decide that a finding is none, with the reason."""
    _dismissible(by, finding)
    return _decide(by, finding, version, Act.DISMISS, Status.DISMISSED, reason_given(reason))


def accept(
    *,
    by: Membership,
    finding: Finding,
    version: Version,
    reason: str,
    until: date | None = None,
    until_version: int | None = None,
) -> Finding:
    """Decide to live with a finding, with the reason, until a day or a version where given.

    Raises Refused for an end that has passed already.
    """
    if not may_accept(by, finding):
        raise NotAllowed(_who_may(finding))
    is_over = until is not None and until < timezone.localdate()
    newest = max(each.number for each in finding.proposal.versions.all())
    if is_over or (until_version is not None and until_version < newest):
        raise Refused("That end has passed already, so nothing was accepted. Choose a later one.")
    return _decide(
        by,
        finding,
        version,
        Act.ACCEPT,
        Status.ACCEPTED,
        reason_given(reason),
        until=until,
        until_version=until_version,
    )


def reopen(*, by: Membership, finding: Finding, version: Version, reason: str = "") -> Finding:
    """Put a finding back among those that are due."""
    if not may_mark_fixed(by, finding):
        raise NotAllowed("Only members of the workspace can reopen a finding.")
    return _decide(by, finding, version, Act.REOPEN, Status.OPEN, typed_text(reason))


def dismiss_kind(
    *,
    by: Membership,
    proposal: Proposal,
    version: Version,
    rule: str,
    severity: str,
    reason: str,
) -> int:
    """Dismiss every open finding of one rule and severity with one reason; never blocks.

    What is confirmed fixed is left as it is. Returns how many were dismissed: all of them,
    or none where one is not allowed.
    """
    if severity == Severity.BLOCK:
        raise Refused("Blocks are decided one by one, so nothing was dismissed.")
    why = reason_given(reason)
    findings = list(
        Finding.objects.shown()
        .filter(proposal=proposal, rule=storable(rule), severity=severity, status=Status.OPEN)
        .select_related("proposal")
    )
    dismissed, batch = 0, secrets.token_hex(8)
    with transaction.atomic():
        for finding in findings:
            if finding.shown_state == Shown.FIXED:
                continue
            _dismissible(by, finding)
            _decide(by, finding, version, Act.DISMISS, Status.DISMISSED, why, batch=batch)
            dismissed += 1
    return dismissed


def undo_last(*, by: Membership, proposal: Proposal, version: Version) -> Finding | None:
    """Take back the actor's own last decision on this proposal; None where there is none.

    What was decided as one (a whole kind dismissed) is taken back as one. Raises
    MovedMeanwhile where somebody has decided the finding, or one of them, again since;
    nothing is taken back then.
    """
    mine = (
        Decision.objects.filter(
            finding__proposal=proposal, actor=by.user, undone_by__isnull=True, act__in=TAKEN_BACK
        )
        .select_related("finding__proposal")
        .order_by("-id")
    )
    last = mine.first()
    if last is None:
        return None
    together = mine.filter(batch=last.batch) if last.batch else [last]
    with transaction.atomic():
        hold_row(Proposal, proposal.pk)
        for decision in together:
            _take_back(by, decision, version)
    return last.finding


def _take_back(by: Membership, last: Decision, version: Version) -> None:
    finding = last.finding
    before = finding.status
    if before != last.status_after or _standing(finding).filter(id__gt=last.id).exists():
        raise MovedMeanwhile(
            f"{finding} was decided again since, so nothing was taken back. Look at it again."
        )
    decided = _standing(finding).filter(id__lt=last.id).order_by("-id").first()
    with transaction.atomic():
        _set_status(
            by,
            finding,
            version,
            last.status_before,
            last.reason_before,
            why="taken back",
            is_undo=True,
            undone=last,
            back_to=decided,
            ends=_ends_of(decided) if last.status_before == Status.ACCEPTED else None,
        )
        Decision.objects.create(
            finding=finding,
            version=version,
            act=Act.UNDO,
            status_before=before,
            status_after=last.status_before,
            reason_before=last.reason,
            undoes=last,
            actor=by.user,
        )


def _ends_of(decision: Decision | None) -> dict[str, Any]:
    """The day and the version until which a decision accepted its finding, as it stored them."""
    told = decision.details if decision else {}
    day, number = told.get(UNTIL), told.get(UNTIL_VERSION)
    return {
        UNTIL: date.fromisoformat(day) if day else None,
        UNTIL_VERSION: int(number) if number else None,
    }


def _standing(finding: Finding) -> QuerySet[Decision]:
    """The decisions on a finding that nobody took back."""
    return finding.decisions.filter(undone_by=None).exclude(act=Act.UNDO)


def _dismissible(by: Membership, finding: Finding) -> None:
    if not may_dismiss(by, finding):
        raise NotAllowed(_who_may(finding))


def _who_may(finding: Finding) -> str:
    if finding.severity == Severity.BLOCK:
        return (
            "A block is decided by a reviewer or a manager who did not edit the proposal last. "
            "Nothing was changed."
        )
    return (
        "A reviewer or a manager decides this; writers dismiss what is only to consider, on "
        "their own proposals. Nothing was changed."
    )


def _edited_last(by: Membership, proposal: Proposal) -> bool:
    # All versions, so that a page that has prefetched them asks nothing more.
    newest = max(proposal.versions.all(), key=lambda version: version.number, default=None)
    return newest is not None and newest.uploaded_by_id == by.user_id


def _decide(
    by: Membership,
    finding: Finding,
    version: Version,
    act: str,
    to: str,
    reason: str = "",
    *,
    batch: str = "",
    until: date | None = None,
    until_version: int | None = None,
) -> Finding:
    before, reason_before = finding.status, finding.decision_reason
    rechecked = finding.recheck
    with transaction.atomic():
        hold_row(Proposal, finding.proposal_id)
        ends = {UNTIL: until, UNTIL_VERSION: until_version}
        _set_status(by, finding, version, to, reason, why=reason, ends=ends)
        Decision.objects.create(
            batch=batch,
            details={name: str(end) for name, end in ends.items() if end is not None}
            | ({RECHECK: rechecked} if finding.recheck != rechecked else {}),
            finding=finding,
            version=version,
            act=act,
            reason=reason,
            status_before=before,
            status_after=to,
            reason_before=reason_before,
            actor=by.user,
        )
    return finding


def _set_status(
    by: Membership,
    finding: Finding,
    version: Version,
    to: str,
    reason: str,
    *,
    why: str,
    is_undo: bool = False,
    undone: Decision | None = None,
    back_to: Decision | None = None,
    ends: dict[str, Any] | None = None,
) -> None:
    """Move a finding; where the decision `undone` is taken back, `back_to` counts again.

    `ends` are the day and the version until which it is accepted.
    """
    decided = to != Status.OPEN
    is_confirmed = finding.recheck == Finding.Verdict.DOES_NOT_HOLD
    more: dict[str, Any] = {}
    guard: dict[str, str] = {}
    if to == Status.FIX_CLAIMED and not is_undo and not is_confirmed:
        # The claim is about the text from now on; it is looked at when that changes.
        more = {"recheck": Finding.Verdict.NONE}
        guard = {"recheck": finding.recheck} if finding.status == to else {}
    elif undone is not None and RECHECK in undone.details and finding.recheck == "none":
        more = {"recheck": undone.details[RECHECK]}
    move(
        finding,
        to,
        by=by,
        workspace_id=by.workspace_id,
        proposal_id=finding.proposal_id,
        why=why,
        is_undo=is_undo,
        guard=guard,
        decision_reason=reason,
        decided_by=(back_to.actor if back_to else by.user) if decided else None,
        decided_at=(back_to.at if back_to else timezone.now()) if decided else None,
        decided_version=(back_to.version if back_to else version) if decided else None,
        **(ends or _ends_of(None)),
        **more,
    )

"""Learnings: proposed by one person, approved by another, and ended with a reason.

A wording reaches readings only once a second person approved it, or once the workspace's
waiting time has passed and nobody declined it. A change of words is the next version, which
waits in the same way while the one in force goes on. What a *do not raise* wording holds back
is settled by the findings it came from when it was written: others that are merged into it
later count from its next wording on.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone

from reviewer.models import (
    Finding,
    Learning,
    LearningSource,
    LearningVersion,
    Membership,
    Workspace,
)
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.learning_rows import (
    add_sources,
    change,
    end,
    into_force,
    locked,
    next_number,
    tell,
    waits_until,
    write_version,
)
from reviewer.services.learning_words import (
    Wording,
    reason_given,
    refuse_past,
    refuse_scope,
    refuse_sources,
    refuse_strangers,
    usable,
)
from reviewer.services.policy import learning_wait_days
from reviewer.services.storable import storable, typed_text

Status = Learning.Status

OPEN = frozenset({Status.PROPOSED, Status.IN_FORCE})


def may_promote(by: Membership) -> bool:
    """Reviewers and managers propose learnings, reword them, and say what is the same."""
    return by.may_triage


def may_approve(by: Membership, learning: Learning) -> bool:
    """Managers, where something waits that they did not word themselves."""
    pending = learning.pending
    return (
        by.is_manager
        and by.workspace_id == learning.workspace_id
        and pending is not None
        and pending.by_id != by.user_id
    )


def may_decline(by: Membership, learning: Learning) -> bool:
    """Managers; and who worded what waits, who so withdraws it."""
    pending = learning.pending
    return (
        by.workspace_id == learning.workspace_id
        and pending is not None
        and (by.is_manager or (by.may_triage and pending.by_id == by.user_id))
    )


def may_retire(by: Membership, learning: Learning) -> bool:
    """Managers, where it is in force."""
    return (
        by.is_manager
        and by.workspace_id == learning.workspace_id
        and learning.status == Status.IN_FORCE
    )


def promote(
    *,
    actor: Membership,
    workspace: Workspace,
    kind: str,
    text: str,
    rule: str = "",
    phrase: str = "",
    instead: str = "",
    client: str = "",
    proposal_kind: str = "",
    expires_on: date | None = None,
    findings: Sequence[Finding] = (),
    supersedes: Learning | None = None,
) -> Learning:
    """Propose a learning; it waits for a second person, or for the workspace's waiting time.

    `rule` is a code of the rubric, or empty. `client` and `proposal_kind` narrow its scope;
    empty is all. `findings` are where it came from, kept with their words. `supersedes` is the
    one whose place it takes once it is in force. Raises NotAllowed for a writer or an
    outsider, Refused where it cannot be used as it is worded.
    """
    _promoter(actor, workspace)
    worded = usable(kind, Wording(text, phrase, instead))
    refuse_scope(workspace, rule, proposal_kind, expires_on)
    refuse_sources(actor, kind, findings)
    if supersedes is not None and (
        supersedes.workspace_id != workspace.pk or supersedes.status != Status.IN_FORCE
    ):
        raise Refused("Only a learning that is in force is superseded. Nothing was proposed.")
    now = timezone.now()
    with transaction.atomic():
        learning = Learning.objects.create(
            workspace=workspace,
            number=next_number(workspace),
            kind=kind,
            rule=rule,
            client=storable(" ".join(client.split()))[:120],
            proposal_kind=proposal_kind,
            author=actor.user,
            expires_on=expires_on,
            replaces=supersedes,
        )
        version = write_version(learning, actor, worded, now)
        change(learning, pending=version, pending_from=waits_until(workspace, now))
        add_sources(learning, findings, actor, now)
        why = f"supersedes {supersedes.number}" if supersedes else ""
        tell(learning, "proposed", actor, to_state=Status.PROPOSED, why=why)
    return learning


def revise(
    *,
    learning: Learning,
    actor: Membership,
    text: str,
    phrase: str = "",
    instead: str = "",
    why: str = "",
    based_on: int | None = None,
) -> LearningVersion:
    """Word a learning anew; the wording in force goes on until the new one is approved.

    `based_on` is the number of the newest wording that was seen, where that is known. Raises
    Refused where it has ended or nothing is different, MovedMeanwhile where somebody else worded
    it since.
    """
    _promoter(actor, learning.workspace)
    if learning.status not in OPEN:
        raise Refused(f"This learning is {learning.get_status_display()}. Propose a new one.")
    _refuse_stale(learning, based_on)
    worded = usable(learning.kind, Wording(text, phrase, instead))
    was = learning.newest
    if (was.text, was.phrase, was.instead) == (worded.text, worded.phrase, worded.instead):
        raise Refused("Nothing is different from the wording it has, so no version was made.")
    now = timezone.now()
    with transaction.atomic():
        seen = locked(learning)
        version = write_version(seen, actor, worded, now)
        changes: dict[str, Any] = {
            "pending": version,
            "pending_from": waits_until(learning.workspace, now),
        }
        if learning.status == Status.PROPOSED:
            changes["author"] = actor.user
        change(learning, **changes)
        tell(learning, "worded anew", actor, to_state=str(version.number), why=typed_text(why))
    return version


def approve(*, learning: Learning, actor: Membership, based_on: int | None = None) -> Learning:
    """Put what waits into force, as a second person. Reviews that start from now on use it.

    `based_on` is the number of the wording that was read, where that is known. Raises
    NotAllowed for who is no manager or worded it, Refused where nothing waits or its last day
    has passed, MovedMeanwhile where another wording waits by now.
    """
    _of_house(actor, learning)
    _refuse_stale(learning, based_on)
    pending = learning.pending
    if pending is None:
        raise Refused("Nothing of this learning waits for approval, so nothing was changed.")
    if not may_approve(actor, learning):
        raise NotAllowed(
            "A learning is approved by a manager who did not word it. Nothing was changed."
        )
    if learning.has_expired:
        raise Refused("Its last day has passed. Set a later one first; nothing was approved.")
    now = timezone.now()
    with transaction.atomic():
        into_force(learning, actor, now, approved_by=actor.user, approved_at=now)
    return learning


def decline(
    *, learning: Learning, actor: Membership, why: str, based_on: int | None = None
) -> Learning:
    """Turn down what waits, with the reason. A wording that is in force goes on.

    `based_on` is as for `approve`. Raises NotAllowed for who is neither a manager nor worded it.
    """
    _of_house(actor, learning)
    _refuse_stale(learning, based_on)
    pending = learning.pending
    if pending is None:
        raise Refused("Nothing of this learning waits for approval, so nothing was changed.")
    if not may_decline(actor, learning):
        raise NotAllowed("A manager declines what was proposed, or who proposed it.")
    reason = reason_given(why)
    with transaction.atomic():
        if learning.status == Status.PROPOSED:
            end(learning, Status.DECLINED, actor, reason)
        else:
            change(learning, pending=None, pending_from=None)
            tell(
                learning,
                "new wording declined",
                actor,
                from_state=str(pending.number),
                why=reason,
            )
    return learning


def retire(*, learning: Learning, actor: Membership, why: str) -> Learning:
    """Take a learning out of use, with the reason. Managers only.

    Reviews that run go on with what they pinned. Text that was read with it stays read, and
    what a *do not raise* learning held back stays listed and is not raised by itself: it comes
    up where the text is read again, or where a person raises it.
    """
    _of_house(actor, learning)
    if not actor.is_manager:
        raise NotAllowed("Only a manager retires a learning. Nothing was changed.")
    if learning.status != Status.IN_FORCE:
        raise Refused(
            f"This learning is {learning.get_status_display()}, so there is nothing to retire."
        )
    with transaction.atomic():
        end(learning, Status.RETIRED, actor, reason_given(why))
    return learning


def set_expiry(*, learning: Learning, actor: Membership, expires_on: date | None) -> Learning:
    """Set the last day on which it is given; None for no end. Managers only."""
    _of_house(actor, learning)
    if not actor.is_manager:
        raise NotAllowed("Only a manager changes how long a learning is in force.")
    if learning.status not in OPEN:
        raise Refused(f"This learning is {learning.get_status_display()}: it has ended.")
    refuse_past(expires_on)
    before = learning.expires_on
    with transaction.atomic():
        change(learning, expires_on=expires_on)
        tell(
            learning,
            "last day changed",
            actor,
            from_state=str(before or ""),
            to_state=str(expires_on or ""),
        )
    return learning


def merge_into(
    *, learning: Learning, findings: Sequence[Finding], actor: Membership
) -> list[LearningSource]:
    """Add findings to those a learning came from; returns the sources that are new.

    Its wording stays. Raises Refused where it has ended, or a finding is not of this house.
    """
    _promoter(actor, learning.workspace)
    if learning.status not in OPEN:
        raise Refused(f"This learning is {learning.get_status_display()}: it takes no findings.")
    refuse_strangers(actor, findings)
    with transaction.atomic():
        locked(learning)
        added = add_sources(learning, findings, actor, timezone.now())
        if added:
            tell(
                learning,
                "findings merged into it",
                actor,
                why=", ".join(f"{s.proposal_title} #{s.finding_number}" for s in added),
            )
    return added


def settle_waiting(workspace: Workspace | None = None) -> int:
    """Put into force what has waited as long as its workspace says; returns how many.

    A workspace that asks for a person today leaves what waits to a person.
    """
    now = timezone.now()
    due = Learning.objects.filter(
        pending__isnull=False, pending_from__lte=now, status__in=OPEN
    ).select_related("pending", "workspace", "replaces")
    if workspace is not None:
        due = due.filter(workspace=workspace)
    settled = 0
    for learning in due.order_by("pk"):
        if learning.has_expired or not learning_wait_days(learning.workspace):
            continue
        try:
            with transaction.atomic():
                into_force(learning, None, now, approved_by=None, approved_at=None)
        except MovedMeanwhile:
            continue
        settled += 1
    return settled


def _promoter(actor: Membership, workspace: Workspace) -> None:
    if actor.workspace_id != workspace.pk or not may_promote(actor):
        raise NotAllowed("Reviewers and managers of the workspace propose learnings.")


def _refuse_stale(learning: Learning, based_on: int | None) -> None:
    if based_on is not None and based_on != learning.newest.number:
        raise MovedMeanwhile(
            "Somebody else worded this learning since you opened it, so nothing was changed. "
            "What you typed is kept; the newer wording stands below. Look at it and decide."
        )


def _of_house(actor: Membership, learning: Learning) -> None:
    if actor.workspace_id != learning.workspace_id:
        raise NotAllowed("Only members of the workspace can do this.")

"""The rows of a learning: each change is conditional on what was seen, and is an event."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max
from django.utils import timezone

from reviewer.models import (
    Finding,
    Learning,
    LearningSource,
    LearningVersion,
    Membership,
    Workspace,
)
from reviewer.services.errors import MovedMeanwhile
from reviewer.services.events import move, record
from reviewer.services.learning_words import Wording
from reviewer.services.policy import learning_wait_days

Status = Learning.Status
SOMEBODY_ELSE = (
    "Somebody else changed this learning a moment ago, so nothing was changed. Look at it again "
    "and decide."
)


def into_force(learning: Learning, by: Membership | None, now: datetime, **approval: Any) -> None:
    """What is pending becomes what is given, by a person or because it has waited; what it
    replaces is superseded."""
    pending, before = learning.pending, learning.status
    assert pending is not None
    change(
        learning,
        status=Status.IN_FORCE,
        current=pending,
        pending=None,
        pending_from=None,
        author=pending.by,
        in_force_from=None if by else learning.pending_from,
        in_force_at=now,
        **approval,
    )
    tell(
        learning,
        "approved" if by else "came into force",
        by,
        from_state=before,
        to_state=Status.IN_FORCE,
        why=f"version {pending.number}",
    )
    replaced = learning.replaces
    if replaced is not None and before == Status.PROPOSED:
        replaced.refresh_from_db()
        if replaced.status == Status.IN_FORCE:
            end(
                replaced,
                Status.SUPERSEDED,
                by,
                f"superseded by {learning.number}",
                superseded_by=learning,
            )


def end(learning: Learning, to: str, by: Membership | None, why: str, **more: Any) -> None:
    """Move a learning to a state in which it has ended, with who and why."""
    move(
        learning,
        to,
        by=by,
        workspace_id=learning.workspace_id,
        proposal_id=None,
        why=why,
        guard={"current": learning.current_id, "pending": learning.pending_id},
        ended_by=by.user if by else None,
        ended_at=timezone.now(),
        ended_why=why,
        **more,
    )


def change(learning: Learning, **changes: Any) -> None:
    """Change a learning that is still as it was seen; MovedMeanwhile where it is not."""
    seen = Learning.objects.filter(
        pk=learning.pk,
        status=learning.status,
        current=learning.current_id,
        pending=learning.pending_id,
    )
    if seen.update(**changes) != 1:
        raise MovedMeanwhile(SOMEBODY_ELSE)
    for name, value in changes.items():
        setattr(learning, name, value)


def locked(learning: Learning) -> Learning:
    """The row, locked, for whoever adds to it."""
    return Learning.objects.select_for_update(no_key=True, of=("self",)).get(pk=learning.pk)


def write_version(
    learning: Learning, actor: Membership, worded: Wording, now: datetime
) -> LearningVersion:
    """Append the next wording of a learning."""
    last = learning.versions.aggregate(last=Max("number"))["last"] or 0
    return LearningVersion.objects.create(
        learning=learning,
        number=last + 1,
        kind=learning.kind,
        text=worded.text,
        phrase=worded.phrase,
        instead=worded.instead,
        by=actor.user,
        at=now,
    )


def next_number(workspace: Workspace) -> int:
    """The next number of the workspace; its row is locked until the transaction ends."""
    Workspace.objects.select_for_update(no_key=True).only("pk").get(pk=workspace.pk)
    return (workspace.learnings.aggregate(last=Max("number"))["last"] or 0) + 1


def add_sources(
    learning: Learning, findings: Sequence[Finding], actor: Membership, now: datetime
) -> list[LearningSource]:
    """Keep the words of the findings that are not among its sources yet."""
    known = set(learning.sources.values_list("finding", flat=True))
    added = [
        LearningSource(
            learning=learning,
            finding=finding,
            proposal=finding.proposal,
            proposal_title=finding.proposal.title,
            client=finding.proposal.client,
            finding_number=finding.number,
            sheet=finding.sheet,
            severity=finding.severity,
            rule=finding.rule,
            quote=finding.quote,
            text=finding.text,
            why=finding.decision_reason,
            by=actor.user,
            at=now,
        )
        for finding in dict.fromkeys(findings)
        if finding.pk not in known
    ]
    return LearningSource.objects.bulk_create(added)


def tell(
    learning: Learning,
    verb: str,
    by: Membership | None,
    *,
    from_state: str = "",
    to_state: str = "",
    why: str = "",
) -> None:
    """Append one event of a learning."""
    record(
        workspace=learning.workspace_id,
        subject=learning,
        verb=verb,
        by=by,
        from_state=from_state,
        to_state=to_state,
        why=why,
    )


def waits_until(workspace: Workspace, now: datetime) -> datetime | None:
    """When the waiting time of what is proposed now ends; None where a person must approve."""
    days = learning_wait_days(workspace)
    return now + timedelta(days=days) if days else None

"""Moves of state and the events that tell of them, always together."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import models, transaction

from reviewer.models import Event, Membership, Workspace
from reviewer.services.errors import MovedMeanwhile

Moving = Any
"""A model with `status`, `MOVES` and a primary key."""


def record(
    *,
    workspace: Workspace | int,
    subject: models.Model,
    verb: str,
    by: Membership | None,
    from_state: str = "",
    to_state: str = "",
    why: str = "",
    proposal_id: int | None = None,
    review_id: int | None = None,
) -> Event:
    """Append one event; call it in the transaction of the change it tells of."""
    return Event.objects.create(
        workspace_id=workspace.pk if isinstance(workspace, Workspace) else workspace,
        subject=str(subject._meta.model_name),
        subject_id=subject.pk,
        proposal_id=proposal_id,
        verb=verb,
        from_state=from_state,
        to_state=to_state,
        why=why,
        review_id=review_id,
        actor=by.user if by else None,
    )


def move(
    thing: Moving,
    to: str,
    *,
    by: Membership | None,
    workspace_id: int,
    proposal_id: int | None,
    why: str = "",
    review_id: int | None = None,
    guard: dict[str, Any] | None = None,
    is_undo: bool = False,
    **changes: str | int | float | bool | datetime | Decimal | list[Any] | models.Model | None,
) -> None:
    """Move `thing` from the state in which it was loaded to `to`, or raise MovedMeanwhile.

    The update is conditional on that state (and on `guard`), so of two that act at once
    one wins and the other is told. `changes` are further fields set in the same update.
    `is_undo` takes a move back: allowed is what may lead from `to` to here.
    """
    before, moves = thing.status, type(thing).MOVES
    if (before not in moves[to]) if is_undo else (to not in moves[before]):
        raise MovedMeanwhile(
            f"This is “{thing.get_status_display()}” now, so nothing was changed. "
            "Look at it again and decide."
        )
    with transaction.atomic(savepoint=False):
        moved = (
            type(thing)
            .objects.filter(pk=thing.pk, status=before, **(guard or {}))
            .update(status=to, **changes)
        )
        if moved == 1:
            record(
                workspace=workspace_id,
                subject=thing,
                verb="moved",
                by=by,
                from_state=before,
                to_state=to,
                why=why,
                proposal_id=proposal_id,
                review_id=review_id,
            )
    if moved != 1:
        raise MovedMeanwhile(
            "Somebody else changed this a moment ago, so nothing was changed. "
            "Look at it again and decide."
        )
    thing.status = to
    for name, value in changes.items():
        setattr(thing, name, value)

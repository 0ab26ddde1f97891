"""Runs that a worker makes beside reviews, calibrations and replays: whose turn it is.

Their rows exist before their messages. A run is claimed by a conditional update with a lease,
sent again where its message or its worker was lost, and ended once, by who holds it.
"""

import secrets
from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from reviewer.models.run import Run
from reviewer.services.lease import lease_from

MAX_ATTEMPTS = 3
"""A run that has taken so many workers with it does not get another."""
GAVE_UP = "It did not come to its end. Run it again."

RUNNING = Run.Status.RUNNING

OneRun = TypeVar("OneRun", bound=Run)


def claim_run(rows: type[OneRun], pk: int) -> OneRun | None:
    """The run, held by a lease from now on; None where it is over or somebody else has it."""
    run = rows._default_manager.filter(_claimable(), pk=pk).select_related("workspace").first()
    if run is None:
        return None
    claimed = rows._default_manager.filter(
        pk=pk, status=RUNNING, token=run.token, attempts=run.attempts
    ).update(
        token=secrets.token_hex(16),
        leased_until=lease_from(timezone.now()),
        attempts=run.attempts + 1,
    )
    if claimed != 1:
        return None
    run.refresh_from_db(fields=["token", "leased_until", "attempts"])
    return run


def waiting_runs(rows: type[Run]) -> list[int]:
    """Runs that no worker has and no message in sight will bring."""
    unseen = timezone.now() - timedelta(seconds=settings.RESEND_SECONDS)
    waiting = rows._default_manager.filter(_claimable()).exclude(
        sent_at__gt=unseen, leased_until=None
    )
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def end_run(run: Run, status: str, **changes: object) -> bool:
    """End a run that is held; whether it was. Call it in the transaction that tells of it."""
    held = type(run)._default_manager.filter(pk=run.pk, status=RUNNING, token=run.token)
    return held.update(status=status, leased_until=None, **changes) == 1


def _claimable() -> Q:
    return Q(status=RUNNING) & (Q(leased_until=None) | Q(leased_until__lt=timezone.now()))

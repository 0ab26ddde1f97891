"""A lease is kept while its worker lives, so that a dead worker's work is soon taken up."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError
from django.db import connection as database
from django.db.models import QuerySet
from django.utils import timezone

from reviewer.models import Calibration, Export, Reading, Replay, Version

Claimed = Reading | Version | Export | Calibration | Replay
_Rows = (
    QuerySet[Reading]
    | QuerySet[Version]
    | QuerySet[Export]
    | QuerySet[Calibration]
    | QuerySet[Replay]
)

log = logging.getLogger(__name__)


def lease_from(now: datetime) -> datetime:
    """Until when a lease holds that is taken or renewed at `now`."""
    return now + timedelta(seconds=settings.LEASE_SECONDS)


@contextmanager
def kept_lease(claimed: Claimed) -> Iterator[None]:
    """Renew the lease of a claimed row from a thread until the block ends.

    A lease that was lost is not taken back: the update names the token of this claim.
    """
    stop = threading.Event()
    mine: _Rows = type(claimed).objects.filter(
        pk=claimed.pk, token=claimed.token, status=claimed.status
    )
    thread = threading.Thread(target=_renew, args=(mine, stop), name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=5)


def release_database() -> None:
    """Let the connection go before something slow, so that nothing is held meanwhile."""
    if not database.in_atomic_block:
        database.close()


def _renew(mine: _Rows, stop: threading.Event) -> None:
    while not stop.wait(settings.LEASE_SECONDS / 3):
        try:
            mine.update(leased_until=lease_from(timezone.now()))
        except DatabaseError as error:
            # The next turn renews it before it lapses; the work itself goes on.
            log.warning("A lease could not be renewed: %s", error)
        finally:
            database.close()

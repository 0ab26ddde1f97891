"""A lease is kept while its worker lives, so that a dead worker's work is soon taken up."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.db import connection as database
from django.utils import timezone

from reviewer.models import Reading


@contextmanager
def kept_lease(reading: Reading) -> Iterator[None]:
    """Renew the lease of a claimed reading from a thread until the block ends.

    A lease that was lost is not taken back: the update names the token of this claim.
    """
    stop = threading.Event()
    thread = threading.Thread(
        target=_renew, args=(reading.pk, reading.token, stop), name="lease", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=5)


def _renew(pk: int, token: str, stop: threading.Event) -> None:
    while not stop.wait(settings.LEASE_SECONDS / 3):
        until = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
        try:
            Reading.objects.filter(pk=pk, token=token, status=Reading.Status.CLAIMED).update(
                leased_until=until
            )
        finally:
            database.close()

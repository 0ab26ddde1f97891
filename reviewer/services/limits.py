"""The limits of a conversion, and how many this process makes at once, as its settings say."""

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from reviewer.documents.limits import Limits
from reviewer.services.lease import release_database


def conversion_limits() -> Limits:
    """Limits for the child process that converts a file, from the settings."""
    return Limits(
        max_bytes=settings.MAX_UPLOAD_MB * 1024 * 1024,
        max_sheets=settings.MAX_SHEETS,
        seconds=settings.CONVERSION_SECONDS,
    )


@contextmanager
def room_to_convert(*, patience: float | None = None) -> Iterator[None]:
    """Wait until one more child may read or make a file; it has its place until the block ends.

    A process has CONVERSIONS_AT_ONCE places, so that its children's memory is bounded by so
    many times their limit. No database connection is held from here on. Raises TimeoutError
    after `patience` seconds, where given.
    """
    release_database()
    places = _places(settings.CONVERSIONS_AT_ONCE)
    if not places.acquire(timeout=patience):
        raise TimeoutError(f"No file could be opened within {patience} s: others are.")
    try:
        yield
    finally:
        places.release()


@functools.cache
def _places(number: int) -> threading.BoundedSemaphore:
    return threading.BoundedSemaphore(number)

"""Findings of an answer are stored while it streams, so that people see them at once."""

import logging
import threading
import time

from django.db import DatabaseError
from django.db import connection as database

from reviewer.core.answers import ReadFinding
from reviewer.core.stream import StreamedFindings
from reviewer.models import Reading, Review
from reviewer.services.ground import Ground
from reviewer.services.lease import release_database
from reviewer.services.merging import record_sightings

log = logging.getLogger(__name__)

LOOK_FOR_CANCEL_SECONDS = 2.0
FIRST_WAITS_SECONDS = 0.05
"""How long the first finding waits for those that come in one burst with it."""
STORE_AFTER_SECONDS = 0.3
"""How long after findings were stored the next ones wait for each other."""


class Listener:
    """Stores findings as they close, and looks now and then whether to go on.

    They are stored from a thread of their own: an answer that pauses does not keep back what
    it has said, a burst costs few writes, and an answer that is whole at once costs none
    beside its record. So does one that is asked for within a transaction, of which nobody
    would see anything before its end. `stop` must be called when nothing more is to be heard.
    """

    def __init__(self, reading: Reading, ground: Ground) -> None:
        self._reading = reading
        self.ground = ground
        given = {number for number, _ in reading.learnings}
        self._findings = StreamedFindings(sheets=ground.texts, learnings=given)
        self._started = time.monotonic()
        self._looked = self._started
        self._lock = threading.Lock()
        self._held: list[ReadFinding] = []
        self._storing: threading.Timer | None = None
        self.may_have_stored = False
        """Whether anything can be stored: a database that failed may have stored it all the same."""
        self.was_cancelled = False
        self.first_finding_seconds: float | None = None

    def hear(self, fragment: str) -> None:
        """Take what arrived."""
        closed = self._findings.feed(fragment)
        if not closed:
            return
        is_first = self.first_finding_seconds is None
        if is_first:
            self.first_finding_seconds = round(time.monotonic() - self._started, 3)
        if database.in_atomic_block:
            return
        with self._lock:
            self._held += closed
            if self._storing is None:
                self._store_in(FIRST_WAITS_SECONDS if is_first else STORE_AFTER_SECONDS)

    def stop(self) -> None:
        """Store nothing more; what is held comes again when the answer is read whole."""
        with self._lock:
            self._held = []
            storing = self._storing
        if storing is not None:
            storing.cancel()
            storing.join()

    def is_cancelled(self) -> bool:
        """Whether the review was cancelled, or another worker has the reading."""
        now = time.monotonic()
        if not self.was_cancelled and now - self._looked >= LOOK_FOR_CANCEL_SECONDS:
            self._looked = now
            self.was_cancelled = not Reading.objects.filter(
                pk=self._reading.pk,
                token=self._reading.token,
                review__status__in=Review.Status.running(),
            ).exists()
            release_database()
        return self.was_cancelled

    def _store_in(self, seconds: float) -> None:
        self._storing = threading.Timer(seconds, self._store_held)
        self._storing.daemon = True
        self._storing.start()

    def _store_held(self) -> None:
        with self._lock:
            held, self._held = self._held, []
        try:
            self._store(held)
        finally:
            database.close()
        with self._lock:
            self._storing = None
            if self._held:
                self._store_in(STORE_AFTER_SECONDS)

    def _store(self, held: list[ReadFinding]) -> None:
        self.may_have_stored = True
        try:
            record_sightings(self._reading, held, self.ground)
        except DatabaseError as error:
            # The answer goes on; what is missing is stored when it is read whole.
            log.warning("Findings could not be stored as they came: %s", error)

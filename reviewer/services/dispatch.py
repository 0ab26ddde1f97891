"""Which readings are sent to workers now: so many at once, the first of a review alone.

The first reading of a review starts alone, so that the rest meet a warm prompt cache; they
are sent in the order in which they were laid out. The number of calls at once is the
workspace's, whatever the number of workers.
"""

import threading
from contextlib import nullcontext
from datetime import timedelta
from itertools import islice

from django.conf import settings
from django.db import connection as database
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from reviewer.models import ModelSettings, Reading, Review
from reviewer.models.reading import ReadingQuerySet
from reviewer.services.queue import send_taken_reading, take_unsent_reading

Status = Reading.Status
OVER = [Status.DONE, Status.CANCELLED]


def send_next(workspace_id: int, *, at_once: int | None = None) -> int:
    """Send as many waiting readings of the workspace as may run now; returns how many.

    Each is taken before it is sent, so that workers that finish together send it once; who
    comes second sends the next. They are told when the running transaction, if any, has
    committed. `at_once` is for who has the workspace's settings loaded.
    """
    at_once = at_once or calls_at_once(workspace_id)
    # Threads that finish together would all look at the same few. Not within a transaction,
    # for which others may wait in turn.
    with nullcontext() if database.in_atomic_block else _choosing:
        due = list(_due(workspace_id).values_list("pk", flat=True)[:at_once])
        room = max(0, at_once - in_flight(workspace_id).count()) if due else 0
        taken = list(islice(filter(take_unsent_reading, due), room))
    for pk in taken:
        send_taken_reading(pk)
    return len(taken)


_choosing = threading.Lock()


def calls_at_once(workspace_id: int) -> int:
    """How many calls the workspace may have under way."""
    own = ModelSettings.objects.filter(workspace=workspace_id).first()
    return (own or ModelSettings()).calls_at_once


def lost_readings() -> list[int]:
    """Readings whose worker is gone, or whose message no worker has met in time."""
    unseen = timezone.now() - timedelta(seconds=settings.RESEND_SECONDS)
    rows = Reading.objects.claimable().filter(
        Q(status=Status.CLAIMED) | Q(sent_at__lte=unseen),
        review__provenance=Review.Provenance.LIVE,
    )
    return list(rows.order_by("review", "pk").values_list("pk", flat=True))


def in_flight(workspace_id: int) -> ReadingQuerySet:
    """Readings that a worker has, or whose message is on its way."""
    sent = Q(status=Status.WAITING, sent_at__isnull=False)
    return _of(workspace_id).filter(_claimed() | sent)


def being_asked(workspace_id: int) -> ReadingQuerySet:
    """Readings that a living worker has claimed."""
    return _of(workspace_id).filter(_claimed())


def _claimed() -> Q:
    return Q(status=Status.CLAIMED, leased_until__gte=timezone.now())


def _of(workspace_id: int) -> ReadingQuerySet:
    """Recorded answers are nobody's to ask for, so their readings are never sent."""
    return Reading.objects.filter(
        review__version__proposal__workspace=workspace_id,
        review__status__in=Review.Status.running(),
        review__provenance=Review.Provenance.LIVE,
    )


def _due(workspace_id: int) -> ReadingQuerySet:
    of_review = Reading.objects.filter(review=OuterRef("review"))
    begun = of_review.filter(status__in=OVER)
    first = of_review.order_by("pk").values("pk")[:1]
    return (
        _of(workspace_id)
        .filter(status=Status.WAITING, sent_at=None)
        .filter(Exists(begun) | Q(pk=first))
        .order_by("review", "pk")
    )

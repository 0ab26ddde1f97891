"""Work that lost its message or its worker is sent again, from the rows alone; what waits for
a day and has reached it goes on."""

from django.db import transaction

from reviewer.models import Calibration, Reading, Replay, Review
from reviewer.services.conversion import waiting_versions
from reviewer.services.dispatch import lost_readings, send_next
from reviewer.services.exports import waiting_exports
from reviewer.services.learnings import settle_waiting
from reviewer.services.queue import (
    send_calibration,
    send_export,
    send_reading,
    send_replay,
    send_version,
)
from reviewer.services.reviews import advance_review
from reviewer.services.runs import waiting_runs


def send_again() -> int:
    """Re-send what waits and go on with what was left; returns how many messages were sent."""
    lost = (
        (waiting_versions(), send_version),
        (lost_readings(), send_reading),
        (waiting_exports(), send_export),
        (waiting_runs(Calibration), send_calibration),
        (waiting_runs(Replay), send_replay),
    )
    for rows, send_one in lost:
        for pk in rows:
            send_one(pk)
    # A worker that died after its last answer left a step untaken.
    running = Review.objects.running().filter(provenance=Review.Provenance.LIVE)
    left_open = running.exclude(
        readings__status__in=[Reading.Status.WAITING, Reading.Status.CLAIMED]
    )
    for pk in left_open.values_list("pk", flat=True):
        advance_review(pk)
    # One that died after an answer before that left others unsent that may run now.
    sent = 0
    for workspace in set(running.values_list("version__proposal__workspace", flat=True)):
        with transaction.atomic():
            sent += send_next(workspace)
    settle_waiting()
    return sum(len(rows) for rows, _ in lost) + sent

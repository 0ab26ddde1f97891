"""Work that lost its message or its worker is sent again, from the rows alone; what waits for
a day and has reached it goes on."""

from django.db import transaction

from reviewer.models import Reading, Review
from reviewer.services.calibration import give_up_old_runs
from reviewer.services.conversion import waiting_versions
from reviewer.services.dispatch import lost_readings, send_next
from reviewer.services.exports import waiting_exports
from reviewer.services.learnings import settle_waiting
from reviewer.services.queue import send_export, send_reading, send_version
from reviewer.services.reviews import advance_review


def send_again() -> int:
    """Re-send what waits and go on with what was left; returns how many messages were sent."""
    versions, readings, exports = waiting_versions(), lost_readings(), waiting_exports()
    for pk in versions:
        send_version(pk)
    for pk in readings:
        send_reading(pk)
    for pk in exports:
        send_export(pk)
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
    give_up_old_runs()
    settle_waiting()
    return len(versions) + len(readings) + len(exports) + sent

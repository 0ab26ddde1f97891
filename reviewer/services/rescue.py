"""Work that lost its message or its worker is sent again, from the rows alone."""

from reviewer.models import Reading, Review
from reviewer.services.conversion import waiting_versions
from reviewer.services.queue import send, send_reading
from reviewer.services.readings import waiting_readings
from reviewer.services.reviews import advance_review


def send_again() -> int:
    """Re-send what waits and end what has nothing left to wait for; returns how many."""
    versions, readings = waiting_versions(), waiting_readings()
    for pk in versions:
        send("convert_version", pk)
    for pk in readings:
        send_reading(pk)
    # A worker that died between its last answer and the end of its review left it open.
    left_open = Review.objects.running().exclude(
        readings__status__in=[Reading.Status.WAITING, Reading.Status.CLAIMED]
    )
    for pk in left_open.values_list("pk", flat=True):
        advance_review(pk)
    return len(versions) + len(readings)

"""What runs, what waits and what failed, for managers; and trying a failed reading again."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from reviewer.core.outcomes import Outcome
from reviewer.models import Membership, Reading, Review, Version, Workspace
from reviewer.models.review import Purpose
from reviewer.services.connection import connection, why_not_connected
from reviewer.services.dispatch import calls_at_once, send_next
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.laying_out import SECOND
from reviewer.services.laying_out import reading as new_reading
from reviewer.services.pictures import read_picture
from reviewer.services.reviews import start_review

FAILED = [
    Outcome.PROVIDER_ERROR,
    Outcome.REFUSAL,
    Outcome.REFUSED_TEXT_CALL,
    Outcome.NO_CALL,
    Outcome.OUT_OF_ROOM,
    Outcome.INVALID_CALL,
    Outcome.NOT_RUN,
]
SHOWN = 50
AGAIN = "It was asked again already."


@dataclass(frozen=True)
class Queue:
    """The readings and conversions of a workspace; the newest failed ones of a week."""

    converting: list[Version]
    running: list[Reading]
    waiting: list[Reading]
    waiting_count: int
    failed: list[Reading]
    calls_at_once: int

    @property
    def is_busy(self) -> bool:
        """Whether it changes by itself."""
        return bool(self.converting or self.running or self.waiting)


def queue_of(workspace: Workspace) -> Queue:
    """A constant number of queries, at most SHOWN rows of each kind."""
    readings = Reading.objects.filter(review__version__proposal__workspace=workspace)
    readings = readings.select_related("review__version__proposal")
    alive = readings.filter(review__status__in=Review.Status.running())
    waiting = alive.filter(status=Reading.Status.WAITING).order_by("review", "pass_number", "pk")
    week = timezone.now() - timedelta(days=7)
    return Queue(
        converting=list(
            Version.objects.filter(
                proposal__workspace=workspace,
                status__in=[Version.Status.WAITING, Version.Status.CONVERTING],
            ).select_related("proposal")[:SHOWN]
        ),
        running=list(alive.filter(status=Reading.Status.CLAIMED).order_by("started_at")[:SHOWN]),
        waiting=list(waiting[:SHOWN]),
        waiting_count=waiting.count(),
        failed=list(
            readings.filter(
                status=Reading.Status.DONE,
                outcome__in=FAILED,
                finished_at__gte=week,
                followed_by=None,
                review__provenance=Review.Provenance.LIVE,
            )
            .select_related("answer")
            .defer("answer__raw")
            .order_by("-finished_at")[:SHOWN]
        ),
        calls_at_once=calls_at_once(workspace.pk),
    )


def retry_reading(*, by: Membership, reading: Reading) -> None:
    """Ask again for a reading that failed.

    In a review that still runs a new reading follows it; after its end a review of what is
    still due is started: of that picture alone, where it was read from one. Raises Refused
    where it did not fail, was asked again already, or no model is connected.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can have a failed reading asked again.")
    if reading.status != Reading.Status.DONE or reading.outcome not in FAILED:
        raise Refused("This reading did not fail, so nothing was asked again.")
    if connection(by.workspace_id) is None:
        raise Refused(why_not_connected(by.workspace_id))
    with transaction.atomic():
        # Locked, so that it does not end between this look at it and the new reading.
        review = Review.objects.select_for_update(no_key=True).get(pk=reading.review_id)
        if review.is_running:
            _follow(reading, review)
            send_next(by.workspace_id)
            return
    if review.purpose == Purpose.PICTURE:
        # Text is read where somebody asks for that, not because a picture was not.
        read_picture(by=by, version=review.version, sheet=reading.sheet)
        return
    start_review(by=by, version=review.version, passes=review.passes, depth=review.depth)


def _follow(reading: Reading, review: Review) -> None:
    if reading.followed_by.exists():
        raise Refused(AGAIN)
    again = new_reading(
        review,
        reading.kind,
        sheet=reading.sheet,
        number=reading.pass_number,
        part=f"{reading.part}r"[-24:],
        rules=reading.rules,
        candidates=reading.candidates,
        follows=reading,
        model=review.second_model if reading.part.startswith(SECOND) else "",
    )
    try:
        with transaction.atomic():
            again.save()
    except IntegrityError as error:
        raise Refused(AGAIN) from error

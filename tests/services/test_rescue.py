"""Work that lost its message or its worker is sent again, and nothing else is."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviewer.models import Calibration, ModelSettings, Reading, Replay, Review, Version
from reviewer.services.rescue import send_again
from tests.factories import make_proposal, make_reading, make_review, make_version, make_workspace

NOW = timedelta(0)
LONG_AGO = timedelta(hours=-1)


@pytest.fixture
def rescue(published, django_capture_on_commit_callbacks):
    """Runs the rescue and gives the messages it sent."""

    def run() -> list[tuple[str, int]]:
        published.clear()
        with django_capture_on_commit_callbacks(execute=True):
            send_again()
        return list(published)

    return run


def _review(cast, *, started: bool = True, **fields) -> Review:
    version = make_version(make_proposal(cast.workspace))
    review = make_review(version, status=Review.Status.READING, passes=3, **fields)
    if started:
        make_reading(review, sheet=1)
    return review


def _waiting(review: Review, sheet: int, *, sent: timedelta | None) -> Reading:
    at = None if sent is None else timezone.now() + sent
    return make_reading(review, sheet=sheet, pass_number=2, status="waiting", sent_at=at)


def _claimed(review: Review, sheet: int, *, lease: timedelta) -> Reading:
    return make_reading(
        review,
        sheet=sheet,
        pass_number=3,
        status="claimed",
        leased_until=timezone.now() + lease,
        sent_at=timezone.now() + LONG_AGO,
    )


def test_a_reading_whose_worker_is_dead_is_sent_again(cast, rescue):
    review = _review(cast)
    dead = _claimed(review, 1, lease=timedelta(seconds=-1))
    _claimed(review, 2, lease=timedelta(seconds=30))
    assert rescue() == [("perform_reading", dead.pk)]


def test_a_message_that_no_worker_met_is_sent_again_and_then_waited_for(cast, rescue):
    review = _review(cast)
    lost = _waiting(review, 1, sent=LONG_AGO)
    _waiting(review, 2, sent=NOW)
    assert rescue() == [("perform_reading", lost.pk)]
    assert rescue() == []


def test_what_a_worker_that_died_never_sent_is_sent(cast, rescue):
    review = _review(cast)
    unsent = [_waiting(review, sheet, sent=None) for sheet in (1, 2)]
    assert rescue() == [("perform_reading", reading.pk) for reading in unsent]


def test_while_the_first_reading_runs_the_rest_still_waits_for_it(cast, rescue):
    review = _review(cast, started=False)
    make_reading(
        review, sheet=1, status="claimed", leased_until=timezone.now() + timedelta(minutes=1)
    )
    _waiting(review, 1, sent=None)
    assert rescue() == []
    assert rescue() == []


def test_a_first_reading_that_the_broker_never_took_is_sent(cast, rescue):
    review = _review(cast, started=False)
    first = make_reading(review, sheet=1, status="waiting")
    _waiting(review, 1, sent=None)
    assert rescue() == [("perform_reading", first.pk)]


def test_a_review_that_has_nothing_left_to_wait_for_goes_on(cast, rescue):
    review = _review(cast, depth="quick")
    rescue()
    review.refresh_from_db()
    assert review.status == Review.Status.FINISHED


@pytest.mark.parametrize("status", [Review.Status.FINISHED, Review.Status.CANCELLED])
def test_what_belongs_to_an_ended_review_is_left(cast, rescue, status):
    review = make_review(make_version(make_proposal(cast.workspace)), status=status)
    _waiting(review, 1, sent=None)
    _claimed(review, 2, lease=LONG_AGO)
    assert rescue() == []


def test_recorded_answers_are_nobodys_to_ask_for(cast, rescue):
    review = _review(cast, provenance=Review.Provenance.RECORDED)
    _waiting(review, 1, sent=LONG_AGO)
    _claimed(review, 2, lease=LONG_AGO)
    assert rescue() == []
    Reading.objects.filter(review=review).update(status="done", outcome="read")
    rescue()
    review.refresh_from_db()
    assert review.is_running


def test_versions_that_wait_or_lost_their_worker_are_sent_again(cast, rescue):
    proposal = make_proposal(cast.workspace)
    waits = make_version(proposal, status=Version.Status.WAITING)
    dead = make_version(
        proposal,
        status=Version.Status.CONVERTING,
        leased_until=timezone.now() + timedelta(seconds=-1),
    )
    make_version(
        proposal,
        status=Version.Status.CONVERTING,
        leased_until=timezone.now() + timedelta(seconds=30),
    )
    make_version(proposal)
    make_version(proposal, status=Version.Status.UNREADABLE)
    assert rescue() == [("convert_version", waits.pk), ("convert_version", dead.pk)]


@pytest.mark.parametrize(
    ("make", "task"),
    [
        (
            lambda workspace, model, **fields: Calibration.objects.create(
                workspace=workspace, server="s", model=model, recipe="r", **fields
            ),
            "run_calibration",
        ),
        (
            lambda workspace, model, **fields: Replay.objects.create(
                workspace=workspace if model == "lost" else make_workspace(model), **fields
            ),
            "replay_answers",
        ),
    ],
)
def test_runs_that_lost_their_message_or_their_worker_are_sent_again(cast, rescue, make, task):
    now, soon = timezone.now(), timedelta(seconds=30)
    lost = make(cast.workspace, "lost")
    unmet = make(cast.workspace, "unmet", sent_at=now + LONG_AGO)
    dead = make(cast.workspace, "dead", sent_at=now, leased_until=now - timedelta(seconds=1))
    make(cast.workspace, "sent", sent_at=now)
    make(cast.workspace, "alive", sent_at=now + LONG_AGO, leased_until=now + soon)
    make(cast.workspace, "over", status="done")
    assert rescue() == [(task, run.pk) for run in (lost, unmet, dead)]


def test_leases_of_the_dead_take_no_room_from_the_living(cast, rescue):
    ModelSettings.objects.create(workspace=cast.workspace, calls_at_once=1)
    review = _review(cast)
    dead = _claimed(review, 1, lease=LONG_AGO)
    waits = _waiting(review, 2, sent=None)
    assert rescue() == [("perform_reading", dead.pk), ("perform_reading", waits.pk)]

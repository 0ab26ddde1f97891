"""The queue as a manager sees it, and a failed reading that is asked again, once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviewer.models import Reading, Review
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.model_settings import change_model_settings
from reviewer.services.queue_view import SHOWN, queue_of, retry_reading
from tests.factories import make_proposal, make_reading, make_review, make_version


@pytest.fixture
def version(cast):
    return make_version(make_proposal(cast.workspace, owner=cast.wen))


@pytest.fixture
def connected(cast):
    change_model_settings(by=cast.max, base_url="http://127.0.0.1:9", model="m", second_model="n")


def _failed(version, *, status: str = "reading", **fields) -> Reading:
    review = make_review(version, status=status, second_model="n")
    given = {"outcome": "provider_error", "fault": "timeout", "model": "m", **fields}
    return make_reading(review, sheet=given.pop("sheet", 1), **given)


def test_it_shows_what_runs_what_waits_and_what_failed(cast, version):
    review = make_review(version, status="reading")
    running = make_reading(review, sheet=1, status="claimed")
    waiting = make_reading(review, sheet=2, status="waiting")
    failed = make_reading(review, sheet=3, outcome="no_call")
    make_reading(review, sheet=4)
    converting = make_version(make_proposal(cast.workspace), status="converting")
    queue = queue_of(cast.workspace)
    assert (queue.running, queue.waiting, queue.failed) == ([running], [waiting], [failed])
    assert (queue.converting, queue.waiting_count, queue.calls_at_once) == ([converting], 1, 8)
    assert queue.is_busy
    elsewhere = queue_of(cast.ola.workspace)
    assert not elsewhere.is_busy
    assert elsewhere.failed == []


def test_what_waits_in_a_review_that_ended_waits_for_nothing(cast, version):
    make_reading(make_review(version, status="cancelled"), sheet=1, status="waiting")
    assert not queue_of(cast.workspace).is_busy


def test_old_failures_recorded_ones_and_those_asked_again_are_not_shown(cast, version):
    old = timezone.now() - timedelta(days=7, minutes=1)
    _failed(version, status="finished", finished_at=old)
    recorded = make_review(version, provenance="recorded")
    make_reading(recorded, sheet=1, outcome="no_call")
    made_good = _failed(version, status="finished", sheet=2)
    make_reading(made_good.review, sheet=2, part="r", follows=made_good)
    assert queue_of(cast.workspace).failed == []


def test_however_many_there_are_it_shows_so_many(cast, version, django_assert_num_queries):
    review = make_review(version, status="reading")
    for sheet in range(SHOWN + 5):
        make_reading(review, sheet=sheet, status="waiting")
    with django_assert_num_queries(6):
        queue = queue_of(cast.workspace)
    assert (len(queue.waiting), queue.waiting_count) == (SHOWN, SHOWN + 5)


# Asked again -------------------------------------------------------------------------------


def test_in_a_running_review_the_same_is_asked_again_in_its_place(cast, version, connected):
    failed = _failed(version, sheet=2, pass_number=2, part="a", rules=["grounding"], candidates=[3])
    retry_reading(by=cast.max, reading=failed)
    again = failed.followed_by.get()
    asked = (again.kind, again.sheet, again.pass_number, again.part, again.rules, again.candidates)
    assert asked == ("pass", 2, 2, "ar", ["grounding"], [3])
    assert (again.status, again.model) == ("waiting", failed.review.model)
    assert again.sent_at is not None


def test_a_second_opinion_is_asked_again_of_the_second_model(cast, version, connected):
    failed = _failed(version, kind="recheck", part="second.1.0", candidates=[1])
    retry_reading(by=cast.max, reading=failed)
    assert failed.followed_by.get().model == "n"


def test_it_is_asked_again_once(cast, version, connected):
    failed = _failed(version)
    retry_reading(by=cast.max, reading=failed)
    with pytest.raises(Refused, match="asked again already"):
        retry_reading(by=cast.max, reading=failed)
    assert Reading.objects.filter(follows=failed).count() == 1


def test_one_that_was_laid_out_meanwhile_is_no_error(cast, version, connected):
    failed = _failed(version)
    make_reading(failed.review, sheet=1, part="r", status="waiting")
    with pytest.raises(Refused, match="asked again already"):
        retry_reading(by=cast.max, reading=failed)


def test_after_the_review_ended_a_review_of_what_is_due_starts(cast, version, connected):
    failed = _failed(version, status="finished")
    retry_reading(by=cast.max, reading=failed)
    started = Review.objects.get(status__in=Review.Status.running())
    assert started.pk != failed.review_id
    assert started.passes == failed.review.passes
    assert not failed.followed_by.exists()


def test_what_did_not_fail_is_not_asked_again(cast, version, connected):
    review = make_review(version, status="reading")
    for reading in (
        make_reading(review, sheet=1),
        make_reading(review, sheet=2, outcome="partly_read"),
        make_reading(review, sheet=3, status="waiting"),
    ):
        with pytest.raises(Refused, match="did not fail"):
            retry_reading(by=cast.max, reading=reading)


def test_only_managers_with_a_model_may(cast, version):
    failed = _failed(version)
    with pytest.raises(Refused, match="No model is connected"):
        retry_reading(by=cast.max, reading=failed)
    with pytest.raises(NotAllowed):
        retry_reading(by=cast.rae, reading=failed)

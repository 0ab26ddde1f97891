"""A review: what starts one, what is sent when, and how it ends, exactly once."""

import threading
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone

from reviewer.models import Event, Finding, ModelSettings, Proposal, Reading, Review, Version
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.merging import settle_review
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import advance_review, cancel_review, start_review
from tests.factories import make_proposal, make_reading, make_review, make_version
from tests.fakes.replies import finding
from tests.services.readers import Reader, read_all, sheet_of

TEXTS = (
    "The pilot runs for 12 weeks at two sites. It will cut detention costs by 30%.",
    "Discovery $18,000. Build $54,000. The total is $72,000.",
)
BLOCK = finding(severity="block", quote="cut detention costs by 30%")


@pytest.fixture(autouse=True)
def _connected(settings) -> None:
    settings.MODEL_BASE_URL = "http://127.0.0.1:9"


def _version(cast, *, texts=TEXTS, **fields) -> Version:
    return make_version(make_proposal(cast.workspace, owner=cast.wen, **fields), texts=texts)


# What starts one -------------------------------------------------------------------------


def test_a_first_review_lays_out_a_pass_over_each_sheet_as_often_as_set_up(cast, settings):
    settings.PASSES = 3
    review = start_review(by=cast.wen, version=_version(cast))
    passes = review.readings.filter(kind=Reading.Kind.PASS)
    assert sorted(passes.values_list("pass_number", "sheet")) == [
        (number, sheet) for number in (1, 2, 3) for sheet in (1, 2)
    ]
    assert (review.status, review.started_by) == (Review.Status.QUEUED, cast.wen.user)
    assert (review.server, review.passes) == ("127.0.0.1:9", 3)
    started = Event.objects.get(subject="review")
    assert (started.verb, started.actor, started.review_id) == (
        "started",
        cast.wen.user,
        review.pk,
    )


def test_sheets_without_text_are_not_read(cast):
    version = _version(cast, texts=(*TEXTS, "picture"))
    version.sheets.filter(number=3).update(unread="no_text")
    review = start_review(by=cast.wen, version=version)
    assert 3 not in review.readings.values_list("sheet", flat=True)


def test_without_a_model_nothing_starts_and_the_way_to_connect_one_is_told(cast, settings):
    settings.MODEL_BASE_URL = ""
    with pytest.raises(Refused, match=r"under Models, Settings.*ANTHROPIC_API_KEY"):
        start_review(by=cast.wen, version=_version(cast))
    assert not Review.objects.exists()


def test_what_is_kept_to_checks_is_not_read(cast):
    with pytest.raises(Refused, match="kept to built-in checks"):
        start_review(by=cast.wen, version=_version(cast, checks_only=True))


def test_what_was_kept_to_checks_a_moment_ago_is_not_read(cast):
    version = _version(cast)
    assert version.proposal.checks_only is False
    Proposal.objects.update(checks_only=True)
    with pytest.raises(Refused, match="kept to built-in checks"):
        start_review(by=cast.wen, version=version)


@pytest.mark.parametrize("status", ["waiting", "converting", "unreadable"])
def test_what_has_no_sheets_is_not_read(cast, status):
    version = make_version(make_proposal(cast.workspace), status=status)
    with pytest.raises(Refused, match="not ready"):
        start_review(by=cast.wen, version=version)


def test_what_has_no_text_is_not_read(cast):
    version = _version(cast)
    version.sheets.update(unread="no_text")
    with pytest.raises(Refused, match="No sheet"):
        start_review(by=cast.wen, version=version)


def test_one_review_of_a_version_runs_at_a_time(cast):
    version = _version(cast)
    start_review(by=cast.wen, version=version)
    with pytest.raises(Refused, match="running already"):
        start_review(by=cast.rae, version=version)


def test_what_fails_beside_a_running_review_is_not_told_as_one(cast, monkeypatch):
    def fails(*_: object) -> None:
        raise IntegrityError("another constraint")

    monkeypatch.setattr("reviewer.services.reviews.lay_out", fails)
    with pytest.raises(IntegrityError, match="another constraint"):
        start_review(by=cast.wen, version=_version(cast))
    assert not Review.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_who_start_at_once_one_is_told(cast, published):
    version, start, outcomes = _version(cast), threading.Barrier(2), []

    def work(by) -> None:
        start.wait(5)
        try:
            outcomes.append(start_review(by=by, version=version).status)
        except Refused as error:
            outcomes.append(error.message)
        finally:
            connection.close()

    workers = [threading.Thread(target=work, args=(by,)) for by in (cast.wen, cast.rae)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(outcomes) == ["A review of this version is running already.", "queued"]
    assert Review.objects.count() == 1


# What is sent when ------------------------------------------------------------------------


def test_the_first_reading_is_sent_alone_and_the_rest_once_it_is_over(
    cast, published, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        review = start_review(by=cast.wen, version=_version(cast), passes=2)
    first = review.readings.order_by("pk").first()
    assert published == [("perform_reading", first.pk)]
    with django_capture_on_commit_callbacks(execute=True):
        perform_reading(first.pk, provider=Reader())
    rest = set(review.readings.exclude(pk=first.pk).values_list("pk", flat=True))
    assert len(rest) >= 3
    assert {pk for _, pk in published[1:]} == rest


def test_no_more_is_sent_than_may_run_at_once(cast, published, django_capture_on_commit_callbacks):
    ModelSettings.objects.create(workspace=cast.workspace, calls_at_once=2)
    version = _version(cast, texts=[f"This is sheet {n}." for n in range(1, 7)])
    with django_capture_on_commit_callbacks(execute=True):
        review = start_review(by=cast.wen, version=version)
    for expected in (3, 4, 5):
        with django_capture_on_commit_callbacks(execute=True):
            perform_reading(published[-1][1], provider=Reader())
        assert len(published) == expected
    waiting = review.readings.filter(status="waiting", sent_at=None)
    assert waiting.exists()


# How it ends ----------------------------------------------------------------------------------


def test_a_review_comes_to_its_end_with_all_it_was_to_do(cast):
    review = start_review(by=cast.wen, version=_version(cast), passes=3)
    reader = Reader({1: [BLOCK]})
    read_all(review, reader)
    assert review.status == Review.Status.FINISHED
    assert review.finished_at is not None
    assert set(review.readings.values_list("status", "outcome")) == {("done", "read")}
    raised = Finding.objects.get()
    assert (raised.votes, raised.passes, raised.verdict) == (3, 3, "holds")
    assert {sheet_of(request) for request in reader.asked} >= {1, 2}


def test_a_review_ends_once_though_two_go_on_with_it(cast):
    review = start_review(by=cast.wen, version=_version(cast), passes=1)
    read_all(review, Reader())
    again = advance_review(review.pk)
    assert again.status == Review.Status.FINISHED
    ended = Event.objects.filter(subject="review", to_state="finished")
    assert ended.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_who_bring_the_last_two_answers_end_it_once(cast, published):
    version = _version(cast)
    review = make_review(version, status=Review.Status.READING, passes=1, sweeps=0)
    pks = [make_reading(review, sheet=s, status="waiting").pk for s in (1, 2)]
    start = threading.Barrier(2)
    reader = Reader({1: [BLOCK]}, during=lambda request: start.wait(5))

    def work(pk: int) -> None:
        perform_reading(pk, provider=reader)
        connection.close()

    workers = [threading.Thread(target=work, args=(pk,)) for pk in pks]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    read_all(review, Reader())
    assert review.status == Review.Status.FINISHED
    assert Event.objects.filter(subject="review", to_state="finished").count() == 1
    assert Finding.objects.count() == 1


def test_a_review_whose_every_reading_fails_ends_all_the_same(cast, settings):
    review = start_review(by=cast.wen, version=_version(cast), passes=1)
    settings.MODEL_BASE_URL = ""
    for pk in review.readings.values_list("pk", flat=True):
        perform_reading(pk)
    for _ in range(5):
        for pk in review.readings.filter(status="waiting").values_list("pk", flat=True):
            perform_reading(pk)
    review.refresh_from_db()
    assert review.status == Review.Status.FINISHED
    assert set(review.readings.values_list("outcome", flat=True)) == {"not_run"}


# Cancel -----------------------------------------------------------------------------------------


def test_what_was_read_before_a_cancel_stays(cast):
    review = start_review(by=cast.wen, version=_version(cast), passes=2)
    first = review.readings.order_by("pk").first()
    perform_reading(first.pk, provider=Reader({1: [BLOCK]}))
    review.refresh_from_db()
    cancel_review(by=cast.rae, review=review)
    assert Finding.objects.get().votes == 1
    assert set(review.readings.values_list("status", flat=True)) == {"done", "cancelled"}
    ended = Event.objects.get(subject="review", to_state="cancelled")
    assert ended.actor == cast.rae.user


def test_what_has_ended_cannot_be_cancelled(cast):
    review = make_review(_version(cast))
    with pytest.raises(MovedMeanwhile):
        cancel_review(by=cast.wen, review=review)


def test_after_a_cancel_a_version_can_be_read_again(cast):
    version = _version(cast)
    cancel_review(by=cast.wen, review=start_review(by=cast.wen, version=version))
    assert start_review(by=cast.wen, version=version).status == Review.Status.QUEUED


# A version that is not the newest any more ------------------------------------------------------


def test_what_is_found_on_a_version_is_carried_to_one_that_came_meanwhile(cast):
    old = _version(cast)
    review = start_review(by=cast.wen, version=old, passes=1)
    new = make_version(old.proposal, texts=("A new first sheet.", *TEXTS))
    Version.objects.filter(pk=new.pk).update(finished_at=timezone.now() - timedelta(seconds=1))
    read_all(review, Reader({1: [BLOCK]}))
    raised = Finding.objects.get()
    assert raised.places.get(version=new).sheet == 2
    assert (raised.sheet, raised.evidence) == (2, "present")


def test_settling_again_changes_nothing(cast):
    review = start_review(by=cast.wen, version=_version(cast), passes=2)
    read_all(review, Reader({1: [BLOCK], 2: [finding(sheet=2, quote="Build $54,000")]}))
    before = list(Finding.objects.order_by("pk").values())
    settle_review(review)
    assert list(Finding.objects.order_by("pk").values()) == before

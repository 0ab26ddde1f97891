"""A version that nobody read is read on its way out, and the managers hear of it after that."""

import pytest
from django.core import mail

from reviewer.models import Approval, Event
from reviewer.services.approvals import ask, asked_of
from reviewer.services.asked_mail import send_mails
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import cancel_review
from tests.factories import make_proposal, make_review, make_version
from tests.fakes.messages_server import MessagesServer
from tests.fakes.workers import TEXTS, two_faults_a_sheet

pytestmark = pytest.mark.django_db
SAID = "It is read first. The managers are asked when that is over."


@pytest.fixture
def server(settings):
    """A connected model that finds two faults on each sheet."""
    with MessagesServer(two_faults_a_sheet) as server:
        settings.MODEL_BASE_URL, settings.MODEL_RETRIES, settings.PASSES = server.url, 0, 1
        yield server


@pytest.fixture
def version(cast):
    """Gated, and never read."""
    return make_version(make_proposal(cast.workspace, owner=cast.wen), texts=TEXTS[:2])


def told(published) -> list[int]:
    return [pk for task, pk in published if task == "tell_managers"]


def test_it_is_read_first_and_the_question_follows_the_end(
    cast, version, server, published, client_of, django_capture_on_commit_callbacks
) -> None:
    gate = f"/w/field-systems/proposals/{version.proposal_id}/v/1/gate/"
    with django_capture_on_commit_callbacks(execute=True):
        answer = client_of(cast.wen).post(f"{gate}ask/", {"note": "Soon."}, follow=True)
    assert SAID in answer.content.decode()
    approval, review = Approval.objects.get(), version.reviews.get()
    assert (review.started_by, review.is_running) == (cast.wen.user, True)
    assert (asked_of(cast.max), told(published)) == ([], [])
    assert b"the managers are told when that is over" in client_of(cast.max).get(gate).content

    with django_capture_on_commit_callbacks(execute=True):
        while reading := review.readings.filter(status="waiting").order_by("pk").first():
            assert told(published) == []
            perform_reading(reading.pk)
    review.refresh_from_db()
    assert review.status == "finished"
    assert len(server.requests) > 0
    assert told(published) == [approval.pk]
    assert [one.pk for one in asked_of(cast.max)] == [approval.pk]
    assert send_mails(approval.pk) == 1
    assert [one.to for one in mail.outbox] == [["max@example.com"]]
    page = client_of(cast.max).get(gate).content.decode()
    assert "Wen asked for approval" in page
    assert "The scope of sheet 1 has no end." in page
    verbs = Event.objects.filter(subject__in=["approval", "review"]).values_list("verb", "subject")
    assert list(verbs) == [
        ("approval asked for", "approval"), ("started", "review"),
        ("moved", "review"), ("managers told", "approval"),
    ]  # fmt: skip


def test_a_reading_that_is_broken_off_lets_the_question_out_too(
    cast, version, server, published, django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        approval = ask(by=cast.wen, version=version)
        cancel_review(by=cast.wen, review=version.reviews.get())
    assert told(published) == [approval.pk]
    assert [one.pk for one in asked_of(cast.max)] == [approval.pk]


@pytest.mark.parametrize("why", ["no model", "kept to checks", "read already"])
def test_where_nothing_can_be_read_the_question_goes_out_at_once(
    cast, version, settings, why, published, django_capture_on_commit_callbacks
) -> None:
    settings.MODEL_BASE_URL = "" if why == "no model" else "http://127.0.0.1:9"
    if why == "kept to checks":
        type(version.proposal).objects.update(checks_only=True)
    if why == "read already":
        make_review(version, passes=1)
    with django_capture_on_commit_callbacks(execute=True):
        approval = ask(by=cast.wen, version=version)
    assert not version.reviews.running().exists()
    assert told(published) == [approval.pk]


def test_a_question_about_a_version_that_has_a_successor_waits_for_nobody(cast, version) -> None:
    ask(by=cast.wen, version=version)
    assert len(asked_of(cast.max)) == 1
    make_version(version.proposal)
    assert asked_of(cast.max) == []

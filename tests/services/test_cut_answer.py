"""An answer that ended for want of room, over HTTP with the real SDK: nothing of it is lost.

The server gives no more than 3,000 tokens an answer, whatever room it was asked for, and the
model has twelve findings to tell, which take more.
"""

import json

from django.urls import reverse

from reviewer.core.raw import RawAnswer
from reviewer.models import Finding, Reading, Review
from reviewer.services.gates import gate_of
from reviewer.services.progress import reading_progress
from reviewer.services.readings import perform_reading
from reviewer.services.receipts import receipt_of
from reviewer.services.reviews import start_review
from tests.factories import make_proposal, make_version
from tests.fakes.messages_server import MessagesServer
from tests.fakes.replies import finding, finds
from tests.fakes.workers import two_faults_a_sheet
from tests.views.html import html_of

TWELVE = 12
ROOM = 3000
QUOTES = [
    "detention falls by a third in the first quarter",
    "dispatchers work from one queue after training",
    "integrations cover the yard system and whatever else is needed",
    "invoices are sent once the steering group is content",
    "kick-off takes place as soon as practicable",
    "carriers will welcome the new gate procedure",
    "our analysts know every warehouse in Ohio",
    "licences for scanners may be charged separately",
    "data protection follows best practice",
    "the roadmap foresees voice picking",
    "travel is billed at cost plus a small margin",
    "please feel free to shorten the pilot",
]
FINDINGS = [
    finding(
        quote=quote,
        finding=f"A buyer cannot hold anybody to “{quote}”.",
        fix=" ".join(f"Say of {word} who, when and how much." for word in quote.split() * 4),
    )
    for quote in QUOTES
]


def _closed_in(text: str) -> int:
    """How many of the findings stand whole in the beginning of a report."""
    return sum(json.dumps(one, ensure_ascii=False) in text for one in FINDINGS)


def _model(seen):
    """Twelve findings for a pass; for a sweep, those of which it was not told."""
    if "Read sheet 1 with" in seen.task:
        return finds(FINDINGS)
    if "Give one verdict" in seen.task:
        return two_faults_a_sheet(seen)
    is_rest = "have already read sheet 1" in seen.task
    return finds([one for one in FINDINGS if one["quote"] not in seen.task] if is_rest else ())


def _repeats_itself(seen):
    """All twelve again, whatever it is told of: its second answer is cut as well."""
    is_rest = "have already read sheet 1" in seen.task
    return finds(FINDINGS) if is_rest else _model(seen)


def _read(cast, settings, server: MessagesServer) -> Review:
    settings.MODEL_BASE_URL, settings.MODEL_RETRIES = server.url, 0
    texts = [". ".join(QUOTES) + "."]
    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=texts)
    review = start_review(by=cast.wen, version=version, passes=1)
    waiting = review.readings.filter(status=Reading.Status.WAITING).order_by("pk")
    while pk := waiting.values_list("pk", flat=True).first():
        perform_reading(pk)
    review.refresh_from_db()
    return review


def _desk(client, review: Review) -> str:
    of = review.version.proposal
    at = (of.workspace.slug, of.pk, review.version.number)
    return html_of(client.get(reverse("desk-version", args=at)))


def test_an_answer_without_room_keeps_what_closed_and_is_asked_once_for_the_rest(
    cast, settings, client_of
):
    with MessagesServer(_model, output_tokens=ROOM) as server:
        review = _read(cast, settings, server)
        tasks = [seen.task for seen in server.requests]
        assert all(seen.body["stream"] for seen in server.requests)
        assert all(seen.body["max_tokens"] > ROOM for seen in server.requests)
    cut = review.readings.get(kind=Reading.Kind.PASS)
    raw = RawAnswer.from_json(cut.answer.raw)
    closed = _closed_in(raw.calls[0].raw_input)
    assert (raw.stop_reason, raw.usage.output_tokens) == ("max_tokens", ROOM)
    assert 0 < closed < TWELVE
    assert (cut.outcome, cut.kept, cut.dropped) == ("partly_read", closed, [])

    [rest] = review.readings.exclude(follows=None)
    assert (rest.follows, rest.kind, rest.sheet) == (cut, Reading.Kind.SWEEP, 1)
    assert (rest.outcome, rest.kept) == ("read", TWELVE - closed)
    assert sum("Read sheet 1 with" in task for task in tasks) == 1
    assert len(tasks) == review.readings.count()

    assert review.status == Review.Status.FINISHED
    texts = Finding.objects.shown().filter(proposal=review.version.proposal)
    assert sorted(texts.values_list("quote", flat=True)) == sorted(QUOTES)

    progress = reading_progress(review.version)
    assert progress.failures == []
    [said] = progress.made_good
    assert said == (
        f"The answer for sheet 1 was not whole ({cut.reason}): what was complete is kept, "
        f"{closed} findings, and asking once for the rest brought {TWELVE - closed} more."
    )
    desk = _desk(client_of(cast.wen), review)
    assert said in desk
    assert "Not fully read" not in desk
    receipt = receipt_of(review.version, gate_of(review.version))
    assert f"Asked again: {said}" in receipt
    assert "Not read:" not in receipt


def test_a_rest_that_is_cut_as_well_is_not_asked_for_again_and_is_said(cast, settings, client_of):
    with MessagesServer(_repeats_itself, output_tokens=ROOM) as server:
        review = _read(cast, settings, server)
    [rest] = review.readings.exclude(follows=None)
    assert rest.outcome == "partly_read"
    assert rest.kept > 0
    assert not rest.followed_by.exists()
    assert review.status == Review.Status.FINISHED
    progress = reading_progress(review.version)
    assert progress.made_good == ()
    assert sum(failure.count for failure in progress.failures) == 2
    assert "Not read: sheet 1, 1 answer: The answer was read in part" in receipt_of(
        review.version, gate_of(review.version)
    )
    desk = _desk(client_of(cast.wen), review)
    assert "every finding that was complete and valid is kept" in desk

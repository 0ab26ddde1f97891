"""A whole review through the real client against a real server of the Messages API."""

import json
from decimal import Decimal
from html import unescape

import pytest
from django.db.models import Sum

from reviewer.models import Finding, ModelSettings, Reading, Review
from reviewer.services.progress import reading_progress
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import cancel_review, start_review
from tests.factories import make_proposal, make_version
from tests.fakes.messages_server import MessagesServer
from tests.fakes.replies import finds
from tests.fakes.workers import SHEETS, TEXTS, faults_of, faults_on, two_faults_a_sheet
from tests.views.test_desk import desk_url

A_PAGE = "The team on the second site keeps its own list, and copies it by hand. " * 25


def _review(cast, settings, url: str, *, passes: int = 3, texts=TEXTS) -> Review:
    settings.MODEL_BASE_URL, settings.MODEL_RETRIES = url, 0
    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=texts)
    return start_review(by=cast.wen, version=version, passes=passes)


def _read(review: Review) -> Review:
    """Every reading as a worker performs it, to the review's end."""
    waiting = review.readings.filter(status="waiting").order_by("pk")
    while pk := waiting.values_list("pk", flat=True).first():
        perform_reading(pk)
    review.refresh_from_db()
    return review


@pytest.mark.parametrize(
    ("streamed", "passes"), [(None, 2), (False, 1)], ids=["streamed", "in one piece"]
)
def test_a_whole_review_ends_with_what_the_server_found(cast, settings, streamed, passes):
    with MessagesServer(lambda seen: two_faults_a_sheet(seen, streamed=streamed)) as server:
        review = _read(_review(cast, settings, server.url, passes=passes))
        assert faults_of(review) == []
        assert {seen.status for seen in server.requests} == {200}
        assert len(server.requests) == review.readings.count() > passes * SHEETS
    progress = reading_progress(review.version)
    assert (progress.state, progress.failures, progress.found) == ("finished", [], 2 * SHEETS)
    assert progress.done == progress.total
    spent = review.readings.filter(input_tokens=0, cache_read_tokens=0, cache_write_tokens=0)
    assert not spent.exists()


def test_the_first_reading_writes_the_cache_that_the_others_read(cast, settings):
    with MessagesServer(two_faults_a_sheet) as server:
        texts = [f"{text} {'It stands on its own. ' * 300}" for text in TEXTS[:3]]
        review = _read(_review(cast, settings, server.url, texts=texts))
    first, *rest = review.readings.filter(kind=Reading.Kind.PASS).order_by("pk")
    assert first.cache_write_tokens > 0
    assert all(reading.cache_read_tokens >= first.cache_write_tokens / 2 for reading in rest)


def test_three_passes_cost_a_fifth_of_what_they_would_without_the_cache(cast, settings):
    """As the server bills it, from the first reading of a document of twelve sheets on."""
    texts = [f"{text} {A_PAGE}" for text in TEXTS]
    with MessagesServer(two_faults_a_sheet) as server:
        review = _review(cast, settings, server.url, passes=3, texts=texts)
        passes = review.readings.filter(kind=Reading.Kind.PASS)
        for pk in passes.order_by("pk").values_list("pk", flat=True):
            perform_reading(pk)
        assert len(server.requests) == 3 * SHEETS
        assert server.billed <= 0.2 * server.unbilled
    billed = passes.aggregate(
        fresh=Sum("input_tokens"), written=Sum("cache_write_tokens"), read=Sum("cache_read_tokens")
    )
    assert billed["fresh"] + 1.25 * billed["written"] + 0.1 * billed["read"] == pytest.approx(
        server.billed
    )


def test_a_wrong_key_ends_in_its_sentence(cast, settings):
    with MessagesServer(two_faults_a_sheet, key="right") as server:
        settings.MODEL_API_KEY = "wrong"
        review = _read(_review(cast, settings, server.url, passes=1, texts=TEXTS[:2]))
        host = server.url.removeprefix("http://")
    failure = reading_progress(review.version).failures[0]
    assert failure.sentence == f"The server {host} did not accept the key."
    assert "key" in failure.next_move
    assert failure.count == review.readings.count()
    assert review.status == Review.Status.FINISHED


def test_a_server_that_is_gone_ends_in_its_sentence(cast, settings):
    with MessagesServer(two_faults_a_sheet) as server:
        url = server.url
    review = _read(_review(cast, settings, url, passes=1, texts=TEXTS[:1]))
    failure = reading_progress(review.version).failures[0]
    assert "No server could be reached" in failure.sentence
    assert failure.next_move
    assert set(review.readings.values_list("outcome", flat=True)) == {"provider_error"}


def test_what_closed_before_the_connection_broke_is_kept(cast, settings):
    def broken(seen):
        if "Read sheet 1 with" not in seen.task:
            return two_faults_a_sheet(seen)
        report = two_faults_a_sheet(seen).content[0]["input"]
        whole = len(json.dumps(report["findings"][0])) + 1500
        return finds(report["findings"], cut_after=whole)

    with MessagesServer(broken) as server:
        review = _read(_review(cast, settings, server.url, passes=1, texts=TEXTS[:1]))
    cut = review.readings.get(kind=Reading.Kind.PASS)
    assert (cut.outcome, cut.fault) == ("partly_read", "broken_stream")
    assert cut.kept == 1
    assert Finding.objects.filter(sightings__reading=cut).count() == 1
    assert review.readings.filter(follows=cut, kind=Reading.Kind.SWEEP).count() == 1


def test_cancelling_in_the_middle_keeps_what_was_read_and_asks_no_more(cast, settings, client_of):
    with MessagesServer(two_faults_a_sheet) as server:
        review = _review(cast, settings, server.url, passes=1, texts=TEXTS[:2])
        first, second = review.readings.order_by("pk")[:2]
        perform_reading(first.pk)
        cancel_review(by=cast.wen, review=Review.objects.get(pk=review.pk))
        assert perform_reading(second.pk) is None
        assert len(server.requests) == 1
    assert Finding.objects.filter(sightings__reading=first).count() == 2
    page = unescape(client_of(cast.wen).get(desk_url(review.version)).content.decode())
    assert "Cancelled after 1 of" in page
    assert all(fault["finding"] in page for fault in faults_on(1))


def test_the_months_limit_stops_the_next_reading_and_the_desk_says_so(cast, settings, client_of):
    settings.MODEL_NAME = "claude-opus-4-8"
    price = {"input": "100", "output": "100", "cache_write": "", "cache_read": ""}
    ModelSettings.objects.create(
        workspace=cast.workspace, monthly_limit="0.01", prices={"claude-opus-4-8": price}
    )
    with MessagesServer(two_faults_a_sheet) as server:
        review = _review(cast, settings, server.url, passes=1, texts=TEXTS[:2])
        first = review.readings.order_by("pk").first()
        perform_reading(first.pk)
        first.refresh_from_db()
        assert first.outcome == "read"
        assert first.cost > Decimal("0.01")
        _read(review)
        assert len(server.requests) == 1
    assert review.status == Review.Status.FINISHED
    rest = review.readings.exclude(pk=first.pk)
    assert set(rest.values_list("outcome", flat=True)) == {"not_run"}
    page = unescape(client_of(cast.wen).get(desk_url(review.version)).content.decode())
    assert "This month's limit of $0.01 is reached, so no model was asked." in page

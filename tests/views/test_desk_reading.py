"""The reading box: who read, how far it is, what failed, and how to start and stop it."""

import pytest
from django.urls import reverse

from reviewer.models import Reading, Review
from tests.factories import (
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_sighting,
    make_version,
)
from tests.views.html import html_of

HTMX = {"HX-Request": "true"}


@pytest.fixture
def version(cast):
    return make_version(make_proposal(cast.workspace, owner=cast.wen))


@pytest.fixture
def connected(settings):
    settings.MODEL_API_KEY = "a key"


@pytest.fixture
def running(version):
    """Nine readings: one done, one under way, seven waiting."""
    review = make_review(version, status=Review.Status.READING)
    for number in range(9):
        status = ("done", "claimed", "waiting")[min(number, 2)]
        make_reading(review, sheet=number % 3 + 1, pass_number=number // 3 + 1, status=status)
    return review


def url(version, name, query=""):
    at = (version.proposal.workspace.slug, version.proposal_id, version.number)
    return reverse(name, args=at) + query


def page(client, version):
    return html_of(client.get(url(version, "desk-version")))


def test_without_a_model_the_desk_says_that_none_has_read(cast, client_of, version):
    html = page(client_of(cast.rae), version)
    assert "No model has read this document." in html
    assert 'formaction="' + url(version, "read") not in html


def test_before_the_first_reading_the_desk_says_where_the_text_goes(
    cast, client_of, version, connected
):
    html = page(client_of(cast.rae), version)
    assert "sends its text to api.anthropic.com" in html
    assert 'formaction="' + url(version, "read") in html


def test_a_proposal_kept_to_checks_offers_no_reading(cast, client_of, version, connected):
    type(version.proposal).objects.update(checks_only=True)
    html = page(client_of(cast.rae), version)
    assert "its text is sent nowhere" in html
    assert 'formaction="' + url(version, "read") not in html


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_reading_starts_from_the_desk(cast, client_of, version, connected, headers):
    answer = client_of(cast.wen).post(url(version, "read"), headers=headers)
    assert answer.status_code == (200 if headers else 302)
    review = version.reviews.get()
    assert review.is_running
    assert review.started_by == cast.wen.user
    html = page(client_of(cast.rae), version)
    assert "being read" in html
    assert 'hx-trigger="every 1s"' in html


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_reading_that_cannot_start_says_why(cast, client_of, version, headers):
    client = client_of(cast.rae)
    answer = client.post(url(version, "read"), headers=headers)
    html = html_of(answer) if headers else page(client, version)
    assert answer.status_code == (422 if headers else 302)
    assert "No model is connected" in html
    assert not version.reviews.exists()


def test_progress_is_rows_and_the_same_on_a_plain_reload(cast, client_of, version, running):
    client = client_of(cast.rae)
    plain = page(client, version)
    polled = html_of(client.get(url(version, "progress"), headers=HTMX))
    for html in (plain, polled):
        assert "1 of 9 readings" in html
        assert '<progress value="1" max="9"' in html
        assert "Pass 1 of 3: reading sheet 2 of 3" in html


def test_the_box_brings_findings_only_when_there_are_new_ones(cast, client_of, version, running):
    client = client_of(cast.rae)
    first = client.get(url(version, "progress"), headers=HTMX)
    seen = "?seen=" + first.context["stamp"]
    quiet = html_of(client.get(url(version, "progress", seen), headers=HTMX))
    assert 'id="reading" class="reading" hx-swap-oob="true"' in quiet
    assert 'id="list"' not in quiet
    finding = make_finding(version, text="Just written.")
    make_sighting(running.readings.first(), finding)
    news = html_of(client.get(url(version, "progress", seen), headers=HTMX))
    assert "Just written." in news
    assert 'id="list" hx-swap-oob="true"' in news
    assert f'id="mark-{finding.number}"' in news
    assert "1 finding so far" in news


def test_the_box_stops_asking_when_the_reading_is_over(cast, client_of, version, running):
    client = client_of(cast.rae)
    stamp = client.get(url(version, "progress"), headers=HTMX).context["stamp"]
    running.readings.update(status=Reading.Status.DONE, outcome="read")
    Review.objects.update(status="finished", finished_at=running.started_at)
    last = html_of(client.get(url(version, "progress", f"?seen={stamp}"), headers=HTMX))
    assert "every 1s" not in last
    assert "Read by 3 blind passes" in last
    assert "of claude-opus-5-5 at api.anthropic.com" in last


def test_the_progress_address_is_the_desk_for_a_plain_browser(cast, client_of, version, running):
    answer = client_of(cast.rae).get(url(version, "progress"))
    assert answer["Location"] == url(version, "desk-version")


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_reading_can_be_stopped_and_keeps_what_was_read(
    cast, client_of, version, running, headers
):
    finding = make_finding(version)
    client = client_of(cast.wen)
    client.post(url(version, "cancel"), headers=headers)
    running.refresh_from_db()
    assert running.status == Review.Status.CANCELLED
    html = page(client, version)
    assert "what was read stays" in html
    assert finding.text in html
    assert "every 1s" not in html


def test_stopping_what_does_not_run_says_so(cast, client_of, version):
    make_review(version)
    answer = client_of(cast.rae).post(url(version, "cancel"), headers=HTMX)
    assert answer.status_code == 409
    assert "nothing to stop" in html_of(answer)


def test_recorded_answers_are_called_recorded(cast, client_of, version):
    make_review(version, provenance="recorded", model="anything", server="")
    html = page(client_of(cast.rae), version)
    assert "Recorded answers, for the demo:" in html
    assert "Read by" not in html


def test_a_failure_has_its_sentence_and_its_next_move(cast, client_of, version):
    review = make_review(version)
    for sheet in (1, 2):
        make_reading(review, sheet=sheet, outcome="provider_error", fault="wrong_key", reason="401")
    html = page(client_of(cast.rae), version)
    [failure] = client_of(cast.rae).get(url(version, "desk-version")).context["reading"].failures
    assert "2 readings of sheets 1, 2:" in html
    assert failure.sentence
    assert failure.next_move
    assert "read, nothing open" not in html


@pytest.mark.parametrize(
    ("lost", "said"),
    [(0, "Read by 3 blind passes"), (2, "Not fully read:"), (9, "Not read.")],
)
def test_the_box_never_says_read_where_answers_were_lost(cast, client_of, version, lost, said):
    review = make_review(version)
    for number in range(9):
        outcome = {"outcome": "no_call"} if number < lost else {}
        make_reading(review, sheet=number % 3 + 1, pass_number=number // 3 + 1, **outcome)
    html = page(client_of(cast.rae), version)
    ways = {"Read by 3 blind passes", "Not fully read:", "Not read."}
    assert {way for way in ways if way in html} == {said}


def test_a_file_becomes_a_desk_by_itself(cast, client_of):
    version = make_version(make_proposal(cast.workspace), status="converting")
    client = client_of(cast.rae)
    first = client.get(url(version, "conversion-progress"), headers=HTMX)
    assert "every 1s" in html_of(first)
    type(version).objects.update(status="ready", sheet_count=3)
    assert client.get(url(version, "conversion-progress"), headers=HTMX)["HX-Refresh"] == "true"
    plain = client.get(url(version, "conversion-progress"))
    assert plain["Location"] == url(version, "desk-version")


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ([None, None], "It took 2 calls, at a price that is not known: 2,000 tokens in, "),
        (["0.60", "0.63"], "It took 2 calls, $1.23: 2,000 tokens in, "),
        (["0.60", None], "It took 2 calls, $0.60 for the 1 whose price is known: 2,000 tokens"),
        (["0.001", "0.002"], "It took 2 calls, less than $0.01: 2,000 tokens in, "),
    ],
)
def test_after_a_reading_the_desk_says_what_it_took(cast, client_of, version, costs, said):
    review = make_review(version)
    for sheet, cost in enumerate(costs, start=1):
        took = {"input_tokens": 150, "cache_write_tokens": 100, "cache_read_tokens": 750}
        make_reading(review, sheet=sheet, cost=cost, output_tokens=40, **took)
    html = page(client_of(cast.rae), version)
    assert said in html
    assert "75% of them from the cache, 80 out." in html


def test_a_reading_that_nobody_answered_took_nothing(cast, client_of, version):
    make_reading(make_review(version), sheet=1, outcome="not_run")
    assert "It took" not in page(client_of(cast.rae), version)

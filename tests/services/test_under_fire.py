"""A server that misbehaves, through the services: each trouble ends in its outcome and sentence.

Every case is a quick look of one reading through the real client, and is looked at on the desk.
A server that may be asked again says so with a wait of a millisecond.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from typing import Any

import pytest

from reviewer.models import Finding, Reading, Review
from reviewer.services.progress import reading_progress
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import start_review
from tests.factories import make_proposal, make_version
from tests.fakes.messages_server import MessagesServer
from tests.fakes.replies import Reply, fails, finds, refuses, says, sends
from tests.fakes.workers import TEXTS, faults_on
from tests.views.test_desk import desk_url

FAULTS = [*faults_on(1), faults_on(2)[0]]
FORCED = "claude-opus-4-8"
"""A model that is asked with a forced tool first."""
AT_ONCE = {"retry-after-ms": "1"}
STALLED_SECONDS = 3
"""Long enough for a slow machine to receive what comes before the stall."""
UNHURRIED_SECONDS = 60


def _event(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


def _written(piece: int = 30) -> tuple[bytes, list[int]]:
    """The stream of a report of FAULTS, and the byte up to which each is whole in it."""
    report = json.dumps({"findings": FAULTS, "keeps": []})
    closes = [report.index(json.dumps(fault)) + len(json.dumps(fault)) for fault in FAULTS]
    block = {"type": "tool_use", "id": "t", "name": "report_findings", "input": {}}
    body = _event("message_start", message={"type": "message", "model": FORCED, "usage": {}})
    body += _event("content_block_start", index=0, content_block=block)
    whole_at: list[int] = []
    for at in range(0, len(report), piece):
        delta = {"type": "input_json_delta", "partial_json": report[at : at + piece]}
        body += _event("content_block_delta", index=0, delta=delta)
        whole_at += [len(body)] * sum(at < close <= at + piece for close in closes)
    body += _event("content_block_stop", index=0)
    body += _event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 9})
    return body + _event("message_stop"), whole_at


STREAM, WHOLE_AT = _written()


@dataclass(frozen=True)
class Case:
    """What the server does, and what is to become of it."""

    replies: Reply | list[Reply]
    outcome: str
    fault: str = ""
    says: str = ""
    kept: int = 0
    requests: int = 1
    seconds: int = UNHURRIED_SECONDS


CASES = {
    "401": Case(
        fails(401, "authentication_error", "invalid x-api-key"),
        "provider_error", "wrong_key", "did not accept the key",
    ),
    "402": Case(
        fails(402, "billing_error", "Check your payment details."),
        "provider_error", "no_credit", "no credit left",
    ),
    "404 of the model": Case(
        fails(404, "not_found_error", f"model: {FORCED}"),
        "provider_error", "unknown_model", f"has no model named {FORCED}",
    ),
    "429 with its waiting time": Case(
        fails(429, "rate_limit_error", "Slow down", headers={"retry-after": "75"}),
        "provider_error", "rate_limit", "and asks to wait 75 seconds",
    ),
    "429 without end": Case(
        fails(429, "rate_limit_error", "Slow down", headers=AT_ONCE),
        "provider_error", "rate_limit", "and asks to wait 1 second", requests=3,
    ),
    "500": Case(
        fails(500, "api_error", "Out of disk", headers=AT_ONCE),
        "provider_error", "server_error", "It said: Out of disk.", requests=3,
    ),
    "529": Case(
        fails(529, "overloaded_error", "Overloaded", headers=AT_ONCE),
        "provider_error", "overloaded", "is overloaded and turned the reading away", requests=3,
    ),
    "529 once": Case(
        [fails(529, "overloaded_error", "Overloaded", headers=AT_ONCE), finds(FAULTS)],
        "read", kept=3, requests=2,
    ),
    "a stall": Case(
        sends(STREAM, stall_after=WHOLE_AT[0]),
        "partly_read", "timeout", "did not answer in time", kept=1, seconds=STALLED_SECONDS,
    ),
    "garbage": Case(
        sends(b"<html>Welcome</html>", "text/html"),
        "provider_error", "garbage", "something that is not an answer of the Messages API",
    ),
    "an empty body": Case(
        sends(b""),
        "provider_error", "garbage", "something that is not an answer of the Messages API",
    ),
    "an empty answer": Case(says(""), "no_call", says="gave no list of findings"),
    "a refusal": Case(refuses("cyber"), "refusal", says="Its reason: cyber."),
}  # fmt: skip
CASES |= {
    f"a cut {name}": Case(
        sends(STREAM, cut_after=at),
        "partly_read" if kept else "provider_error",
        "broken_stream",
        "broke off before the answer was complete"
        if kept
        else "broke off before a finding was complete",
        kept,
    )
    for name, at, kept in (
        ("before the first byte", 0, 0),
        ("in the first event", 20, 0),
        ("a byte before the first is whole", WHOLE_AT[0] - 3, 0),
        ("where the first is whole", WHOLE_AT[0], 1),
        ("within the third", WHOLE_AT[2] - 60, 2),
        ("after the last", WHOLE_AT[2] + 30, 3),
    )
}


@pytest.fixture
def look(cast, settings) -> Callable[..., Review]:
    """`look(server)` has a version read by one reading at this server."""

    def read(server: MessagesServer, seconds: int = UNHURRIED_SECONDS, sheets: int = 2) -> Review:
        settings.MODEL_BASE_URL, settings.MODEL_NAME = server.url, FORCED
        settings.MODEL_TIMEOUT_SECONDS = seconds
        version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=TEXTS[:sheets])
        review = start_review(by=cast.wen, version=version, depth="quick")
        perform_reading(review.readings.get().pk)
        review.refresh_from_db()
        return review

    return read


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_each_trouble_ends_in_its_outcome_and_its_sentence(case, look, cast, client_of):
    with MessagesServer(case.replies) as server:
        review = look(server, case.seconds)
    reading = review.readings.get()
    assert (reading.outcome, reading.fault, reading.kept) == (case.outcome, case.fault, case.kept)
    assert (review.status, reading.status) == (Review.Status.FINISHED, Reading.Status.DONE)
    assert reading.leased_until is None
    assert len(server.requests) == case.requests
    found = Finding.objects.filter(sightings__reading=reading).order_by("number")
    assert [one.text for one in found] == [fault["finding"] for fault in FAULTS[: case.kept]]
    for seen in server.requests:
        assert seen.body.keys().isdisjoint({"temperature", "top_p", "top_k"})
    failures = reading_progress(review.version).failures
    assert [failure.outcome for failure in failures] == [case.outcome] * bool(case.says)
    page = unescape(client_of(cast.wen).get(desk_url(review.version)).content.decode())
    for failure in failures:
        assert case.says in failure.sentence
        assert failure.sentence in page
        assert failure.next_move in page


def test_a_refused_way_of_asking_is_left_and_not_tried_again(look):
    with MessagesServer(finds(FAULTS), does_not_take=("forced_tool",)) as server:
        first = look(server).readings.get()
        assert [seen.status for seen in server.requests] == [400, 200]
        second = look(server, sheets=3).readings.get()
        assert [seen.status for seen in server.requests] == [400, 200, 200]
    assert (first.outcome, first.way_asked, first.kept) == ("read", "strict_tool", 3)
    assert (second.outcome, second.way_asked, second.kept) == ("read", "strict_tool", 3)

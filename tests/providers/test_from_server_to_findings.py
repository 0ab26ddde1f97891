"""The client and the reader together: what the server sent becomes findings, live and in full."""

import json

import pytest

from reviewer.core.answers import read_answer
from reviewer.core.outcomes import Outcome
from reviewer.core.stream import StreamedFindings
from tests.fakes.messages_server import _frames
from tests.fakes.replies import Reply, finding, finds, says, tool_call
from tests.providers.asks import LOCAL, NEWEST, a_provider, a_request

MANY = [finding(quote=f"quote {number}, “{number}%”") for number in range(12)]
TEXTS = [json.dumps(each, ensure_ascii=False) for each in MANY]
INPUT = json.dumps({"findings": MANY, "keeps": []}, ensure_ascii=False)


def closed_in(received: str) -> int:
    """How many of the findings stand whole in what was received."""
    return sum(received.count(text) for text in TEXTS)


def test_the_first_finding_is_there_long_before_the_answer_ends(start_server) -> None:
    server = start_server(finds(MANY, hold_after=1, piece=250))
    streamed, live, while_held = StreamedFindings(), [], []

    def hear(piece: str) -> None:
        live.extend(streamed.feed(piece))
        if live and not server.released.is_set():
            while_held.extend(live)
            server.released.set()

    answer = a_provider(server.url).ask(a_request(), on_fragment=hear)
    assert 1 <= len(while_held) < 3
    assert [found.quote for found in live] == [each["quote"] for each in MANY]
    assert [found.quote for found in read_answer(answer).findings] == [
        each["quote"] for each in MANY
    ]


def test_what_a_model_says_before_its_call_does_not_hide_the_call(start_server) -> None:
    blocks = (
        {"type": "text", "text": "I will read {sheet 1} first."},
        tool_call("report_findings", {"findings": MANY, "keeps": []}),
    )
    server = start_server(Reply(content=blocks, stop_reason="tool_use"))
    streamed, live = StreamedFindings(), []
    answer = a_provider(server.url).ask(
        a_request(NEWEST), on_fragment=lambda piece: live.extend(streamed.feed(piece))
    )
    assert len(live) == len(read_answer(answer).findings) == len(MANY)


def test_a_report_written_as_json_is_heard_as_it_comes(start_server) -> None:
    server = start_server(says(f"```json\n{INPUT}\n```"))
    streamed, live = StreamedFindings(), []
    answer = a_provider(server.url).ask(
        a_request(LOCAL), on_fragment=lambda piece: live.extend(streamed.feed(piece))
    )
    assert len(live) == len(read_answer(answer).findings) == len(MANY)


@pytest.mark.parametrize("streamed", [None, False])
@pytest.mark.parametrize("form", ["native", "json"])
def test_a_connection_cut_anywhere_keeps_every_finding_that_was_closed(
    start_server, streamed, form
) -> None:
    def reply(**more) -> Reply:
        more |= {"streamed": streamed, "piece": 90}
        return finds(MANY, **more) if form == "native" else says(INPUT, **more)

    server = start_server(reply())
    provider = a_provider(server.url)
    provider.ask(a_request())
    length = sum(len(frame) for frame, _ in _frames(reply(), server.requests[0]))
    most = 0
    for at in range(300, length, 151):
        server.script = reply(cut_after=at)
        answer = provider.ask(a_request())
        read = read_answer(answer)
        received = answer.text + "".join(call.raw_input for call in answer.calls)
        assert len(read.findings) == closed_in(received), at
        assert [f.quote for f in read.findings] == [
            each["quote"] for each in MANY[: len(read.findings)]
        ], at
        if not read.findings:
            assert read.outcome is Outcome.PROVIDER_ERROR, at
        most = max(most, len(read.findings))
    assert most >= len(MANY) - 1


def test_an_answer_that_ran_out_of_room_keeps_what_was_closed(start_server) -> None:
    server = start_server(
        Reply(
            content=(tool_call("report_findings", INPUT[: len(INPUT) // 2]),),
            stop_reason="max_tokens",
        )
    )
    answer = a_provider(server.url).ask(a_request())
    read = read_answer(answer)
    assert answer.fault is None
    assert read.outcome is Outcome.PARTLY_READ
    assert len(read.findings) == closed_in(INPUT[: len(INPUT) // 2])

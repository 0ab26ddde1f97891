"""A server that misbehaves in every way we know: each ends in its fault, and nothing is lost."""

import json
import socket
import threading
import time

import pytest

from reviewer.core.raw import FaultKind, ProviderFault, RawAnswer, Usage
from reviewer.providers.messages import MessagesProvider
from tests.fakes.replies import Reply, fails, finding, finds, says, sends
from tests.providers.asks import KEY, LOCAL, NEWEST, a_provider, a_request

ANSWER = [finding(sheet=number, quote=f"quote {number} “é” \U0001f600") for number in range(1, 5)]
WHOLE = json.dumps({"findings": ANSWER, "keeps": []}, ensure_ascii=False)


def fault_of(answer: RawAnswer) -> ProviderFault:
    assert answer.fault is not None
    return answer.fault


INVALID = "invalid_request_error"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (fails(401, "authentication_error", "invalid x-api-key"), FaultKind.WRONG_KEY),
        (fails(402, "billing_error", "Check your payment details."), FaultKind.NO_CREDIT),
        (
            fails(400, INVALID, "Your credit balance is too low to access the API."),
            FaultKind.NO_CREDIT,
        ),
        (
            fails(400, INVALID, "You have reached your specified API usage limits."),
            FaultKind.NO_CREDIT,
        ),
        (fails(429, "rate_limit_error", "You exceeded your current quota."), FaultKind.NO_CREDIT),
        (fails(403, "permission_error", "Your key may not."), FaultKind.NO_PERMISSION),
        (fails(404, "not_found_error", "model: claude-nothing-9"), FaultKind.UNKNOWN_MODEL),
        (fails(404, "not_found_error", "model 'qwen' not found"), FaultKind.UNKNOWN_MODEL),
        (fails(400, INVALID, "Invalid model name passed in model=x"), FaultKind.UNKNOWN_MODEL),
        (fails(413, "request_too_large", "Request exceeds the maximum size"), FaultKind.TOO_LONG),
        (fails(400, INVALID, "prompt is too long: 9 tokens > 8 maximum"), FaultKind.TOO_LONG),
        (
            fails(
                400,
                "exceed_context_size_error",
                "the request exceeds the available context size, try increasing it",
            ),
            FaultKind.TOO_LONG,
        ),
        (fails(429, "rate_limit_error", "Too many requests"), FaultKind.RATE_LIMIT),
        (fails(500, "api_error", "Internal server error"), FaultKind.SERVER_ERROR),
        (fails(502, "api_error", "Bad gateway"), FaultKind.SERVER_ERROR),
        (fails(503, "unavailable_error", "Loading model"), FaultKind.OVERLOADED),
        (fails(504, "timeout_error", "Gateway timeout"), FaultKind.TIMEOUT),
        (fails(529, "overloaded_error", "Overloaded"), FaultKind.OVERLOADED),
        (fails(400, INVALID, "messages: roles must alternate"), FaultKind.BAD_REQUEST),
        (fails(418, "teapot", "I am short and stout"), FaultKind.BAD_REQUEST),
        (sends(b"<html>404</html>", "text/html", status=404), FaultKind.GARBAGE),
        (sends(b'{"detail":"Not Found"}', "application/json", status=404), FaultKind.GARBAGE),
        (sends(b"moved", "text/plain", status=302), FaultKind.GARBAGE),
        (sends(b"<html>Welcome</html>", "text/html"), FaultKind.GARBAGE),
        (sends(b"\x00\xff\x13\x37" * 50), FaultKind.GARBAGE),
        (sends(b"data: {not json\n\n"), FaultKind.GARBAGE),
        (sends(b"data: [1, 2]\n\n"), FaultKind.GARBAGE),
        (sends(b"data: " + b"[" * 100_000 + b"\n\n"), FaultKind.GARBAGE),
        (sends(b""), FaultKind.GARBAGE),
        (sends(b"", "application/json"), FaultKind.GARBAGE),
        (sends(b'{"hello": "world"}', "application/json"), FaultKind.GARBAGE),
        (sends(b'"just text"', "application/json"), FaultKind.GARBAGE),
        (sends(b"[" * 100_000, "application/json"), FaultKind.GARBAGE),
        (
            sends(b'{"type":"error","error":{"type":"overloaded_error"}}', "application/json"),
            FaultKind.OVERLOADED,
        ),
        (sends(b'{"error":"model is busy"}', "application/json"), FaultKind.BROKEN_STREAM),
    ],
)
def test_each_trouble_of_a_server_has_its_kind(start_server, reply, kind) -> None:
    answer = a_provider(start_server(reply).url).ask(a_request(LOCAL))
    assert fault_of(answer).kind is kind
    assert answer.calls == ()
    assert answer.stop_reason is None
    if reply.status != 200:
        assert fault_of(answer).status == reply.status


def test_the_servers_own_words_are_kept_without_the_key(start_server) -> None:
    server = start_server(fails(401, "authentication_error", f"The key {KEY} is not known."))
    assert fault_of(a_provider(server.url).ask(a_request())).message == "The key … is not known."


def test_a_wrong_key_is_told_from_a_right_one(start_server) -> None:
    server = start_server(finds([finding()]), key=KEY)
    assert a_provider(server.url).ask(a_request()).fault is None
    wrong = a_provider(server.url, api_key="sk-other").ask(a_request())
    assert fault_of(wrong).kind is FaultKind.WRONG_KEY


@pytest.mark.parametrize("key", ["sk-ключ", "sk-\x07bell", "sk-one\nsk-two"])
def test_a_key_that_no_header_can_carry_is_wrong_without_being_sent(start_server, key) -> None:
    server = start_server()
    answer = a_provider(server.url, api_key=key).ask(a_request())
    assert fault_of(answer).kind is FaultKind.WRONG_KEY
    assert server.requests == []


def test_a_document_too_long_for_the_model_says_so(start_server) -> None:
    server = start_server(context_tokens=100)
    assert fault_of(a_provider(server.url).ask(a_request())).kind is FaultKind.TOO_LONG


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-3"}, None),
        ({}, None),
    ],
)
def test_a_rate_limit_says_how_long_to_wait(start_server, headers, seconds) -> None:
    server = start_server(fails(429, "rate_limit_error", "Slow down", headers=headers))
    answer = a_provider(server.url).ask(a_request())
    assert fault_of(answer).retry_after == seconds


def test_a_short_wait_is_waited_and_the_reading_is_asked_again(start_server) -> None:
    server = start_server(
        [fails(429, "rate_limit_error", "Slow down", headers={"retry-after": "0.2"}), finds()]
    )
    answer = a_provider(server.url, max_retries=2).ask(a_request())
    assert answer.fault is None
    assert answer.seconds >= 0.2
    assert len(server.requests) == 2


@pytest.mark.parametrize("wait", ["86400", "inf", "1e12", "Thu, 31 Dec 2099 00:00:00 GMT"])
def test_a_long_wait_is_told_at_once_instead_of_slept(start_server, wait) -> None:
    server = start_server(fails(429, "rate_limit_error", "Later", headers={"retry-after": wait}))
    answer = a_provider(server.url, max_retries=2).ask(a_request())
    assert fault_of(answer).kind is FaultKind.RATE_LIMIT
    assert answer.seconds < 2
    assert len(server.requests) == 1


def test_overload_is_tried_again_and_no_more_often_than_allowed(start_server) -> None:
    hurry = {"retry-after-ms": "10"}
    server = start_server(fails(529, "overloaded_error", "Overloaded", headers=hurry))
    answer = a_provider(server.url, max_retries=2).ask(a_request())
    assert fault_of(answer).kind is FaultKind.OVERLOADED
    assert len(server.requests) == 3
    server.script = [fails(500, headers=hurry)] * 4 + [finds()]
    assert a_provider(server.url, max_retries=2).ask(a_request()).fault is None


def test_nobody_at_the_address_is_said_as_such() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    answer = a_provider(f"http://127.0.0.1:{port}").ask(a_request())
    assert fault_of(answer).kind is FaultKind.UNREACHABLE
    assert answer.model == NEWEST


@pytest.mark.parametrize("address", ["no scheme", "ftp://127.0.0.1", "http://[bad", "http://"])
def test_an_address_that_is_none_is_said_as_such(address) -> None:
    assert fault_of(a_provider(address).ask(a_request())).kind is FaultKind.UNREACHABLE


def test_a_server_of_another_kind_is_garbage() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"220 mail.example ESMTP ready\r\n\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        answer = a_provider(f"http://127.0.0.1:{listener.getsockname()[1]}").ask(a_request())
        thread.join()
    assert fault_of(answer).kind is FaultKind.GARBAGE


@pytest.mark.parametrize(("stall_after", "kept"), [(0, False), (1600, True)])
def test_a_stall_ends_and_keeps_what_came(start_server, stall_after, kept) -> None:
    server = start_server(finds(ANSWER, stall_after=stall_after))
    answer = a_provider(server.url, stall=0.3).ask(a_request())
    assert fault_of(answer).kind is FaultKind.TIMEOUT
    assert answer.seconds < 2
    assert bool(answer.calls) is kept
    assert all(WHOLE.startswith(call.raw_input) for call in answer.calls)


def test_a_server_that_never_begins_is_not_waited_for_without_end(start_server) -> None:
    server = start_server(finds(latency=30))
    answer = a_provider(server.url, stall=0.2, max_retries=1).ask(a_request(timeout=0.5))
    assert fault_of(answer).kind is FaultKind.TIMEOUT
    assert answer.seconds < 3


def test_an_answer_that_trickles_for_ever_ends_at_its_time_and_keeps_what_came(
    start_server,
) -> None:
    server = start_server(finds(ANSWER * 20, characters_per_second=400, piece=8))
    answer = a_provider(server.url).ask(a_request(timeout=2.0))
    assert fault_of(answer).kind is FaultKind.TIMEOUT
    assert answer.seconds < 3.4
    assert len(answer.calls[0].raw_input) > 50


@pytest.mark.parametrize(
    ("headers", "timeout", "kind"),
    [({"retry-after": "1.2"}, 2.0, FaultKind.SERVER_ERROR), ({}, 0.4, FaultKind.TIMEOUT)],
)
def test_no_more_is_asked_once_the_time_is_up(start_server, headers, timeout, kind) -> None:
    server = start_server(fails(500, headers=headers))
    answer = a_provider(server.url, max_retries=50).ask(a_request(timeout=timeout))
    assert fault_of(answer).kind is kind
    assert answer.seconds < 2
    assert len(server.requests) <= 2


def _stream_length(start_server, reply: Reply) -> int:
    """How many bytes the body of `reply` has, found by reading it raw."""
    from tests.fakes.messages_server import _frames

    server = start_server(reply)
    a_provider(server.url).ask(a_request())
    return sum(len(frame) for frame, _ in _frames(reply, server.requests[0]))


@pytest.mark.parametrize("cleanly", [True, False])
@pytest.mark.parametrize("streamed", [None, False])
def test_a_cut_at_any_byte_keeps_all_that_had_arrived(start_server, streamed, cleanly) -> None:
    whole = finds(ANSWER, streamed=streamed, piece=7)
    length = _stream_length(start_server, whole)
    server = start_server()
    provider = a_provider(server.url)
    last = 0
    for at in sorted({*range(0, length, 211), length - 2, length - 1}):
        server.script = finds(ANSWER, streamed=streamed, piece=7, cut_after=at, cut_cleanly=cleanly)
        answer = provider.ask(a_request())
        received = "".join(call.raw_input for call in answer.calls)
        assert WHOLE.startswith(received.encode("utf-8", "ignore").decode()), at
        assert len(received) >= last, at
        last = len(received)
        if answer.stop_reason is None:
            kinds = (
                {FaultKind.BROKEN_STREAM}
                if received
                else {FaultKind.BROKEN_STREAM, FaultKind.GARBAGE}
            )
            assert fault_of(answer).kind in kinds, at
    assert last == len(WHOLE)


def test_a_text_answer_that_is_cut_keeps_its_text(start_server) -> None:
    server = start_server(says(WHOLE, cut_after=1500))
    answer = a_provider(server.url).ask(a_request(LOCAL))
    assert fault_of(answer).kind is FaultKind.BROKEN_STREAM
    assert answer.text
    assert WHOLE.startswith(answer.text)


@pytest.mark.parametrize(
    ("kind_told", "kind"),
    [
        ("overloaded_error", FaultKind.OVERLOADED),
        ("api_error", FaultKind.SERVER_ERROR),
        ("rate_limit_error", FaultKind.RATE_LIMIT),
        ("something_new", FaultKind.BROKEN_STREAM),
    ],
)
def test_an_error_in_mid_stream_keeps_what_came(start_server, kind_told, kind) -> None:
    server = start_server(finds(ANSWER, error_event=(kind_told, "No more."), error_after=12))
    answer = a_provider(server.url).ask(a_request())
    assert fault_of(answer) == ProviderFault(kind, "No more.")
    assert WHOLE.startswith(answer.calls[0].raw_input)
    assert len(answer.calls[0].raw_input) > 100


def test_garbage_in_mid_stream_keeps_what_came(start_server) -> None:
    good = {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "So far"},
    }
    server = start_server(sends(f"data: {json.dumps(good)}\n\ndata: ]]]\n\n".encode()))
    answer = a_provider(server.url).ask(a_request())
    assert answer.text == "So far"
    assert fault_of(answer).kind is FaultKind.GARBAGE


@pytest.mark.parametrize("streamed", [None, False])
@pytest.mark.parametrize("stop_reason", ["end_turn", "max_tokens"])
def test_an_answer_with_nothing_in_it_is_no_fault_of_the_server(
    start_server, streamed, stop_reason
) -> None:
    server = start_server(Reply(streamed=streamed, stop_reason=stop_reason))
    answer = a_provider(server.url).ask(a_request())
    assert (answer.fault, answer.stop_reason) == (None, stop_reason)
    assert (answer.text, answer.calls) == ("", ())


@pytest.mark.parametrize(
    "event",
    [
        {"type": "content_block_start", "index": "x", "content_block": {"type": "text"}},
        {"type": "content_block_start", "index": 0, "content_block": None},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 7}},
        {"type": "content_block_delta", "index": 9, "delta": "text"},
        {"type": "message_delta", "delta": {"stop_reason": 5}, "usage": {"output_tokens": "many"}},
        {"type": "message_delta", "usage": {"output_tokens": True, "input_tokens": -1}},
        {"type": "message_delta", "usage": {"output_tokens": 10**30}},
        {"type": "message_start", "message": {"model": 3, "usage": []}},
        {"type": "tomorrows_event", "data": [None]},
        {"type": ["list"]},
        {},
    ],
)
def test_a_field_of_another_type_is_as_if_it_were_absent(start_server, event) -> None:
    events = [
        {"type": "message_start", "message": {"type": "message", "model": "m"}},
        event,
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "ok"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    body = "".join(f"data: {json.dumps(each)}\n\n" for each in events).encode()
    answer = a_provider(start_server(sends(body)).url).ask(a_request())
    assert answer.text.strip() == "ok"
    assert (answer.fault, answer.stop_reason) == (None, "end_turn")
    assert answer.usage == Usage()


def test_events_under_another_content_type_are_still_read(start_server) -> None:
    body = (
        b'data: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"hi"}}\n\n'
        b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'
        b"data: [DONE]\n\n"
    )
    answer = a_provider(start_server(sends(body, "text/plain")).url).ask(a_request())
    assert (answer.text, answer.fault) == ("hi", None)


@pytest.mark.parametrize("content_type", ["text/event-stream", "application/json"])
def test_an_answer_that_grows_without_end_is_refused(
    start_server, monkeypatch, content_type
) -> None:
    monkeypatch.setattr("reviewer.providers.messages.MAX_STREAM_BYTES", 10_000)
    monkeypatch.setattr("reviewer.providers.events.event_data.__defaults__", (10_000,))
    server = start_server(sends(b"x" * 200_000, content_type))
    assert fault_of(a_provider(server.url).ask(a_request())).kind is FaultKind.GARBAGE


def test_the_answer_stands_when_the_server_leaves_without_a_goodbye(start_server) -> None:
    body = (
        b'data: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"all of it"}}\n\n'
        b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'
    )
    answer = a_provider(start_server(sends(body)).url).ask(a_request())
    assert (answer.text, answer.stop_reason, answer.fault) == ("all of it", "end_turn", None)


def test_a_client_that_was_never_used_needs_no_server() -> None:
    began = time.monotonic()
    MessagesProvider(api_key="").close()
    assert time.monotonic() - began < 1

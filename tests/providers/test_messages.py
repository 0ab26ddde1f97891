"""The real SDK against a real server: what is sent, what is kept, and what it costs."""

import json
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from reviewer.core.prompts import PromptBlock
from reviewer.core.raw import RawToolCall, Way
from reviewer.providers.messages import MessagesProvider
from reviewer.providers.ways import MemoryWays
from tests.fakes.replies import Reply, finding, finds, refuses, says, tool_call
from tests.providers.asks import KEY, LOCAL, NEWEST, OLDER, a_provider, a_request

TWO = {"findings": [finding(), finding(sheet=2)], "keeps": ["The table of channels."]}


@pytest.mark.parametrize("streamed", [None, False])
def test_the_raw_text_of_the_tool_input_is_kept_as_it_was_sent(start_server, streamed) -> None:
    raw = '{"findings": [{"sheet": 1, "sheet": 2, "n": NaN}],  "keeps":\n[]}'
    server = start_server(
        Reply(
            content=(tool_call("report_findings", raw),),
            stop_reason="tool_use",
            streamed=streamed,
            piece=3,
        )
    )
    answer = a_provider(server.url).ask(a_request())
    assert answer.calls == (RawToolCall("report_findings", raw),)
    assert answer.stop_reason == "tool_use"
    assert answer.fault is None


@pytest.mark.parametrize("streamed", [None, False])
def test_an_answer_in_text_is_kept_as_text_and_thinking_is_not(start_server, streamed) -> None:
    blocks = (
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "text", "text": "```json\n{}\n```"},
    )
    server = start_server(Reply(content=blocks, streamed=streamed))
    answer = a_provider(server.url).ask(a_request(LOCAL))
    assert answer.text == "```json\n{}\n```"
    assert answer.calls == ()


def test_fragments_arrive_before_the_answer_ends(start_server) -> None:
    server = start_server(finds(TWO["findings"], hold_after=1, piece=10))
    heard: list[str] = []

    def hear(piece: str) -> None:
        heard.append(piece)
        server.released.set()

    answer = a_provider(server.url).ask(a_request(), on_fragment=hear)
    assert "".join(heard) == answer.calls[0].raw_input
    assert len(heard) > 10
    assert answer.fault is None
    assert answer.first_content_seconds is not None
    assert answer.first_content_seconds <= answer.seconds


def test_an_answer_that_came_at_once_is_heard_as_well(start_server) -> None:
    server = start_server(finds([finding()], streamed=False))
    heard: list[str] = []
    answer = a_provider(server.url).ask(a_request(), on_fragment=heard.append)
    assert "".join(heard) == answer.calls[0].raw_input


def test_sampling_parameters_are_never_sent_in_any_way_of_asking(start_server) -> None:
    server = start_server()
    for way in Way:
        ways = MemoryWays({NEWEST: way})
        answer = a_provider(server.url, ways=ways).ask(a_request())
        assert answer.fault is None
        assert answer.way is way
    for seen in server.requests:
        assert not {"temperature", "top_p", "top_k"} & seen.body.keys()


def test_tokens_are_kept_as_the_server_bills_them_and_the_second_reading_meets_the_cache(
    start_server,
) -> None:
    server = start_server(finds([finding()], output_tokens=77))
    provider = a_provider(server.url)
    first = provider.ask(a_request(sheet=1)).usage
    second = provider.ask(a_request(sheet=2, number=2)).usage
    assert first.cache_write_tokens == second.cache_read_tokens > 1024
    assert first.cache_read_tokens == second.cache_write_tokens == 0
    assert first.output_tokens == 77
    billed = server.requests[1].billed
    assert (second.input_tokens, second.cache_read_tokens) == (billed.fresh, billed.read)


def test_the_model_is_named_as_its_server_names_it(start_server) -> None:
    server = start_server(finds(model="claude-opus-5-5-20260922"))
    answer = a_provider(server.url).ask(a_request())
    assert answer.model == "claude-opus-5-5-20260922"
    assert answer.request_id == "req_test"


@pytest.mark.parametrize("streamed", [None, False])
def test_a_refusal_keeps_the_providers_category(start_server, streamed) -> None:
    server = start_server(refuses("cyber", streamed=streamed))
    answer = a_provider(server.url).ask(a_request())
    assert (answer.stop_reason, answer.refusal_category) == ("refusal", "cyber")
    assert answer.fault is None


def test_what_was_said_before_a_refusal_is_kept(start_server) -> None:
    server = start_server(replace(refuses("bio"), content=says("I begin").content))
    answer = a_provider(server.url).ask(a_request())
    assert (answer.text, answer.refusal_category) == ("I begin", "bio")


def test_nothing_is_taken_from_the_environment(start_server, monkeypatch) -> None:
    elsewhere = start_server()
    for name, value in {
        "ANTHROPIC_API_KEY": "sk-environment",
        "ANTHROPIC_AUTH_TOKEN": "token-environment",
        "ANTHROPIC_BASE_URL": elsewhere.url,
        "ANTHROPIC_PROFILE": "environment",
        "ANTHROPIC_CUSTOM_HEADERS": "X-From-Env: 1\nAuthorization: Bearer sk-environment\n"
        "x-api-key: sk-environment",
    }.items():
        monkeypatch.setenv(name, value)
    server = start_server(key=KEY)
    assert a_provider(server.url).ask(a_request()).fault is None
    assert a_provider(server.url, api_key="").ask(a_request()).fault is not None
    sent = json.dumps([seen.headers for seen in server.requests])
    assert "environment" not in sent
    assert "x-from-env" not in sent
    assert elsewhere.requests == []


def test_a_server_without_keys_is_asked_without_one(start_server) -> None:
    server = start_server(finds([finding()]))
    answer = a_provider(server.url, api_key="").ask(a_request(LOCAL))
    assert answer.calls[0].name == "report_findings"


def test_text_never_follows_a_redirect_to_another_server(start_server) -> None:
    other = start_server()
    server = start_server(
        Reply(status=307, body=b"", headers={"location": f"{other.url}/v1/messages"})
    )
    answer = a_provider(server.url).ask(a_request())
    assert answer.fault is not None
    assert other.requests == []


def test_a_picture_of_a_sheet_is_sent_before_what_is_asked_of_it(start_server) -> None:
    server = start_server()
    request = a_request()
    image = PromptBlock("", image=b"\x89PNG not really")
    a_provider(server.url).ask(replace(request, user=(image, *request.user)))
    sent = server.requests[0].body["messages"][0]["content"][0]
    assert sent["source"]["media_type"] == "image/png"


def test_text_that_utf_8_cannot_carry_is_still_sent(start_server) -> None:
    server = start_server()
    request = a_request()
    broken = replace(
        request, user=(*request.user, PromptBlock("half \ud83d a pair"), PromptBlock("  "))
    )
    assert a_provider(server.url).ask(broken).fault is None


def test_characters_split_between_two_events_are_joined(start_server) -> None:
    events = [
        {"type": "message_start", "message": {"type": "message", "model": "m"}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "\ud83d"},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "\ude00 \ud800"},
        },
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    server = start_server(Reply(body=body))
    answer = a_provider(server.url).ask(a_request())
    assert answer.text == "\N{GRINNING FACE} \N{REPLACEMENT CHARACTER}"


def test_tool_input_that_stands_in_the_start_of_its_block_is_kept(start_server) -> None:
    events = [
        {"type": "message_start", "message": {"type": "message", "model": "m"}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {
                "type": "tool_use",
                "id": "t",
                "name": "report_findings",
                "input": TWO,
            },
        },
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    answer = a_provider(start_server(Reply(body=body)).url).ask(a_request())
    assert json.loads(answer.calls[0].raw_input) == TWO


@pytest.mark.parametrize("keep", [0, 1, 5])
def test_an_answer_that_is_no_longer_wanted_ends_as_it_stands(start_server, keep) -> None:
    server = start_server(finds(TWO["findings"], characters_per_second=4000, piece=20))
    heard: list[str] = []
    answer = a_provider(server.url).ask(
        a_request(), on_fragment=heard.append, should_stop=lambda: len(heard) >= keep
    )
    received = "".join(call.raw_input for call in answer.calls)
    assert received == "".join(heard)
    assert len(received) < len(json.dumps(TWO)) // 2
    assert (answer.stop_reason, answer.fault) == (None, None)


def test_a_fault_of_the_listener_is_the_callers_own(start_server) -> None:
    server = start_server(finds([finding()]))

    def broken(piece: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        a_provider(server.url).ask(a_request(), on_fragment=broken)


def test_many_threads_may_share_one_client(start_server) -> None:
    server = start_server(
        lambda seen: finds([finding(sheet=seen.sheet)], characters_per_second=5000)
    )
    provider = a_provider(server.url)
    answers: dict[int, str] = {}

    def read(sheet: int) -> None:
        answers[sheet] = provider.ask(a_request(sheet=sheet)).calls[0].raw_input

    threads = [threading.Thread(target=read, args=(sheet,)) for sheet in range(1, 17)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for sheet, raw in answers.items():
        assert json.loads(raw)["findings"][0]["sheet"] == sheet
    assert len(answers) == 16
    assert server.most_at_once > 4


def test_a_model_that_is_announced_to_end_still_answers(start_server) -> None:
    server = start_server(finds([finding()]))
    assert a_provider(server.url).ask(a_request("claude-sonnet-4-5")).fault is None


def test_the_client_can_be_closed_and_used_again(start_server) -> None:
    server = start_server()
    provider = a_provider(server.url)
    assert provider.ask(a_request()).fault is None
    provider.close()
    provider.close()
    assert provider.ask(a_request(OLDER)).fault is None


@pytest.mark.parametrize(
    ("base_url", "server"),
    [
        (None, "api.anthropic.com"),
        ("http://127.0.0.1:8080/api", "127.0.0.1:8080"),
        ("https://user:secret@models.example", "models.example"),
        ("not an address", "not an address"),
    ],
)
def test_the_server_is_named_without_what_is_secret(base_url, server) -> None:
    assert MessagesProvider(api_key=KEY, base_url=base_url).server == server


def test_the_sdk_is_not_loaded_before_it_is_used() -> None:
    script = (
        "import sys, reviewer.providers.messages, reviewer.providers.scripted\n"
        "sys.exit('anthropic' in sys.modules or 'django' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0

"""Ways of asking: what is tried, what is given up for good, and how it is remembered."""

import json

import pytest

from reviewer.core.raw import FaultKind, Way
from reviewer.providers.ways import MemoryWays
from tests.fakes.replies import Reply, fails, finding, finds, says
from tests.providers.asks import LOCAL, NEWEST, OLDER, a_provider, a_request


def ways_asked(server) -> list[str]:
    """How each request was asked, as the server saw it."""
    names = []
    for seen in server.requests:
        tools = seen.body.get("tools", ())
        if "output_config" in seen.body:
            names.append("format")
        elif not tools:
            names.append("text")
        else:
            strict = " strict" if any(tool.get("strict") for tool in tools) else ""
            names.append(seen.body["tool_choice"]["type"] + strict)
    return names


@pytest.mark.parametrize(
    ("model", "way"),
    [
        (NEWEST, "auto strict"),
        (OLDER, "tool"),
        (LOCAL, "tool"),
        ("claude-fable-5-2", "auto strict"),
    ],
)
def test_the_family_decides_what_is_tried_first(start_server, model, way) -> None:
    server = start_server()
    assert a_provider(server.url).ask(a_request(model)).fault is None
    assert ways_asked(server) == [way]


def test_a_model_that_refuses_a_forced_tool_is_asked_another_way_and_that_is_remembered(
    start_server,
) -> None:
    server = start_server(finds([finding()]), does_not_take={"forced_tool"})
    ways = MemoryWays()
    provider = a_provider(server.url, ways=ways)
    first = provider.ask(a_request(OLDER))
    second = provider.ask(a_request(OLDER, sheet=2))
    assert (first.way, second.way) == (Way.STRICT_TOOL, Way.STRICT_TOOL)
    assert first.calls[0].name == "report_findings"
    assert ways_asked(server) == ["tool", "auto strict", "auto strict"]
    assert ways.way_of(OLDER) is Way.STRICT_TOOL
    again = a_provider(server.url, ways=ways).ask(a_request(OLDER))
    assert again.way is Way.STRICT_TOOL
    assert len(server.requests) == 4


def test_what_is_remembered_is_of_one_model(start_server) -> None:
    server = start_server(does_not_take={"forced_tool"})
    provider = a_provider(server.url)
    provider.ask(a_request(OLDER))
    provider.ask(a_request(LOCAL))
    assert ways_asked(server) == ["tool", "auto strict", "tool", "auto strict"]


@pytest.mark.parametrize(
    ("does_not_take", "asked"),
    [
        ({"forced_tool", "strict"}, ["tool", "auto strict", "format"]),
        ({"tools"}, ["tool", "auto strict", "format"]),
        ({"tools", "output_format"}, ["tool", "auto strict", "format", "text"]),
    ],
)
def test_ways_are_given_up_in_order_until_one_is_taken(start_server, does_not_take, asked) -> None:
    server = start_server(says('{"findings": [], "keeps": []}'), does_not_take=does_not_take)
    answer = a_provider(server.url).ask(a_request(OLDER))
    assert ways_asked(server) == asked
    assert json.loads(answer.text) == {"findings": [], "keeps": []}


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Thinking may not be enabled when tool_choice forces tool use."),
        (400, '"tool_choice.type.tool" is not supported for this model.'),
        (500, "tools param requires --jinja flag"),
        (400, "registry.example/library/gemma does not support tools"),
        (422, "tool_choice: Input should be 'auto'"),
        (501, "Tool use is not supported by this backend: tools are not supported"),
    ],
)
def test_servers_say_in_many_words_that_a_tool_cannot_be_forced(
    start_server, status, message
) -> None:
    server = start_server([fails(status, "invalid_request_error", message), finds()])
    assert a_provider(server.url).ask(a_request(OLDER)).way is Way.STRICT_TOOL


def test_a_schema_that_is_too_much_for_strict_mode_moves_on(start_server) -> None:
    told = "The compiled grammar is too large, simplify the schema."
    server = start_server([fails(400, "invalid_request_error", told), says("{}")])
    answer = a_provider(server.url).ask(a_request(NEWEST))
    assert answer.way is Way.OUTPUT_FORMAT


def test_the_way_is_kept_where_the_request_itself_is_at_fault(start_server) -> None:
    server = start_server(fails(400, "invalid_request_error", "max_tokens: must be at most 8192"))
    answer = a_provider(server.url).ask(a_request(OLDER))
    assert answer.fault is not None
    assert answer.fault.kind is FaultKind.BAD_REQUEST
    assert answer.way is Way.FORCED_TOOL
    assert len(server.requests) == 1


def test_a_model_that_refuses_every_way_ends_in_its_fault(start_server) -> None:
    server = start_server(fails(400, "invalid_request_error", "tool_choice, output_config: no"))
    answer = a_provider(server.url).ask(a_request(OLDER))
    assert answer.fault is not None
    assert answer.way is Way.TEXT
    assert ways_asked(server) == ["tool", "auto strict", "format", "text"]


@pytest.mark.parametrize("name", ["eager_input_streaming", "cache_control"])
def test_what_a_server_does_not_know_is_left_out_from_then_on(start_server, name) -> None:
    server = start_server(finds([finding()]), does_not_take={name})
    provider = a_provider(server.url)
    assert provider.ask(a_request()).fault is None
    assert provider.ask(a_request(sheet=2)).fault is None
    assert [name in json.dumps(seen.body) for seen in server.requests] == [True, False, False]
    assert [seen.status for seen in server.requests] == [400, 200, 200]


def test_input_as_it_is_written_is_asked_of_claude_and_not_of_unknown_servers(
    start_server,
) -> None:
    server = start_server()
    provider = a_provider(server.url)
    provider.ask(a_request(NEWEST))
    provider.ask(a_request(LOCAL))
    asked = ["eager_input_streaming" in json.dumps(seen.body) for seen in server.requests]
    assert asked == [True, False]


def test_forced_lists_the_one_tool_and_auto_lists_both(start_server) -> None:
    server = start_server()
    provider = a_provider(server.url)
    provider.ask(a_request(OLDER))
    provider.ask(a_request(NEWEST))
    named = [[tool["name"] for tool in seen.body["tools"]] for seen in server.requests]
    assert named == [["report_findings"], ["report_findings", "report_verdicts"]]


def test_the_text_way_gives_the_schema_in_words(start_server) -> None:
    server = start_server(says("{}"))
    a_provider(server.url, ways=MemoryWays({LOCAL: Way.TEXT})).ask(a_request(LOCAL))
    last = server.requests[0].body["messages"][0]["content"][-1]["text"]
    assert '"findings"' in last
    assert "tools" not in server.requests[0].body


def test_an_answer_that_began_is_never_asked_again(start_server) -> None:
    server = start_server(
        Reply(
            content=({"type": "text", "text": "Here it comes " * 20},),
            error_event=("invalid_request_error", "tool_choice is not supported"),
        )
    )
    answer = a_provider(server.url).ask(a_request(OLDER))
    assert answer.text
    assert len(server.requests) == 1

"""The provider of prepared answers."""

import pytest

from reviewer.core.raw import RawAnswer, RawToolCall
from reviewer.providers.base import Request
from reviewer.providers.scripted import ScriptedProvider
from tests.providers.asks import a_request

ANSWER = RawAnswer(
    text="So: ", calls=(RawToolCall("report_findings", '{"findings": []}'),), stop_reason="tool_use"
)


def test_answers_come_in_order_and_requests_are_kept() -> None:
    provider = ScriptedProvider([ANSWER, lambda request: RawAnswer(model=request.model)])
    first, second = a_request(sheet=1), a_request(sheet=2)
    assert provider.ask(first) is ANSWER
    assert provider.ask(second).model == second.model
    assert provider.history == [first, second]


def test_a_request_that_nobody_scripted_is_an_error() -> None:
    with pytest.raises(LookupError):
        ScriptedProvider().ask(a_request())


def test_one_answer_may_serve_always() -> None:
    provider = ScriptedProvider(always=ANSWER)
    assert [provider.ask(a_request()) for _ in range(3)] == [ANSWER] * 3


def test_the_answer_is_heard_in_pieces() -> None:
    heard: list[str] = []
    ScriptedProvider([ANSWER], fragment_size=3).ask(a_request(), on_fragment=heard.append)
    assert "".join(heard) == 'So: {"findings": []}'
    assert max(map(len, heard)) == 3


def test_an_answer_that_is_no_longer_wanted_ends_as_it_stands() -> None:
    heard: list[str] = []
    answer = ScriptedProvider([ANSWER], fragment_size=3).ask(
        a_request(), on_fragment=heard.append, should_stop=lambda: len(heard) == 3
    )
    assert answer.text + "".join(call.raw_input for call in answer.calls) == "".join(heard)
    assert answer.stop_reason is None


def test_a_request_names_a_tool_that_it_lists() -> None:
    with pytest.raises(ValueError, match="report_verdicts"):
        Request(model="m", system=(), user=(), tool="report_verdicts")

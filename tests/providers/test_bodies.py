"""A message that came in one piece: raw input as sent, and what a cut leaves."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.raw import RawToolCall
from reviewer.providers.bodies import NotAMessage, read_body

RAW = '{ "findings":[{"sheet":1,"quote":"a \\"}]}]} é"},\n {"sheet":1,"sheet":2, "n": NaN}], "k": 1.10 }'
BODY = (
    '{"id": "msg", "type":"message","model" : "m", "stop_reason": "tool_use", "content": ['
    '{"type": "text", "text": "So: \\u00e9 \\"x\\" {"},'
    f'{{"type":"tool_use","id":"t","name":"report_findings","input":{RAW}}}'
    '], "usage": {"input_tokens": 3}}'
)


def test_tool_input_is_kept_as_it_was_sent() -> None:
    body = read_body(BODY)
    assert body.calls == (RawToolCall("report_findings", RAW),)
    assert body.texts == ('So: é "x" {',)
    assert body.members["usage"] == {"input_tokens": 3}
    assert body.members["stop_reason"] == "tool_use"
    assert body.whole


def test_a_cut_at_any_character_keeps_what_had_come() -> None:
    begins, last = BODY.index(RAW), 0
    for at in range(1, len(BODY)):
        try:
            body = read_body(BODY[:at])
        except NotAMessage:
            assert at < 10
            continue
        assert not body.whole
        if at > begins:
            assert body.calls == (
                RawToolCall("report_findings", RAW[: max(0, at - begins)].strip()),
            )
        said = "".join(body.texts)
        assert 'So: é "x" {'.startswith(said)
        assert len(said) >= last
        last = len(said)


@pytest.mark.parametrize("body", ["", "null", "[]", '"text"', "{", "{}", "{x", "<html>"])
def test_what_is_no_message_is_refused(body) -> None:
    with pytest.raises(NotAMessage):
        read_body(body)


@pytest.mark.parametrize(
    "content", ["null", "{}", '"text"', "[1, null, []]", '[{"type": "tool_use"}]', "[,]", "[{]"]
)
def test_content_of_another_kind_is_no_content(content) -> None:
    body = read_body(f'{{"type": "message", "content": {content}}}')
    assert (body.texts, body.calls) == ((), ())


def test_depth_cannot_hurt() -> None:
    deep = "[" * 30_000
    assert read_body(f'{{"a": {deep}').members == {}
    body = read_body(f'{{"content": [{{"type": "tool_use", "name": "n", "input": {deep}')
    assert body.calls[0].raw_input == deep
    closed = "[" * 30_000 + "]" * 30_000
    assert read_body(f'{{"a": {closed}, "b": 1}}').members == {"b": 1}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_any_input_comes_out_as_it_went_in(value) -> None:
    for ascii_only in (True, False):
        raw = json.dumps(value, ensure_ascii=ascii_only)
        block = f'{{"type":"tool_use","name":"n","input":{raw}}}'
        body = read_body(f'{{"content":[{block}],"type":"message"}}')
        assert body.calls == (RawToolCall("n", raw),)
        assert body.whole


@given(st.text(max_size=200))
def test_no_text_raises_anything_else(text) -> None:
    for body in (
        text,
        "{" + text,
        '{"content": [' + text,
        '{"content": [{"type": "text", "text": "' + text,
    ):
        try:
            read_body(body)
        except NotAMessage:
            continue

"""Calls written as text are found outside of code fences and walked by their grammar."""

import json
import time

import pytest

from reviewer.core.answers import read_answer
from reviewer.core.raw import RawAnswer
from reviewer.core.text_call import Found, Refused, TextCall, find_call, walk_call
from tests.core.reader_cases import PREFIX, as_call, call, entry

KNOWN = frozenset({"s", "t"})
PLAIN = call(("s", "a"))


def walked(text: str) -> TextCall:
    return walk_call(text, find_call(text), "f", KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{PLAIN}\n```",
        f"```xml\n{PLAIN}",
        f"~~~~\n```\n~~~\n{PLAIN}\n~~~~",
        f"1. Like so:\n   ```xml\n   {PLAIN}\n   ```",
        f"- ```\n{PLAIN}\n```",
        f"> ```\n> {PLAIN}\n> ```",
        f"``` xml\n{PLAIN}\n``` not its end\n{PLAIN}",
        f"```{PLAIN.splitlines()[0]}\n{PLAIN}\n```",
    ],
)
def test_a_call_in_a_code_fence_is_no_call(text: str) -> None:
    found = find_call(text)
    assert found.start is None
    assert found.first < len(text)


@pytest.mark.parametrize(
    "text",
    [
        f"```\ncode\n```\n{PLAIN}",
        f"~~~\n```\n~~~\n{PLAIN}",
        f"Use `code` and ``more``.\n{PLAIN}",
        f"```not a fence``` \n{PLAIN}",
        PLAIN.replace("\na\n", "\n```\na\n"),
    ],
)
def test_a_call_outside_of_fences_is_found(text: str) -> None:
    found = find_call(text)
    assert found.start is not None
    assert text.startswith("<function=f>", found.start.at)
    assert text.startswith("<tool_call>", found.start.wrapper_at)
    assert walked(text).closed


@pytest.mark.parametrize(
    "text",
    ["a < b and <b>bold</b>", "<toolbox>", "<functional>", "<invoked>", "<parameters", "", "<"],
)
def test_other_signs_are_no_markup(text: str) -> None:
    assert find_call(text) == Found(None, len(text))


@pytest.mark.parametrize("tag", ["<tool_call>", "<tool_c", "<function", "<invok", "<fu", "<in"])
def test_a_text_may_end_where_a_call_begins(tag: str) -> None:
    assert find_call(f"Now: {tag}").begun
    assert not find_call(f"```\nNow: {tag}").begun
    assert not find_call(f"Now: {tag} and on").begun


def test_every_parameter_is_given_as_written() -> None:
    text = "<function=f><parameter=s>\n a </parameter> b \n</parameter>\n<parameter=t></parameter>"
    call = walked(text + "</function>")
    assert [(one.name, one.text, one.closed) for one in call.parameters] == [
        ("s", "\n a </parameter> b \n", True),
        ("t", "", True),
    ]
    assert call.closed
    assert not walked(text).closed


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (call(("s", "a"), name="g"), "it calls “g”, which it was not offered"),
        (call(("s", "a"), ("z", "b")), "it has no parameter “z”"),
        (call(("s", "a"), ("s", "b")), "the parameter “s” is given twice"),
        ("<function=f>so<parameter=s>a</parameter></function>", "there is text between its parameters"),
        ("<function=f <parameter=s>a</parameter></function>", "the call is not opened properly"),
        (PLAIN + " Done.", "something follows the call"),
        ("<function=f></function>" + PLAIN, "there is a second call"),
        (PLAIN + PLAIN, "a value holds call markup"),
        ("<tool_call>" + PLAIN, "there is call markup before the call"),
        ("</parameter><parameter=s>" + PLAIN, "there is call markup before the call"),
        ("<function=f><parameter=s>a<parameter=t>b", "a value is not closed before the next opener"),
    ],
)  # fmt: skip
def test_a_refusal_names_its_rule(text: str, why: str) -> None:
    with pytest.raises(Refused) as caught:
        walked(text)
    assert caught.value.why == why


@pytest.mark.parametrize(
    "opener",
    ["<parameter=t>", "<function=g>", "<tool_call>", '<invoke name="g">', "<PARAMETER=t>",
     "<function =g>", '<parameter name="t">', f"<{PREFIX}invoke>", "<function_calls>"],
)  # fmt: skip
def test_no_opener_of_any_form_may_stand_in_a_value(opener: str) -> None:
    with pytest.raises(Refused):
        walked(call(("s", f"see {opener} here")))


def test_forms_are_not_mixed() -> None:
    mixed = '<function=f>\n<parameter name="s">a</parameter>\n</function>'
    with pytest.raises(Refused):
        walked(mixed)
    with pytest.raises(Refused):
        walked("<function_calls>\n<function=f>\n<parameter=s>\na\n</parameter>\n</function>")


@pytest.mark.parametrize(
    "closer", ["</parameter>", "</parameter>\n", "</parameter> </function>", "</function>"]
)
def test_a_hundred_thousand_closers_cost_a_moment(closer: str) -> None:
    text = "<function=f><parameter=s>" + closer * (100_000 // len(closer))
    start = time.process_time()
    walked(text + "x</parameter></function>")
    assert time.process_time() - start < 1


def test_what_a_call_in_text_gives_is_what_a_native_call_gives() -> None:
    entries = [entry(), entry(1, quote="</parameter>\n</function>"), entry(0)]
    for indent in (None, 2):
        text = as_call(json.dumps(entries, ensure_ascii=False, indent=indent))
        read = read_answer(RawAnswer(text=text, stop_reason="end_turn"))
        assert read.outcome == "read"
        assert [found.quote for found in read.findings] == [one["quote"] for one in entries]

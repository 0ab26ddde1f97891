"""Made and spoiled calls: nothing that is spoiled is accepted, and nothing good is lost.

A few thousand with a fixed seed; `python -m tests.bench.fuzz_text_calls` makes a million.
"""

import random
from typing import Any

import pytest

from reviewer.core.answers import read_answer
from reviewer.core.calls import read_call
from reviewer.core.guards import GUARDS
from reviewer.core.raw import RawAnswer, RawToolCall
from tests.bench.fuzz_text_calls import SCHEMA, SPOILS, TOKENS, run
from tests.core.reader_cases import CALLS, REPORTS
from tests.core.test_reader_guards import replaced


def test_of_six_thousand_made_calls_none_is_read_wrongly() -> None:
    result = run(6000, seed=7)
    assert result["wrong"] == {}, result["examples"]
    assert set(SPOILS) <= set(result["made"])
    assert set(result["accepted"]) == {"good", "cut", "edited"}
    assert result["accepted"]["good"] > 0.8 * result["made"]["good"]
    assert result["accepted"]["edited"] > 0.02 * result["made"]["edited"]


@pytest.mark.parametrize(
    "name",
    [
        "unknown_parameter",
        "repeated_parameter",
        "markup_in_document",
        "something_after",
        "opener_in_value",
        "other_name",
        "not_finite",
        "no_json_constant",
        "no_whole_number",
        "no_boolean",
        "wrong_type",
        "repeated_key",
        "lone_surrogate",
        "too_deep",
        "more_than_a_list",
    ],
)
def test_the_fuzzer_finds_out_that_a_guard_is_gone(name: str) -> None:
    with replaced(GUARDS[name], name, lambda *_: ""):
        assert run(3000, seed=7)["wrong"]


BYTES = "".join(TOKENS) + '<>{}[]":,\\/ \n\t0123456789eE+-.%abcnulltrueNaN\x00\x1f\udfff\u2028'


def test_no_text_whatever_makes_the_reader_raise() -> None:
    dice = random.Random(11)
    texts = [case.text for case in CALLS] + [case.text for case in REPORTS]
    texts += [native for case in REPORTS for native in case.native]
    for _ in range(4000):
        text = dice.choice(texts)
        for _ in range(dice.randint(1, 4)):
            at, length = dice.randrange(len(text) + 1), dice.choice([0, 1, 9, 200])
            put = "".join(dice.choices(BYTES, k=dice.randrange(5))) * dice.choice([1, 1, 1, 300])
            text = text[:at] + put + text[at + length :]
        for raw in (
            RawAnswer(text=text),
            RawAnswer(text=text, stop_reason="max_tokens"),
            RawAnswer(calls=(RawToolCall("report_findings", text),)),
            RawAnswer(calls=(RawToolCall("f", text),), text=text, stop_reason="end_turn"),
        ):
            _is_sound(read_answer(raw, sheets={1: text}).as_dict())
            _is_sound(read_call(raw, schema=SCHEMA, function="f").as_dict())


def _is_sound(read: dict[str, Any]) -> None:
    import json

    assert json.dumps(read, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "{",
        '{"a":',
        '{"findings":[',
        '{"findings":[{"also":[',
        "{{",
        '"',
        "\\",
        "<tool_call>",
        "<function=report_findings>",
        "<parameter=findings>",
        "</parameter>",
        "</parameter>\n<",
        "```\n",
        "<tool_call>{",
        '<tool_call>{"arguments":',
        "9",
        "<",
        "{'a': ",
        '{"a": 1} ',
        '{"findings": []} ',
        '{"name": "report_findings", "arguments": {"findings": []}} ',
        "[{]",
        '{"sheet": 1,},',
    ],
)
@pytest.mark.parametrize(
    "before", ["", '{"findings": [', "<function=report_findings><parameter=findings>"]
)
def test_a_hundred_thousand_of_one_piece_are_read_in_a_moment(piece: str, before: str) -> None:
    """Nesting and repetition cost linear time, and never the interpreter's stack."""
    import time

    text = before + piece * (100_000 // len(piece))
    start = time.process_time()
    read_answer(RawAnswer(text=text), sheets={1: "a"})
    read_answer(RawAnswer(calls=(RawToolCall("report_findings", text),)))
    read_call(RawAnswer(text=text), schema=SCHEMA, function="f")
    assert time.process_time() - start < 3

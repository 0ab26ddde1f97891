"""A call of any function is read by its schema, whether native, as text or as JSON."""

import json

import pytest

from reviewer.core.calls import read_call
from reviewer.core.raw import FaultKind, ProviderFault, RawAnswer, RawToolCall
from tests.core.reader_cases import CALLS, SCHEMA, CallCase, call, entry
from tests.shared_cases import CASES, needs_cases


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case.name)
def test_a_call_is_read_as_it_should_be(case: CallCase) -> None:
    read = case.read()
    assert (read.outcome, read.arguments) == (case.outcome, case.arguments), read.reason
    assert case.holds()


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case.name)
def test_a_refusal_says_which_rule(case: CallCase) -> None:
    read = case.read()
    if read.outcome in ("refused_text_call", "invalid_call", "partly_read"):
        assert read.reason
    assert json.dumps(read.as_dict(), ensure_ascii=False).encode()


@needs_cases
def test_all_shared_cases_of_calls_written_as_text() -> None:
    assert CASES is not None
    shared = json.loads((CASES / "text_call.json").read_text())
    assert len(shared["cases"]) >= 60
    for case in shared["cases"]:
        read = read_call(
            RawAnswer(text=case["text"]),
            schema=shared["schema"],
            function=shared["function"],
            document=case["document"],
        )
        assert (read.outcome, read.arguments) == (case["outcome"], case["arguments"]), case["id"]


def test_what_the_provider_said_comes_first_where_nothing_was_read() -> None:
    fault = ProviderFault(FaultKind.OVERLOADED, "busy")
    lost = read_call(RawAnswer(text="prose", fault=fault), schema=SCHEMA, function="f")
    assert (lost.outcome, lost.reason) == ("provider_error", "busy")
    kept = read_call(RawAnswer(text=call(("s", "a")), fault=fault), schema=SCHEMA, function="f")
    assert (kept.outcome, kept.arguments) == ("read", {"s": "a"})
    refused = RawAnswer(stop_reason="refusal", refusal_category="bio")
    assert read_call(refused, schema=SCHEMA, function="f").outcome == "refusal"


def test_a_schema_may_use_references_and_choices() -> None:
    schema = {
        "properties": {
            "who": {"$ref": "#/$defs/person"},
            "at": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "how": {"enum": ["fast", "slow"]},
        },
        "$defs": {
            "person": {
                "type": "object",
                "properties": {"name": {"type": "string", "minLength": 1}},
                "required": ["name"],
                "additionalProperties": False,
            }
        },
    }

    def arguments(text: str) -> object:
        return read_call(RawAnswer(text=text), schema=schema, function="f").arguments

    good = '{"name": "Rae"}'
    assert arguments(call(("who", good), ("at", "3"), ("how", "fast"))) == {
        "who": {"name": "Rae"},
        "at": 3,
        "how": "fast",
    }
    assert arguments(call(("how", "slow"), ("at", "null"))) == {"how": "slow"}
    for bad in ("{}", '{"name": ""}', '{"name": 3}', '{"name": "Rae", "age": 3}'):
        assert arguments(call(("who", bad))) is None
    assert arguments(call(("at", "soon"))) is None


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema = {"properties": {"a": {"$ref": "#/properties/a"}, "b": {"$ref": "#/none"}}}
    read = read_call(RawAnswer(text=call(("a", "1"), ("b", "2"))), schema=schema, function="f")
    assert read.arguments == {"a": "1", "b": "2"}


def test_the_report_s_own_schema_reads_reports() -> None:
    from reviewer.core.schema import TOOL_NAME, input_schema

    written = json.dumps({"findings": [entry()], "keeps": []})
    raw = RawAnswer(calls=(RawToolCall(TOOL_NAME, written),), stop_reason="tool_use")
    read = read_call(raw, schema=input_schema(), function=TOOL_NAME)
    assert read.arguments == json.loads(written)
    wrong = RawAnswer(calls=(RawToolCall(TOOL_NAME, written.replace('"fix"', '"urgent"', 1)),))
    assert read_call(wrong, schema=input_schema(), function=TOOL_NAME).arguments is None

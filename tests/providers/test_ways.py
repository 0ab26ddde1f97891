"""Which way is tried for which model, and what strict modes are given."""

import pytest

from reviewer.core.raw import FaultKind, ProviderFault, Way
from reviewer.core.schema import input_schema
from reviewer.core.schema_check import fault_of
from reviewer.core.verdicts import verdicts_tool_definition
from reviewer.providers.ways import ORDER, first_way, next_way, refuses_way, strict_schema
from tests.fakes.replies import finding

SCHEMAS = [input_schema(), verdicts_tool_definition()["input_schema"]]


@pytest.mark.parametrize(
    ("model", "way"),
    [
        ("claude-opus-5-5", Way.STRICT_TOOL),
        ("claude-opus-5", Way.STRICT_TOOL),
        ("anthropic/claude-sonnet-5-5", Way.STRICT_TOOL),
        ("us.anthropic.claude-haiku-5-5-v1:0", Way.STRICT_TOOL),
        ("claude-fable-5-1", Way.STRICT_TOOL),
        ("claude-mythos-5-2", Way.STRICT_TOOL),
        ("Claude-Opus-10", Way.STRICT_TOOL),
        ("claude-opus-4-8", Way.FORCED_TOOL),
        ("claude-sonnet-4-6", Way.FORCED_TOOL),
        ("claude-opus-4-20250514", Way.FORCED_TOOL),
        ("claude-3-5-haiku-20241022", Way.FORCED_TOOL),
        ("qwen2.5-coder-1.5b-instruct", Way.FORCED_TOOL),
        ("", Way.FORCED_TOOL),
    ],
)
def test_a_family_has_its_first_way(model, way) -> None:
    assert first_way(model) is way


def test_every_way_leads_to_text_in_the_end() -> None:
    for way in Way:
        steps, at = 0, way
        while (after := next_way(at)) is not None:
            steps, at = steps + 1, after
            assert steps < len(ORDER)
        assert at is Way.TEXT


@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize(
    "fault",
    [
        ProviderFault(FaultKind.WRONG_KEY, "tool_choice strict output_config", 401),
        ProviderFault(FaultKind.RATE_LIMIT, "tool_choice strict output_config", 429),
        ProviderFault(FaultKind.TIMEOUT, "tool_choice strict output_config", None),
        ProviderFault(FaultKind.TOO_LONG, "the tools take more than the context length", 400),
        ProviderFault(FaultKind.NO_CREDIT, "tool_choice: your credit balance is too low", 400),
        ProviderFault(FaultKind.SERVER_ERROR, "strict grammar failed on output_config", 500),
        ProviderFault(FaultKind.BAD_REQUEST, "max_tokens: too large", 400),
        ProviderFault(FaultKind.BAD_REQUEST, "", 400),
    ],
)
def test_only_a_refusal_of_the_way_itself_gives_it_up(way, fault) -> None:
    assert not refuses_way(way, fault)


def test_text_can_not_be_refused() -> None:
    fault = ProviderFault(FaultKind.BAD_REQUEST, "tools are not supported", 400)
    assert not refuses_way(Way.TEXT, fault)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_strict_schemas_have_only_what_strict_modes_take(schema) -> None:
    def walk(node: object) -> None:
        if isinstance(node, list):
            for part in node:
                walk(part)
        if not isinstance(node, dict):
            return
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
        assert not {"minimum", "maxLength", "default", "title", "$ref"} & node.keys()
        for part in node.values():
            walk(part)

    walk(strict_schema(schema))


def test_an_object_that_was_open_is_closed() -> None:
    opened = {"type": "object", "properties": {"a": {"type": "object", "properties": {}}}}
    strict = strict_schema(opened)
    assert strict["additionalProperties"] is False
    assert strict["properties"]["a"]["additionalProperties"] is False


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_sdks_own_transform_finds_nothing_left_to_change(schema) -> None:
    from anthropic import transform_schema

    def without_types_of_enums(node):
        if isinstance(node, list):
            return [without_types_of_enums(part) for part in node]
        if not isinstance(node, dict):
            return node
        kept = {key: without_types_of_enums(part) for key, part in node.items()}
        if "enum" in kept:
            kept.pop("type", None)
        return kept

    strict = strict_schema(schema)
    assert without_types_of_enums(transform_schema(strict)) == without_types_of_enums(strict)


def test_what_the_tool_takes_the_strict_tool_takes_as_well() -> None:
    report = {"findings": [finding(also=[{"sheet": 2, "quote": "q"}], learning=None)], "keeps": []}
    strict = strict_schema(input_schema())
    assert fault_of(report, strict, strict) == ""
    assert fault_of({**report, "more": 1}, strict, strict)

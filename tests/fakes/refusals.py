"""The requests that the test server refuses, in the words of servers that do."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tests.fakes.replies import Reply, fails

if TYPE_CHECKING:
    from tests.fakes.messages_server import Rules, Seen

_SAMPLING = ("temperature", "top_p", "top_k")
_NOT_IN_STRICT = ("minimum", "maximum", "minLength", "maxLength", "maxItems", "pattern", "default")


def refusal_of(seen: "Seen", rules: "Rules") -> Reply | None:
    """The error that `seen` earns under `rules`, or None."""
    given = seen.headers.get("authorization", "").removeprefix("Bearer ")
    if rules.key is not None and given != rules.key:
        return fails(401, "authentication_error", "invalid x-api-key")
    if rules.models and seen.model not in rules.models:
        return fails(404, "not_found_error", f"model: {seen.model}")
    if rules.context_tokens is not None and seen.billed.tokens > rules.context_tokens:
        told = f"prompt is too long: {seen.billed.tokens} tokens > {rules.context_tokens} maximum"
        return fails(400, "invalid_request_error", told)
    told = next(_complaints(seen.body, set(rules.does_not_take)), "")
    return fails(400, "invalid_request_error", told) if told else None


def _complaints(body: dict[str, Any], not_taken: set[str]) -> Iterator[str]:
    for name in _SAMPLING:
        if name in body:
            yield f"{name}: Extra inputs are not permitted"
    if not isinstance(body.get("max_tokens"), int):
        yield "max_tokens: Field required"
    yield from _of_ways(body, not_taken)
    yield from _of_tools(body, not_taken)
    yield from _of_blocks(body, not_taken)


def _of_ways(body: dict[str, Any], not_taken: set[str]) -> Iterator[str]:
    choice = body.get("tool_choice", {})
    forced = choice.get("type") in {"tool", "any"}
    if "tools" in not_taken and body.get("tools"):
        yield "This model does not support tools."
    if "forced_tool" in not_taken and forced:
        yield f'"tool_choice.type.{choice["type"]}" is not supported for this model.'
    if "output_format" in not_taken and "output_config" in body:
        yield "output_config: Extra inputs are not permitted"
    names = {tool["name"] for tool in body.get("tools", ())}
    if choice.get("type") == "tool" and choice.get("name") not in names:
        yield "tool_choice.name: Tool not found in provided tools"
    if "output_config" in body:
        yield from _of_schema("output_config.format", body["output_config"]["format"]["schema"])


def _of_tools(body: dict[str, Any], not_taken: set[str]) -> Iterator[str]:
    for place, tool in enumerate(body.get("tools", ())):
        where = f"tools.{place}.custom"
        for name in ("strict", "eager_input_streaming"):
            if name in not_taken and name in tool:
                yield f"{where}.{name}: Extra inputs are not permitted"
        if tool.get("strict"):
            yield from _of_schema(f"{where}.input_schema", tool["input_schema"])


def _of_schema(where: str, schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from _of_schema(where, part)
    if not isinstance(schema, dict):
        return
    for name in _NOT_IN_STRICT:
        if name in schema and not isinstance(schema[name], dict):
            yield f"{where}: property '{name}' is not supported"
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield f"{where}: For 'object' type, 'additionalProperties' must be explicitly false"
    for part in schema.values():
        yield from _of_schema(where, part)


def _of_blocks(body: dict[str, Any], not_taken: set[str]) -> Iterator[str]:
    user = [block for message in body.get("messages", ()) for block in message["content"]]
    blocks = [*body.get("tools", ()), *body.get("system", ()), *user]
    marked = [block for block in blocks if "cache_control" in block]
    if len(marked) > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}."
    if "cache_control" in not_taken and marked:
        yield "messages.0.content.0.text.cache_control: Extra inputs are not permitted"
    for place, block in enumerate(user):
        if block["type"] == "text" and not block["text"].strip():
            yield f"messages.0.content.{place}: text content blocks must be non-empty"

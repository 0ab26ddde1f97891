"""A request as parameters of the Messages API, for each way of asking.

The parts that readings share come first and are the same bytes each time: tools, then
system, then the user's blocks in their order. Only the tool to be called is listed where it
is forced; with `auto` both are, so that checks meet the cache that passes wrote.
"""

import base64
import json
from collections.abc import Collection
from typing import Any

from reviewer.core.prompts import PromptBlock, render
from reviewer.core.raw import Way
from reviewer.providers.base import Request
from reviewer.providers.ways import strict_schema

EAGER = "eager_input_streaming"
OPTIONAL = (EAGER, "cache_control", "disable_parallel_tool_use")
"""What a server may not know and an answer does not depend on."""


def parameters(request: Request, way: Way, *, without: Collection[str] = ()) -> dict[str, Any]:
    """Keyword arguments for the SDK's `messages.create`; never a sampling parameter.

    `without` names those of `OPTIONAL` that this server does not take.
    """
    asked = _parameters(request, way)
    left_out: dict[str, Any] = _left_out(asked, frozenset(without) & frozenset(OPTIONAL))
    return left_out


def _left_out(value: Any, names: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {key: _left_out(part, names) for key, part in value.items() if key not in names}
    if isinstance(value, list):
        return [_left_out(part, names) for part in value]
    return value


def _parameters(request: Request, way: Way) -> dict[str, Any]:
    user = [part for block in request.user for part in _parts(block)]
    asked: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "system": [part for block in request.system for part in _parts(block)],
        "messages": [{"role": "user", "content": user}],
    }
    tool = request.tool_definition
    if way is Way.FORCED_TOOL:
        asked["tools"] = [_tool(tool, strict=False)]
        asked["tool_choice"] = {
            "type": "tool",
            "name": request.tool,
            "disable_parallel_tool_use": True,
        }
    elif way is Way.STRICT_TOOL:
        asked["tools"] = [_tool(listed, strict=True) for listed in request.tools]
        asked["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}
    elif way is Way.OUTPUT_FORMAT:
        schema = strict_schema(tool["input_schema"])
        asked["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        user.append(_text(render("answer_format", tool=request.tool)))
    else:
        written = json.dumps(tool["input_schema"], ensure_ascii=False)
        user.append(_text(render("answer_text", tool=request.tool, schema=written)))
    return asked


def _tool(tool: dict[str, Any], *, strict: bool) -> dict[str, Any]:
    """The tool as it is listed, with its input to be streamed as it is written."""
    listed = {**tool, EAGER: True}
    if strict:
        listed |= {"strict": True, "input_schema": strict_schema(tool["input_schema"])}
    return listed


def _parts(block: PromptBlock) -> list[dict[str, Any]]:
    """The content blocks of `block`; none where it is empty, since the API refuses those."""
    parts = [_text(block.text)] if block.text.strip() else []
    if block.image:
        source = {
            "type": "base64",
            "media_type": block.image_type,
            "data": base64.b64encode(block.image).decode("ascii"),
        }
        parts.append({"type": "image", "source": source})
    if block.cache and parts:
        parts[-1]["cache_control"] = {"type": "ephemeral"}
    return parts


def _text(text: str) -> dict[str, Any]:
    """A text block; what UTF-8 cannot carry is replaced, since it could not be sent."""
    return {"type": "text", "text": text.encode("utf-8", "replace").decode("utf-8")}

"""How a model is asked: which way is tried first, which next, and how a refusal of it looks.

A way is a property of a model behind a server, not a wish. The table of families gives the
first try; a 400 that says the way is not supported moves that model to the next one, and
the store remembers it. Nothing here knows the SDK.
"""

import re
import threading
from typing import Any, Protocol

from reviewer.core.raw import FaultKind, ProviderFault, Way

ORDER: tuple[Way, ...] = (Way.FORCED_TOOL, Way.STRICT_TOOL, Way.OUTPUT_FORMAT, Way.TEXT)

_FAMILIES: tuple[tuple[re.Pattern[str], Way], ...] = (
    # From the fifth generation on, models think by default, and a forced tool is a 400.
    (re.compile(r"claude-(?:fable|mythos)-"), Way.STRICT_TOOL),
    (re.compile(r"claude-(?:opus|sonnet|haiku)-(?:[5-9]|\d\d)(?!\d)"), Way.STRICT_TOOL),
    (re.compile(r"claude-"), Way.FORCED_TOOL),
)

_SAYS_OF_TOOLS = re.compile(
    r"tool_choice|tool choice|tools? (?:use |calling )?(?:is|are) not supported"
    r"|not support (?:\w+ )?(?:tools|tool use|tool calling|function calling)"
    r"|(?:tools?|tool_choice)\b.{0,40}--jinja",
    re.IGNORECASE,
)
_SAYS_OF_STRICT = re.compile(
    r"\bstrict\b|grammar|input_schema|json.?schema|schema is (?:too|not)", re.IGNORECASE
)
_SAYS_OF_FORMAT = re.compile(
    r"output_config|output_format|response_format|json.?schema|grammar|structured output",
    re.IGNORECASE,
)
_WORDS: dict[Way, tuple[re.Pattern[str], ...]] = {
    Way.FORCED_TOOL: (_SAYS_OF_TOOLS,),
    Way.STRICT_TOOL: (_SAYS_OF_TOOLS, _SAYS_OF_STRICT),
    Way.OUTPUT_FORMAT: (_SAYS_OF_FORMAT,),
    Way.TEXT: (),
}
_MAY_REFUSE = {400, 404, 405, 422, 500, 501}
"""Statuses with which servers refuse a parameter; those that are not 400 must name tools."""

_STRICT_KEYWORDS = {
    "type",
    "properties",
    "items",
    "required",
    "additionalProperties",
    "enum",
    "const",
    "anyOf",
    "allOf",
    "description",
}


class WayStore(Protocol):
    """Where the way that a model takes is remembered."""

    def way_of(self, model: str) -> Way | None:
        """The way remembered for `model`, or None where nothing is known yet."""
        ...

    def remember(self, model: str, way: Way) -> None:
        """Remember that `model` is to be asked in `way` from now on."""
        ...


class MemoryWays:
    """Ways remembered for as long as the process lives; safe to share between threads."""

    def __init__(self, known: dict[str, Way] | None = None) -> None:
        self._known = dict(known or {})
        self._lock = threading.Lock()

    def way_of(self, model: str) -> Way | None:
        """The way remembered for `model`, if any."""
        with self._lock:
            return self._known.get(model)

    def remember(self, model: str, way: Way) -> None:
        """Remember `way` for `model`."""
        with self._lock:
            self._known[model] = way


def first_way(model: str) -> Way:
    """The way to try first with a model of this name; an unknown family gets a forced tool."""
    name = model.casefold()
    return next((way for family, way in _FAMILIES if family.search(name)), Way.FORCED_TOOL)


def next_way(way: Way) -> Way | None:
    """The way to try after `way` was refused; None after the last."""
    place = ORDER.index(way) + 1
    return ORDER[place] if place < len(ORDER) else None


def refuses_way(way: Way, fault: ProviderFault) -> bool:
    """Whether `fault` says that this way of asking is not supported, not that asking failed."""
    if fault.kind in {FaultKind.TOO_LONG, FaultKind.NO_CREDIT, FaultKind.UNKNOWN_MODEL}:
        return False
    if fault.status not in _MAY_REFUSE:
        return False
    words = _WORDS[way] if fault.status in {400, 422} else (_SAYS_OF_TOOLS,) * bool(_WORDS[way])
    return any(pattern.search(fault.message) for pattern in words)


def strict_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` with only what strict modes take.

    Bounds are left out, since the reader of answers checks them anyway; every object is
    closed. References must have been resolved before.
    """
    return {key: _strict_part(key, value) for key, value in _closed(schema).items()}


def _strict_part(key: str, value: Any) -> Any:
    if key == "properties":
        return {name: strict_schema(part) for name, part in value.items()}
    if key == "items":
        return strict_schema(value)
    if key in {"anyOf", "allOf"}:
        return [strict_schema(part) for part in value]
    return value


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key in _STRICT_KEYWORDS}
    if kept.get("type") == "object":
        kept["additionalProperties"] = False
    return kept

"""A message that came as one JSON body, whole or cut anywhere.

Its tool input is taken as raw text, exactly as sent, so that repeated keys, NaN and the
like reach the reader of answers unchanged. A body that was cut keeps what had arrived of
the block being written. Reading is by position and never nests, so depth cannot hurt it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from reviewer.core.raw import RawToolCall

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}]+")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_STEP = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]"]', re.DOTALL)
_STRING_CUT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")


@dataclass(frozen=True, slots=True)
class Body:
    """What a body holds. `members` are its other fields that could be read as JSON."""

    texts: tuple[str, ...] = ()
    calls: tuple[RawToolCall, ...] = ()
    members: dict[str, Any] = field(default_factory=dict)
    whole: bool = True
    """False where the body ended before its closing brace."""


class NotAMessage(ValueError):
    """The body is no JSON object, whole or cut."""


def read_body(body: str) -> Body:
    """The message in `body`. Raises `NotAMessage` where it is none."""
    start = _skip(body, 0)
    members = dict(_members(body, start))
    if not members:
        raise NotAMessage("The body is not a message.")
    whole = _end_of(body, start) is not None
    texts, calls = _content(body, members.pop("content", None))
    read = {}
    for name, (at, end) in members.items():
        if end is not None:
            value = _loaded(body[at:end])
            if value is not _UNREADABLE:
                read[name] = value
    return Body(tuple(texts), tuple(calls), read, whole)


_UNREADABLE = object()
_Span = tuple[int, int | None]
"""Where a value starts, and where it ends; None where it was cut."""


def _content(body: str, span: _Span | None) -> tuple[list[str], list[RawToolCall]]:
    texts: list[str] = []
    calls: list[RawToolCall] = []
    if span is None or not body.startswith("[", span[0]):
        return texts, calls
    for start, _ in _elements(body, span[0]):
        block = dict(_members(body, start))
        kind = _string(body, block.get("type"))
        if kind == "text" and "text" in block:
            texts.append(_string(body, block["text"]))
        elif kind == "tool_use" and "input" in block:
            at, end = block["input"]
            calls.append(RawToolCall(_string(body, block.get("name")), body[at:end].strip()))
    return texts, calls


def _members(body: str, at: int) -> Iterator[tuple[str, _Span]]:
    """Name and span of each member of the object at `at`; the last may be cut."""
    if not body.startswith("{", at):
        return
    at = _skip(body, at + 1)
    while at < len(body) and body[at] == '"':
        name = _STRING.match(body, at)
        if name is None:
            return
        at = _skip(body, name.end())
        if not body.startswith(":", at):
            return
        start = _skip(body, at + 1)
        end = _end_of(body, start)
        yield str(_loaded(name[0])), (start, end)
        if end is None:
            return
        at = _skip(body, end)
        if not body.startswith(",", at):
            return
        at = _skip(body, at + 1)


def _elements(body: str, at: int) -> Iterator[_Span]:
    """Span of each element of the list at `at`; the last may be cut."""
    at = _skip(body, at + 1)
    while at < len(body) and body[at] != "]":
        end = _end_of(body, at)
        yield at, end
        if end is None:
            return
        at = _skip(body, end)
        if not body.startswith(",", at):
            return
        at = _skip(body, at + 1)


def _end_of(body: str, at: int) -> int | None:
    """Where the value at `at` ends; None where the body ends first."""
    if at >= len(body):
        return None
    if body[at] == '"':
        string = _STRING.match(body, at)
        return string.end() if string else None
    if body[at] not in "{[":
        scalar = _SCALAR.match(body, at)
        return scalar.end() if scalar and scalar.end() < len(body) else None
    depth = 0
    for step in _STEP.finditer(body, at):
        if step[0] == '"':
            return None  # a string that never ends; brackets in it are not brackets
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(step[0], 0)
        if depth == 0:
            return step.end()
    return None


def _string(body: str, span: _Span | None) -> str:
    """The string at `span`, as far as it came; empty where it is no string."""
    if span is None:
        return ""
    start, end = span
    if end is not None:
        value = _loaded(body[start:end])
        return value if isinstance(value, str) else ""
    cut = _STRING_CUT.match(body, start)
    if cut is None:
        return ""
    value = _loaded(_HALF_ESCAPE.sub("", cut[0]) + '"')
    return value if isinstance(value, str) else ""


def _loaded(raw: str) -> Any:
    try:
        return json.loads(raw, strict=False)
    except (ValueError, RecursionError):
        return _UNREADABLE


def _skip(body: str, at: int) -> int:
    match = _SPACE.match(body, at)
    return match.end() if match else at

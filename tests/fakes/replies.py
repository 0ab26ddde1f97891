"""Answers that the test server gives, well and badly.

Each helper makes one `Reply`; every field of it can be set besides, such as `latency`,
`characters_per_second`, `cut_after` or `streamed`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes.billing import CHARACTERS_A_TOKEN


@dataclass(frozen=True)
class Reply:
    """One answer of the server.

    `content` are blocks of a message; a `tool_use` block may have `raw_input`, text that is
    sent as its input as it is. Where `body` is given it is sent instead, with `status` and
    `headers`. Byte counts are of the body.
    """

    content: tuple[Mapping[str, Any], ...] = ()
    stop_reason: str | None = "end_turn"
    stop_details: Mapping[str, Any] | None = None
    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    model: str | None = None
    """The model as the server names it; the one asked for where None."""
    output_tokens: int | None = None
    streamed: bool | None = None
    """None sends as asked; False answers a streamed ask with one JSON body."""
    piece: int = 40
    """Characters of a block that one event carries."""
    latency: float = 0.0
    characters_per_second: float | None = None
    cut_after: int | None = None
    """The connection is dropped after so many bytes."""
    cut_cleanly: bool = False
    """Whether the cut looks like the end of the body, rather than a dropped connection."""
    stall_after: int | None = None
    """Nothing more is sent after so many bytes, and the connection stays open."""
    hold_after: int | None = None
    """After so many pieces nothing more is sent until the test sets `server.released`."""
    error_event: tuple[str, str] | None = None
    """Type and message of an error that ends the stream after `error_after` events."""
    error_after: int = 4

    def cut_to(self, tokens: int) -> "Reply":
        """This answer cut off after so many tokens of its blocks, as a server does it."""
        left, kept = tokens * CHARACTERS_A_TOKEN, []
        if sum(len(text_of(block)) for block in self.content) <= left:
            return self
        for block in self.content:
            text = text_of(block)[:left]
            left -= len(text)
            name = {"tool_use": "raw_input"}.get(block["type"], block["type"])
            kept.append({**block, name: text})
            if not left:
                break
        return replace(self, content=tuple(kept), stop_reason="max_tokens")


def text_of(block: Mapping[str, Any]) -> str:
    """All that a block says, as it is sent."""
    if "raw_input" in block:
        return str(block["raw_input"])
    if block["type"] == "tool_use":
        return json.dumps(block["input"], ensure_ascii=False)
    return str(block.get("text") or block.get("thinking") or "")


def tool_call(name: str, given: Mapping[str, Any] | str) -> dict[str, Any]:
    """A `tool_use` block; `given` as text is sent as it is."""
    block: dict[str, Any] = {"type": "tool_use", "id": "toolu_test", "name": name}
    if isinstance(given, str):
        return block | {"input": {}, "raw_input": given}
    return block | {"input": dict(given)}


def calls(name: str, given: Mapping[str, Any] | str, **more: Any) -> Reply:
    """A native call of the tool `name`."""
    more.setdefault("stop_reason", "tool_use")
    return Reply(content=(tool_call(name, given),), **more)


def finds(
    findings: Iterable[Mapping[str, Any]] = (), keeps: Sequence[str] = (), **more: Any
) -> Reply:
    """A report of `findings`, as a native call."""
    return calls("report_findings", {"findings": list(findings), "keeps": list(keeps)}, **more)


def judges(verdicts: Iterable[Mapping[str, Any]] = (), **more: Any) -> Reply:
    """A report of verdicts, as a native call."""
    return calls("report_verdicts", {"verdicts": list(verdicts)}, **more)


def says(text: str, **more: Any) -> Reply:
    """An answer in text."""
    return Reply(content=({"type": "text", "text": text},), **more)


def fails(status: int, kind: str = "api_error", message: str = "It failed.", **more: Any) -> Reply:
    """An error response in the API's form."""
    error = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_x"}
    headers = {"content-type": "application/json", **more.pop("headers", {})}
    body = json.dumps(error).encode()
    return Reply(status=status, body=body, headers=headers, **more)


def refuses(category: str | None = "general_harms", **more: Any) -> Reply:
    """A refusal, with the provider's category."""
    details = {"type": "refusal", "category": category, "explanation": None}
    return Reply(stop_reason="refusal", stop_details=details, **more)


def sends(body: bytes, content_type: str = "text/event-stream", **more: Any) -> Reply:
    """Any bytes at all, as a success."""
    return Reply(body=body, headers={"content-type": content_type}, **more)


def finding(**changed: Any) -> dict[str, Any]:
    """A whole finding, with what is named changed."""
    return {
        "sheet": 1,
        "severity": "fix",
        "rule": "grounding",
        "quote": "31 hours on average",
        "finding": "The figure has no source a buyer can check.",
        "fix": "Name the extract and the months it covers.",
        **changed,
    }

"""An answer while it arrives: events and bodies of the Messages API become a `RawAnswer`.

Keeps the raw text of tool input, never a snapshot of it. Trusts nothing it is sent: a field
of another type is as if it were absent, an event of an unknown type is passed over, and a
stream may end anywhere. Knows nothing of the SDK.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from reviewer.core.raw import FaultKind, ProviderFault, RawAnswer, RawToolCall, Usage, Way
from reviewer.providers.bodies import NotAMessage, read_body
from reviewer.providers.faults import fault_of_error, shortened

_USAGE_FIELDS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
    "cache_creation_input_tokens": "cache_write_tokens",
}
_TOKENS_AT_MOST = 10**9


@dataclass(slots=True)
class _Block:
    """A content block that is being received: a tool call where it has a name."""

    name: str | None = None
    parts: list[str] = field(default_factory=list)
    given_whole: str = ""
    """Tool input that stood in the block's start; used only where no pieces follow."""
    heard: bool | None = None
    """Whether its pieces go to the listener; None until that is known."""

    def text(self) -> str:
        return "".join(self.parts) or self.given_whole


class Collector:
    """Takes what arrives and gives the answer as it stands, at any time."""

    def __init__(self, *, model: str, way: Way, on_fragment: Callable[[str], None] | None) -> None:
        self._started = time.monotonic()
        self._first_content: float | None = None
        self._model = model
        self._way = way
        self._on_fragment = on_fragment
        self._blocks: dict[object, _Block] = {}
        self._usage: dict[str, int] = {}
        self._stop_reason: str | None = None
        self._refusal_category = ""
        self._is_message = False
        self.ended = False
        """Whether the message said that it is complete."""
        self.fault: ProviderFault | None = None
        self.request_id = ""

    @property
    def has_content(self) -> bool:
        """Whether anything of an answer has arrived."""
        return any(block.parts or block.given_whole for block in self._blocks.values())

    def take_event(self, data: str) -> None:
        """Take the data of one event of a stream."""
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            if data.strip() != "[DONE]":
                self._garbled(data)
            return
        if not isinstance(event, dict):
            self._garbled(data)
            return
        take = _TAKERS.get(str(event.get("type")))
        if take is not None:
            take(self, event)
        elif "error" in event:
            self._take_error(event)

    def take_body(self, body: str, *, complete: bool) -> None:
        """Take a message that came in one piece; `complete` tells whether all of it did."""
        try:
            message = read_body(body)
        except NotAMessage:
            if complete:
                self._garbled(body or "an empty answer")
            return
        if message.members.get("type") == "error" or "error" in message.members:
            self._take_error(message.members)
            return
        self._take_message(message.members)
        for index, text in enumerate(message.texts):
            self._blocks[f"text {index}"] = block = _Block()
            self._add(block, text)
        for index, call in enumerate(message.calls):
            self._blocks[f"call {index}"] = block = _Block(name=call.name)
            self._add(block, call.raw_input)
        self._take_stop(message.members)
        self.ended = message.whole and self._stop_reason is not None
        if not self._is_message and not self._blocks:
            self._garbled(body)

    def answer(self) -> RawAnswer:
        """The answer as far as it has come."""
        calls = tuple(
            RawToolCall(block.name, _well_formed(block.text()))
            for block in self._blocks.values()
            if block.name is not None
        )
        texts = [block.text() for block in self._blocks.values() if block.name is None]
        return RawAnswer(
            model=self._model,
            way=self._way,
            text=_well_formed("".join(texts)),
            calls=calls,
            stop_reason=self._stop_reason,
            refusal_category=self._refusal_category,
            fault=self.fault,
            usage=Usage(**self._usage),
            seconds=time.monotonic() - self._started,
            first_content_seconds=self._first_content,
            request_id=self.request_id,
        )

    def close(self) -> None:
        """Say that nothing more comes: an answer that did not end by itself has a fault."""
        if self.fault or self.ended or self._stop_reason is not None:
            return
        if self._is_message or self.has_content:
            self.fault = ProviderFault(
                FaultKind.BROKEN_STREAM, "The stream ended before the answer did."
            )
        else:
            self._garbled("an empty answer")

    def _garbled(self, data: str) -> None:
        if self.fault is None:
            self.fault = ProviderFault(FaultKind.GARBAGE, shortened(data))

    def _take_start(self, event: dict[str, Any]) -> None:
        message = event.get("message")
        if isinstance(message, dict):
            self._take_message(message)

    def _take_message(self, message: dict[str, Any]) -> None:
        self._is_message = self._is_message or message.get("type") == "message"
        model = message.get("model")
        if isinstance(model, str) and model:
            self._model = model
        self._take_usage(message.get("usage"))

    def _take_block_start(self, event: dict[str, Any]) -> None:
        block, index = event.get("content_block"), event.get("index")
        if not isinstance(block, dict) or not isinstance(index, int):
            return
        if block.get("type") == "tool_use":
            given = block.get("input")
            self._blocks[index] = _Block(
                name=str(block.get("name", "")),
                given_whole=json.dumps(given) if given else "",
            )
        elif block.get("type") == "text":
            self._blocks[index] = started = _Block()
            text = block.get("text")
            if isinstance(text, str) and text:
                self._add(started, text)

    def _take_delta(self, event: dict[str, Any]) -> None:
        delta, index = event.get("delta"), event.get("index")
        if not isinstance(delta, dict) or not isinstance(index, int):
            return
        if delta.get("type") == "input_json_delta":
            piece = delta.get("partial_json")
        elif delta.get("type") == "text_delta":
            piece = delta.get("text")
        else:
            return
        if isinstance(piece, str) and piece:
            self._add(self._blocks.setdefault(index, _Block()), piece)

    def _take_message_delta(self, event: dict[str, Any]) -> None:
        self._take_usage(event.get("usage"))
        delta = event.get("delta")
        if isinstance(delta, dict):
            self._take_stop(delta)

    def _take_stop(self, holder: dict[str, Any]) -> None:
        reason = holder.get("stop_reason")
        if isinstance(reason, str) and reason:
            self._stop_reason = reason
        details = holder.get("stop_details")
        if isinstance(details, dict) and isinstance(details.get("category"), str):
            self._refusal_category = details["category"]

    def _take_end(self, event: dict[str, Any]) -> None:
        self.ended = True

    def _take_error(self, event: dict[str, Any]) -> None:
        error = event.get("error")
        if not isinstance(error, dict):
            error = {"message": str(error or "")}
        self.fault = fault_of_error(
            None, str(error.get("type", "")), str(error.get("message", "")), error_code(error)
        )

    def _take_usage(self, usage: object) -> None:
        if not isinstance(usage, dict):
            return
        for theirs, ours in _USAGE_FIELDS.items():
            count = usage.get(theirs)
            if isinstance(count, int) and 0 <= count <= _TOKENS_AT_MOST and not _is_bool(count):
                self._usage[ours] = max(count, self._usage.get(ours, 0))

    def _add(self, block: _Block, piece: str) -> None:
        if self._first_content is None:
            self._first_content = time.monotonic() - self._started
        block.parts.append(piece)
        if self._on_fragment and self._is_heard(block):
            self._on_fragment(piece)

    def _is_heard(self, block: _Block) -> bool:
        """Tool input and answers in text are heard; what a model says before a call is not.

        Text where a tool was asked for counts as an answer if it begins as one does.
        """
        if block.heard is None:
            if block.name is not None or self._way in {Way.OUTPUT_FORMAT, Way.TEXT}:
                block.heard = True
            elif begun := block.text().lstrip():
                block.heard = begun[0] in "{`<"
        return bool(block.heard)


_TAKERS: dict[str, Callable[[Collector, dict[str, Any]], None]] = {
    "message_start": Collector._take_start,
    "content_block_start": Collector._take_block_start,
    "content_block_delta": Collector._take_delta,
    "message_delta": Collector._take_message_delta,
    "message_stop": Collector._take_end,
    "error": Collector._take_error,
}


def error_code(error: dict[str, Any]) -> str:
    """The stable code inside an error object, where it has one."""
    details = error.get("details")
    code = details.get("error_code") if isinstance(details, dict) else None
    return code if isinstance(code, str) else ""


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _well_formed(text: str) -> str:
    """`text` with split surrogate pairs joined and lone surrogates replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

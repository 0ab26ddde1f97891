"""What came back from a model, before anybody read it.

A provider fills a `RawAnswer`; the reader of answers reads it; storage keeps it as JSON,
so that every answer can be read again by a later reader.
"""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Self


class Way(StrEnum):
    """How a model was asked for findings."""

    FORCED_TOOL = "forced_tool"
    STRICT_TOOL = "strict_tool"
    OUTPUT_FORMAT = "output_format"
    TEXT = "text"


class FaultKind(StrEnum):
    """What a provider said, or failed to say, when no complete answer came."""

    WRONG_KEY = "wrong_key"
    NO_CREDIT = "no_credit"
    NO_PERMISSION = "no_permission"
    UNKNOWN_MODEL = "unknown_model"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER_ERROR = "server_error"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    BROKEN_STREAM = "broken_stream"
    GARBAGE = "garbage"
    TOO_LONG = "too_long"
    BAD_REQUEST = "bad_request"


@dataclass(frozen=True, slots=True)
class ProviderFault:
    """A fault of the provider. `message` is the provider's own words, shortened."""

    kind: FaultKind
    message: str = ""
    status: int | None = None
    retry_after: float | None = None
    """Seconds the provider asked to wait, where it said so."""


@dataclass(frozen=True, slots=True)
class RawToolCall:
    """A native tool call. `raw_input` is the text of its input exactly as streamed.

    It may be cut anywhere; the SDK's own snapshot is never used, since it completes
    truncated JSON silently and lets repeated keys and NaN pass.
    """

    name: str
    raw_input: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server billed them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """One answer as it came. `stop_reason` is None where the stream ended without one.

    `refusal_category` is the provider's word where `stop_reason` is "refusal".
    """

    model: str = ""
    """The model as its server names it."""
    way: Way = Way.FORCED_TOOL
    text: str = ""
    calls: tuple[RawToolCall, ...] = ()
    stop_reason: str | None = None
    refusal_category: str = ""
    fault: ProviderFault | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    first_content_seconds: float | None = None
    request_id: str = ""

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready form from which `from_json` makes an equal answer."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """The answer that `as_json` stored."""
        fault = stored.get("fault")
        return cls(
            **{
                **stored,
                "way": Way(stored["way"]),
                "calls": tuple(RawToolCall(**call) for call in stored["calls"]),
                "fault": ProviderFault(**{**fault, "kind": FaultKind(fault["kind"])})
                if fault
                else None,
                "usage": Usage(**stored["usage"]),
            }
        )

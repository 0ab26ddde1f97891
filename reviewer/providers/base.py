"""What a reading asks of whoever answers it, and what every provider promises.

A provider never raises for trouble of its server: whatever went wrong is the answer's
fault, with everything that was received before it kept. What it does raise is the caller's
own mistake, or what the caller's `on_fragment` raised.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

from reviewer.core.prompts import Prompt, PromptBlock
from reviewer.core.raw import RawAnswer
from reviewer.core.schema import TOOL_NAME, tool_definition

__all__ = ["Fragment", "Prompt", "PromptBlock", "Provider", "Request", "StopAsking"]

DEFAULT_MAX_TOKENS = 16_000
DEFAULT_TIMEOUT = 600.0

Fragment = Callable[[str], None]
"""Called with each piece of the answer as it arrives: of the tool's input, or of text."""

StopAsking = Callable[[], bool]
"""Asked between pieces whether the answer is still wanted."""


@dataclass(frozen=True, slots=True)
class Request:
    """One reading to be asked.

    `tools` are listed in their order; `tool` names the one to be called. `max_tokens` is a
    budget for the longest answer, thinking included. `timeout` is in seconds, for the whole
    of the answer with all retries.
    """

    model: str
    system: tuple[PromptBlock, ...]
    user: tuple[PromptBlock, ...]
    tools: tuple[dict[str, Any], ...] = ()
    tool: str = TOOL_NAME
    max_tokens: int = DEFAULT_MAX_TOKENS
    timeout: float = DEFAULT_TIMEOUT

    def __post_init__(self) -> None:
        if not self.tools:
            object.__setattr__(self, "tools", (tool_definition(),))
        if self.tool not in (tool["name"] for tool in self.tools):
            raise ValueError(f"The tool to be called, {self.tool!r}, is not among those listed.")

    @classmethod
    def of(
        cls,
        prompt: Prompt,
        *,
        model: str,
        max_tokens: int = DEFAULT_MAX_TOKENS,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> Self:
        """The request that asks `model` for what `prompt` says."""
        return cls(
            model=model,
            system=prompt.system,
            user=prompt.user,
            tools=prompt.tools,
            tool=prompt.tool,
            max_tokens=max_tokens,
            timeout=timeout,
        )

    @property
    def tool_definition(self) -> dict[str, Any]:
        """The definition of the tool to be called."""
        return next(tool for tool in self.tools if tool["name"] == self.tool)


class Provider(Protocol):
    """Whoever answers readings."""

    def ask(
        self,
        request: Request,
        *,
        on_fragment: Fragment | None = None,
        should_stop: StopAsking | None = None,
    ) -> RawAnswer:
        """The answer to `request`, whole or as far as it came.

        `on_fragment` is called from this thread, before `ask` returns. Where `should_stop`
        says so, the answer ends as it stands, with neither a stop reason nor a fault.
        """
        ...

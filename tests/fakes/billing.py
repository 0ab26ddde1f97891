"""What a request costs, counted the way the real Messages API bills its prompt cache.

The cacheable prefix is tools, then system, then messages; a change of `tool_choice` keeps
tools and system and loses the messages. An entry is written at each block that carries
`cache_control`, where the prefix has at least `MINIMUM_TOKENS`; it is found again at a
breakpoint or at most 20 blocks before one, lives five minutes from its last use, and is
there for others once the answer that wrote it has begun. A write costs 1.25, a read 0.1.
"""

import hashlib
import json
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MINIMUM_TOKENS = 1024
LOOK_BACK = 20
LIVES_SECONDS = 300.0
WRITE, READ = 1.25, 0.1
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True)
class Billed:
    """Input tokens of one request, by how they are billed."""

    fresh: int
    written: int
    read: int

    @property
    def units(self) -> float:
        """What they cost, in tokens at the plain price."""
        return self.fresh + WRITE * self.written + READ * self.read

    @property
    def tokens(self) -> int:
        """What they would cost without a cache."""
        return self.fresh + self.written + self.read


def count_tokens(text: str) -> int:
    """Tokens of a text, four characters each."""
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)


class PromptCache:
    """The cache of one account; safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._until: dict[str, float] = {}
        self._lock = threading.Lock()
        self._clock = clock

    def bill(self, body: dict[str, Any]) -> tuple[Billed, Callable[[], None]]:
        """What `body` is billed, and what to call once its answer begins."""
        prefixes = list(_prefixes(body))
        total = prefixes[-1].tokens if prefixes else 0
        breakpoints = [at for at, prefix in enumerate(prefixes) if prefix.breakpoint]
        now = self._clock()
        with self._lock:
            hit = max(
                (
                    at
                    for end in breakpoints
                    for at in range(max(0, end - LOOK_BACK), end + 1)
                    if self._until.get(prefixes[at].digest, 0.0) > now
                ),
                default=None,
            )
        read = prefixes[hit].tokens if hit is not None else 0
        ends = [at for at in breakpoints if prefixes[at].tokens >= MINIMUM_TOKENS]
        written = max(0, prefixes[ends[-1]].tokens - read) if ends else 0
        entries = [prefixes[at].digest for at in ends]
        if hit is not None:
            entries.append(prefixes[hit].digest)

        def begin() -> None:
            with self._lock:
                self._until.update(dict.fromkeys(entries, self._clock() + LIVES_SECONDS))

        return Billed(total - read - written, written, read), begin


@dataclass(frozen=True)
class _Prefix:
    digest: str
    tokens: int
    breakpoint: bool


def _prefixes(body: dict[str, Any]) -> Any:
    running, tokens = hashlib.sha256(str(body.get("model")).encode()), 0
    for level, block in _blocks(body):
        if level == "tool_choice":
            running.update(json.dumps(block, sort_keys=True).encode())
            continue
        plain = {key: value for key, value in block.items() if key != "cache_control"}
        text = json.dumps(plain, sort_keys=True, ensure_ascii=False)
        running.update(f"{level}\0{text}\0".encode())
        tokens += count_tokens(plain["text"] if plain.get("type") == "text" else text)
        yield _Prefix(running.hexdigest(), tokens, "cache_control" in block)


def _blocks(body: dict[str, Any]) -> Any:
    yield from (("tools", tool) for tool in body.get("tools", ()))
    yield from (("system", block) for block in _listed(body.get("system", ())))
    yield "tool_choice", body.get("tool_choice") or {}
    for message in body.get("messages", ()):
        yield from (("messages", block) for block in _listed(message["content"]))


def _listed(content: Any) -> Any:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content

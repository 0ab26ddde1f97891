"""The register of what the reader of answers refuses, one small function a reason.

A guard returns the reason for a refusal, or an empty string where it has none. Whoever
uses a guard calls it by its name in its own module, so that a test can take one away and
show that something then goes wrong.
"""

from collections.abc import Callable
from typing import TypeVar

Guard = TypeVar("Guard", bound=Callable[..., str])

GUARDS: dict[str, str] = {}
"""Name of the guard to the module it lives in."""


def guard(function: Guard) -> Guard:
    """Register `function` as a guard under its own name, which must be new."""
    name = function.__name__
    assert name not in GUARDS, f"two guards are called {name}"
    GUARDS[name] = function.__module__
    return function


def shown(text: str, length: int = 40) -> str:
    """`text` as it may stand in a reason: short, on one line, writable as UTF-8."""
    one_line = " ".join(text[: 4 * length].split())
    safe = one_line.encode("utf-8", "replace").decode("utf-8")
    return safe if len(safe) <= length else f"{safe[: length - 1]}…"

"""A stored answer as a person reads it: its parts in order, as text and nothing else."""

from dataclasses import dataclass

from reviewer.core.raw import RawAnswer
from reviewer.models import Answer

SHOWN = 200_000
"""Characters of one part that are shown; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an answer: what it is, its text, and how much of it is left out."""

    title: str
    text: str
    left_out: int = 0


def raw_parts(answer: Answer) -> list[Part]:
    """The text, then each call, then the fault, of a stored answer."""
    raw = RawAnswer.from_json(answer.raw)
    parts = [_part("Text", raw.text)] if raw.text else []
    parts += [_part(f"Call of {call.name}", call.raw_input) for call in raw.calls]
    if raw.fault is not None:
        status = f" ({raw.fault.status})" if raw.fault.status else ""
        parts.append(_part(f"What the server said{status}", raw.fault.message or "nothing"))
    return parts or [Part("Nothing came back", "")]


def _part(title: str, text: str) -> Part:
    return Part(title, text[:SHOWN], max(0, len(text) - SHOWN))

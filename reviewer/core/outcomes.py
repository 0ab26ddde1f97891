"""What became of one answer: exactly one outcome, its sentence and the next move.

The order in which outcomes are decided is the reader's (`answers`); the words are here, so
that a page, a receipt and a command say the same.
"""

import math
from enum import StrEnum

from reviewer.core.raw import FaultKind, ProviderFault
from reviewer.core.wording import counted


class Outcome(StrEnum):
    """What became of one answer. Values are stored and never change."""

    NOT_RUN = "not_run"
    PROVIDER_ERROR = "provider_error"
    REFUSAL = "refusal"
    READ = "read"
    PARTLY_READ = "partly_read"
    REFUSED_TEXT_CALL = "refused_text_call"
    NO_CALL = "no_call"
    OUT_OF_ROOM = "out_of_room"
    INVALID_CALL = "invalid_call"

    @property
    def lost(self) -> bool:
        """True where an answer came and nothing of it could be used."""
        return self in LOST


LOST = frozenset(
    {
        Outcome.REFUSED_TEXT_CALL,
        Outcome.NO_CALL,
        Outcome.OUT_OF_ROOM,
        Outcome.INVALID_CALL,
    }
)


class WayRead(StrEnum):
    """In which form the answer stood that was read."""

    NATIVE = "native"
    TEXT_CALL = "text_call"
    JSON_TEXT = "json_text"


_SENTENCES: dict[Outcome, str] = {
    Outcome.NOT_RUN: "No model was asked, so nothing was read.",
    Outcome.REFUSAL: "The model's provider declined to answer, so nothing was read.",
    Outcome.READ: "The answer was read whole.",
    Outcome.PARTLY_READ: (
        "The answer was read in part: every finding that was complete and valid is kept."
    ),
    Outcome.REFUSED_TEXT_CALL: (
        "The model wrote its findings as text in a form that is not safe to read, "
        "so none is kept. The raw answer is stored."
    ),
    Outcome.NO_CALL: (
        "The model answered, but gave no list of findings. The raw answer is stored."
    ),
    Outcome.OUT_OF_ROOM: (
        "The answer was cut off before its first finding was complete, so none is kept."
    ),
    Outcome.INVALID_CALL: (
        "The model sent a report from which no finding could be used. The raw answer is stored."
    ),
}

_FAULT_SENTENCES: dict[FaultKind, str] = {
    FaultKind.WRONG_KEY: "{server} did not accept the key.",
    FaultKind.NO_CREDIT: (
        "{server} says that the account has no credit left, or has reached its limit."
    ),
    FaultKind.NO_PERMISSION: "The key is valid, but {server} does not let it use {model}.",
    FaultKind.UNKNOWN_MODEL: "{server} has no model named {model}.",
    FaultKind.RATE_LIMIT: (
        "{server} is receiving more requests from this account than it allows{wait}."
    ),
    FaultKind.OVERLOADED: "{server} is overloaded and turned the reading away{wait}.",
    FaultKind.SERVER_ERROR: "{server} failed while answering.",
    FaultKind.TIMEOUT: "{server} did not answer in time.",
    FaultKind.UNREACHABLE: "No server could be reached{at}.",
    FaultKind.BROKEN_STREAM: (
        "The connection to {server} broke off before a finding was complete, so none is kept."
    ),
    FaultKind.GARBAGE: "{server} sent something that is not an answer of the Messages API.",
    FaultKind.TOO_LONG: "The document is longer than {model} can read at once.",
    FaultKind.BAD_REQUEST: "{server} did not accept the request.",
}

_SAYS_IN_ITS_OWN_WORDS = frozenset({FaultKind.BAD_REQUEST, FaultKind.SERVER_ERROR})
"""Faults whose kind says too little, so that the server's own words are added."""

_NEXT_MOVES: dict[Outcome, str] = {
    Outcome.NOT_RUN: "Read again once what stood in the way is gone; the built-in checks have run.",
    Outcome.REFUSAL: (
        "Try another model, or have a person read this sheet. Asking the same again seldom helps."
    ),
    Outcome.READ: "Nothing to do.",
    Outcome.PARTLY_READ: "Run a sweep for the rest; what is kept stays.",
    Outcome.REFUSED_TEXT_CALL: (
        "Look at the raw answer, then try another way of asking or another model."
    ),
    Outcome.NO_CALL: "Look at the raw answer, then try another way of asking or another model.",
    Outcome.OUT_OF_ROOM: "Run a sweep for the rest, or give the answer more room.",
    Outcome.INVALID_CALL: "Look at the raw answer, then try another model.",
}

_FAULT_MOVES: dict[FaultKind, str] = {
    FaultKind.WRONG_KEY: "A manager can enter a valid key in the model settings; then read again.",
    FaultKind.NO_CREDIT: "Add credit or raise the limit with the provider, then read again.",
    FaultKind.NO_PERMISSION: (
        "Give the key that permission with the provider, or choose another model."
    ),
    FaultKind.UNKNOWN_MODEL: "A manager can correct the model's name in the model settings.",
    FaultKind.RATE_LIMIT: "Wait, then read again; fewer readings at once also help.",
    FaultKind.OVERLOADED: "Wait a few minutes, then read again.",
    FaultKind.SERVER_ERROR: (
        "Read again; if it keeps failing, ask whoever runs the server, or try another model."
    ),
    FaultKind.TIMEOUT: "Read again; if it fails again, try a faster model or a longer time limit.",
    FaultKind.UNREACHABLE: (
        "Check the server's address in the model settings and that it is running, then read again."
    ),
    FaultKind.BROKEN_STREAM: "Read again; what other readings found is kept.",
    FaultKind.GARBAGE: (
        "Check the server's address in the model settings; it may lead to another kind of server."
    ),
    FaultKind.TOO_LONG: "Choose a model with more room, or split the document.",
    FaultKind.BAD_REQUEST: "Try this model in the model settings to find a way that works.",
}


def sentence(
    outcome: Outcome,
    *,
    reason: str = "",
    fault: ProviderFault | None = None,
    refusal_category: str = "",
    server: str = "",
    model: str = "",
) -> str:
    """What happened and what was kept, for a person.

    `reason` is the reader's own, `fault` the provider's, `refusal_category` the provider's
    word for why it declined. `server` is the host as people know it; without it and `model`
    the sentence names neither. Each is added where it belongs to the outcome.
    """
    if outcome is Outcome.PROVIDER_ERROR:
        if fault is None:
            return "The model's provider gave no answer, so nothing was read."
        return _of_fault(fault, server, model)
    said = _SENTENCES[outcome]
    if outcome is Outcome.REFUSAL and refusal_category:
        return f"{said} Its reason: {refusal_category}."
    if outcome is Outcome.PARTLY_READ and fault is not None:
        said = f"{said} {_why_it_ended(fault, server, model)}"
    return f"{said} {_as_sentence(reason)}".strip() if reason else said


def next_move(outcome: Outcome, *, fault: ProviderFault | None = None) -> str:
    """What a person can do about it, in one sentence."""
    if outcome is Outcome.PROVIDER_ERROR:
        if fault is None:
            return "Read again; if it fails again, try another model."
        if fault.kind is FaultKind.RATE_LIMIT and fault.retry_after:
            return f"Wait {_in_words(fault.retry_after)}, then read again."
        return _FAULT_MOVES[fault.kind]
    return _NEXT_MOVES[outcome]


def _of_fault(fault: ProviderFault, server: str, model: str) -> str:
    names = {
        "server": f"the server {server}" if server else "the model's server",
        "at": f" at {server}" if server else "",
        "model": model or "this model",
        "wait": (
            f" and asks to wait {_in_words(fault.retry_after)}"
            if fault.retry_after is not None
            else ""
        ),
    }
    said = _FAULT_SENTENCES[fault.kind].format_map(names)
    said = said[:1].upper() + said[1:]
    if fault.kind in _SAYS_IN_ITS_OWN_WORDS and fault.message:
        said = f"{said} It said: {_as_sentence(fault.message)}"
    return said


def _why_it_ended(fault: ProviderFault, server: str, model: str) -> str:
    if fault.kind is FaultKind.BROKEN_STREAM:
        return "The connection broke off before the answer was complete."
    return _of_fault(fault, server, model)


def _in_words(seconds: float) -> str:
    if seconds < 90:
        return counted(max(1, math.ceil(seconds)), "second")
    for unit, name in ((60, "minutes"), (3600, "hours")):
        if seconds <= 90 * unit:
            return f"{math.ceil(seconds / unit)} {name}"
    return f"{math.ceil(seconds / 86400)} days"


def _as_sentence(reason: str) -> str:
    text = reason.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."

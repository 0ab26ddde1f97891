"""What became of one answer: exactly one outcome, its sentence and the next move.

The order in which outcomes are decided is the reader's (`answers`); the words are here, so
that a page, a receipt and a command say the same.
"""

from enum import StrEnum

from reviewer.core.raw import FaultKind, ProviderFault


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
    FaultKind.WRONG_KEY: "The model's server did not accept the key, so nothing was read.",
    FaultKind.NO_CREDIT: "The account at the model's provider has no credit left.",
    FaultKind.NO_PERMISSION: "The key has no permission to use this model.",
    FaultKind.UNKNOWN_MODEL: "The model's server does not know a model of this name.",
    FaultKind.RATE_LIMIT: "The model's server asked for fewer calls at a time.",
    FaultKind.OVERLOADED: "The model's server is overloaded and took no call.",
    FaultKind.SERVER_ERROR: "The model's server failed while it was answering.",
    FaultKind.TIMEOUT: "The model's server did not answer in time.",
    FaultKind.UNREACHABLE: "The model's server could not be reached.",
    FaultKind.BROKEN_STREAM: (
        "The connection broke off before a finding was complete, so none is kept."
    ),
    FaultKind.GARBAGE: "The model's server sent something that is not an answer.",
    FaultKind.TOO_LONG: "The document is longer than this model can take in at once.",
    FaultKind.BAD_REQUEST: "The model's server did not accept the way it was asked.",
}

_NEXT_MOVES: dict[Outcome, str] = {
    Outcome.NOT_RUN: "Connect a model in the workspace settings, or rely on the built-in checks.",
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
    FaultKind.WRONG_KEY: "A manager can enter the right key in the workspace settings.",
    FaultKind.NO_CREDIT: "Add credit at the provider, then read again.",
    FaultKind.NO_PERMISSION: "Ask the provider to allow this model, or choose another.",
    FaultKind.UNKNOWN_MODEL: "Check the model's name in the workspace settings.",
    FaultKind.RATE_LIMIT: "Wait, then read again; fewer readings at a time also help.",
    FaultKind.OVERLOADED: "Wait a few minutes, then read again.",
    FaultKind.SERVER_ERROR: "Read again; if it fails again, try another model.",
    FaultKind.TIMEOUT: "Read again; if it fails again, try a faster model or a longer time limit.",
    FaultKind.UNREACHABLE: "Check the server's address and the network, then read again.",
    FaultKind.BROKEN_STREAM: "Read again; what other readings found is kept.",
    FaultKind.GARBAGE: "Check that the address is that of a server for the Messages API.",
    FaultKind.TOO_LONG: "Choose a model that takes longer documents, or split the document.",
    FaultKind.BAD_REQUEST: "Try this model in the workspace settings to find a way that works.",
}


def sentence(
    outcome: Outcome,
    *,
    reason: str = "",
    fault: ProviderFault | None = None,
    refusal_category: str = "",
) -> str:
    """What happened and what was kept, for a person.

    `reason` is the reader's own, `fault` the provider's, `refusal_category` the provider's
    word for why it declined. Each is added where it belongs to the outcome.
    """
    if outcome is Outcome.PROVIDER_ERROR:
        if fault is None:
            return "The model's provider gave no answer, so nothing was read."
        return _FAULT_SENTENCES[fault.kind]
    said = _SENTENCES[outcome]
    if outcome is Outcome.REFUSAL and refusal_category:
        said = f"{said} Its reason: {refusal_category}."
    if outcome is Outcome.PARTLY_READ and fault is not None:
        said = f"{said} {_why_it_ended(fault)}"
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


def _why_it_ended(fault: ProviderFault) -> str:
    if fault.kind is FaultKind.BROKEN_STREAM:
        return "The connection broke off before the answer was complete."
    return _FAULT_SENTENCES[fault.kind].replace(", so nothing was read", "")


def _in_words(seconds: float) -> str:
    whole = max(1, round(seconds))
    if whole < 90:
        return "1 second" if whole == 1 else f"{whole} seconds"
    return f"{round(whole / 60)} minutes"


def _as_sentence(reason: str) -> str:
    text = reason.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."

"""What went wrong at a provider, told apart, and what a person can do about it.

Servers that speak the Messages API agree on statuses and little else, so the status is
read first, then the error's type and code, then its words. What is left is shown as one
sentence and one next move; the provider's own words are kept beside them, shortened.
"""

import email.utils
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass

from reviewer.core.raw import FaultKind, ProviderFault

_MESSAGE_LIMIT = 300

_BY_STATUS: dict[int, FaultKind] = {
    400: FaultKind.BAD_REQUEST,
    401: FaultKind.WRONG_KEY,
    402: FaultKind.NO_CREDIT,
    403: FaultKind.NO_PERMISSION,
    408: FaultKind.TIMEOUT,
    409: FaultKind.SERVER_ERROR,
    413: FaultKind.TOO_LONG,
    422: FaultKind.BAD_REQUEST,
    429: FaultKind.RATE_LIMIT,
    503: FaultKind.OVERLOADED,
    504: FaultKind.TIMEOUT,
    529: FaultKind.OVERLOADED,
}

_BY_TYPE: dict[str, FaultKind] = {
    "authentication_error": FaultKind.WRONG_KEY,
    "billing_error": FaultKind.NO_CREDIT,
    "permission_error": FaultKind.NO_PERMISSION,
    "rate_limit_error": FaultKind.RATE_LIMIT,
    "overloaded_error": FaultKind.OVERLOADED,
    "api_error": FaultKind.SERVER_ERROR,
    "timeout_error": FaultKind.TIMEOUT,
    "request_too_large": FaultKind.TOO_LONG,
    "exceed_context_size_error": FaultKind.TOO_LONG,
    "invalid_request_error": FaultKind.BAD_REQUEST,
}

_OF_MONEY = re.compile(
    r"credit balance|spend limit|usage limits?\b|insufficient (?:credit|balance|quota|funds)"
    r"|current quota|more credits|billing",
    re.IGNORECASE,
)
_OF_LENGTH = re.compile(
    r"prompt is too long|context (?:length|size|window|limit)|too many tokens"
    r"|exceeds? the (?:available|maximum|model).{0,20}context|input length and .max_tokens.",
    re.IGNORECASE,
)
_OF_MODEL = re.compile(
    r"\bmodels?\b.{0,80}(?:not (?:found|exist|supported|available)|does not exist|no longer)"
    r"|(?:unknown|invalid|no such) model|not_found_error.{0,40}model|^model: ",
    re.IGNORECASE | re.DOTALL,
)
_MONEY_CODES = re.compile(r"spend_limit|billing|credit|quota")


def fault_of_error(
    status: int | None, error_type: str = "", message: str = "", code: str = "", **more: float
) -> ProviderFault:
    """The fault behind an error response, or an error event of a stream (`status` None).

    `more` may hold `retry_after` in seconds. `code` is the provider's stable code, where it
    gives one.
    """
    return ProviderFault(
        kind=_kind(status, error_type, message, code),
        message=shortened(message),
        status=status,
        retry_after=more.get("retry_after"),
    )


def _kind(status: int | None, error_type: str, message: str, code: str) -> FaultKind:
    by_status = _by_status(status) if status is not None else None
    by_type = _BY_TYPE.get(error_type)
    kind = by_status or by_type or FaultKind.BROKEN_STREAM
    if by_status in {None, FaultKind.BAD_REQUEST, FaultKind.SERVER_ERROR} and by_type:
        kind = by_type
    if error_type == "not_found_error" or status == 404:
        return FaultKind.UNKNOWN_MODEL if _names_model(error_type, message) else FaultKind.GARBAGE
    if kind in {FaultKind.BAD_REQUEST, FaultKind.RATE_LIMIT, FaultKind.NO_PERMISSION} and (
        _OF_MONEY.search(message) or _MONEY_CODES.search(code)
    ):
        return FaultKind.NO_CREDIT
    if kind in {FaultKind.BAD_REQUEST, FaultKind.SERVER_ERROR} and _OF_LENGTH.search(message):
        return FaultKind.TOO_LONG
    if kind is FaultKind.BAD_REQUEST and _OF_MODEL.search(message):
        return FaultKind.UNKNOWN_MODEL
    return kind


def _by_status(status: int) -> FaultKind:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return FaultKind.SERVER_ERROR
    if 300 <= status < 400 or status in {404, 405, 406, 410, 415}:
        return FaultKind.GARBAGE
    return FaultKind.BAD_REQUEST


def _names_model(error_type: str, message: str) -> bool:
    """Whether a 404 is about the model, and not a server that has no such page at all."""
    return error_type == "not_found_error" or bool(re.search(r"\bmodel\b", message, re.IGNORECASE))


def shortened(message: str, *secrets: str) -> str:
    """A provider's words on one line, without `secrets`, cut where they are long."""
    for secret in secrets:
        if len(secret) >= 4:
            message = message.replace(secret, "…")
    one_line = " ".join(message.split())
    if len(one_line) > _MESSAGE_LIMIT:
        return one_line[: _MESSAGE_LIMIT - 1].rstrip() + "…"
    return one_line


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the provider asked to wait; None where it did not, or not sensibly."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after", "")
    seconds = _number(said)
    if seconds is not None:
        return seconds
    date = email.utils.parsedate_tz(said) if said else None
    if date is None:
        return None
    return max(0.0, email.utils.mktime_tz(date) - time.time())


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def is_passing(fault: ProviderFault) -> bool:
    """Whether the same reading may well succeed later with nothing changed by a person."""
    return fault.kind in {
        FaultKind.RATE_LIMIT,
        FaultKind.OVERLOADED,
        FaultKind.SERVER_ERROR,
        FaultKind.TIMEOUT,
        FaultKind.UNREACHABLE,
        FaultKind.BROKEN_STREAM,
    }


@dataclass(frozen=True, slots=True)
class Explained:
    """A fault for people: what happened, and what to do. Each is a whole sentence or two."""

    happened: str
    next_move: str


_SENTENCES: dict[FaultKind, Explained] = {
    FaultKind.WRONG_KEY: Explained(
        "The server {server} did not accept the key.",
        "Enter a valid key in the workspace's model settings, then read again.",
    ),
    FaultKind.NO_CREDIT: Explained(
        "The server {server} says that the account has no credit left, or has reached its limit.",
        "Add credit or raise the limit with the provider, then read again.",
    ),
    FaultKind.NO_PERMISSION: Explained(
        "The key is valid, but the server {server} does not let it use {model}.",
        "Give the key that permission with the provider, or choose another model.",
    ),
    FaultKind.UNKNOWN_MODEL: Explained(
        "The server {server} has no model named {model}.",
        "Correct the model's name in the workspace's model settings, then read again.",
    ),
    FaultKind.RATE_LIMIT: Explained(
        "The server {server} is receiving more requests from this account than it allows{wait}.",
        "Wait, then read again; fewer readings at once also help.",
    ),
    FaultKind.OVERLOADED: Explained(
        "The server {server} is overloaded and turned the reading away{wait}.",
        "Wait a few minutes, then read again.",
    ),
    FaultKind.SERVER_ERROR: Explained(
        "The server {server} failed while answering.",
        "Read again; if it keeps failing, ask whoever runs the server, or try another model.",
    ),
    FaultKind.TIMEOUT: Explained(
        "The server {server} did not answer in time.",
        "Try again, or raise the time allowed where the server is a slow one.",
    ),
    FaultKind.UNREACHABLE: Explained(
        "No server could be reached at {server}.",
        "Check the server's address in the workspace's model settings and that it is running.",
    ),
    FaultKind.BROKEN_STREAM: Explained(
        "The connection to the server {server} broke off before the answer ended. What had "
        "arrived was kept.",
        "Read again, or run a sweep for the rest.",
    ),
    FaultKind.GARBAGE: Explained(
        "The server {server} sent something that is not an answer of the Messages API.",
        "Check the server's address in the workspace's model settings; it may lead to another "
        "kind of server.",
    ),
    FaultKind.TOO_LONG: Explained(
        "The document is longer than {model} can read at once.",
        "Choose a model with more room, or split the document.",
    ),
    FaultKind.BAD_REQUEST: Explained(
        "The server {server} did not accept the request.",
        "Try another model; the provider's own words are shown beside this.",
    ),
}


def explain(fault: ProviderFault, *, server: str, model: str) -> Explained:
    """The sentence and the next move for `fault`. `server` is its host as people know it."""
    wait = ""
    if fault.retry_after is not None:
        wait = f" and asks to wait {_in_words(fault.retry_after)}"
    told = _SENTENCES[fault.kind]
    values = {"server": server, "model": model, "wait": wait}
    return Explained(told.happened.format_map(values), told.next_move.format_map(values))


def _in_words(seconds: float) -> str:
    if seconds < 90:
        whole = max(1, math.ceil(seconds))
        return f"{whole} second{'' if whole == 1 else 's'}"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} minutes"

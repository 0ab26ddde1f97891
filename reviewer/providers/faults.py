"""What went wrong at a provider, told apart.

Servers that speak the Messages API agree on statuses and little else, so the status is
read first, then the error's type and code, then its words. The provider's own words are
kept, shortened; what a person is told of each kind stands in `reviewer.core.outcomes`.
"""

import email.utils
import math
import re
import time
from collections.abc import Mapping

from reviewer.core.raw import FaultKind, ProviderFault

_MESSAGE_LIMIT = 300
_LONGEST_WAIT = 7 * 86400.0
"""Seconds. Who asks to wait for longer has made a mistake, and nobody plans by it."""

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
    wait = _asked_to_wait(headers)
    return wait if wait is not None and wait <= _LONGEST_WAIT else None


def _asked_to_wait(headers: Mapping[str, str]) -> float | None:
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
    try:
        return max(0.0, email.utils.mktime_tz(date) - time.time())
    except (OverflowError, ValueError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None

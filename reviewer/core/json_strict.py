"""Strict JSON, value by value, from text that may be cut or broken anywhere.

Promises: a value is read only if it is JSON by RFC 8259 and means one thing. Refused, each
with its reason and never by an error of the interpreter: a name given twice in one object,
NaN and the infinities, a number beyond a float's range or of more than `MAX_DIGITS` digits,
nesting deeper than `MAX_DEPTH`, half of a surrogate pair. A value that is still being
written when the text ends is told from one that is wrong.

The quick path is the standard library's scanner with stricter hooks; `examine` walks the
same grammar by hand, and is used only where the scanner stopped.
"""

import json
import math
import re
from collections.abc import Callable
from typing import Any

from reviewer.core.guards import guard, shown

MAX_DEPTH = 64
"""Brackets that may be open at once. A report needs five."""

MAX_DIGITS = 100
"""Characters a number may have. A float keeps 17 digits."""

NOT_JSON = "it is not JSON"


class JsonFault(ValueError):
    """Why no value was read at a place. `cut` is true where the text ended too early."""

    def __init__(self, why: str, at: int, *, cut: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.at = at
        self.cut = cut


@guard
def repeated_key(names: list[str]) -> str:
    """A name given twice in one object leaves open which value is meant."""
    if len(set(names)) == len(names):
        return ""
    twice = next(name for place, name in enumerate(names) if name in names[:place])
    return f"the name “{shown(twice)}” is given twice"


@guard
def long_number(digits: str) -> str:
    """Numbers of thousands of digits are slow to read and mean nothing here."""
    return f"a number has more than {MAX_DIGITS} digits" if len(digits) > MAX_DIGITS else ""


@guard
def not_finite(number: float) -> str:
    """A number beyond a float's range would become infinite."""
    return "" if math.isfinite(number) else "a number is not finite"


@guard
def no_json_constant(name: str) -> str:
    """NaN and Infinity are no JSON, though many readers take them."""
    return f"{name} is not a JSON value"


@guard
def too_deep(depth: int) -> str:
    """Deep nesting exhausts whatever reads it next."""
    return "it is nested too deeply" if depth > MAX_DEPTH else ""


@guard
def lone_surrogate(text: str) -> str:
    """Half of a surrogate pair is no character and cannot be stored."""
    if text.isascii():
        return ""
    try:
        text.encode("utf-16-le")  # twice as quick as UTF-8, and it minds the same
    except UnicodeEncodeError:
        return "it holds half of a surrogate pair, which is no character"
    return ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs) and (why := repeated_key([name for name, _ in pairs])):
        raise JsonFault(why, 0)
    return value


def _integer(digits: str) -> int:
    if why := long_number(digits):
        raise JsonFault(why, 0)
    return int(digits)


def _float(digits: str) -> float:
    if why := long_number(digits):
        raise JsonFault(why, 0)
    number = float(digits)
    if why := not_finite(number):
        raise JsonFault(why, 0)
    return number


def _constant(name: str) -> float:
    if why := no_json_constant(name):
        raise JsonFault(why, 0)
    return float(name)


Scan = Callable[[str, int], tuple[Any, int]]


def _scanner(read_integer: Callable[[str], int]) -> Scan:
    scanner: Scan = json.JSONDecoder(
        object_pairs_hook=_object,
        parse_int=read_integer,
        parse_float=_float,
        parse_constant=_constant,
    ).scan_once  # type: ignore[attr-defined]  # no stub; the library's raw_decode calls it too
    return scanner


_scan = _scanner(_integer)
_quick_scan = _scanner(int)

_SPACE = re.compile(r"[ \t\n\r]*+")


def after_space(text: str, at: int) -> int:
    """The first place from `at` on that is not JSON white space."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


WINDOW = 4096
"""Characters that are tried at once. The scanner's errors cost the time of all it was given."""


def decode(text: str, at: int = 0) -> tuple[Any, int]:
    """The value that begins exactly at `at`, and where it ends. Raises `JsonFault`."""
    window = text[at : at + WINDOW]
    try:
        value, length = _scan(window, 0)
    except JsonFault as fault:
        examined = examine(text, at)
        place = at if isinstance(examined, int) else examined.at
        cut = not isinstance(examined, int) and examined.cut
        raise JsonFault(fault.why, place, cut=cut) from None
    except (StopIteration, ValueError, RecursionError):
        value, length = _decode_by_hand(text, at)
    else:
        # A number may go on behind what the scanner took for its end.
        if type(value) in (int, float) or (length == len(window) and at + length < len(text)):
            value, length = _decode_by_hand(text, at)
    if why := value_too_deep(value):
        raise JsonFault(why, at)
    if why := _surrogates(text[at : at + length], value):
        raise JsonFault(why, at)
    return value, at + length


def _decode_by_hand(text: str, at: int) -> tuple[Any, int]:
    """The value at `at` and its length, where a window of the text does not show it."""
    end = examine(text, at)
    if isinstance(end, JsonFault):
        raise end
    try:
        return _scan(text[at:end], 0)
    except (StopIteration, ValueError, RecursionError):
        raise JsonFault(NOT_JSON, at) from None


_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")


def _may_hold_halves(text: str) -> bool:
    """Whether a value written so may hold half of a surrogate pair, as such or as an escape."""
    return bool("\\" in text and _HALF_ESCAPED.search(text)) or bool(lone_surrogate(text))


def decode_quickly(text: str, at: int) -> tuple[Any, int] | None:
    """What `decode` gives, sooner; None where it is not plain.

    The caller asks `value_too_deep` about the parts that it uses, and minds how large the
    whole numbers are.
    """
    try:
        value, end = _quick_scan(text, at)
    except (StopIteration, ValueError, RecursionError):
        return None
    return None if _may_hold_halves(text[at:end]) else (value, end)


def loads(text: str) -> Any:
    """The one value that `text` is, white space around it aside. Raises `JsonFault`."""
    start = after_space(text, 0)
    value, end = decode(f"{text} ", start)
    if after_space(text, end) < len(text):
        raise JsonFault("something stands after the value", end)
    return value


def _surrogates(written: str, value: Any) -> str:
    """Why `value`, written so, is no text; strings are looked at only where escapes hide them."""
    if not _may_hold_halves(written):
        return ""
    if why := lone_surrogate(written):
        return why
    return next((why for string in _strings(value) if (why := lone_surrogate(string))), "")


def _strings(value: Any) -> list[str]:
    found: list[str] = []
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, list):
            left.extend(item)
        elif isinstance(item, dict):
            found.extend(item)
            left.extend(item.values())
    return found


def value_too_deep(value: Any) -> str:
    """Why `value` is nested more deeply than is read, or an empty string."""
    depth = 0
    level = [value]
    while level := [item for item in level if type(item) is list or type(item) is dict]:
        depth += 1
        if why := too_deep(depth):
            return why
        level = [part for item in level for part in (item.values() if type(item) is dict else item)]
    return ""


_STRING_BODY = re.compile(
    r'[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+'
)
_ESCAPE_BEGUN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")
_NUMBER_BEGUN = re.compile(r"-?(?:(?:0|[1-9][0-9]*+)(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]*+)?)?\Z")
_WORDS = ("true", "false", "null")
_FLOAT_WORDS = ("NaN", "Infinity", "-Infinity")


class _Open:
    """One bracket that `examine` stands inside of."""

    __slots__ = ("closer", "names", "wants")

    def __init__(self, bracket: str) -> None:
        self.closer = "}" if bracket == "{" else "]"
        self.names: list[str] = []
        self.wants = "first"


def examine(text: str, at: int) -> int | JsonFault:
    """Where the value at `at` ends, or why it is none: cut by the text's end, or wrong, and where.

    Walks the grammar with a list for a stack, so that no depth of nesting can hurt.
    """
    stack: list[_Open] = []
    pos = at
    while True:
        pos = after_space(text, pos)
        if pos >= len(text):
            return JsonFault("the text ends before the value does", pos, cut=True)
        top = stack[-1] if stack else None
        char = text[pos]
        if top is not None and top.wants in ("comma", "first") and char == top.closer:
            stack.pop()
            pos += 1
        elif top is not None and top.wants in ("comma", "colon"):
            if char != ("," if top.wants == "comma" else ":"):
                return JsonFault(f"{NOT_JSON}: a {top.wants} is missing", pos)
            top.wants = "value" if top.wants == "colon" or top.closer == "]" else "name"
            pos += 1
            continue
        elif top is not None and top.closer == "}" and top.wants in ("first", "name"):
            end = _string_end(text, pos)
            if isinstance(end, JsonFault):
                return end
            top.names.append(json.loads(text[pos:end]))
            if len(set(top.names)) < len(top.names) and (why := repeated_key(top.names)):
                return JsonFault(why, pos)
            top.wants = "colon"
            pos = end
            continue
        elif char in "[{":
            stack.append(_Open(char))
            if why := too_deep(len(stack)):
                return JsonFault(why, pos)
            pos += 1
            continue
        else:
            end = _scalar_end(text, pos)
            if isinstance(end, JsonFault):
                return end
            pos = end
        if not stack:
            return pos
        stack[-1].wants = "comma"


def _string_end(text: str, at: int) -> int | JsonFault:
    if text[at] != '"':
        return JsonFault(f"{NOT_JSON}: a name in quotation marks is missing", at)
    body = _STRING_BODY.match(text, at + 1)
    end = body.end() if body else at + 1
    if end >= len(text) or _ESCAPE_BEGUN.match(text, end):
        return JsonFault("the text ends inside a string", end, cut=True)
    if text[end] != '"':
        what = "an escape is unknown" if text[end] == "\\" else "a string holds a raw line break"
        return JsonFault(f"{NOT_JSON}: {what}", end)
    return end + 1


def string_so_far(text: str, at: int) -> str:
    """What the string at `at` holds, up to its end or to where the text ends."""
    body = _STRING_BODY.match(text, at + 1)
    return str(json.loads(f'"{body[0]}"')) if body else ""


def _scalar_end(text: str, at: int) -> int | JsonFault:
    if text[at] == '"':
        return _string_end(text, at)
    for word in _WORDS:
        if text.startswith(word, at):
            return at + len(word)
    rest = text[at : at + len("-Infinity")]
    for word in _FLOAT_WORDS:
        if rest.startswith(word):
            why = no_json_constant(word)
            return JsonFault(why, at) if why else at + len(word)
    at_end = at + len(rest) == len(text)
    if at_end and any(word.startswith(rest) for word in (*_WORDS, *_FLOAT_WORDS)):
        return JsonFault("the text ends inside a word", at, cut=True)
    if _NUMBER_BEGUN.match(text, at):
        return JsonFault("the text ends in a number", at, cut=True)
    number = _NUMBER.match(text, at)
    if number is None:
        return JsonFault(NOT_JSON, at)
    why = long_number(number[0]) or not_finite(float(number[0]))
    return JsonFault(why, at) if why else number.end()

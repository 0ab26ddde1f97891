"""What a value must be by its JSON schema, and what a text means by it.

The type comes from the field's name in the schema, never from the look of the text: `42` in
a string field stays a string. Numbers are ASCII and strict; `85%` in a number field is 0.85;
true and false count in any case; a string keeps its white space, less one line break a side.
"""

import re
from collections.abc import Callable
from typing import Any

from reviewer.core.guards import guard, shown
from reviewer.core.json_strict import (
    JsonFault,
    loads,
    lone_surrogate,
    long_number,
    not_finite,
)

Schema = dict[str, Any]

NULL_WORDS = frozenset({"", "null", "None"})
"""Texts that leave out an optional field that may be null."""

MAX_REFERENCES = 32
"""References that may lead to references."""


class WrongValue(ValueError):
    """A text or value that is not what its field is. `why` is for a person."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def resolved(schema: Any, root: Schema) -> Schema:
    """`schema` with a local reference at its top followed; an empty one where it leads nowhere."""
    for _ in range(MAX_REFERENCES):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        target: Any = root
        for part in reference.lstrip("#/").split("/") if reference != "#" else []:
            name = part.replace("~1", "/").replace("~0", "~")
            target = target.get(name) if isinstance(target, dict) else None
        schema = target
    return {}


def types_of(schema: Any, root: Schema) -> set[str]:
    """The JSON types that `schema` allows; empty where it says nothing of types."""
    return _types(schema, root, 0)


def _types(schema: Any, root: Schema, depth: int) -> set[str]:
    schema = resolved(schema, root)
    named = schema.get("type")
    if isinstance(named, str):
        return {named}
    if isinstance(named, list):
        return {name for name in named if isinstance(name, str)}
    if depth > MAX_REFERENCES:
        return set()
    found: set[str] = set()
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        found |= _types(choice, root, depth + 1)
    values = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else []
    return found | {_type_name(value) for value in values}


def _type_name(value: Any) -> str:
    """The JSON type of a decoded value."""
    return _TYPE_NAMES.get(type(value), "null")


_TYPE_NAMES: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


@guard
def optional_null(text: str, types: set[str], required: bool) -> str:
    """Empty, null and None leave out an optional field that may be null, and nothing else."""
    return "left out" if "null" in types and not required and text in NULL_WORDS else ""


def value_of(name: str, text: str, types: set[str]) -> Any:
    """What `text` means in a field of `types`. Raises `WrongValue`."""
    if "string" in types or not types - {"null"}:
        if why := lone_surrogate(text):
            raise WrongValue(f"“{shown(name)}”: {why}")
        return text
    bare = text.strip(" \t\r\n")
    reasons = []
    for kind, read in _READERS.items():
        if kind in types:
            try:
                return read(bare)
            except WrongValue as wrong:
                reasons.append(wrong.why)
    raise WrongValue(f"“{shown(name)}”: {reasons[0] if reasons else 'its type is unknown'}")


def less_one_break(text: str) -> str:
    """`text` without the one line break on each side that its tags stand on."""
    for mark in ("\r\n", "\n"):
        if text.startswith(mark):
            text = text[len(mark) :]
            break
    for mark in ("\r\n", "\n"):
        if text.endswith(mark):
            return text[: -len(mark)]
    return text


_NUMBER = re.compile(
    r"(?P<integer>-?(?:0|[1-9][0-9]*))(?P<fraction>\.[0-9]+)?(?:[eE](?P<power>[+-]?[0-9]+))?(?P<cent>%)?"
)


@guard
def no_number(found: re.Match[str] | None) -> str:
    """Digits of other scripts, signs and separators are read in different ways."""
    return "" if found else "it is not a number"


@guard
def no_whole_number(found: re.Match[str]) -> str:
    """A fraction in a field for whole numbers is not rounded."""
    return (
        "it is not a whole number" if found["fraction"] or found["power"] or found["cent"] else ""
    )


@guard
def no_boolean(text: str) -> str:
    """Yes, on and 1 are guesses."""
    return "" if text.lower() in ("true", "false") else "it is neither true nor false"


def _number_match(text: str) -> re.Match[str]:
    found = _NUMBER.fullmatch(text)
    if why := no_number(found) or long_number(text):
        raise WrongValue(why)
    assert found is not None
    return found


def _integer(text: str) -> int:
    found = _number_match(text)
    if why := no_whole_number(found):
        raise WrongValue(why)
    return int(found["integer"])


def _number(text: str) -> int | float:
    found = _number_match(text)
    if not (found["fraction"] or found["power"] or found["cent"]):
        return int(found["integer"])
    power = int(found["power"] or 0) - (2 if found["cent"] else 0)
    number = float(f"{found['integer']}{found['fraction'] or ''}e{power}")
    if why := not_finite(number):
        raise WrongValue(why)
    return number


def _boolean(text: str) -> bool:
    if why := no_boolean(text):
        raise WrongValue(why)
    return text.lower() == "true"


def _json(text: str) -> Any:
    """A list or an object; that it is the one asked for, the schema says."""
    try:
        return loads(text)
    except JsonFault as fault:
        raise WrongValue(fault.why) from None


_READERS: dict[str, Callable[[str], Any]] = {
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "array": _json,
    "object": _json,
}

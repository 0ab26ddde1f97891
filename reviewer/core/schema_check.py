"""Whether a decoded value is what a JSON schema says.

Of JSON Schema this knows type, enum, const, properties, required, additionalProperties,
items, anyOf, oneOf, allOf, the bounds of numbers, the lengths of strings and lists, and local
references; see `schema_values` for the types. A keyword that it does not know refuses nothing.
"""

from collections.abc import Callable
from typing import Any

from reviewer.core.guards import guard, shown
from reviewer.core.schema_values import Schema, resolved

MAX_DEPTH = 64


def fault_of(value: Any, schema: Any, root: Schema, place: str = "", depth: int = 0) -> str:
    """Why `value` is not what `schema` says, or an empty string. `place` is where it stands."""
    schema = resolved(schema, root)
    if depth > MAX_DEPTH:
        return f"{place or 'it'} is nested too deeply"
    name = place or "it"
    why = (
        wrong_type(value, schema, name)
        or not_listed(value, schema, name)
        or out_of_bounds(value, schema, name)
    )
    if why:
        return why
    return _fault_of_choices(value, schema, root, place, depth) or _fault_within(
        value, schema, root, place, depth
    )


_IS: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


@guard
def wrong_type(value: Any, schema: Schema, name: str) -> str:
    """A value of another type is not turned into the one that is asked for."""
    named = schema.get("type")
    names = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    known = [kind for kind in names if kind in _IS]
    if not known or any(_IS[kind](value) for kind in known):
        return ""
    return f"{shown(name)} is not of the type {' or '.join(known)}"


@guard
def not_listed(value: Any, schema: Schema, name: str) -> str:
    """A value beside those that the schema lists."""
    listed = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if not isinstance(listed, list) or any(_same(value, item) for item in listed):
        return ""
    return f"{shown(name)} is none of the values that are allowed"


def _same(value: Any, item: Any) -> bool:
    return bool(value == item) and isinstance(value, bool) == isinstance(item, bool)


@guard
def out_of_bounds(value: Any, schema: Schema, name: str) -> str:
    """A number, a string or a list beyond its bounds."""
    if type(value) in (int, float):
        size, bounds = value, _NUMBER_BOUNDS
    elif isinstance(value, str):
        size, bounds = len(value), _STRING_BOUNDS
    elif isinstance(value, list):
        size, bounds = len(value), _LIST_BOUNDS
    else:
        return ""
    for keyword, broken in bounds.items():
        bound = schema.get(keyword)
        if isinstance(bound, (int, float)) and broken(size, bound):
            return f"{shown(name)} is out of its bounds ({keyword} {bound})"
    return ""


def _below(size: float, bound: float) -> bool:
    return size < bound


def _above(size: float, bound: float) -> bool:
    return size > bound


_Bounds = dict[str, Callable[[float, float], bool]]
_NUMBER_BOUNDS: _Bounds = {
    "minimum": _below,
    "maximum": _above,
    "exclusiveMinimum": lambda size, bound: size <= bound,
    "exclusiveMaximum": lambda size, bound: size >= bound,
}
_STRING_BOUNDS: _Bounds = {"minLength": _below, "maxLength": _above}
_LIST_BOUNDS: _Bounds = {"minItems": _below, "maxItems": _above}


def _fault_of_choices(value: Any, schema: Schema, root: Schema, place: str, depth: int) -> str:
    for part in _schemas(schema.get("allOf")):
        if why := fault_of(value, part, root, place, depth + 1):
            return why
    for keyword in ("anyOf", "oneOf"):
        parts = _schemas(schema.get(keyword))
        fitting = sum(not fault_of(value, part, root, place, depth + 1) for part in parts)
        if parts and (fitting == 0 or (keyword == "oneOf" and fitting > 1)):
            return f"{shown(place or 'it')} is not what its field is"
    return ""


def _schemas(parts: Any) -> list[Any]:
    return parts if isinstance(parts, list) else []


def _fault_within(value: Any, schema: Schema, root: Schema, place: str, depth: int) -> str:
    """The first fault of a list's items or an object's members."""
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            if why := fault_of(item, schema["items"], root, f"{place}[{index}]", depth + 1):
                return why
    if not isinstance(value, dict):
        return ""
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else []:
        if name not in value:
            return f"{shown(place or 'it')} lacks “{shown(str(name))}”"
    others = schema.get("additionalProperties", True)
    for name, member in value.items():
        here = f"{place}.{name}" if place else name
        if name not in properties and others is False:
            return f"{shown(place or 'it')} has no member “{shown(name)}”"
        part = properties.get(name, others)
        if isinstance(part, dict) and (why := fault_of(member, part, root, here, depth + 1)):
            return why
    return ""

"""A call of any one function, read from an answer by the function's JSON schema.

The same rules as for reports, for tools of any shape: the arguments that are given are valid
by the schema and mean one thing, or there are none. There is no list whose closed elements
could be kept, so a cut call gives its closed parameters, or nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reviewer.core.answers import (
    ENDED_BY_ITSELF,
    beside_native,
    markup_in_document,
    report_in_shown_call,
)
from reviewer.core.guards import guard, shown
from reviewer.core.json_strict import JsonFault, decode, loads
from reviewer.core.outcomes import Outcome, WayRead
from reviewer.core.raw import RawAnswer
from reviewer.core.schema_check import fault_of
from reviewer.core.schema_values import (
    Schema,
    WrongValue,
    less_one_break,
    optional_null,
    types_of,
    value_of,
)
from reviewer.core.text_call import (
    JSON_CLOSER,
    Found,
    Refused,
    Start,
    TextCall,
    find_call,
    json_object_at,
    markup_before,
    other_name,
    refuse,
    something_after,
    unknown_parameter,
    walk_call,
)


@dataclass(frozen=True, slots=True)
class CallRead:
    """One call as it was read. `arguments` is None exactly where nothing of it is used."""

    outcome: Outcome
    way: WayRead | None
    reason: str
    arguments: dict[str, Any] | None

    def as_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "outcome": self.outcome.value,
            "way": self.way.value if self.way else None,
            "reason": self.reason,
            "arguments": self.arguments,
        }


class _Invalid(ValueError):
    """A call from which nothing can be used, without anything forged about it."""

    def __init__(self, why: str, *, cut: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.cut = cut


@dataclass(frozen=True, slots=True)
class _Arguments:
    values: dict[str, Any]
    lost: str = ""
    """What of the call was cut or dropped, or an empty string."""


@guard
def lacks_required(arguments: Mapping[str, Any], schema: Schema) -> str:
    """A call without a required field does less than it says."""
    required = schema.get("required")
    missing = [name for name in required or () if name not in arguments]
    return f"it lacks “{shown(str(missing[0]))}”" if missing else ""


@guard
def nothing_usable(arguments: Mapping[str, Any]) -> str:
    """A call without a single argument says nothing."""
    return "" if arguments else "it has no arguments that can be used"


@guard
def wrong_arguments(arguments: dict[str, Any], schema: Schema) -> str:
    """Arguments that are not what the schema says are not used at all."""
    return fault_of(arguments, {**schema, "required": []}, schema)


@guard
def second_object(found: dict[str, Any] | None) -> str:
    """Which of two objects is the answer is not ours to guess."""
    return "it gives more than one answer" if found is not None else ""


def read_call(
    raw: RawAnswer, *, schema: Schema, function: str, document: str | None = None
) -> CallRead:
    """Read `raw` as a call of `function`, whose arguments `schema` describes."""
    found = find_call(raw.text)
    way: WayRead | None = WayRead.NATIVE if raw.calls else None
    try:
        if raw.calls:
            given = _native(raw, found, schema, function)
        elif found.start and not _inside_an_object(raw.text, found.start, schema):
            way = WayRead.TEXT_CALL
            refuse(markup_in_document(None, document))
            given = _text_call(raw.text, found, schema, function)
        else:
            answer = _json_text(raw.text, found, schema, function)
            if answer is None:
                begun = found.begun and raw.stop_reason is not None
                cut = begun and raw.stop_reason not in ENDED_BY_ITSELF
                return _lost(raw, Outcome.OUT_OF_ROOM if cut else Outcome.NO_CALL, None, "")
            way, given = WayRead.JSON_TEXT, answer
    except Refused as refused:
        return _lost(raw, Outcome.REFUSED_TEXT_CALL, way, refused.why)
    except _Invalid as invalid:
        cut = invalid.cut and raw.stop_reason is not None
        out_of_room = cut and raw.stop_reason not in ENDED_BY_ITSELF
        outcome = Outcome.OUT_OF_ROOM if out_of_room else Outcome.INVALID_CALL
        return _lost(raw, outcome, way or WayRead.JSON_TEXT, invalid.why)
    outcome = Outcome.PARTLY_READ if given.lost else Outcome.READ
    return CallRead(outcome, way, given.lost, given.values)


def _lost(raw: RawAnswer, outcome: Outcome, way: WayRead | None, why: str) -> CallRead:
    if raw.fault is not None:
        return CallRead(Outcome.PROVIDER_ERROR, way, raw.fault.message, None)
    if raw.stop_reason == "refusal":
        return CallRead(Outcome.REFUSAL, way, raw.refusal_category, None)
    return CallRead(outcome, way, why, None)


def _names(schema: Schema) -> frozenset[str]:
    properties = schema.get("properties")
    return frozenset(properties) if isinstance(properties, dict) else frozenset()


def _checked(
    values: dict[str, Any], schema: Schema, *, lost: str = "", cut: bool = False
) -> _Arguments:
    """`values` as arguments, where they are what the schema says."""
    for name in values:
        refuse(unknown_parameter(name, _names(schema)))
    refuse(wrong_arguments(values, schema))
    if why := nothing_usable(values) or lacks_required(values, schema):
        raise _Invalid(why, cut=cut)
    return _Arguments(values, lost)


def _native(raw: RawAnswer, found: Found, schema: Schema, function: str) -> _Arguments:
    refuse(beside_native(found))
    calls = [call for call in raw.calls if call.name == function]
    if len(calls) != 1:
        raise _Invalid("it makes no call of this function, or more than one")
    try:
        values = loads(calls[0].raw_input)
    except JsonFault as fault:
        raise _Invalid(fault.why, cut=fault.cut) from None
    if not isinstance(values, dict):
        raise _Invalid("its input is not an object")
    try:
        return _checked(values, schema)
    except Refused as refused:
        raise _Invalid(refused.why) from None


def _text_call(text: str, found: Found, schema: Schema, function: str) -> _Arguments:
    assert found.start is not None
    if found.start.dialect is None:
        return _json_call(text, found, schema, function)
    call = walk_call(text, found, function, _names(schema))
    values = _values(call, schema)
    lost = "" if call.closed else "the call was cut off before its end"
    for parameter in call.parameters:
        if not parameter.closed:
            lost = f"“{shown(parameter.name)}” was not closed"
    return _checked(values, schema, lost=lost, cut=not call.closed)


def _values(call: TextCall, schema: Schema) -> dict[str, Any]:
    values: dict[str, Any] = {}
    required = schema.get("required") or ()
    for parameter in call.parameters:
        if not parameter.closed:
            continue
        name, text = parameter.name, less_one_break(parameter.text)
        types = types_of(schema["properties"][name], schema)
        if optional_null(text, types, name in required):
            continue
        try:
            values[name] = value_of(name, text, types)
        except WrongValue as wrong:
            raise Refused(wrong.why) from None
    return values


def _json_call(text: str, found: Found, schema: Schema, function: str) -> _Arguments:
    """A call written as JSON in its wrapper."""
    assert found.start is not None
    refuse(markup_before(found.strays, found.start.wrapper_at))
    at, doubled = json_object_at(text, found.start.at)
    try:
        call, end = decode(text, at)
    except JsonFault as fault:
        if fault.cut:
            raise _Invalid(fault.why, cut=True) from None
        raise Refused(fault.why) from None
    rest = text[end:].lstrip()
    refuse(something_after(rest[1:] if doubled and rest[:1] == "}" else rest, JSON_CLOSER))
    for name in call:
        refuse(unknown_parameter(name, frozenset({"name", "arguments"})))
    refuse(other_name(str(call.get("name", "")), function))
    arguments = call.get("arguments")
    if not isinstance(arguments, dict):
        raise Refused("its arguments are not an object")
    return _checked(arguments, schema)


def _inside_an_object(text: str, start: Start, schema: Schema) -> bool:
    """Whether the call's markup stands within a JSON object that was begun before it."""
    before = text[: start.wrapper_at]
    try:
        answer = _only_answer(before, len(before), schema)
    except _Invalid as invalid:
        if invalid.cut:
            return True
        raise Refused(invalid.why) from None
    refuse(answer_before_call(answer))
    return False


@guard
def answer_before_call(answer: dict[str, Any] | None) -> str:
    """An answer as JSON and then a call leave open which is meant."""
    return "there is an answer before the call" if answer is not None else ""


_OBJECT = re.compile(r'\{\s*+"')


def _json_text(text: str, found: Found, schema: Schema, function: str) -> _Arguments | None:
    """The one object in the text that is a call, or its arguments; None where there is none."""
    answer = _only_answer(text, len(text) if found.start else found.first, schema)
    if answer is None:
        return None
    try:
        if set(answer) == {"name", "arguments"}:
            refuse(other_name(str(answer["name"]), function))
            answer = answer["arguments"]
        return _checked(answer, schema)
    except Refused as refused:
        raise _Invalid(refused.why) from None


def _only_answer(text: str, until: int, schema: Schema) -> dict[str, Any] | None:
    """The one object that begins before `until` and has the form of an answer, if any."""
    answer: dict[str, Any] | None = None
    pos = 0
    while (begin := _OBJECT.search(text, pos)) and not report_in_shown_call(begin.start(), until):
        try:
            value, pos = decode(text, begin.start())
        except JsonFault as fault:
            if fault.cut and answer is None:
                raise _Invalid(fault.why, cut=True) from None
            pos = max(begin.end(), fault.at)
            continue
        if _is_answer(value, schema):
            if why := second_object(answer):
                raise _Invalid(why)
            answer = value
    return answer


def _is_answer(value: dict[str, Any], schema: Schema) -> bool:
    """Whether an object is a call, or has only names that the function's arguments have."""
    wrapped = set(value) == {"name", "arguments"} and isinstance(value["arguments"], dict)
    return wrapped or (bool(value) and set(value) <= _names(schema))

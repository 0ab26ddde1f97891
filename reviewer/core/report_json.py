"""The JSON of a report, walked member by member, so that a cut or a fault costs little.

Promises: every element of `findings` that was closed is given, in order, either as a value
or with the reason why it is none; the one being written when the text ends is not. In a
`lenient` walk an element that is no strict JSON costs only itself, as long as what stands
behind it is plainly the next one; otherwise the walk ends there and says so. In a strict
walk any fault ends it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, NamedTuple

from reviewer.core.guards import guard, shown
from reviewer.core.json_skip import skip
from reviewer.core.json_strict import (
    JsonFault,
    after_space,
    decode,
    decode_quickly,
    examine,
    string_so_far,
)
from reviewer.core.schema import ReportedFinding


class End(Enum):
    """How a walk ended: at its closing bracket, with the text, or at a fault."""

    CLOSED = auto()
    CUT = auto()
    BROKEN = auto()


class Stop(NamedTuple):
    """Where a walk ended and how; `why` names the fault, or is empty."""

    end: End
    at: int
    why: str = ""


class Element(NamedTuple):
    """One closed element of a list: its value, or why it has none."""

    value: Any
    why: str = ""


@dataclass(slots=True)
class ReportWalk:
    """What a walk over a report's members met, up to where it ended."""

    elements: list[Element] = field(default_factory=list)
    has_list: bool = False
    """True once the bracket that opens `findings` was seen."""
    list_closed: bool = False
    called: bool = False
    """True where this is a report beyond doubt: it has `findings`, or stands in a call."""
    keeps: list[Element] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What was left out beside the elements, each in words for a person."""
    unknown: list[str] = field(default_factory=list)
    """Names that a report does not have."""
    stop: Stop = field(default_factory=lambda: Stop(End.CUT, 0))
    plain: list[Any] | None = None
    """The values of all elements, in place of `elements`, where every one has a value."""


NEXT_FINDING = re.compile(
    r'\{\s*"(?:' + "|".join(map(re.escape, ReportedFinding.model_fields)) + r')"\s*:'
)
"""How the finding after a broken one must begin for the walk to go on."""


@guard
def unclear_next(text: str, at: int) -> str:
    """After an element that is no JSON, quotation marks may be out of step."""
    if NEXT_FINDING.match(text, at):
        return ""
    return "what follows it cannot be told apart"


@guard
def repeated_member(name: str, seen: set[str]) -> str:
    """A member given twice leaves open which one is meant."""
    return f"“{shown(name)}” is given twice" if name in seen else ""


def walk_list(
    text: str, at: int, *, lenient: bool, resumable: bool = False
) -> tuple[list[Element], Stop]:
    """The closed elements of the list whose bracket is at `at`, and how the list ended.

    `resumable` lists are of findings; in others nothing is read after a broken element.
    """
    elements: list[Element] = []
    length = len(text)
    pos = after_space(text, at + 1)
    if pos < length and text[pos] == "]":
        return elements, Stop(End.CLOSED, pos + 1)
    while pos < length:
        try:
            value, pos = decode(text, pos)
        except JsonFault as fault:
            if fault.cut:
                return elements, Stop(End.CUT, length)
            end = skip(text, pos) if lenient and text[pos] not in ",]}" else -2
            if end < 0:
                return elements, _unended(fault, end, length)
            elements.append(Element(None, fault.why))
            pos = after_space(text, end)
            if stop := _after_broken(text, pos, fault.why, resumable):
                return elements, stop
        else:
            elements.append(Element(value))
            pos = after_space(text, pos)
        if pos >= length:
            break
        if text[pos] == "]":
            return elements, Stop(End.CLOSED, pos + 1)
        if text[pos] != ",":
            return elements, Stop(End.BROKEN, pos, "a comma is missing in a list")
        pos = after_space(text, pos + 1)
    return elements, Stop(End.CUT, length)


def _unended(fault: JsonFault, end: int, length: int) -> Stop:
    """The stop at an element that has no end that could be told."""
    if end == -1:
        return Stop(End.CUT, length, fault.why)
    return Stop(End.BROKEN, fault.at, fault.why)


def _after_broken(text: str, at: int, why: str, resumable: bool) -> Stop | None:
    """None where the list plainly ends or goes on at `at`, after an element without a value."""
    if at >= len(text) or text[at] == "]":
        return None
    if text[at] != "," or not resumable:
        return Stop(End.BROKEN, at, why)
    following = after_space(text, at + 1)
    unclear = unclear_next(text, following)
    if not unclear or following >= len(text):
        return None
    examined = examine(text, following)
    if isinstance(examined, JsonFault) and examined.cut:
        return None
    return Stop(End.BROKEN, at, f"{why}; {unclear}")


Take = Callable[[str, int], Stop]
"""Reads the member of a name whose value begins at a place, and says how that ended."""


def walk_members(text: str, at: int, take: Take) -> Stop:
    """Walk the object whose brace is at `at`, giving each member's value to `take`."""
    seen: set[str] = set()
    length = len(text)
    pos = after_space(text, at + 1)
    if pos < length and text[pos] == "}":
        return Stop(End.CLOSED, pos + 1)
    while pos < length:
        try:
            name, pos = decode(text, pos)
        except JsonFault as fault:
            return Stop(
                End.CUT if fault.cut else End.BROKEN, fault.at, "" if fault.cut else fault.why
            )
        if not isinstance(name, str):
            return Stop(End.BROKEN, pos, "a name in quotation marks is missing")
        if why := repeated_member(name, seen):
            return Stop(End.BROKEN, pos, why)
        seen.add(name)
        pos = after_space(text, pos)
        if pos >= length:
            break
        if text[pos] != ":":
            return Stop(End.BROKEN, pos, f"a colon is missing after “{shown(name)}”")
        pos = after_space(text, pos + 1)
        if pos >= length:
            break
        stop = take(name, pos)
        if stop.end is not End.CLOSED:
            return stop
        pos = after_space(text, stop.at)
        if pos >= length:
            break
        if text[pos] == "}":
            return Stop(End.CLOSED, pos + 1)
        if text[pos] != ",":
            return Stop(End.BROKEN, pos, f"a comma is missing after “{shown(name)}”")
        pos = after_space(text, pos + 1)
    return Stop(End.CUT, length)


def walk_report(
    text: str, at: int, *, lenient: bool, other: Callable[[str, int], Stop | None] | None = None
) -> ReportWalk:
    """Walk the report whose brace is at `at`, as far as it can be read.

    `other` is asked first about each member that a report does not have; where it gives None
    the member is passed over and its name noted.
    """
    if _PLAIN.match(text, at) and (plain := _plain_report(text, at)):
        return plain
    walk = ReportWalk()

    def take(name: str, pos: int) -> Stop:
        if name == "findings" and text[pos] == "[":
            walk.has_list = walk.called = True
            walk.elements, stop = walk_list(text, pos, lenient=lenient, resumable=True)
            walk.list_closed = stop.end is End.CLOSED
            return stop
        if name == "keeps" and text[pos] == "[":
            walk.keeps, stop = walk_list(text, pos, lenient=lenient)
            return stop
        walk.called = walk.called or name == "findings"
        if lenient and name == "findings" and text[pos] == '"':
            return _list_in_string(text, pos, walk)
        if name in ("findings", "keeps"):
            walk.notes.append(f"“{name}” is not a list")
        elif other is not None and (stop_of_other := other(name, pos)):
            return stop_of_other
        else:
            walk.unknown.append(shown(name))
        return pass_over(text, pos, lenient=lenient)

    walk.stop = walk_members(text, at, take)
    return walk


def _list_in_string(text: str, at: int, walk: ReportWalk) -> Stop:
    """Read `findings` where it is a string that holds the list, as some models write it."""
    stop = pass_over(text, at, lenient=True)
    written = string_so_far(text, at)
    start = after_space(written, 0)
    if not written.startswith("[", start):
        walk.notes.append("“findings” is not a list")
        return stop
    walk.has_list = True
    walk.elements, inner = walk_list(written, start, lenient=True, resumable=True)
    whole = inner.end is End.CLOSED and after_space(written, inner.at) == len(written)
    walk.list_closed = whole
    if stop.end is not End.CLOSED or whole:
        return stop
    return Stop(End.BROKEN, stop.at, inner.why or "its list of findings has no end")


_MEMBERS = {"findings", "keeps"}
_PLAIN = re.compile(r'\{\s*+"(?:findings|keeps)"')


def _plain_report(text: str, at: int) -> ReportWalk | None:
    """The report at `at`, read at once where it is JSON throughout and has what it should.

    It is what the walk gives, sooner; for anything else there is the walk.
    """
    decoded = decode_quickly(text, at)
    if decoded is None:
        return None
    value, end = decoded
    findings, keeps = value.get("findings"), value.get("keeps", [])
    if not value.keys() <= _MEMBERS or type(findings) is not list or type(keeps) is not list:
        return None
    return ReportWalk(
        plain=findings,
        has_list=True,
        list_closed=True,
        called=True,
        keeps=[Element(keep) for keep in keeps],
        stop=Stop(End.CLOSED, end),
    )


def pass_over(text: str, at: int, *, lenient: bool) -> Stop:
    """The end of a value that is not used."""
    try:
        _, end = decode(text, at)
    except JsonFault as fault:
        if fault.cut:
            return Stop(End.CUT, len(text))
        end = skip(text, at) if lenient and text[at] not in ",]}" else -2
        if end < 0:
            return _unended(fault, end, len(text))
    return Stop(End.CLOSED, end)

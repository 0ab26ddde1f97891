"""A report that stands in the text of an answer as JSON.

Read: a bare object, one in a code fence, one wrapped as `{"name": …, "arguments": {…}}`, each
also with its first brace doubled, with prose around it, or followed by padding. Refused, with
the reason: two reports in one answer, a call of another name, and an empty list in the middle
of prose, which may be an example and would clear text.
"""

import re
from dataclasses import dataclass

from reviewer.core.guards import guard, shown
from reviewer.core.json_strict import JsonFault, decode
from reviewer.core.report_json import End, ReportWalk, Stop, walk_report

ARGUMENTS = ("arguments", "parameters", "input")
"""What models call the arguments of a call that they write as JSON."""

_OBJECT = re.compile(r'\{\s*+"')
_NOTHING_MORE = re.compile(r"[\s}\]`~]*+\Z")


@dataclass(frozen=True, slots=True)
class JsonReport:
    """The one report found. `refused` is why it may not be read, or empty."""

    walk: ReportWalk
    start: int
    end: int
    refused: str = ""


@guard
def second_report(found: JsonReport | None) -> str:
    """Which of two reports is the answer is not ours to guess."""
    return "it gives more than one report" if found else ""


@guard
def other_name_in_json(name: str | None, function: str) -> str:
    """A call of another name is not a report, whatever it holds."""
    if name is None or name == function:
        return ""
    return f"it calls “{shown(name)}”, which it was not offered"


@guard
def empty_amid_prose(walk: ReportWalk, after: str) -> str:
    """An empty list says that a sheet is clean, so it must be the last word."""
    if walk.elements or walk.plain or _NOTHING_MORE.match(after):
        return ""
    return "an empty list is followed by more text, so it may be an example"


def find_report(text: str, function: str) -> JsonReport | None:
    """The report in `text`, or None where no JSON object in it is one.

    Every object is walked once and the search goes on behind it, so the time is linear.
    """
    found: JsonReport | None = None
    pos = 0
    while begin := _OBJECT.search(text, pos):
        candidate = _candidate(text, begin.start(), function)
        pos = max(candidate.end, begin.end())
        if not _is_report(candidate.walk):
            continue
        if why := second_report(found):
            return JsonReport(candidate.walk, candidate.start, candidate.end, why)
        found = candidate
    if found and not found.refused and found.walk.list_closed:
        why = empty_amid_prose(found.walk, text[found.end :])
        return JsonReport(found.walk, found.start, found.end, why)
    return found


def _is_report(walk: ReportWalk) -> bool:
    """A report has its list, or at least was begun as an object when the text ended."""
    return walk.called or (walk.stop.end is End.CUT and not walk.unknown)


def _candidate(text: str, at: int, function: str) -> JsonReport:
    """Walk the object at `at` as a report or as a call of one."""
    call = walk_call_object(text, at, lenient=True, arguments=ARGUMENTS)
    walk, end = call.outer, call.outer.stop.at
    if call.inner is None or walk.has_list:
        return JsonReport(walk, at, end)
    inner = call.inner
    inner.called = inner.called or bool(call.names)
    inner.stop = walk.stop
    refused = other_name_in_json(call.names[0] if call.names else None, function)
    return JsonReport(inner, at, end, refused)


@dataclass(frozen=True, slots=True)
class CallObject:
    """An object walked as a report, and as `{"name": …, "arguments": {…}}` at once."""

    outer: ReportWalk
    inner: ReportWalk | None
    """The report in its arguments, where it has any that are an object."""
    names: tuple[str, ...]


def walk_call_object(
    text: str, at: int, *, lenient: bool, arguments: tuple[str, ...]
) -> CallObject:
    """Walk the object whose brace is at `at`. `arguments` are the names they may go by."""
    names: list[str] = []
    inner: list[ReportWalk] = []

    def wrapper(name: str, pos: int) -> Stop | None:
        if name == "name" and text[pos] == '"':
            try:
                value, end = decode(text, pos)
            except JsonFault as fault:
                return Stop(End.CUT, len(text)) if fault.cut else None
            names.append(value)
            return Stop(End.CLOSED, end)
        if name in arguments and text[pos] == "{" and not inner:
            inner.append(walk_report(text, pos, lenient=lenient))
            return inner[0].stop
        return None

    outer = walk_report(text, at, lenient=lenient, other=wrapper)
    return CallObject(outer, inner[0] if inner else None, tuple(names))

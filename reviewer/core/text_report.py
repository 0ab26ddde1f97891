"""The report that a call written as text makes: `text_call` walks it, this reads its values.

Strict throughout: a value that is no strict JSON, a list that is none, or a name that a
report lacks refuses the whole call. Only in an answer that ended for want of room or of a
connection are the closed elements of an unclosed `findings` kept; otherwise an unclosed last
parameter is dropped.
"""

from reviewer.core.guards import guard, shown
from reviewer.core.json_strict import after_space
from reviewer.core.json_text import CallObject, walk_call_object
from reviewer.core.report_json import Element, End, ReportWalk, Stop, walk_list
from reviewer.core.text_call import (
    DIALECTS,
    JSON_CLOSER,
    Found,
    Parameter,
    Refused,
    json_object_at,
    markup_before,
    other_name,
    refuse,
    something_after,
    unknown_parameter,
    walk_call,
)

PARAMETERS = frozenset({"findings", "keeps"})
WRAPPER = frozenset({"name", "arguments"})

_CLOSERS = tuple(dialect.parameter_closer for dialect in DIALECTS)


@guard
def no_list(name: str, text: str, at: int) -> str:
    """A list field holds a list and nothing else."""
    return "" if text.startswith("[", at) else f"“{shown(name)}” is not a list"


@guard
def broken_list(name: str, stop: Stop) -> str:
    """What is no strict JSON may be read in more than one way."""
    return f"“{shown(name)}” is not read: {stop.why}" if stop.end is End.BROKEN else ""


@guard
def unfinished_list(name: str, stop: Stop) -> str:
    """A parameter that was closed before its list was is no list."""
    if stop.end is End.CLOSED:
        return ""
    return f"“{shown(name)}” is not a whole list{f': {stop.why}' if stop.why else ''}"


@guard
def more_than_a_list(name: str, rest: str) -> str:
    """A second list behind the first leaves open which is meant."""
    return f"“{shown(name)}” is more than one list" if rest else ""


@guard
def keeps_not_text(elements: list[Element]) -> str:
    """A value that is not what its field is."""
    if all(isinstance(element.value, str) for element in elements):
        return ""
    return "“keeps” holds something that is not text"


@guard
def unclosed_kept(may_keep: bool) -> str:
    """An answer that its model ended leaves an unclosed parameter to be guessed at."""
    return "" if may_keep else "its list of findings was not closed"


def text_report(text: str, found: Found, function: str, *, may_keep: bool) -> ReportWalk:
    """The report that the call found in `text` makes. Raises `Refused`.

    `may_keep` tells that the answer ended for want of room or of a connection.
    """
    assert found.start is not None
    if found.start.dialect is None:
        return _json_report(text, found, function)
    call = walk_call(text, found, function, PARAMETERS)
    walk = ReportWalk(called=True)
    for parameter in call.parameters:
        if not parameter.closed:
            _take_unclosed(parameter.name, parameter.text, walk, may_keep=may_keep)
        elif parameter.name == "findings" and _may_go_on(parameter, may_keep=may_keep):
            _take_unclosed(parameter.name, parameter.rest, walk, may_keep=may_keep)
        elif parameter.name == "findings":
            walk.elements = _closed_list(parameter)
            walk.has_list = walk.list_closed = True
        else:
            walk.keeps = _closed_list(parameter)
            refuse(keeps_not_text(walk.keeps))
    whole = call.closed and all(parameter.closed for parameter in call.parameters)
    walk.stop = Stop(End.CLOSED if whole else End.CUT, len(text))
    return walk


def _may_go_on(parameter: Parameter, *, may_keep: bool) -> bool:
    """Whether a closer at the text's end may be a part of the list, which was cut behind it."""
    if not parameter.rest or not may_keep:
        return False
    start = after_space(parameter.text, 0)
    if not parameter.text.startswith("[", start):
        return False
    return walk_list(parameter.text, start, lenient=False)[1].end is End.CUT


def _closed_list(parameter: Parameter) -> list[Element]:
    name, text = parameter.name, parameter.text
    start = after_space(text, 0)
    refuse(no_list(name, text, start))
    elements, stop = walk_list(text, start, lenient=False)
    refuse(unfinished_list(name, stop))
    refuse(more_than_a_list(name, text[stop.at :].strip()))
    return elements


def _take_unclosed(name: str, text: str, walk: ReportWalk, *, may_keep: bool) -> None:
    """The closed elements of an unclosed `findings`; any other unclosed value is dropped."""
    if name != "findings":
        walk.notes.append(f"“{shown(name)}” was not closed")
        return
    if why := unclosed_kept(may_keep):
        walk.notes.append(why)
        return
    start = after_space(text, 0)
    if start >= len(text):
        return
    refuse(no_list(name, text, start))
    walk.elements, stop = walk_list(text, start, lenient=False)
    refuse(broken_list(name, stop))
    walk.has_list = True
    if stop.end is End.CLOSED:
        rest = text[stop.at :].strip()
        in_closer = any(closer.startswith(rest) for closer in _CLOSERS)
        refuse(more_than_a_list(name, "" if in_closer else rest))
        walk.list_closed = True


def _json_report(text: str, found: Found, function: str) -> ReportWalk:
    """The report of a call written as JSON in its wrapper."""
    assert found.start is not None
    refuse(markup_before(found.strays, found.start.wrapper_at))
    at, doubled = json_object_at(text, found.start.at)
    call = walk_call_object(text, at, lenient=False, arguments=("arguments",))
    stop = call.outer.stop
    if stop.end is End.BROKEN:
        refuse(broken_list("arguments", stop))
    refuse(_wrapper_fault(call))
    if call.names or call.inner is not None or stop.end is End.CLOSED:
        refuse(other_name("".join(call.names), function))
    if stop.end is End.CLOSED:
        rest = text[stop.at :].lstrip()
        refuse(something_after(rest[1:] if doubled and rest[:1] == "}" else rest, JSON_CLOSER))
    walk = call.inner or ReportWalk()
    for name in walk.unknown:
        refuse(unknown_parameter(name, PARAMETERS))
    if walk.notes:
        raise Refused(walk.notes[0])
    refuse(keeps_not_text(walk.keeps))
    walk.called = True
    walk.stop = stop
    return walk


def _wrapper_fault(call: CallObject) -> str:
    """What the wrapper holds that it may not, or an empty string."""
    if call.outer.called or call.outer.keeps:
        return unknown_parameter("findings", WRAPPER)
    for name in call.outer.unknown:
        if why := unknown_parameter(name, WRAPPER) or wrong_member(name):
            return why
    return ""


@guard
def wrong_member(name: str) -> str:
    """A member of the wrapper that was passed over is not what it should be."""
    return f"its “{shown(name)}” is not what it should be"

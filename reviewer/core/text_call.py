"""A call that a model wrote as text: walked by its grammar, never searched for.

Read, outside of code fences and with prose before it at most:

    <tool_call><function=NAME><parameter=NAME>VALUE</parameter>…</function></tool_call>
    <function_calls><invoke name="NAME"><parameter name="NAME">VALUE</parameter>…</invoke>…

the first with or without its wrapper, the second also with Anthropic's prefix. A value runs
to the first closer that is followed by an opener or by the last closer of the call, so a
closer that a value repeats does not end it. Everything that could be read in more than one
way refuses the whole call, with the reason: another name, a second call, anything but white
space between parameters, anything after the call, an opener inside a value.

What the walk gives is names and raw text; what the text means is its schema's to say.
"""

import re
import sys
from dataclasses import dataclass, field

from reviewer.core.guards import guard, shown


class Refused(ValueError):
    """A call that is not read. `why` names the rule, for a person."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way of writing a call. `begins` are the fixed first characters of each opener."""

    call: re.Pattern[str]
    call_begins: str
    parameter: re.Pattern[str]
    parameter_begins: str
    parameter_closer: str
    closer: str
    wrapper: str
    wrapper_closer: str


def _dialect(call: str, parameter: str, quote: str, prefix: str, wrapper: str) -> Dialect:
    name = rf"{quote}([^<>\"'=\s]++){quote}>"
    ends = call.split()[0].rstrip("=")
    return Dialect(
        re.compile(re.escape(f"<{prefix}{call}") + name),
        f"<{prefix}{call}",
        re.compile(re.escape(f"<{prefix}{parameter}") + name),
        f"<{prefix}{parameter}",
        f"</{prefix}parameter>",
        f"</{prefix}{ends}>",
        f"<{prefix}{wrapper}>",
        f"</{prefix}{wrapper}>",
    )


DIALECTS = (
    _dialect("function=", "parameter=", "", "", "tool_call"),
    _dialect("invoke name=", "parameter name=", '"', "", "function_calls"),
    _dialect("invoke name=", "parameter name=", '"', "antml:", "function_calls"),
)
JSON_WRAPPER, JSON_CLOSER = "<tool_call>", "</tool_call>"

_SPACE = re.compile(r"[ \t\r\n\f\v]*+")
_MARKS = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<json><tool_call>\s*+\{)"
    r"|(?P<call><(?:antml:)?(?:function=|invoke\b))"
    r"|(?P<stray><(?:antml:)?(?:tool_call|function_calls|parameter)\b)",
    re.MULTILINE,
)
_BEGUN_AT_END = re.compile(
    r"<tool_call>\s*+\Z|<(?:antml:)?function_calls>\s*+\Z"
    r"|<(?:tool_call?|tool_?c?a?|tool?|to?|function|functi?o?|fu?n?c?|invoke?|invo?|in?)\Z"
)
_OPENER = re.compile(
    r"<(?:antml:)?(?:function\s*=|parameter\s*=|parameter\s+name|invoke\b|tool_call\b|function_calls\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Start:
    """Where a call begins. `dialect` is None for a call written as JSON in its wrapper."""

    at: int
    dialect: Dialect | None
    wrapper_at: int


@dataclass(frozen=True, slots=True)
class Found:
    """What call markup a text holds.

    `start` is the first call outside of code fences, `first` where any markup first stands,
    else the text's length; `strays` is where markup stands before the call that begins none.
    `begun` tells that the text ends in the first characters of a call.
    """

    start: Start | None
    first: int
    strays: tuple[int, ...] = ()
    begun: bool = False


NO_MARKUP = Found(None, sys.maxsize)
"""What is found in a text without any opening angle bracket."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as written. `closed` is false for a last one that the text ended in.

    `rest` is given where a closer was the last the text has: what its value is if that closer
    belongs to the value, and the text was cut behind it.
    """

    name: str
    text: str
    closed: bool = True
    rest: str = ""


@dataclass(slots=True)
class TextCall:
    """A call as written. `closed` is false where the text ended before its last closer."""

    name: str
    parameters: list[Parameter] = field(default_factory=list)
    closed: bool = False


@guard
def fenced(in_fence: bool) -> str:
    """A call in a code fence is shown, not made."""
    return "the call stands in a code block, so it is an example" if in_fence else ""


@guard
def markup_before(strays: tuple[int, ...], at: int) -> str:
    """Stray markup before a call leaves open where the call begins."""
    return "there is call markup before the call" if any(place < at for place in strays) else ""


@guard
def broken_opener(found: re.Match[str] | None) -> str:
    """An opener that is not written to its end may be anything."""
    return "" if found else "the call is not opened properly"


@guard
def other_name(name: str, function: str) -> str:
    """Only the function that was offered may be called."""
    return "" if name == function else f"it calls “{shown(name)}”, which it was not offered"


@guard
def text_between(text: str, at: int) -> str:
    """Between parameters only white space can be told from a value's own words."""
    return "there is text between its parameters" if text[at:].strip() else ""


@guard
def something_after(tail: str, wrapper_closer: str) -> str:
    """After a call nothing but its closers may follow, least of all a second call."""
    left = tail.strip()
    if wrapper_closer.startswith(left) or not left:
        return ""
    return "there is a second call" if _OPENER.search(left) else "something follows the call"


@guard
def opener_in_value(value: str) -> str:
    """An opener inside a value may be a forged parameter or a second call."""
    return "a value holds call markup" if _OPENER.search(value) else ""


@guard
def opener_after_unclosed(rest: str) -> str:
    """Where a value without a closer ends is not ours to guess once an opener follows."""
    return "a value is not closed before the next opener" if _OPENER.search(rest) else ""


@guard
def unknown_parameter(name: str, known: frozenset[str]) -> str:
    """A name that the schema lacks shows that this is no call of ours, or a forged one."""
    return "" if name in known else f"it has no parameter “{shown(name)}”"


@guard
def repeated_parameter(name: str, names: list[str]) -> str:
    """Of two values for one name neither is known to be meant, also where one is null."""
    return f"the parameter “{shown(name)}” is given twice" if name in names else ""


def find_call(text: str) -> Found:
    """What call markup `text` holds, up to the first call outside of a code fence."""
    fence = ""
    first = len(text)
    strays: list[int] = []
    for mark in _MARKS.finditer(text):
        if run := mark["fence"]:
            if _OPENER.search(mark["info"]):
                first = min(first, mark.start())
            fence = _fence_after(fence, run, mark["info"])
            continue
        first = min(first, mark.start())
        if fenced(bool(fence)):
            continue
        if mark["stray"]:
            strays.append(mark.start())
        else:
            return Found(_start(text, mark), first, tuple(strays))
    begun = not fence and bool(_BEGUN_AT_END.search(text))
    return Found(None, first, tuple(strays), begun)


def _fence_after(fence: str, run: str, info: str) -> str:
    """The fence that is open behind a line of `run` and `info`, or an empty string."""
    if fence:
        closes = run[0] == fence[0] and len(run) >= len(fence) and not info.strip()
        return "" if closes else fence
    return "" if "`" in info and run[0] == "`" else run


def _start(text: str, found: re.Match[str]) -> Start:
    at = found.start()
    if found["json"]:
        return Start(found.end() - 1, None, at)
    dialect = next(
        (way for way in DIALECTS if text.startswith(way.call_begins.split()[0], at)), DIALECTS[0]
    )
    before = text[:at].rstrip()
    if before.endswith(dialect.wrapper):
        return Start(at, dialect, len(before) - len(dialect.wrapper))
    return Start(at, dialect, at)


def walk_call(text: str, found: Found, function: str, known: frozenset[str]) -> TextCall:
    """The call of `function` that was found. Raises `Refused`.

    `known` are the names of its parameters.
    """
    start = found.start
    assert start is not None
    assert start.dialect is not None
    dialect = start.dialect
    refuse(markup_before(found.strays, start.wrapper_at))
    opener = dialect.call.match(text, start.at)
    if opener is None and _is_begun(text, start.at, dialect.call_begins):
        return TextCall("")
    refuse(broken_opener(opener))
    if opener is None:
        return TextCall("")
    refuse(other_name(opener[1], function))
    call = TextCall(opener[1])
    last_closer = text.rfind(dialect.closer)
    pos = _after_space(text, opener.end())
    while pos < len(text) and not call.closed:
        if text.startswith(dialect.closer, pos):
            pos += len(dialect.closer)
            refuse(something_after(text[pos:], dialect.wrapper_closer))
            call.closed = True
        elif parameter := dialect.parameter.match(text, pos):
            pos = _take(text, parameter, dialect, call, known, last_closer)
        elif _ends_in_a_tag(text, pos, dialect):
            break
        else:
            refuse(text_between(text, pos))
            break
    return call


def _take(
    text: str,
    opener: re.Match[str],
    dialect: Dialect,
    call: TextCall,
    known: frozenset[str],
    last_closer: int,
) -> int:
    """Add the parameter that `opener` opens to `call`; where what follows it begins."""
    name, begin = opener[1], opener.end()
    refuse(unknown_parameter(name, known))
    refuse(repeated_parameter(name, [given.name for given in call.parameters]))
    end = _value_end(text, begin, dialect, last_closer)
    if end < 0:
        refuse(opener_after_unclosed(text[begin:]))
        call.parameters.append(Parameter(name, text[begin:], closed=False))
        return len(text)
    refuse(opener_in_value(text[begin:end]))
    after = _after_space(text, end + len(dialect.parameter_closer))
    ends = after >= len(text) or (after != last_closer and _ends_in_a_tag(text, after, dialect))
    call.parameters.append(Parameter(name, text[begin:end], rest=text[begin:] if ends else ""))
    return after


_DOUBLED = re.compile(r"\{\s*+(?=\{)")


def json_object_at(text: str, at: int) -> tuple[int, bool]:
    """Where the object of a call written as JSON begins, and whether its brace is doubled."""
    doubled = _DOUBLED.match(text, at)
    return (doubled.end(), True) if doubled else (at, False)


def _value_end(text: str, at: int, dialect: Dialect, last_closer: int) -> int:
    """Where the closer of the value that begins at `at` stands, or -1 for nowhere."""
    end = text.find(dialect.parameter_closer, at)
    while end >= 0:
        if closes_value(text, end, dialect, last_closer):
            return end
        end = text.find(dialect.parameter_closer, end + 1)
    return -1


def closes_value(text: str, closer_at: int, dialect: Dialect, last_closer: int) -> bool:
    """Whether a parameter's closer is meant: an opener, the call's closer or the end follows."""
    after = _after_space(text, closer_at + len(dialect.parameter_closer))
    return (
        text.startswith(dialect.parameter_begins, after)
        or after == last_closer
        or after >= len(text)
        or _ends_in_a_tag(text, after, dialect)
    )


def _ends_in_a_tag(text: str, at: int, dialect: Dialect) -> bool:
    """Whether the text ends within the parameter's opener or the closer that begins at `at`."""
    rest = text[at : at + len(dialect.closer)]
    if at + len(rest) == len(text) and dialect.closer.startswith(rest):
        return True
    return _is_begun(text, at, dialect.parameter_begins)


_NAME_SO_FAR = re.compile(r"[^<>\s]*+\Z")


def _is_begun(text: str, at: int, begins: str) -> bool:
    """Whether the text ends within the opener at `at` that begins with `begins`."""
    if at + len(begins) > len(text):
        return begins.startswith(text[at:])
    return text.startswith(begins, at) and bool(_NAME_SO_FAR.match(text, at + len(begins)))


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def refuse(why: str) -> None:
    """Raise `Refused` where a guard gave a reason."""
    if why:
        raise Refused(why)

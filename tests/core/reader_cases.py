"""Answers and what is read in them: one table for the tests of the reader and of its guards.

Each case is small, says one thing, and is named by it. `CALLS` are read as calls of a function
`f` whose schema has one field of each type, `REPORTS` as reports on a document of two sheets.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from reviewer.core.answers import AnswerRead, read_answer
from reviewer.core.calls import CallRead, read_call
from reviewer.core.raw import FaultKind, ProviderFault, RawAnswer, RawToolCall

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "s": {"type": "string"},
        "t": {"type": "string"},
        "n": {"type": "number"},
        "i": {"type": "integer", "minimum": -9, "maximum": 99},
        "b": {"type": "boolean"},
        "l": {"type": "array"},
        "o": {"type": "object"},
        "q": {"type": ["string", "null"]},
        "m": {"type": ["number", "null"]},
        "e": {"enum": ["low", "high"]},
        "w": {"type": "array", "items": {"type": "string"}},
    },
    "required": [],
}
NEEDS_S = {**SCHEMA, "required": ["s"]}
SHEETS = {
    1: "Warehouse control tower for Northwind.",
    2: "Our platform cuts detention costs by 30% in a quarter.",
}

# The reader knows this prefix; it is put together here so that no tool takes it for its own.
PREFIX = "ant" + "ml:"


def entry(sheet: Any = 2, **changes: Any) -> dict[str, Any]:
    """A good entry, but for `changes`; a change to None leaves the field out."""
    fields = {
        "sheet": sheet,
        "severity": "fix",
        "rule": "no_outcome_promises",
        "quote": "cuts detention costs by 30%",
        "finding": "A result is promised without a baseline.",
        "fix": "Promise the work.",
        **changes,
    }
    return {name: value for name, value in fields.items() if value is not None}


def as_json(*entries: Any) -> str:
    """A report of these entries."""
    return json.dumps({"findings": list(entries), "keeps": ["clear cover"]})


def as_call(findings: str, *more: str) -> str:
    """A call written as text whose `findings` is as given."""
    parameters = "".join(f"\n{parameter}" for parameter in more)
    return (
        "<tool_call>\n<function=report_findings>\n"
        f"<parameter=findings>\n{findings}\n</parameter>{parameters}\n</function>\n</tool_call>"
    )


def parameters(*given: tuple[str, str]) -> str:
    """Parameters as a call written as text holds them."""
    return "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in given)


def call(*given: tuple[str, str], name: str = "f") -> str:
    """A call of `name` written as text."""
    return f"<tool_call>\n<function={name}>\n{parameters(*given)}</function>\n</tool_call>"


@dataclass(frozen=True)
class CallCase:
    """A text, and the outcome and arguments it is read with."""

    name: str
    text: str
    outcome: str
    arguments: dict[str, Any] | None = None
    document: str = ""
    schema: dict[str, Any] = field(default_factory=lambda: SCHEMA)
    calls: tuple[RawToolCall, ...] = ()
    stop: str | None = None

    def read(self) -> CallRead:
        """What the reader makes of it now."""
        raw = RawAnswer(text=self.text, calls=self.calls, stop_reason=self.stop)
        return read_call(raw, schema=self.schema, function="f", document=self.document)

    def holds(self) -> bool:
        """Whether it is read as it should be."""
        read = self.read()
        return read.outcome == self.outcome and _same(read.arguments, self.arguments)


@dataclass(frozen=True)
class ReportCase:
    """An answer, its outcome, and the indexes of the entries that are kept."""

    name: str
    outcome: str
    kept: tuple[int, ...] = ()
    text: str = ""
    native: tuple[str, ...] = ()
    other_calls: tuple[str, ...] = ()
    stop: str | None = "end_turn"
    fault: FaultKind | None = None
    sheets: dict[int, str] | None = field(default_factory=lambda: SHEETS)
    document: str | None = None
    dropped: tuple[int, ...] | None = None

    def raw(self) -> RawAnswer:
        """The answer as a provider gives it."""
        calls = [RawToolCall(name, "{}") for name in self.other_calls]
        calls += [RawToolCall("report_findings", written) for written in self.native]
        return RawAnswer(
            text=self.text,
            calls=tuple(calls),
            stop_reason=self.stop,
            fault=ProviderFault(self.fault) if self.fault else None,
        )

    def read(self) -> AnswerRead:
        """What the reader makes of it now."""
        return read_answer(self.raw(), sheets=self.sheets, document=self.document)

    def holds(self) -> bool:
        """Whether it is read as it should be."""
        read = self.read()
        kept = tuple(found.index for found in read.findings)
        dropped = tuple(drop.index for drop in read.dropped)
        as_expected = self.dropped is None or self.dropped == dropped
        return read.outcome == self.outcome and kept == self.kept and as_expected


def _same(given: Any, expected: Any) -> bool:
    """Equal with equal types, since 1, 1.0 and true are the same to Python."""
    return json.dumps(given, sort_keys=True) == json.dumps(expected, sort_keys=True)


REFUSED, NOTHING, INVALID = "refused_text_call", "no_call", "invalid_call"

CALLS: tuple[CallCase, ...] = (
    CallCase("plain", call(("s", "a"), ("n", "0.40")), "read", {"s": "a", "n": 0.4}),
    CallCase("prose before", "I think so.\n\n" + call(("s", "a")), "read", {"s": "a"}),
    CallCase("no wrapper", f"<function=f>{parameters(('s', 'a'))}</function>", "read", {"s": "a"}),
    CallCase(
        "only the wrapper's closer",
        f"<function=f>{parameters(('s', 'a'))}</function></tool_call>",
        "read",
        {"s": "a"},
    ),
    CallCase("padding behind", call(("s", "a")) + "\n" * 500, "read", {"s": "a"}),
    CallCase(
        "invoke",
        '<function_calls>\n<invoke name="f">\n<parameter name="s">a</parameter>\n</invoke>\n'
        "</function_calls>",
        "read",
        {"s": "a"},
    ),
    CallCase(
        "invoke with its prefix",
        f'<{PREFIX}function_calls>\n<{PREFIX}invoke name="f">\n<{PREFIX}parameter name="s">a'
        f"</{PREFIX}parameter>\n</{PREFIX}invoke>\n</{PREFIX}function_calls>",
        "read",
        {"s": "a"},
    ),
    CallCase(
        "invoke twice",
        '<invoke name="f"><parameter name="s">a</parameter></invoke>\n'
        '<invoke name="f"><parameter name="s">b</parameter></invoke>',
        REFUSED,
    ),
    CallCase(
        "invoke without parameters, then a second call",
        '<invoke name="f"></invoke><invoke name="f"><parameter name="s">a</parameter></invoke>',
        REFUSED,
    ),
    CallCase(
        "json in its wrapper",
        '<tool_call>{"name": "f", "arguments": {"s": "a", "n": 2}}</tool_call>',
        "read",
        {"s": "a", "n": 2},
    ),
    CallCase(
        "json in its wrapper, brace doubled",
        '<tool_call>{{"name": "f", "arguments": {"s": "a"}}}</tool_call>',
        "read",
        {"s": "a"},
    ),
    CallCase(
        "json in its wrapper, another name",
        '<tool_call>{"name": "g", "arguments": {"s": "a"}}</tool_call>',
        REFUSED,
    ),
    CallCase(
        "json in its wrapper, something more in it",
        '<tool_call>{"name": "f", "arguments": {"s": "a"}, "then": 1}</tool_call>',
        REFUSED,
    ),
    CallCase(
        "json in its wrapper, arguments in a string",
        '<tool_call>{"name": "f", "arguments": "{}"}</tool_call>',
        REFUSED,
    ),
    CallCase(
        "json in its wrapper, twice",
        '<tool_call>{"name": "f", "arguments": {"s": "a"}}</tool_call>'
        '<tool_call>{"name": "f", "arguments": {"s": "b"}}</tool_call>',
        REFUSED,
    ),
    CallCase(
        "json in its wrapper, cut",
        '<tool_call>{"name": "f", "arguments": {"s": "a", "t": "b',
        INVALID,
    ),
    CallCase(
        "json in its wrapper, cut for want of room",
        '<tool_call>{"name": "f", "arguments": {"s": "a", "t": "b',
        "out_of_room",
        stop="max_tokens",
    ),
    CallCase("a string stays a string", call(("s", "42")), "read", {"s": "42"}),
    CallCase("per cent of a number", call(("n", "85%")), "read", {"n": 0.85}),
    CallCase("per cent of a small number", call(("n", "-0.7%")), "read", {"n": -0.007}),
    CallCase("per cent of a whole number", call(("i", "85%")), REFUSED),
    CallCase("a power", call(("n", "1.5e3")), "read", {"n": 1500.0}),
    CallCase("a whole number", call(("i", " -7 ")), "read", {"i": -7}),
    CallCase("a fraction for a whole number", call(("i", "3.0")), REFUSED),
    CallCase("a whole number out of bounds", call(("i", "100")), REFUSED),
    CallCase("a number with an underscore", call(("i", "1_0")), REFUSED),
    CallCase("a number with a plus", call(("i", "+1")), REFUSED),
    CallCase("a number with a leading zero", call(("n", "007")), REFUSED),
    CallCase("a number in other digits", call(("i", "१२")), REFUSED),
    CallCase("a number in wide digits", call(("n", "１")), REFUSED),
    CallCase("not a number", call(("n", "nan")), REFUSED),
    CallCase("a number beyond all bounds", call(("n", "1e999")), REFUSED),
    CallCase("per cent beyond all bounds", call(("n", "1e999%")), REFUSED),
    CallCase("a number of many digits", call(("n", "9" * 200)), REFUSED),
    CallCase("a list with a number of many digits", call(("l", f"[{'9' * 200}]")), REFUSED),
    CallCase("true in any case", call(("b", "TRUE")), "read", {"b": True}),
    CallCase("yes is no boolean", call(("b", "yes")), REFUSED),
    CallCase("1 is no boolean", call(("b", "1")), REFUSED),
    CallCase("a listed value", call(("e", "high")), "read", {"e": "high"}),
    CallCase("a value that is not listed", call(("e", "middling")), REFUSED),
    CallCase("a list", call(("l", '[1, "a", {"k": null}]')), "read", {"l": [1, "a", {"k": None}]}),
    CallCase("a list of the wrong things", call(("w", '["a", 1]')), REFUSED),
    CallCase("an object for a list", call(("l", '{"k": 1}')), REFUSED),
    CallCase("a list for an object", call(("o", "[1]")), REFUSED),
    CallCase("a list and more", call(("l", "[1] [2]")), REFUSED),
    CallCase("a list in other quotes", call(("l", "['a']")), REFUSED),
    CallCase("a list with not a number", call(("l", "[1, NaN]")), REFUSED),
    CallCase("a list with a number beyond all bounds", call(("l", "[1e999]")), REFUSED),
    CallCase("an object with a name twice", call(("o", '{"a": 1, "a": 2}')), REFUSED),
    CallCase("a list nested too deeply", call(("l", "[" * 90 + "]" * 90)), REFUSED),
    CallCase("a list nested far too deeply", call(("l", "[" * 9000 + "]" * 9000)), REFUSED),
    CallCase("a list with half a character", call(("l", '["\\ud83d"]')), REFUSED),
    CallCase("a string with half a character", call(("s", "\ud83d")), REFUSED),
    CallCase("a character in two halves", call(("l", '["\\ud83d\\ude00"]')), "read", {"l": ["😀"]}),
    CallCase("null where it may be", call(("s", "a"), ("m", "null")), "read", {"s": "a"}),
    CallCase("None where it may be", call(("s", "a"), ("q", "None")), "read", {"s": "a"}),
    CallCase("empty where it may be", call(("s", "a"), ("m", "")), "read", {"s": "a"}),
    CallCase("null where it may not be", call(("n", "null")), REFUSED),
    CallCase("null in a string", call(("s", "null")), "read", {"s": "null"}),
    CallCase("null, then a value", call(("m", "null"), ("m", "1")), REFUSED),
    CallCase("a name twice", call(("s", "a"), ("s", "b")), REFUSED),
    CallCase("a name that the schema lacks", call(("s", "a"), ("z", "b")), REFUSED),
    CallCase("another function", call(("s", "a"), name="g"), REFUSED),
    CallCase("no parameters", "<function=f></function>", INVALID),
    CallCase("only what is left out", call(("q", "null")), INVALID),
    CallCase("a required field missing", call(("t", "a")), INVALID, schema=NEEDS_S),
    CallCase("an opener without its end", "<function=f\n" + parameters(("s", "a")), REFUSED),
    CallCase("text before the first parameter", "<function=f>\nso\n<parameter=s>a", REFUSED),
    CallCase(
        "text between parameters",
        f"<function=f>{parameters(('s', 'a'))}and{parameters(('t', 'b'))}</function>",
        REFUSED,
    ),
    CallCase("text after the call", call(("s", "a")) + "\nThat is all.", REFUSED),
    CallCase("two calls", call(("s", "a")) + "\n" + call(("s", "b")), REFUSED),
    CallCase("stray markup before the call", "<parameter=s>\n" + call(("s", "a")), REFUSED),
    CallCase(
        "a prefixed opener before the call",
        f"<{PREFIX}function=g>\n" + call(("s", "a")),
        REFUSED,
    ),
    CallCase("an opener in a value", call(("s", "see <parameter=t> here")), REFUSED),
    CallCase("a call in a value", call(("s", "see <function=g> here")), REFUSED),
    CallCase(
        "a closer in a value", call(("s", "a </parameter> b")), "read", {"s": "a </parameter> b"}
    ),
    CallCase(
        "the last closer in a value",
        call(("s", "a </function> b"), ("t", "c")),
        "read",
        {"s": "a </function> b", "t": "c"},
    ),
    CallCase(
        "all closers in a value",
        call(("s", "a\n</parameter>\n</function>\n</tool_call>\nb")),
        "read",
        {"s": "a\n</parameter>\n</function>\n</tool_call>\nb"},
    ),
    CallCase("html in a value", call(("s", "<a>x &amp; y</a>")), "read", {"s": "<a>x &amp; y</a>"}),
    CallCase("white space in a value", call(("s", "\n  a \n")), "read", {"s": "\n  a \n"}),
    CallCase(
        "cut in a value",
        "<function=f>" + parameters(("s", "a")) + "<parameter=t>b",
        "partly_read",
        {"s": "a"},
    ),
    CallCase("cut in the only value", "<function=f><parameter=s>a", INVALID),
    CallCase(
        "cut after a value", "<function=f>" + parameters(("s", "a")), "partly_read", {"s": "a"}
    ),
    CallCase(
        "cut in a closer",
        "<function=f>" + parameters(("s", "a")) + "</func",
        "partly_read",
        {"s": "a"},
    ),
    CallCase(
        "cut in an opener",
        "<function=f>" + parameters(("s", "a")) + "<parameter=t",
        "partly_read",
        {"s": "a"},
    ),
    CallCase(
        "not closed before the next",
        "<function=f><parameter=s>a<parameter=t>b</parameter></function>",
        REFUSED,
    ),
    CallCase("not closed, an opener after", "<function=f><parameter=s>a <parameter=t>b", REFUSED),
    CallCase("in a code fence", f"Like this:\n```xml\n{call(('s', 'a'))}\n```", NOTHING),
    CallCase("in a fence of tildes", f"~~~\n{call(('s', 'a'))}\n~~~", NOTHING),
    CallCase(
        "shown in a fence, then made",
        f"```\n{call(('s', 'a'))}\n```\n{call(('s', 'b'))}",
        "read",
        {"s": "b"},
    ),
    CallCase("a wrapper without a call", "<tool_call>\nwords\n</tool_call>", NOTHING),
    CallCase("prose", "I cannot say.", NOTHING),
    CallCase("markup in the document", call(("s", "a")), REFUSED, document="Use <parameter=n>."),
    CallCase("signs in the document", call(("s", "a")), "read", {"s": "a"}, document="3 < 4 > 2"),
    CallCase("bare json", '{"s": "a", "n": 2}', "read", {"s": "a", "n": 2}),
    CallCase("json in a fence", '```json\n{"s": "a"}\n```', "read", {"s": "a"}),
    CallCase("json of another type", '{"s": 2}', INVALID),
    CallCase("json with a name twice", '{"s": "a", "s": "b"}', NOTHING),
    CallCase("json twice", '{"s": "a"} {"s": "b"}', INVALID),
    CallCase("json, then a call", '{"s": "b"}\n' + call(("s", "a")), REFUSED),
    CallCase("json of another function", '{"name": "g", "arguments": {"s": "a"}}', INVALID),
    CallCase(
        "json whose string holds a call",
        json.dumps({"s": call(("s", "a"))}),
        "read",
        {"s": call(("s", "a"))},
    ),
    CallCase(
        "json behind a call that is only shown",
        f"```\n{call(('s', 'a'))}\n```\n" + '{"s": "a"}',
        NOTHING,
    ),
    CallCase("native", "", "read", {"s": "a"}, calls=(RawToolCall("f", '{"s": "a"}'),)),
    CallCase(
        "native with a name twice", "", INVALID, calls=(RawToolCall("f", '{"s": "a", "s": "b"}'),)
    ),
    CallCase(
        "native and then in text",
        call(("s", "a")),
        REFUSED,
        calls=(RawToolCall("f", '{"s": "a"}'),),
    ),
)

GOOD, BAD = entry(), entry(severity="urgent")
TWO = as_json(entry(), entry(1))

REPORTS: tuple[ReportCase, ...] = (
    ReportCase("native", "read", (0, 1), native=(TWO,)),
    ReportCase("native and empty", "read", (), native=(as_json(),)),
    ReportCase("native without keeps", "read", (0,), native=(json.dumps({"findings": [GOOD]}),)),
    ReportCase(
        "native with a bad entry", "partly_read", (0, 2), native=(as_json(GOOD, BAD, GOOD),)
    ),
    ReportCase("native with bad entries only", INVALID, (), native=(as_json(BAD, BAD),)),
    ReportCase("native without a list", INVALID, (), native=("{}",)),
    ReportCase("native with a list that is none", INVALID, (), native=('{"findings": "none"}',)),
    ReportCase(
        "native, its list in a string",
        "read",
        (0, 1),
        native=(json.dumps({"findings": json.dumps([GOOD, entry(1)]), "keeps": []}),),
    ),
    ReportCase(
        "native, half its list in a string",
        "partly_read",
        (0,),
        native=(json.dumps({"findings": json.dumps([GOOD, entry(1)])[:-40]}),),
    ),
    ReportCase(
        "native, cut in its list in a string",
        "partly_read",
        (0,),
        native=(json.dumps({"findings": json.dumps([GOOD, entry(1)])})[:-60],),
        stop="max_tokens",
    ),
    ReportCase("native in two calls", "read", (0, 1, 2), native=(TWO, as_json(GOOD))),
    ReportCase(
        "native with something behind it",
        "partly_read",
        (0,),
        native=(as_json(GOOD) + " and so on",),
    ),
    ReportCase("native of another name", INVALID, (), other_calls=("search",)),
    ReportCase(
        "native, cut in the second entry",
        "partly_read",
        (0,),
        native=(TWO[:-60],),
        stop="max_tokens",
    ),
    ReportCase(
        "native, cut in the first entry", "out_of_room", (), native=(TWO[:60],), stop="max_tokens"
    ),
    ReportCase(
        "native, ended in the first entry", INVALID, (), native=(TWO[:60],), stop="tool_use"
    ),
    ReportCase(
        "native, the connection lost in the second entry",
        "partly_read",
        (0,),
        native=(TWO[:-60],),
        stop=None,
        fault=FaultKind.BROKEN_STREAM,
    ),
    ReportCase(
        "native, the connection lost in the first entry",
        "provider_error",
        (),
        native=(TWO[:60],),
        stop=None,
        fault=FaultKind.BROKEN_STREAM,
    ),
    ReportCase(
        "native, cut behind its list", "partly_read", (0, 1), native=(TWO[:-10],), stop="max_tokens"
    ),
    ReportCase(
        "native, the list named twice",
        "partly_read",
        (0,),
        native=('{"findings": [' + json.dumps(GOOD) + '], "findings": []}',),
    ),
    ReportCase(
        "native, an entry with a name twice",
        "partly_read",
        (0, 2),
        native=(
            '{"findings": ['
            + json.dumps(GOOD)
            + ","
            + json.dumps(GOOD)[:-1]
            + ', "sheet": 1}, '
            + json.dumps(GOOD)
            + "]}",
        ),
        dropped=(1,),
    ),
    ReportCase(
        "native, an entry that is not JSON",
        "partly_read",
        (0, 2),
        native=(
            '{"findings": [' + json.dumps(GOOD) + ', {"sheet": 1,}, ' + json.dumps(GOOD) + "]}",
        ),
        dropped=(1,),
    ),
    ReportCase(
        "native, something else behind a broken entry",
        "partly_read",
        (0,),
        native=(
            '{"findings": ['
            + json.dumps(GOOD)
            + ', {"sheet": 1,}, {"x": 1}, '
            + json.dumps(GOOD)
            + "]}",
        ),
        dropped=(1,),
    ),
    ReportCase(
        "native, quotation marks out of step",
        "partly_read",
        (0,),
        native=(
            '{"findings": ['
            + json.dumps(GOOD)
            + ', {"q": "5" pipe", "x": "} , {"}, {"x": 1}, '
            + json.dumps(GOOD)
            + "]}",
        ),
    ),
    ReportCase(
        "native, an entry with not a number",
        "partly_read",
        (0,),
        native=('{"findings": [' + json.dumps(GOOD) + ', {"sheet": NaN}]}',),
        dropped=(1,),
    ),
    ReportCase(
        "native, an entry with half a character",
        "partly_read",
        (0,),
        native=(
            '{"findings": [' + json.dumps(GOOD) + "," + json.dumps(entry(fix="\ud83d")) + "]}",
        ),
        dropped=(1,),
    ),
    ReportCase(
        "native, an entry nested too deeply",
        "partly_read",
        (0,),
        native=(
            '{"findings": ['
            + json.dumps(GOOD)
            + ","
            + json.dumps(GOOD)[:-1]
            + ', "also": '
            + "[" * 200
            + "]" * 200
            + "}]}",
        ),
        dropped=(1,),
    ),
    ReportCase(
        "native, an entry with a number of many digits",
        "partly_read",
        (0,),
        native=(
            '{"findings": ['
            + json.dumps(GOOD)
            + ","
            + json.dumps(GOOD)[:-1]
            + ', "at": '
            + "9" * 5000
            + "}]}",
        ),
        dropped=(1,),
    ),
    ReportCase("a refusal", "refusal", (), stop="refusal"),
    ReportCase(
        "a refusal after a finding", "partly_read", (0,), native=(TWO[:-60],), stop="refusal"
    ),
    ReportCase("a fault", "provider_error", (), stop=None, fault=FaultKind.OVERLOADED),
    ReportCase("prose", NOTHING, (), text="I see no reason to say anything."),
    ReportCase("prose to the end of the room", NOTHING, (), text="### Findings", stop="max_tokens"),
    ReportCase("nothing to the end of the room", "out_of_room", (), stop="max_tokens"),
    ReportCase("a list in prose", NOTHING, (), text=f"findings=[{json.dumps(GOOD)}]"),
    # Entries, each beside a good one.
    *(
        ReportCase(name, "partly_read", (0,), native=(as_json(GOOD, bad),), dropped=(1,))
        for name, bad in (
            ("an entry that is no object", "words"),
            ("an entry without a quote", entry(quote=None)),
            ("an entry whose sheet is text", entry("2")),
            ("an entry whose sheet is true", entry(True)),
            ("an entry whose sheet is a fraction", entry(1.0)),
            ("an entry whose sheet is below zero", entry(-1)),
            ("an entry on a sheet that does not exist", entry(3)),
            ("an entry of unknown severity", BAD),
            ("an entry whose finding is empty", entry(finding=" \n")),
            ("an entry whose fix is a list", entry(fix=["a"])),
            ("an entry whose severity is a number", entry(severity=1)),
        )
    ),
    ReportCase("a severity in capitals", "read", (0,), native=(as_json(entry(severity="BLOCK")),)),
    ReportCase("sheet 0 is the document", "read", (0,), native=(as_json(entry(0, quote="")),)),
    ReportCase(
        "any sheet where they are not known",
        "read",
        (0,),
        sheets=None,
        native=(as_json(entry(99)),),
    ),
    # Calls written as text.
    ReportCase("a call in text", "read", (0, 1), text=as_call(json.dumps([GOOD, entry(1)]))),
    ReportCase(
        "a call in text with keeps",
        "read",
        (0,),
        text=as_call(json.dumps([GOOD]), '<parameter=keeps>["cover"]</parameter>'),
    ),
    ReportCase("a call in text with an empty list", "read", (), text=as_call("[]")),
    ReportCase(
        "a call in text with a bad entry",
        "partly_read",
        (0, 2),
        text=as_call(json.dumps([GOOD, BAD, GOOD])),
        dropped=(1,),
    ),
    ReportCase("a call in text, a list that is none", REFUSED, (), text=as_call(json.dumps(GOOD))),
    ReportCase(
        "a call in text, two lists",
        REFUSED,
        (),
        text=as_call(f"{json.dumps([GOOD])}\n{json.dumps([GOOD])}"),
    ),
    ReportCase("a call in text, half a list", REFUSED, (), text=as_call(json.dumps([GOOD])[:-1])),
    ReportCase(
        "a call in text, a list that is not JSON",
        REFUSED,
        (),
        text=as_call(json.dumps([GOOD])[:-1] + ",]"),
    ),
    ReportCase(
        "a call in text, a list in the wrong bracket",
        REFUSED,
        (),
        text=as_call("{" + json.dumps([GOOD])[1:]),
    ),
    ReportCase(
        "a call in text, cut behind an entry that is not JSON",
        REFUSED,
        (),
        text=as_call(json.dumps([GOOD])[:-1] + ', {"sheet": 1,}, {')[:-38],
        stop="max_tokens",
    ),
    ReportCase(
        "a call in text, keeps that are no text",
        REFUSED,
        (),
        text=as_call(json.dumps([GOOD]), "<parameter=keeps>[1]</parameter>"),
    ),
    ReportCase(
        "a call in text, an unknown parameter",
        REFUSED,
        (),
        text=as_call(json.dumps([GOOD]), "<parameter=notes>[]</parameter>"),
    ),
    ReportCase(
        "a call in text without its list",
        INVALID,
        (),
        text=('<function=report_findings><parameter=keeps>["a"]</parameter></function>'),
    ),
    ReportCase(
        "a call in text, keeps not closed",
        "partly_read",
        (0,),
        text=as_call(json.dumps([GOOD]), "<parameter=keeps>\nall of it")[
            : -len("\n</function>\n</tool_call>")
        ],
    ),
    ReportCase(
        "a call in text, cut in the second entry",
        "partly_read",
        (0,),
        text=as_call(json.dumps([GOOD, entry(1)]))[:-90],
        stop="max_tokens",
    ),
    ReportCase(
        "a call in text, ended in the second entry",
        INVALID,
        (),
        text=as_call(json.dumps([GOOD, entry(1)]))[:-90],
    ),
    ReportCase(
        "a call in text, cut in the first entry",
        "out_of_room",
        (),
        text=as_call(json.dumps([GOOD]))[:100],
        stop="max_tokens",
    ),
    ReportCase(
        "a call in text, cut in its second list",
        REFUSED,
        (),
        text=as_call(json.dumps([GOOD]) + "\n[{")[:-38],
        stop="max_tokens",
    ),
    ReportCase(
        "a call in text, cut in its name",
        "out_of_room",
        (),
        text="<tool_call>\n<function=rep",
        stop="max_tokens",
    ),
    ReportCase(
        "a call in text, cut in its wrapper",
        "out_of_room",
        (),
        text="Now:\n<tool_call>\n",
        stop="max_tokens",
    ),
    ReportCase(
        "a call in text about a document with markup",
        REFUSED,
        (),
        text=as_call(json.dumps([GOOD])),
        document="We use <tool_call> tags.",
    ),
    ReportCase(
        "a call in text about a sheet with markup",
        REFUSED,
        (),
        text=as_call(json.dumps([GOOD])),
        sheets={2: "Tag: &lt;parameter=n&gt;"},
    ),
    ReportCase(
        "a call in text beside a native call",
        "partly_read",
        (0, 1),
        native=(TWO,),
        text=as_call(json.dumps([GOOD])),
    ),
    ReportCase(
        "a call in text beside a native call of another name",
        REFUSED,
        (),
        other_calls=("search",),
        text=as_call(json.dumps([GOOD])),
    ),
    ReportCase(
        "a report before a call in text",
        REFUSED,
        (),
        text=as_json(GOOD) + "\n" + as_call(json.dumps([GOOD])),
    ),
    ReportCase(
        "a call in text as JSON",
        "read",
        (0,),
        text=(
            '<tool_call>\n{"name": "report_findings", "arguments": '
            + as_json(GOOD)
            + "}\n</tool_call>"
        ),
    ),
    ReportCase(
        "a call in text as JSON, of another name",
        REFUSED,
        (),
        text=('<tool_call>{"name": "write", "arguments": ' + as_json(GOOD) + "}</tool_call>"),
    ),
    ReportCase(
        "a call in text as JSON, without a name",
        REFUSED,
        (),
        text=('<tool_call>{"arguments": ' + as_json(GOOD) + "}</tool_call>"),
    ),
    ReportCase(
        "a call in text as JSON, arguments in a string",
        REFUSED,
        (),
        text=(
            '<tool_call>{"name": "report_findings", "arguments": '
            + json.dumps(as_json(GOOD))
            + "}</tool_call>"
        ),
    ),
    ReportCase(
        "a call in text as JSON, a list that is none",
        REFUSED,
        (),
        text=('<tool_call>{"name": "report_findings", "arguments": {"findings": 1}}</tool_call>'),
    ),
    ReportCase(
        "a call in text as JSON, an unknown argument",
        REFUSED,
        (),
        text=(
            '<tool_call>{"name": "report_findings", "arguments": {"findings": [], "z": 1}}</tool_call>'
        ),
    ),
    ReportCase(
        "a call in text as JSON, cut",
        "partly_read",
        (0,),
        stop="max_tokens",
        text=('<tool_call>{"name": "report_findings", "arguments": ' + TWO[:-60]),
    ),
    ReportCase(
        "a call in text as JSON, then text",
        REFUSED,
        (),
        text=(
            '<tool_call>{"name": "report_findings", "arguments": '
            + as_json(GOOD)
            + "}</tool_call> Done."
        ),
    ),
    # JSON in the text.
    ReportCase("bare", "read", (0, 1), text=TWO),
    ReportCase("bare, padded", "read", (0, 1), text=TWO + "\n" * 900, stop="max_tokens"),
    ReportCase("bare, with prose around", "read", (0, 1), text=f"Here:\n{TWO}\nI hope it helps."),
    ReportCase("bare and empty", "read", (), text=as_json()),
    ReportCase("bare and empty, with prose before", "read", (), text="Nothing.\n" + as_json()),
    ReportCase(
        "bare and empty, in the middle of prose",
        INVALID,
        (),
        text=f"Such as {as_json()}, for example.",
    ),
    ReportCase("bare, brace doubled", "read", (0,), text="{" + as_json(GOOD) + "}"),
    ReportCase(
        "bare, wrapped",
        "read",
        (0,),
        text='{"name": "report_findings", "arguments": ' + as_json(GOOD) + "}",
    ),
    ReportCase(
        "bare, wrapped and doubled and cut",
        "partly_read",
        (0,),
        stop="max_tokens",
        text='{{"name": "report_findings", "arguments": ' + TWO[:-60],
    ),
    ReportCase(
        "bare, wrapped under another name",
        INVALID,
        (),
        text='{"name": "write", "arguments": ' + as_json(GOOD) + "}",
    ),
    ReportCase("bare, more than one", INVALID, (), text=f"{TWO}\n{as_json(GOOD)}"),
    ReportCase(
        "bare, cut in the second entry", "partly_read", (0,), text=TWO[:-60], stop="max_tokens"
    ),
    ReportCase("bare, cut in its first name", "out_of_room", (), text='{"find', stop="max_tokens"),
    ReportCase(
        "bare, with a markup in a quote",
        "read",
        (0,),
        document="Use <function=f>.",
        text=as_json(entry(quote="Use <function=f>.")),
    ),
    ReportCase("in a fence", "read", (0,), text=f"```json\n{as_json(GOOD)}\n```"),
    ReportCase(
        "in a fence, behind a call that is only shown",
        NOTHING,
        (),
        text="```\n<tool_call>\n" + as_json(GOOD) + "\n</tool_call>\n```",
    ),
)

"""Calls written as text, made from their format and then spoiled: what is ever accepted?

    python -m tests.bench.fuzz_text_calls [--cases 1000000] [--seed 1]

prints a JSON object with how many were made, accepted and, by kind, wrongly accepted. A case
is made whole from its grammar, so what it should be read as is known. Most are then spoiled in
a known way (another or a repeated name, a wrong or non-finite value, a second call, markup in
the document …), cut, or edited at random. Whatever happens, what is accepted must be valid by
the schema and stand in a text with one call whose names are known and given once; both are
checked here without the reader's help.
"""

import argparse
import json
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reviewer.core.answers import read_answer
from reviewer.core.calls import read_call
from reviewer.core.raw import RawAnswer

SCHEMA: dict[str, Any] = {
    "properties": {
        "s": {"type": "string"},
        "t": {"type": "string"},
        "n": {"type": "number"},
        "i": {"type": "integer"},
        "b": {"type": "boolean"},
        "l": {"type": "array"},
        "o": {"type": "object"},
        "q": {"type": ["string", "null"]},
        "m": {"type": ["number", "null"]},
    },
    "required": [],
}
SHEETS = {1: "Prices rise < 3% and > 1% a year.", 2: "We connect the yard system."}
SKIPPED = object()

STRINGS = [
    "a", "", "42", "85%", "null ", "  x\n y ", "é – 😀", "a </parameter> b", "</function>",
    "ls && echo \"a > b and a < b\"", "<a>Tom &amp; Jerry</a>", "[1, 2", "{\"k\": \"v\"}",
    "says </function> here", "</tool_call>", "``` not a fence", "२", "x" * 300, "\t", "\\",
]  # fmt: skip
GOOD: dict[str, list[tuple[str, Any]]] = {
    "s": [(text, text) for text in STRINGS],
    "t": [(text, text) for text in STRINGS],
    "n": [("0.5", 0.5), ("-3", -3), ("1e3", 1000.0), ("85%", 0.85), ("0", 0), ("12.5%", 0.125)],
    "i": [("7", 7), ("-12", -12), ("0", 0), (" 3 ", 3)],
    "b": [("true", True), ("FALSE", False), ("True", True)],
    "l": [("[]", []), ('[1, "a", null]', [1, "a", None]), ('[{"k": [2.5]}]', [{"k": [2.5]}])],
    "o": [("{}", {}), ('{"k": {"l": true}}', {"k": {"l": True}}), ('{"é": "😀"}', {"é": "😀"})],
    "q": [("a", "a"), ("null", SKIPPED), ("None", SKIPPED), ("", SKIPPED)],
    "m": [("1.5", 1.5), ("null", SKIPPED), ("", SKIPPED)],
}
WRONG: dict[str, list[str]] = {
    "n": ["yes", "1_0", "१२", "１", "0x1", "1,5", "+1", ".5", "1.", "01", "85 %", "null", "", "1 2", "9" * 5000],
    "i": ["3.7", "1e2", "85%", "true", "٣", "1_000", "null", "--1", "9" * 5000],
    "b": ["yes", "1", "null", "", "tru", "true false"],
    "l": ['{"k": 1}', "['a']", "[1, 2", "[1,]", "1", '"[1]"', "[" * 200 + "]" * 200, '["\\ud83d"]',
          "[1] [2]", '[{"a": 1, "a": 2}]', "[" + "9" * 5000 + "]", "[" * 5000, "null"],
    "o": ["[1]", "{'k': 1}", '"{}"', '{"k": 1, "k": 1}', '{"k": "\\udc00"}', "{}{}", "null", '{"k"}'],
    "m": ["soon", "1e", "¹"],
}  # fmt: skip
NOT_FINITE: dict[str, list[str]] = {
    "n": ["nan", "NaN", "inf", "-Infinity", "1e999", "-1e999", "1e999%", "1" * 90 + "e300"],
    "m": ["NaN", "1e400"],
    "l": ["[NaN]", "[1e999]", "[-Infinity]", '[{"k": Infinity}]'],
    "o": ['{"k": NaN}', '{"k": -1e999}'],
}
PREFIX = "ant" + "ml:"


@dataclass(frozen=True)
class Tags:
    """The tags of one way of writing a call, made by hand here and not taken from the reader."""

    opener: str
    parameter: str
    closer: str
    end: str
    wrapper: tuple[str, str]


TAGS = (
    Tags("<function={}>", "<parameter={}>", "</parameter>", "</function>",
         ("<tool_call>", "</tool_call>")),
    Tags('<invoke name="{}">', '<parameter name="{}">', "</parameter>", "</invoke>",
         ("<function_calls>", "</function_calls>")),
    Tags(f'<{PREFIX}invoke name="{{}}">', f'<{PREFIX}parameter name="{{}}">',
         f"</{PREFIX}parameter>", f"</{PREFIX}invoke>",
         (f"<{PREFIX}function_calls>", f"</{PREFIX}function_calls>")),
)  # fmt: skip


@dataclass
class Case:
    """A text and a document. `spoiled` names what is wrong with it beyond doubt; `expected` is
    what it must be read as, where that is known."""

    text: str
    document: str = ""
    spoiled: str = ""
    expected: dict[str, Any] | None = None
    cut: bool = False
    report: bool = False


Spoil = Callable[[random.Random, "Draft"], None]


@dataclass
class Draft:
    """A call in pieces, before it is joined to a text."""

    tags: Tags
    name: str
    given: list[tuple[str, str]]
    """Names and texts of the parameters."""
    breaks: str
    before: str = ""
    after: str = ""
    document: str = ""
    between: str = ""

    def text(self) -> str:
        """The call as a model might write it."""
        opener, closer = self.tags.wrapper
        parameters = []
        for number, (name, value) in enumerate(self.given):
            if number == len(self.given) // 2 and self.between:
                parameters.append(self.between)
            parameters.append(
                self.tags.parameter.format(name)
                + f"{self.breaks}{value}{self.breaks}{self.tags.closer}"
            )
        body = "\n".join([self.tags.opener.format(self.name), *parameters, self.tags.end])
        return f"{self.before}{opener}\n{body}\n{closer}{self.after}"


def _unknown(dice: random.Random, draft: Draft) -> None:
    name = dice.choice(["z", "S", "s ", "ss", "n.x", "ѕ", "__proto__", ""])
    draft.given.insert(dice.randrange(len(draft.given) + 1), (name, "a"))


def _repeated(dice: random.Random, draft: Draft) -> None:
    name, value = dice.choice(draft.given)
    again = dice.choice([value, dice.choice(GOOD[name])[0]])
    draft.given.insert(dice.randrange(len(draft.given) + 1), (name, again))


def _wrong(dice: random.Random, draft: Draft) -> None:
    _replace(dice, draft, WRONG)


def _not_finite(dice: random.Random, draft: Draft) -> None:
    _replace(dice, draft, NOT_FINITE)


def _replace(dice: random.Random, draft: Draft, values: dict[str, list[str]]) -> None:
    name = dice.choice(sorted(values))
    value = dice.choice(values[name])
    if name == "m" and value in ("", "null"):
        value = "soon"
    draft.given = [one for one in draft.given if one[0] != name]
    draft.given.insert(dice.randrange(len(draft.given) + 1), (name, value))


def _second(dice: random.Random, draft: Draft) -> None:
    other = Draft(dice.choice(TAGS), dice.choice(["f", "g"]), [("s", "b")], "").text()
    if dice.random() < 0.3:
        other = '<tool_call>{"name": "f", "arguments": {"s": "b"}}</tool_call>'
    if dice.random() < 0.5:
        draft.after += f"\n{other}"
    else:
        draft.before += f"{other}\n"


def _document(dice: random.Random, draft: Draft) -> None:
    tag = dice.choice([
        "<parameter=n>", "</parameter>", "<tool_call>", "</function>", "<function=f>",
        '<invoke name="f">', "< parameter = n >", "<PARAMETER=n>", "&lt;parameter=n&gt;",
        "<para\u200bmeter=n>", "＜parameter=n＞", f"<{PREFIX}invoke>", "<function_calls>",
    ])  # fmt: skip
    draft.document = f"The form says {tag} and nothing else."


def _other_name(dice: random.Random, draft: Draft) -> None:
    draft.name = dice.choice(["g", "F", "f ", "ff", "", "f\n", "f.g", "report_findings"])


def _between(dice: random.Random, draft: Draft) -> None:
    draft.between = dice.choice(["and then", "}", "<b>", "</b>", "\u00a0", "-"])


def _after(dice: random.Random, draft: Draft) -> None:
    draft.after += dice.choice([" Done.", "\n}", "</tool_call>x", "\n<parameter=s>", "\n.", "</s>"])


def _opener(dice: random.Random, draft: Draft) -> None:
    tag = dice.choice(["<parameter=t>", "<function=f>", "<tool_call>", '<parameter name="t">',
                       "<invoke name='f'>", "<parameter=zz>", "<FUNCTION=f>"])  # fmt: skip
    draft.given = [one for one in draft.given if one[0] != "s"]
    draft.given.append(("s", f"see {tag} there"))


SPOILS: dict[str, Spoil] = {
    "unknown name": _unknown,
    "repeated name": _repeated,
    "wrong value": _wrong,
    "non-finite value": _not_finite,
    "second call": _second,
    "markup in the document": _document,
    "another function": _other_name,
    "text between": _between,
    "text after": _after,
    "opener in a value": _opener,
}
TOKENS = [
    "<parameter=s>", "</parameter>", "<function=f>", "</function>", "<tool_call>", "</tool_call>",
    '<parameter name="t">', "</invoke>", '{"name": "f", "arguments": {"s": "x"}}', "```\n", "\n",
    "<parameter=z>", "NaN", "\\", '"', "}", "]", "\x00", "\ud83d", "१", " ", "=", ">", "<", "{{",
]  # fmt: skip


def make(dice: random.Random) -> Case:
    """One case."""
    if dice.random() < 0.2:
        return _report(dice)
    draft = Draft(
        dice.choice(TAGS),
        "f",
        [
            (name, dice.choice(GOOD[name])[0])
            for name in dice.sample(sorted(GOOD), dice.randint(1, 5))
        ],
        dice.choice(["", "\n", "\r\n"]),
        before=dice.choice(["", "", "Here is my answer.\n\n", "a < b\n"]),
        after=dice.choice(["", "", "\n", "\n" * 50]),
        document=dice.choice(["", "Prices rise < 3% and > 1%.", "We use C++ <functional>."]),
    )
    fate = dice.random()
    if fate < 0.5:
        kind = dice.choice(sorted(SPOILS))
        SPOILS[kind](dice, draft)
        return Case(draft.text(), draft.document, spoiled=kind)
    text = draft.text()
    if fate < 0.65:
        return Case(text, draft.document, expected=_meaning(draft))
    if fate < 0.8:
        return Case(
            text[: dice.randrange(len(text) + 1)],
            draft.document,
            expected=_meaning(draft),
            cut=True,
        )
    for _ in range(dice.randint(1, 3)):
        text = _edited(dice, text)
    return Case(text, draft.document)


def _meaning(draft: Draft) -> dict[str, Any]:
    known = {
        name: next(value for written, value in GOOD[name] if written == text)
        for name, text in draft.given
    }
    return {name: value for name, value in known.items() if value is not SKIPPED}


def _edited(dice: random.Random, text: str) -> str:
    at = dice.randrange(len(text) + 1)
    length = dice.choice([1, 3, 20, 80])
    match dice.randrange(4):
        case 0:
            return text[:at] + text[at + length :]
        case 1:
            return text[:at] + text[at : at + length] + text[at:]
        case 2:
            return text[:at] + dice.choice(TOKENS) + text[at:]
        case _:
            return text[:at] + dice.choice(TOKENS) + text[at + length :]


ENTRIES: list[Any] = [
    {"sheet": 1, "severity": "fix", "rule": "structure", "quote": "Prices", "finding": "a", "fix": "b"},
    {"sheet": 2, "severity": "block", "rule": "x", "quote": "</parameter>", "finding": "é", "fix": ""},
    {"sheet": 0, "severity": "consider", "rule": "", "quote": "", "finding": "a", "fix": "b",
     "also": [{"sheet": 1, "quote": "rise"}], "learning": "2"},
]  # fmt: skip
BAD_ENTRIES: list[Any] = [
    {**ENTRIES[0], "sheet": "1"}, {**ENTRIES[0], "sheet": 9}, {**ENTRIES[0], "severity": "bad"},
    {**ENTRIES[0], "finding": " "}, {**ENTRIES[0], "fix": 1}, {"sheet": 1}, "a", None, [],
    {**ENTRIES[0], "sheet": True}, {**ENTRIES[0], "sheet": 1.0},
]  # fmt: skip
BAD_LISTS = [
    "[NaN]",
    '[{"sheet": 1, "sheet": 1}]',
    "{}",
    "[1,]",
    "[] []",
    "[[" * 100,
    "[1e999]",
    '["\\ud800"]',
]


def _report(dice: random.Random) -> Case:
    """A call of the product's own function, with good and bad entries."""
    entries = [
        dice.choice(ENTRIES) if dice.random() < 0.7 else dice.choice(BAD_ENTRIES)
        for _ in range(dice.randrange(5))
    ]
    draft = Draft(
        dice.choice(TAGS),
        "report_findings",
        [("findings", json.dumps(entries, ensure_ascii=dice.random() < 0.5)), ("keeps", '["a"]')],
        "\n",
    )
    if dice.random() < 0.4:
        kind = dice.choice(["second call", "markup in the document", "another function",
                            "text between", "text after", "bad list", "unknown name"])  # fmt: skip
        if kind == "bad list":
            draft.given[0] = ("findings", dice.choice(BAD_LISTS))
        elif kind == "another function":
            draft.name = "f"
        else:
            SPOILS[kind](dice, draft)
        return Case(draft.text(), draft.document, spoiled=kind, report=True)
    text = draft.text()
    good = {"findings": [entry for entry in entries if any(entry is one for one in ENTRIES)]}
    cut = dice.random() < 0.5
    if cut:
        text = text[: dice.randrange(len(text) + 1)]
    return Case(text, expected=good, report=True, cut=cut)


COMPARED = ("sheet", "quote", "finding", "fix")

_OPENER = re.compile(rf"<(?:{PREFIX})?(?:function=|invoke\b)|<tool_call>\s*\{{")
_PARAMETER = re.compile(rf'<(?:{PREFIX})?parameter(?:=| name=")([^<>"]*)"?>')
_JSON_CALL = re.compile(r"<tool_call>\s*\{")
_MARKUP = re.compile(r"<\s*/?\s*(?:tool_call|function|parameter|invoke)\s*[=>]", re.IGNORECASE)


def judged(case: Case) -> tuple[bool, str]:
    """Whether anything of the case is accepted, and what is wrong with how it is read.

    Raises what the reader raises, which is nothing.
    """
    return _judged_report(case) if case.report else _judged_call(case)


def _judged_call(case: Case) -> tuple[bool, str]:
    read = read_call(RawAnswer(text=case.text), schema=SCHEMA, function="f", document=case.document)
    accepted = read.arguments
    if (accepted is not None) != (read.outcome in ("read", "partly_read")):
        return True, "outcome and arguments disagree"
    if accepted is None:
        return False, "a good call was lost" if _is_whole(case) and case.expected else ""
    why = case.spoiled or _invalid(accepted)
    if not why and read.way == "text_call":
        why = _ambiguous(case.text, accepted)
    if not why and _MARKUP.search(case.document):
        why = "markup in the document"
    if not why and case.expected is not None:
        why = _not_as_expected(accepted, case.expected, case, whole=read.outcome == "read")
    return True, why


def _not_as_expected(
    accepted: dict[str, Any], expected: dict[str, Any], case: Case, *, whole: bool
) -> str:
    wrong = {name for name in accepted if not _equal(accepted[name], expected.get(name))}
    if case.cut:
        # A string may end at a closer of its own where the text ends there, by the format.
        wrong = {name for name in wrong if not _is_start(accepted[name], expected.get(name))}
        return "another value" if wrong else ""
    return "" if set(accepted) == set(expected) and whole and not wrong else "another value"


def _is_whole(case: Case) -> bool:
    return case.expected is not None and not case.cut


def _is_start(value: Any, whole: Any) -> bool:
    return isinstance(value, str) and isinstance(whole, str) and whole.startswith(value)


def _equal(value: Any, other: Any) -> bool:
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


_TYPES: dict[str, tuple[type, ...]] = {
    "s": (str,), "t": (str,), "n": (int, float), "i": (int,), "b": (bool,), "l": (list,),
    "o": (dict,), "q": (str,), "m": (int, float),
}  # fmt: skip


def _invalid(arguments: dict[str, Any]) -> str:
    for name, value in arguments.items():
        if name not in _TYPES:
            return "unknown name"
        if type(value) not in _TYPES[name]:
            return "wrong value"
    return _unsound(arguments)


def _unsound(value: Any, depth: int = 0) -> str:
    if depth > 70:
        return "nested too deeply"
    if isinstance(value, float) and not math.isfinite(value):
        return "non-finite value"
    if isinstance(value, int) and abs(value) >= 10**100:
        return "huge number"
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        return "half a character"
    parts = value if isinstance(value, list) else []
    if isinstance(value, dict):
        parts = [*value, *value.values()]
    return next((why for part in parts if (why := _unsound(part, depth + 1))), "")


def _ambiguous(text: str, accepted: dict[str, Any]) -> str:
    """Whether the text holds more than one call, or names that are unknown or given twice."""
    if "```" in text or "~~~" in text or _JSON_CALL.search(text):
        return ""
    if len(_OPENER.findall(text)) != 1:
        return "second call"
    names = _PARAMETER.findall(text)
    if len(set(names)) < len(names):
        return "repeated name"
    return "unknown name" if set(names) - set(_TYPES) or set(accepted) - set(names) else ""


def _judged_report(case: Case) -> tuple[bool, str]:
    read = read_answer(RawAnswer(text=case.text), sheets=SHEETS, document=case.document or None)
    accepted = bool(read.findings) or read.outcome in ("read", "partly_read")
    for found in read.findings:
        texts = (found.quote, found.finding, found.fix)
        if type(found.sheet) is not int or not all(isinstance(text, str) for text in texts):
            return True, "wrong value"
        if found.sheet not in (0, 1, 2) or found.severity not in ("block", "fix", "consider"):
            return True, "wrong value"
    if case.spoiled:
        return accepted, case.spoiled if accepted else ""
    assert case.expected is not None
    kept = [{name: getattr(found, name) for name in COMPARED} for found in read.findings]
    wanted = [{name: entry[name] for name in COMPARED} for entry in case.expected["findings"]]
    same = kept == (wanted[: len(kept)] if case.cut else wanted)
    return accepted, "" if same else "another value"


def run(cases: int, seed: int) -> dict[str, Any]:
    """Make and read `cases` cases; counts of them, and of what went wrong by kind."""
    dice = random.Random(seed)
    made: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for _ in range(cases):
        case = make(dice)
        kind = case.spoiled or ("cut" if case.cut else "good" if case.expected else "edited")
        made[kind] += 1
        try:
            accepted, fault = judged(case)
        except Exception as error:
            accepted, fault = False, f"raised {type(error).__name__}"
        taken[kind] += accepted
        if fault:
            wrong[fault] += 1
            examples.setdefault(fault, case.text)
    return {
        "cases": cases,
        "seed": seed,
        "made": dict(sorted(made.items())),
        "accepted": {kind: count for kind, count in sorted(taken.items()) if count},
        "wrong": dict(wrong),
        "examples": examples,
    }


def main() -> int:
    """Run from the command line; the exit status is 1 where anything was read wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    result = run(asked.cases, asked.seed)
    print(json.dumps(result, indent=1))
    return 1 if result["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())

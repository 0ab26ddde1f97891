"""Learnings as YAML: out in one fixed form, in with the line of whatever is wrong.

Promises: the same entries give the same text; reading what was written gives the same entries;
a file with one fault gives no entries, but every fault that was found with its line. Refused:
aliases and tags, since a file is data; a field that is not known, since it may be a misspelt one
that is; anything but words where words belong.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any

import yaml

FORMAT = 1
FILE_CHARACTERS = 5_000_000
"""A file that is longer is not read."""

STATES = ("proposed", "in_force", "declined", "retired", "superseded")
KINDS = ("look_for", "never_say", "do_not_raise")


class BadYaml(ValueError):
    """The file cannot be used. `problems` are (line from 1, sentence), in their order."""

    def __init__(self, problems: Sequence[tuple[int, str]]) -> None:
        super().__init__("; ".join(f"line {line}: {why}" for line, why in problems))
        self.problems = sorted(problems)


@dataclass(frozen=True, slots=True)
class WrittenSource:
    """A finding that a learning came from, in words."""

    proposal: str = ""
    client: str = ""
    finding: int = 0
    sheet: int = 0
    severity: str = ""
    rule: str = ""
    quote: str = ""
    text: str = ""
    why: str = ""
    since: int = 0
    """The number of the first wording that it counts for, where that is not the first of all."""


@dataclass(frozen=True, slots=True)
class WrittenVersion:
    """One wording. `by` is a user name."""

    number: int = 0
    text: str = ""
    phrase: str = ""
    instead: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """One learning as a file has it. `number` 0 is one that has none yet.

    `text`, `phrase` and `instead` are of the wording in force, else of what is proposed;
    `proposed` is the number of a version that waits, where another is in force.
    """

    kind: str
    text: str
    number: int = 0
    state: str = "proposed"
    phrase: str = ""
    instead: str = ""
    rule: str = ""
    client: str = ""
    document: str = ""
    until: date | None = None
    author: str = ""
    approved_by: str = ""
    replaces: int = 0
    superseded_by: int = 0
    ended_why: str = ""
    version: int = 0
    proposed: int = 0
    versions: tuple[WrittenVersion, ...] = ()
    sources: tuple[WrittenSource, ...] = ()
    line: int = field(default=0, compare=False)
    """Where it begins in the file."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A whole file. `house` is the short name of the workspace it came from, "" for none."""

    learnings: tuple[Written, ...]
    house: str = ""


def write(file: WrittenFile) -> str:
    """The file as text: learnings in their order, fields in theirs, empty ones left out."""
    content: dict[str, Any] = {"format": FORMAT}
    if file.house:
        content["house"] = file.house
    content["learnings"] = [_plain(each) for each in file.learnings]
    return yaml.dump(
        content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100, indent=2
    )


def read(text: str) -> WrittenFile:
    """The entries of a file. Raises BadYaml with every line at fault."""
    if len(text) > FILE_CHARACTERS:
        raise BadYaml([(1, f"the file has more than {FILE_CHARACTERS:,} characters")])
    try:
        root = _composed(text)
    except yaml.YAMLError as error:
        raise BadYaml([_as_problem(error)]) from error
    except (UnicodeError, ValueError) as error:
        raise BadYaml([(1, "the file holds characters that are no text")]) from error
    reader = _Reader()
    file = reader.file(root)
    if reader.problems or file is None:
        raise BadYaml(reader.problems)
    return file


class _Dumper(yaml.SafeDumper):
    """Writes no anchors: equal values are written out each time."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


_BREAKS = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ufeff]")


def _as_words(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Text that holds what YAML takes for the end of a line is written with escapes."""
    style = '"' if _BREAKS.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _as_words)


def _plain(entry: Any) -> dict[str, Any]:
    """The fields that say something, in the order in which a person would ask for them."""
    shown: dict[str, Any] = {}
    for each in fields(entry):
        value = getattr(entry, each.name)
        if each.name == "line" or value in ("", 0, None, ()):
            continue
        shown[each.name] = [_plain(one) for one in value] if isinstance(value, tuple) else value
    first = ("number", "state", "kind")
    return {name: shown.pop(name) for name in first if name in shown} | shown


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
NESTED_AT_MOST = 12


def _composed(text: str) -> yaml.Node | None:
    """The nodes of the text, once nothing in it is nested too deeply or refers elsewhere."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _at(event, "anchors and aliases are not read")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > NESTED_AT_MOST:
            raise _at(event, "the file is nested too deeply")
    return yaml.compose(text, Loader=_Loader)


def _at(event: yaml.Event, why: str) -> yaml.MarkedYAMLError:
    mark: Any = event.start_mark
    return yaml.MarkedYAMLError(problem=why, problem_mark=mark)


def _as_problem(error: yaml.YAMLError) -> tuple[int, str]:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    why = getattr(error, "problem", None) or "it is not YAML"
    return (mark.line + 1 if mark else 1), str(why)


_Value = Callable[[yaml.Node], Any]


class _Reader:
    """Walks the nodes and notes what is wrong, so that one reading finds every fault."""

    def __init__(self) -> None:
        self.problems: list[tuple[int, str]] = []

    def file(self, root: yaml.Node | None) -> WrittenFile | None:
        if not isinstance(root, yaml.MappingNode):
            self._wrong(root, "the file needs “format” and “learnings”")
            return None
        known: dict[str, _Value] = {
            "format": self._number,
            "house": self._words,
            "learnings": self._learnings,
        }
        content = self._mapping(root, known)
        if content.get("format") != FORMAT:
            self._wrong(root, f"“format” has to be {FORMAT}")
        if "learnings" not in content:
            self._wrong(root, "there are no “learnings”")
        learnings = tuple(content.get("learnings") or ())
        self._refuse_twice(learnings)
        return WrittenFile(learnings, content.get("house") or "")

    def _learnings(self, node: yaml.Node) -> list[Written]:
        return [each for each in map(self._learning, self._items(node)) if each is not None]

    def _learning(self, node: yaml.Node) -> Written | None:
        before = len(self.problems)
        values = self._mapping(node, self._fields_of(Written))
        if len(self.problems) > before:
            return None
        for name in ("kind", "text"):
            if not values.get(name):
                self._wrong(node, f"a learning needs “{name}”")
        self._one_of(node, "kind", values.get("kind"), KINDS)
        self._one_of(node, "state", values.get("state", "proposed"), STATES)
        if (values.get("kind") == "never_say") != bool(values.get("phrase")):
            self._wrong(node, "“phrase” is for never_say, which needs one")
        if len(self.problems) > before:
            return None
        return Written(**values, line=node.start_mark.line + 1)

    def _fields_of(self, form: type[Any]) -> dict[str, _Value]:
        kinds: dict[str, _Value] = {
            "versions": lambda node: self._entries(node, WrittenVersion),
            "sources": lambda node: self._entries(node, WrittenSource),
            "until": self._day,
        }
        numbers = {
            "number",
            "replaces",
            "superseded_by",
            "version",
            "proposed",
            "finding",
            "sheet",
            "since",
        }
        return {
            each.name: kinds.get(each.name)
            or (self._number if each.name in numbers else self._words)
            for each in fields(form)
            if each.name != "line"
        }

    def _entries(self, node: yaml.Node, form: type[Any]) -> tuple[Any, ...]:
        known = self._fields_of(form)
        found = []
        for item in self._items(node):
            values = self._mapping(item, known)
            if "text" not in values:
                self._wrong(item, "it needs “text”")
            found.append(form(**values))
        return tuple(found)

    def _items(self, node: yaml.Node) -> list[yaml.Node]:
        if isinstance(node, yaml.SequenceNode):
            return list(node.value)
        self._wrong(node, "a list belongs here, each entry after a “- ”")
        return []

    def _mapping(self, node: yaml.Node, known: dict[str, _Value]) -> dict[str, Any]:
        if not isinstance(node, yaml.MappingNode):
            self._wrong(node, "fields belong here, such as “text: …”")
            return {}
        values: dict[str, Any] = {}
        for name_node, value_node in node.value:
            name = name_node.value if isinstance(name_node, yaml.ScalarNode) else ""
            if name not in known:
                self._wrong(name_node, f"“{str(name)[:60]}” is no field that is known here")
            elif name in values:
                self._wrong(name_node, f"“{name}” stands twice")
            else:
                values[name] = known[name](value_node)
        return {name: value for name, value in values.items() if value is not None}

    def _words(self, node: yaml.Node) -> str | None:
        if isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:str":
            return str(node.value)
        self._wrong(node, "words belong here; put what looks like a number or a day in quotes")
        return None

    def _number(self, node: yaml.Node) -> int | None:
        is_number = isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:int"
        if is_number and node.value.isascii() and node.value.isdigit() and len(node.value) < 10:
            return int(node.value)
        self._wrong(node, "a whole number belongs here")
        return None

    def _day(self, node: yaml.Node) -> date | None:
        try:
            return date.fromisoformat(str(node.value))
        except ValueError:
            self._wrong(node, "a day belongs here, as in 2027-06-01")
            return None

    def _one_of(self, node: yaml.Node, name: str, value: Any, known: Sequence[str]) -> None:
        if value is not None and value not in known:
            self._wrong(node, f"“{name}” is one of {', '.join(known)}")

    def _refuse_twice(self, learnings: Sequence[Written]) -> None:
        lines: dict[int, int] = {}
        for each in learnings:
            if each.number and each.number in lines:
                why = f"number {each.number} stands at line {lines[each.number]} too"
                self.problems.append((each.line, why))
            lines.setdefault(each.number, each.line)

    def _wrong(self, node: yaml.Node | None, why: str) -> None:
        line = node.start_mark.line + 1 if node is not None else 1
        self.problems.append((line, why))

"""Proposals written in a line, and the cases of what each check must and must not find.

A line of a case file is "+ text" where the check must find something and "- text" where it
must not. What is known beside the text stands after "||", as JSON: {"sources": ["…"]}.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from reviewer.core.checks import CheckedDocument, CheckedSheet, FitSeen, Leftover
from reviewer.core.learned import Learned

CASES = Path(__file__).parent / "cases"
TODAY = date(2030, 1, 15)


def written(text: str, **known: object) -> CheckedDocument:
    """A proposal from plain text. A form feed starts a new sheet."""
    sheets = tuple(
        CheckedSheet(number, str(number), sheet) for number, sheet in enumerate(text.split("\f"), 1)
    )
    settings: dict[str, object] = {"client": "", "today": TODAY, "source_text": text, **known}
    return CheckedDocument(sheets=sheets, **settings)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Case:
    """One line of a case file: a text in which a check must find something, or must not."""

    check: str
    found: bool
    text: str
    known: dict[str, object] = field(default_factory=dict)

    def document(self) -> CheckedDocument:
        return written(self.text, **self.known)


def cases() -> Iterator[Case]:
    """Every case of every file in `cases/`, in order."""
    for path in sorted(CASES.glob("*.txt")):
        check, known, prefix = "", {}, ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("== "):
                check, _, rest = line[3:].partition(" ")
                known, prefix = _known(rest)
            elif line[:2] in {"+ ", "- "}:
                text, _, beside = line[2:].partition(" || ")
                text = (prefix + text).replace("\\n", "\n").replace("\\f", "\f")
                yield Case(check, line[0] == "+", text, {**known, **_told(beside)})


def _told(beside: str) -> dict[str, object]:
    """What stands beside a text, in the types that a document has."""
    told: dict[str, object] = {}
    for name, value in (json.loads(beside) if beside else {}).items():
        if name == "leftovers":
            told[name] = tuple(Leftover(*each) for each in value)
        elif name == "fit":
            told[name] = tuple(FitSeen(*each) for each in value)
        elif name == "tables":
            told[name] = tuple(tuple(tuple(row) for row in table) for table in value)
        elif name == "outline":
            told[name] = tuple((level, title) for level, title in value)
        else:
            told[name] = tuple(value) if isinstance(value, list) else value
    return told


def _never_say(number: int, phrase: str) -> Learned:
    return Learned(number, 1, "never_say", f"Never say “{phrase}”.", phrase=phrase)


def _known(rest: str) -> tuple[dict[str, object], str]:
    if rest.startswith("prefix="):
        return {}, rest.removeprefix("prefix=")
    if rest.startswith("banned="):
        phrases = rest.removeprefix("banned=").split("|")
        return {"banned": tuple((phrase, "what we have done") for phrase in phrases)}, ""
    if rest.startswith("never_say="):
        learned = rest.removeprefix("never_say=").split("|")
        return {"never_say": tuple(_never_say(n, said) for n, said in enumerate(learned, 1))}, ""
    if rest.startswith("today="):
        return {"today": date.fromisoformat(rest.removeprefix("today="))}, ""
    client, _, others = rest.removeprefix("client=").partition(" others=")
    names = tuple(name for name in others.split("|") if name)
    return ({"client": client, "other_clients": names} if client else {}), ""

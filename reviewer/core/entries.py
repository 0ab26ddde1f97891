"""One entry of a report: what it must be, and what becomes of it where it is not.

Promises: an entry is judged by itself, so a bad one never costs its siblings. It is dropped,
with the reason, only where it lacks one of its six fields, where one of them is of another
type, where its severity is unknown, its finding empty, or its sheet does not exist. All else
is kept: a rule that is not in the rubric becomes `other` beside what was written; text beyond
its bound is cut at the end of a sentence and named in `shortened`; members that a finding
does not have, and places or learnings that are not what they should be, are left out and
named in `left_out`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reviewer.core.guards import guard, shown
from reviewer.core.quotes import find_quote
from reviewer.core.report_json import Element
from reviewer.core.rubric import rule_code
from reviewer.core.schema import Place, ReportedFinding, Severity

REQUIRED = ("sheet", "severity", "rule", "quote", "finding", "fix")
KNOWN = frozenset(ReportedFinding.model_fields)

FINDING_WORDS = 60
"""What the prompt asks for; also the bound, beyond which a finding is cut at a sentence."""

BOUNDS = {"finding": 600, "fix": 1200, "quote": 2000, "rule_as_written": 500, "learning": 60}
"""Characters a field may have."""

KEEP_CHARACTERS = 400
ALSO_PLACES = 20
"""Other places a finding may name."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """An entry that was closed and could not be kept. `index` counts from 0 in the answer."""

    index: int
    why: str

    def as_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {"index": self.index, "why": self.why}


@dataclass(frozen=True, slots=True)
class ReadFinding:
    """One finding as one answer reported it, within its bounds.

    `index` is its place in the answer, from 0. `on_sheet` is None where the sheets' texts were
    not given or the quote is empty. `shortened` names the fields that were cut.
    """

    index: int
    sheet: int
    severity: Severity
    rule: str
    rule_as_written: str
    quote: str
    finding: str
    fix: str
    also: tuple[Place, ...] = ()
    learning: str | None = None
    on_sheet: bool | None = None
    shortened: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "index": self.index,
            "sheet": self.sheet,
            "severity": self.severity.value,
            "rule": self.rule,
            "rule_as_written": self.rule_as_written,
            "quote": self.quote,
            "finding": self.finding,
            "fix": self.fix,
            "also": [{"sheet": place.sheet, "quote": place.quote} for place in self.also],
            "learning": self.learning,
            "on_sheet": self.on_sheet,
            "shortened": list(self.shortened),
            "left_out": list(self.left_out),
        }


class SheetTexts:
    """The texts of a document's sheets, in which quotes are sought."""

    def __init__(self, sheets: Mapping[int, str]) -> None:
        self._sheets = sheets

    def __contains__(self, number: int) -> bool:
        return number == 0 or number in self._sheets

    def has_quote(self, number: int, quote: str) -> bool | None:
        """Whether `quote` stands on that sheet; on sheet 0, on any. None for no quote."""
        if not quote.strip():
            return None
        numbers = [number] if number else list(self._sheets)
        return any(find_quote(quote, self._sheets[sheet]) is not None for sheet in numbers)


@guard
def missing_fields(entry: dict[str, Any]) -> str:
    """A finding needs its six fields to be triaged."""
    lacking = [name for name in REQUIRED if name not in entry]
    return f"it lacks {_listed(lacking)}" if lacking else ""


@guard
def no_sheet_number(value: Any) -> str:
    """A sheet is a whole number; true is a number to Python, not to people."""
    if type(value) is int and value >= 0:
        return ""
    return "its sheet is not a whole number from 0 up"


@guard
def unknown_sheet(number: int, sheets: SheetTexts | None) -> str:
    """A finding about a sheet that does not exist cannot be shown beside it."""
    return f"the document has no sheet {number}" if sheets and number not in sheets else ""


@guard
def not_text(entry: dict[str, Any], name: str) -> str:
    """A number or a list where words belong is not guessed at."""
    return "" if isinstance(entry[name], str) else f"its {name} is not text"


@guard
def unknown_severity(written: str) -> str:
    """Only the three severities can be gated."""
    if written.strip().casefold() in _SEVERITIES:
        return ""
    return f"its severity “{shown(written)}” is not block, fix or consider"


@guard
def empty_finding(text: str) -> str:
    """An entry that says nothing cannot be acted on."""
    return "" if text.strip() else "its finding is empty"


_SEVERITIES = {severity.value: severity for severity in Severity}


def read_entry(index: int, entry: Any, sheets: SheetTexts | None) -> ReadFinding | Dropped:
    """The finding that a decoded element of `findings` is, or why it is none."""
    if why := _why_dropped(entry, sheets):
        return Dropped(index, why)
    sheet, severity = entry["sheet"], entry["severity"]
    shortened: list[str] = []
    quote = _bounded("quote", entry["quote"], shortened)
    left_out: list[str] = []
    also: tuple[Place, ...] = ()
    learning = None
    if len(entry) > len(REQUIRED):
        left_out = [shown(name) for name in entry if name not in KNOWN]
        also = _places(entry.get("also"), sheets, left_out)
        learning = _learning(entry.get("learning"), shortened, left_out)
    return ReadFinding(
        index,
        sheet,
        _SEVERITIES[severity.strip().casefold()],
        rule_code(entry["rule"]),
        _bounded("rule_as_written", entry["rule"], shortened),
        quote,
        _bounded("finding", entry["finding"], shortened),
        _bounded("fix", entry["fix"], shortened),
        also,
        learning,
        sheets.has_quote(sheet, quote) if sheets else None,
        tuple(shortened),
        tuple(left_out),
    )


def judge(index: int, element: Element, sheets: SheetTexts | None) -> ReadFinding | Dropped:
    """The finding that one closed element of the list is, or why it is none."""
    if element.why:
        return Dropped(index, element.why)
    return read_entry(index, element.value, sheets)


def _why_dropped(entry: Any, sheets: SheetTexts | None) -> str:
    if type(entry) is not dict:
        return "it is not an object"
    return (
        missing_fields(entry)
        or no_sheet_number(entry["sheet"])
        or unknown_sheet(entry["sheet"], sheets)
        or not_text(entry, "severity")
        or unknown_severity(entry["severity"])
        or not_text(entry, "rule")
        or not_text(entry, "quote")
        or not_text(entry, "finding")
        or empty_finding(entry["finding"])
        or not_text(entry, "fix")
    )


def read_keep(value: Any) -> str | None:
    """One phrase of `keeps`, within its bound, or None where it is no text."""
    if not isinstance(value, str) or not value.strip():
        return None
    return cut_at_sentence(value, KEEP_CHARACTERS)


def _places(value: Any, sheets: SheetTexts | None, left_out: list[str]) -> tuple[Place, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        left_out.append("also")
        return ()
    places = [place for item in value if (place := _place(item, sheets))]
    if len(places) < len(value) or len(places) > ALSO_PLACES:
        left_out.append("also")
    return tuple(places[:ALSO_PLACES])


def _place(item: Any, sheets: SheetTexts | None) -> Place | None:
    if not isinstance(item, dict) or not {"sheet", "quote"} <= set(item):
        return None
    if no_sheet_number(item["sheet"]) or not_text(item, "quote"):
        return None
    if unknown_sheet(item["sheet"], sheets):
        return None
    quote = cut_at_sentence(item["quote"], BOUNDS["quote"], mark="")
    return Place(sheet=item["sheet"], quote=quote)


def _learning(value: Any, shortened: list[str], left_out: list[str]) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        left_out.append("learning")
        return None
    return _bounded("learning", value, shortened)


def _bounded(name: str, text: str, shortened: list[str]) -> str:
    """`text` within the bound of the field `name`, which is noted where it had to be cut."""
    words = FINDING_WORDS if name == "finding" else 0
    if not over_length(text, BOUNDS[name], words):
        return text
    shortened.append(name)
    return cut_at_sentence(text, BOUNDS[name], words, mark="" if name == "quote" else "…")


@guard
def over_length(text: str, characters: int, words: int) -> str:
    """Text without a bound fills the page and the store."""
    if len(text) > characters:
        return "it is too long"
    if words and text.count(" ") + text.count("\n") >= words and len(text.split()) > words:
        return "it has too many words"
    return ""


_SENTENCE_END = re.compile(r"[.!?](?=[\"'”’)\]]*\s)|[。！？]")
_WORD = re.compile(r"\S+")


def cut_at_sentence(text: str, characters: int, words: int = 0, *, mark: str = "…") -> str:
    """The start of `text` within the bounds, up to the last whole sentence.

    Where not even the first sentence fits, up to a whole word, with `mark` behind it.
    """
    end = min(len(text), characters)
    if words:
        for count, word in enumerate(_WORD.finditer(text, 0, end), start=1):
            if count == words:
                end = word.end()
                break
    if end >= len(text):
        return text
    ends = [found.end() for found in _SENTENCE_END.finditer(text, 0, end + 1)]
    ends = [place for place in ends if place <= end and text[:place].strip()]
    if ends:
        return text[: ends[-1]]
    head = text[: end - len(mark)] if end == characters else text[:end]
    at_word = head.rstrip() if text[end : end + 1].isspace() else head.rsplit(None, 1)[0]
    return f"{(at_word or head).rstrip()}{mark}"


def _listed(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"

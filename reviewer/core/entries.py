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
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from reviewer.core.guards import guard, shown
from reviewer.core.json_strict import value_too_deep
from reviewer.core.quotes import find_quote
from reviewer.core.report_json import Element
from reviewer.core.rubric import RULES_BY_CODE, rule_code
from reviewer.core.schema import Place, ReportedFinding, Severity

REQUIRED = ("sheet", "severity", "rule", "quote", "finding", "fix")
KNOWN = frozenset(ReportedFinding.model_fields)

FINDING_WORDS = 60
"""What the prompt asks for; also the bound, beyond which a finding is cut at a sentence."""

BOUNDS = {"finding": 600, "fix": 1200, "quote": 2000, "rule": 500, "learning": 60}
"""Characters a field may have."""

_SHORT = 2 * FINDING_WORDS
"""Characters within which no bound can be broken, since a word takes two with its space."""

KEEP_CHARACTERS = 400
MAX_SHEET = 1_000_000
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


class ReadFinding(NamedTuple):
    """One finding as one answer reported it, within its bounds.

    `index` is its place in the answer, from 0. `on_sheet` is None where the sheets' texts were
    not given or the quote is empty. `shortened` names the fields that were cut.
    """

    index: int  # type: ignore[assignment]  # a tuple's own method of that name is not needed
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
    learning_as_written: str = ""
    """What it named as a learning, where it was not given that one."""

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

    def __bool__(self) -> bool:
        return True

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
    if entry.keys() >= _REQUIRED:
        return ""
    return f"it lacks {_listed([name for name in REQUIRED if name not in entry])}"


@guard
def no_sheet_number(value: Any) -> str:
    """A sheet is a whole number; true is a number to Python, not to people."""
    if type(value) is int and 0 <= value <= MAX_SHEET:
        return ""
    return "its sheet is not a whole number from 0 up"


@guard
def unknown_sheet(number: int, sheets: SheetTexts) -> str:
    """A finding about a sheet that does not exist cannot be shown beside it."""
    return "" if number in sheets else f"the document has no sheet {number}"


@guard
def not_text(values: tuple[Any, ...], names: tuple[str, ...]) -> str:
    """A number or a list where words belong is not guessed at."""
    for value, name in zip(values, names, strict=True):
        if type(value) is not str:
            return f"its {name} is not text"
    return ""


@guard
def unknown_severity(written: str) -> str:
    """Only the three severities can be gated."""
    if written in _SEVERITIES or written.strip().casefold() in _SEVERITIES:
        return ""
    return f"its severity “{shown(written)}” is not block, fix or consider"


@guard
def empty_finding(text: str) -> str:
    """An entry that says nothing cannot be acted on."""
    return "" if text.strip() else "its finding is empty"


@guard
def over_length(text: str, characters: int, words: int) -> str:
    """Text without a bound fills the page and the store."""
    if len(text) > characters:
        return "it is too long"
    if words and len(text) > 2 * words and len(text.split()) > words:
        return "it has too many words"
    return ""


_REQUIRED = frozenset(REQUIRED)
_TEXTS = ("severity", "rule", "quote", "finding", "fix")
_SEVERITIES = {severity.value: severity for severity in Severity}


def read_entry(index: int, entry: Any, sheets: SheetTexts | None) -> ReadFinding | Dropped:
    """The finding that a decoded element of `findings` is, or why it is none."""
    plain = _plain_finding(index, entry, sheets)
    if plain is not None:
        return plain
    if why := _why_dropped(entry, sheets):
        return Dropped(index, why)
    shortened: list[str] = []
    left_out = [shown(name) for name in entry if name not in KNOWN]
    also = _places(entry.get("also"), sheets, left_out)
    learning = _learning(entry.get("learning"), shortened, left_out)
    quote = _bounded("quote", entry["quote"], shortened)
    rule = _bounded("rule", entry["rule"], shortened)
    return ReadFinding(
        index,
        entry["sheet"],
        _SEVERITIES[entry["severity"].strip().casefold()],
        rule_code(rule),
        rule,
        quote,
        _bounded("finding", entry["finding"], shortened),
        _bounded("fix", entry["fix"], shortened),
        also,
        learning,
        sheets.has_quote(entry["sheet"], quote) if sheets else None,
        tuple(shortened),
        tuple(left_out),
    )


_six = itemgetter(*REQUIRED)


def _plain_finding(index: int, entry: Any, sheets: SheetTexts | None) -> ReadFinding | None:
    """The finding that an entry plainly is; None where the guards have to look at it.

    Most entries have what they need and nothing else. This gives for them what the guards
    and the bounds would give, in a quarter of the time.
    """
    if type(entry) is not dict or not (len(entry) == len(REQUIRED) or _adds_nothing(entry)):
        return None
    try:
        sheet, severity, rule, quote, finding, fix = _six(entry)
    except KeyError:
        return None
    if not (
        type(sheet) is int
        and 0 <= sheet <= MAX_SHEET
        and type(severity) is type(rule) is type(quote) is type(finding) is type(fix) is str
        and severity in _SEVERITIES
        and len(rule) <= BOUNDS["rule"]
        and len(quote) <= BOUNDS["quote"]
        and len(fix) <= BOUNDS["fix"]
        and (len(finding) <= _SHORT or not _too_long_a_finding(finding))
        and finding
        and not finding.isspace()
        and (sheets is None or sheet in sheets)
    ):
        return None
    return ReadFinding(
        index,
        sheet,
        _SEVERITIES[severity],
        rule if rule in RULES_BY_CODE else rule_code(rule),
        rule,
        quote,
        finding,
        fix,
        (),
        None,
        sheets.has_quote(sheet, quote) if sheets else None,
    )


def _adds_nothing(entry: dict[str, Any]) -> bool:
    """Whether what an entry has beside the six is only said not to be there."""
    return entry.keys() <= KNOWN and all(entry.get(name) is None for name in ("also", "learning"))


def _too_long_a_finding(text: str) -> bool:
    return len(text) > BOUNDS["finding"] or len(text.split()) > FINDING_WORDS


def _why_dropped(entry: Any, sheets: SheetTexts | None) -> str:
    if type(entry) is not dict:
        return "it is not an object"
    if why := missing_fields(entry):
        return why
    return (
        value_too_deep(entry)
        or no_sheet_number(entry["sheet"])
        or (unknown_sheet(entry["sheet"], sheets) if sheets else "")
        or not_text(tuple(entry[name] for name in _TEXTS), _TEXTS)
        or unknown_severity(entry["severity"])
        or empty_finding(entry["finding"])
    )


def judge(index: int, element: Element, sheets: SheetTexts | None) -> ReadFinding | Dropped:
    """The finding that one closed element of the list is, or why it is none."""
    if element.why:
        return Dropped(index, element.why)
    return read_entry(index, element.value, sheets)


def read_keep(element: Element) -> str | None:
    """One phrase of `keeps`, within its bound, which may be empty; None where it is no text."""
    value = element.value
    if element.why or not isinstance(value, str):
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
    if no_sheet_number(item["sheet"]) or not_text((item["quote"],), ("quote",)):
        return None
    if sheets and unknown_sheet(item["sheet"], sheets):
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


_NAMED = re.compile(r"\s*(?:learning)?\s*(?:no\.?)?\s*#?\s*([0-9]{1,9})\s*\.?\s*", re.IGNORECASE)


def learning_named(written: str | None) -> int | None:
    """The number that an answer wrote as `12`, `#12`, `12.` or `learning 12`; else None."""
    found = _NAMED.fullmatch(written) if written else None
    return int(found[1]) if found else None


def only_given(finding: ReadFinding, given: Collection[int]) -> ReadFinding:
    """The finding, with the learning it names by its number, or without one not in `given`."""
    if finding.learning is None:
        return finding
    number = learning_named(finding.learning)
    if number in given:
        return finding._replace(learning=str(number))
    return finding._replace(
        learning=None,
        left_out=(*finding.left_out, "learning"),
        learning_as_written=finding.learning,
    )


def _bounded(name: str, text: str, shortened: list[str]) -> str:
    """A field's text within its bound; where it had to be cut, the field is noted."""
    words = FINDING_WORDS if name == "finding" else 0
    if not over_length(text, BOUNDS[name], words):
        return text
    shortened.append("rule_as_written" if name == "rule" else name)
    return cut_at_sentence(text, BOUNDS[name], words, mark="" if name == "quote" else "…")


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

"""How findings stand on the desk: which tab, which order, which on one line. Pure, no queries.

A block never shares a line with others, and what is only to consider never stands before a
fix.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from reviewer.core.schema import Severity
from reviewer.core.typed import typed_number
from reviewer.core.wording import counted
from reviewer.models import Finding
from reviewer.views.desk_cards import Card, by_place

TABS: dict[str, str] = {
    "open": "Open",
    "claimed": "Fix claimed",
    "settled": "Settled",
    "late": "Late",
    "lost": "Lost its place",
}
ORDERS: dict[str, str] = {"gravity": "by gravity", "sheet": "by sheet"}
_SHEET = re.compile(r"\bsheet\s+(\d{1,9})\b")
_NUMBER = re.compile(r"(?<!\S)#(\d{1,9})\b")

ON_ONE_LINE = 3
"""So many findings of one kind stand on one line that opens."""

PLURALS: dict[str, tuple[str, str]] = {
    "block": ("block", "blocks"),
    "fix": ("fix", "fixes"),
    "consider": ("to consider", "to consider"),
}


def counted_as(number: int, severity: str) -> str:
    """`1 block`, `11 fixes`, `57 to consider`."""
    return counted(number, *PLURALS[severity])


@dataclass(frozen=True, slots=True)
class Asked:
    """Which findings the address asks for; a value that is not known is the default."""

    tab: str = "open"
    order: str = "gravity"
    words: str = ""
    finding: int = 0
    """Of this finding the tab is asked for, whichever it is; 0 for none."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "Asked":
        tab, order = query.get("tab", ""), query.get("order", "")
        number = query.get("finding", "")
        return cls(
            tab=tab if tab in TABS else "open",
            order=order if order in ORDERS else "gravity",
            words=query.get("q", "").strip()[:200],
            finding=typed_number(number) or 0,
        )

    def at_finding(self, cards: Iterable[Card]) -> "Asked":
        """Itself, or where a finding is asked for and known, its tab without a filter that
        hides it."""
        card = next((card for card in cards if card.finding.number == self.finding), None)
        if card is None:
            return self
        words = self.words if matching([card], self.words) else ""
        return replace(self, tab=card.tab, words=words, finding=0)

    def query(self, *, tab: str = "", order: str = "") -> str:
        """The query string of this view, or of the one with another tab or order; empty for
        the default."""
        named = {"tab": tab or self.tab, "order": order or self.order, "q": self.words}
        plain = {"tab": "open", "order": "gravity", "q": ""}
        kept = {name: value for name, value in named.items() if value != plain[name]}
        return f"?{urlencode(kept)}" if kept else ""


@dataclass(frozen=True, slots=True)
class Line:
    """Findings on one line that opens. `dismissable` is how many one decision would settle."""

    key: str
    severity: str
    title: str
    rule: str
    items: tuple["Card | Line", ...]
    sheets: str
    dismissable: int = 0
    is_line: bool = True

    @property
    def cards(self) -> list[Card]:
        return list(cards_in(self.items))


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it. `sheet` is set where the section is one sheet."""

    key: str
    title: str
    items: tuple[Card | Line, ...]
    sheet: int | None = None


def cards_in(items: Iterable[Card | Line]) -> Iterable[Card]:
    """Every card of `items` in the order in which it stands, those inside lines too."""
    for item in items:
        if isinstance(item, Line):
            yield from cards_in(item.items)
        else:
            yield item


def in_tab(cards: Iterable[Card], tab: str) -> list[Card]:
    """The cards of a tab. Late and lost are marks beside a state, so such a card that is not
    settled stands under its state too."""
    if tab == "late":
        return [card for card in cards if card.is_late and not card.is_settled]
    if tab == "lost":
        return [card for card in cards if card.is_lost and not card.is_settled]
    return [card for card in cards if card.tab == tab]


def matching(cards: Iterable[Card], words: str) -> list[Card]:
    """The cards that have every word of `words` in them, in any case; all where it is empty.

    `sheet 3` is the sheet of that number and `#12` the finding of that number, wherever else
    these figures stand.
    """
    folded = words.casefold()
    sheets = {int(number) for number in _SHEET.findall(folded)}
    numbers = {int(number) for number in _NUMBER.findall(folded)}
    wanted = _NUMBER.sub(" ", _SHEET.sub(" ", folded)).split()
    return [
        card
        for card in cards
        if (not sheets or card.sheet in sheets)
        and (not numbers or card.finding.number in numbers)
        and card.says(wanted)
    ]


def by_gravity(cards: Sequence[Card], *, together: bool = True) -> list[Section]:
    """Blocks, then fixes with their kinds on one line, then one line of what to consider."""
    sections = []
    for severity in Severity:
        same = [card for card in cards if card.severity == severity]
        if not same:
            continue
        title = counted_as(len(same), severity)
        items: tuple[Card | Line, ...] = tuple(same)
        if severity != Severity.BLOCK:
            items = kinds_on_lines(same, together=together)
        if severity == Severity.CONSIDER:
            items = (_fold("consider", title, items, same),)
            title = ""
        sections.append(Section(key=severity.value, title=title, items=items))
    return sections


def by_sheet(cards: Sequence[Card], titles: Mapping[int, str]) -> list[Section]:
    """A section a sheet, in order, with what is only to consider on a line at its end."""
    sections = []
    for sheet in dict.fromkeys(card.sheet for card in cards):
        same = [card for card in cards if card.sheet == sheet]
        weighty = [card for card in same if card.severity != Severity.CONSIDER]
        light = [card for card in same if card.severity == Severity.CONSIDER]
        weighty.sort(key=lambda card: Severity(card.severity).rank)  # stable: keeps the order
        items: tuple[Card | Line, ...] = tuple(weighty)
        if light:
            title = counted_as(len(light), "consider")
            items += (_fold(f"consider-{sheet}", title, tuple(light), light),)
        title = f"Sheet {sheet}" if sheet else "The whole document"
        if titles.get(sheet):
            title = f"{title} · {titles[sheet]}"
        sections.append(Section(key=f"sheet-{sheet}", title=title, items=items, sheet=sheet))
    return sections


def kinds_on_lines(cards: Sequence[Card], *, together: bool = True) -> tuple[Card | Line, ...]:
    """Kinds of three or more on a line each, the largest first; then the rest as cards.

    `together` says whether a line may offer one decision for all that it holds.
    """
    kinds: dict[tuple[str, str], list[Card]] = {}
    for card in cards:
        kinds.setdefault((card.finding.rule, card.rule), []).append(card)
    lines: list[Line] = []
    singles: list[Card] = []
    for (rule, title), same in kinds.items():
        if len(same) < ON_ONE_LINE:
            singles += same
            continue
        severity = same[0].severity
        lines.append(
            Line(
                key=f"{severity}-{rule}-{len(lines)}" if rule == "other" else f"{severity}-{rule}",
                severity=severity,
                title=f"{counted_as(len(same), severity)} · {title}",
                rule=rule,
                items=tuple(same),
                sheets=_sheets(same),
                dismissable=_dismissable(same) if together and rule != "other" else 0,
            )
        )
    lines.sort(key=lambda line: -len(line.items))
    singles.sort(key=by_place)
    return (*lines, *singles)


def _dismissable(cards: Sequence[Card]) -> int:
    if not all("dismiss" in card.acts for card in cards):
        return 0
    return sum(card.finding.status == Finding.Status.OPEN for card in cards)


def _fold(key: str, title: str, items: tuple[Card | Line, ...], cards: Sequence[Card]) -> Line:
    return Line(
        key=key, severity="consider", title=title, rule="", items=items, sheets=_sheets(cards)
    )


def _sheets(cards: Sequence[Card]) -> str:
    """`sheet 3`, `sheets 1–4, 7`; the whole document is not a sheet and is left out."""
    numbers = sorted({card.sheet for card in cards if card.sheet})
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    if not runs:
        return ""
    said = ", ".join(f"{a}" if a == b else f"{a}–{b}" for a, b in runs)
    return f"sheet {said}" if len(numbers) == 1 else f"sheets {said}"


def following(cards: Sequence[Card], number: int) -> int | None:
    """The finding after `number`, or the one before where it is the last; None where alone."""
    numbers = [card.finding.number for card in cards]
    if number not in numbers:
        return None
    at = numbers.index(number)
    rest = numbers[at + 1 :] + numbers[:at][::-1]
    return rest[0] if rest else None

"""The sheets of the desk: which words are marked, and what is open on each. Pure, no queries."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewer.core.schema import Severity
from reviewer.models import Sheet
from reviewer.views.desk_cards import Card
from reviewer.views.desk_zoom import Size, size_of

LONGEST_TITLE = 70


@dataclass(frozen=True, slots=True)
class Mark:
    """The words of one finding on one sheet, in points: `(x, y, width, height, way)` a line.

    `way` is width plus height: a box's outline is drawn from its top left corner, so that
    far along it the line under the words begins.
    """

    id: str
    number: int
    severity: str
    title: str
    boxes: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One sheet with its marks, gravest on top, and what is open on it by severity."""

    sheet: Sheet
    marks: tuple[Mark, ...]
    blocks: int
    fixes: int
    considers: int
    size: Size

    @property
    def is_clear(self) -> bool:
        return not (self.blocks or self.fixes or self.considers or self.sheet.unread)


def titles_of(sheets: Sequence[Sheet]) -> dict[int, str]:
    """What stands first on each sheet, where it is short and no other sheet begins so too."""
    firsts = {sheet.number: sheet.text.strip().partition("\n")[0].strip() for sheet in sheets}
    met = Counter(firsts.values())
    return {
        number: first if met[first] == 1 and len(first) <= LONGEST_TITLE else ""
        for number, first in firsts.items()
    }


def leaves_of(
    sheets: Iterable[Sheet], cards: Iterable[Card], marked: Iterable[Card], zoom: str = "fit"
) -> list[Leaf]:
    """The sheets in order. Counts are of all open `cards`; marks are of `marked`, the list's.

    Graver marks lie above others, and among equals the later finding's, whatever the order
    of the list.
    """
    open_on: dict[tuple[int, str], int] = {}
    for card in cards:
        if card.is_due:
            key = (card.sheet, card.severity)
            open_on[key] = open_on.get(key, 0) + 1
    marks: dict[int, list[Mark]] = {}
    for card in sorted(
        marked, key=lambda card: (-Severity(card.severity).rank, card.finding.number)
    ):
        for sheet, mark in _marks(card):
            marks.setdefault(sheet, []).append(mark)
    return [
        Leaf(
            sheet=sheet,
            marks=tuple(marks.get(sheet.number, ())),
            blocks=open_on.get((sheet.number, "block"), 0),
            fixes=open_on.get((sheet.number, "fix"), 0),
            considers=open_on.get((sheet.number, "consider"), 0),
            size=size_of(sheet, zoom),
        )
        for sheet in sheets
    ]


def _marks(card: Card) -> Iterable[tuple[int, Mark]]:
    number = card.finding.number
    for place in card.places:
        suffix = f"-{place.position}" if place.position else ""
        boxes = tuple(_rounded(*box) for box in place.boxes)
        yield (
            place.sheet,
            Mark(
                id=f"mark-{number}{suffix}",
                number=number,
                severity=card.severity,
                title=f"{card.severity} · {card.rule}",
                boxes=boxes,
            ),
        )


def _rounded(x0: float, y0: float, x1: float, y1: float) -> tuple[float, ...]:
    width, height = x1 - x0, y1 - y0
    return tuple(round(length, 1) for length in (x0, y0, width, height, width + height))

"""Running heads, running feet and page numbers: lines that say where you are, not what is said.

Found over the whole document, because one page alone cannot tell its head from its first
sentence. A line counts as running when its text, digits aside, stands in the head or foot
of several sheets; a line counts as a page number when it says so, or when such numbers go
up with the sheets.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reviewer.documents.lines import Line

EDGE = 0.15
"""The share of a sheet's height, above and below, in which heads and feet stand."""
MOST_EDGE_LINES = 4
STEADY = 0.6
"""The share of printed numbers that must keep the same distance from the sheet's own."""

_DIGITS = re.compile(r"\d+")
_NUMBERED = re.compile(
    r"^\W*(?P<word>page|p\.|pg\.?|sheet|slide|seite|blatt|folie|página|pagina|pág\.)?\s*"
    r"(?P<number>\d{1,4}|[ivxlc]{1,7})"
    r"(?P<total>\s*(?:/|\||of|von|de|di|sur)\s*\d{1,4})?\W*$",
    re.IGNORECASE,
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class EdgeLine:
    """A line in the head or foot of a sheet. `line` is its index on the sheet, `y` the
    distance of its lower edge from the sheet's nearer edge in points."""

    sheet: int
    line: int
    foot: bool
    text: str
    x: float
    y: float
    size: float


@dataclass(slots=True)
class Running:
    """What was found: the lines that run, by sheet; feet that stand elsewhere than on the
    other sheets; and the number printed on each sheet that has one, with its style."""

    lines: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    moved: list[EdgeLine] = field(default_factory=list)
    numbers: dict[int, tuple[str, int]] = field(default_factory=dict)


def edge_lines(sheet: int, lines: Sequence[Line], height: float) -> list[EdgeLine]:
    """The outermost lines of a sheet, which may turn out to run."""
    head = [(line.y0, index) for index, line in enumerate(lines) if line.y1 < EDGE * height]
    foot = [
        (height - line.y1, index)
        for index, line in enumerate(lines)
        if line.y0 > (1 - EDGE) * height
    ]
    found: list[EdgeLine] = []
    for edge, at_foot in ((head, False), (foot, True)):
        for _, index in sorted(edge)[:MOST_EDGE_LINES]:
            line = lines[index]
            y = height - line.base if at_foot else line.base
            found.append(EdgeLine(sheet, index, at_foot, line.text, line.x0, y, line.size))
    return found


def find_running(edges: Iterable[EdgeLine], sheets: int, body_size: float) -> Running:
    """Decide over all sheets which lines run. `body_size` is the size of most text in points;
    what is much larger is a title that happens to repeat, not a head."""
    running = Running()
    candidates = [edge for edge in edges if edge.size <= 1.25 * body_size or not body_size]
    groups: dict[tuple[bool, str], list[EdgeLine]] = defaultdict(list)
    for edge in candidates:
        groups[edge.foot, _key(edge.text)].append(edge)
    needed = 2 if sheets == 2 else max(3, round(sheets * 0.2))
    for (foot, key), members in groups.items():
        on = {edge.sheet for edge in members}
        if len(on) < needed or not re.search(r"[^\W\d_]", key):
            continue
        numbers = _counting(members)
        if len({edge.text for edge in members}) > 1 and not numbers:
            continue  # "Phase 1" above "Phase 2" is a title and not a head
        for edge in members:
            running.lines[edge.sheet].add(edge.line)
        for sheet, number in numbers.items():
            running.numbers.setdefault(sheet, ("1", number))
        if foot and len(on) >= 3:
            running.moved.extend(_moved(members))
    _take_numbers(running, candidates)
    _drop_unsteady(running)
    return running


def _key(text: str) -> str:
    return _DIGITS.sub("#", " ".join(text.casefold().split()))


def _moved(members: Sequence[EdgeLine]) -> list[EdgeLine]:
    """Members that stand elsewhere than most; none where there is no usual place."""
    usual, count = Counter(round(edge.y) for edge in members).most_common(1)[0]
    if count < 0.5 * len(members):
        return []
    return [edge for edge in members if abs(edge.y - usual) > 4]


def _counting(members: Sequence[EdgeLine]) -> dict[int, int]:
    """The number in these lines that goes up with the sheets, by sheet; empty where none does."""
    by_place: dict[int, dict[int, int]] = defaultdict(dict)
    for edge in members:
        for place, digits in enumerate(_DIGITS.findall(edge.text)):
            by_place[place][edge.sheet] = int(digits[:6])
    for numbers in by_place.values():
        if len(numbers) >= 3 and _steady(numbers.items()):
            return numbers
    return {}


def _steady(numbers: Iterable[tuple[int, int]]) -> bool:
    """Whether most numbers keep the same distance from their sheet's own number."""
    offsets = Counter(number - sheet for sheet, number in numbers)
    return offsets.most_common(1)[0][1] >= STEADY * offsets.total()


def _take_numbers(running: Running, edges: Sequence[EdgeLine]) -> None:
    """Lines that are nothing but a page number."""
    found: list[tuple[EdgeLine, str, int, bool]] = []
    for edge in edges:
        match = _NUMBERED.match(edge.text)
        if match is None:
            continue
        number = match["number"]
        value = int(number) if number.isdigit() else _roman(number)
        if value is None:
            continue
        sure = bool(match["word"] or match["total"])
        found.append((edge, "1" if number.isdigit() else "i", value, sure))
    offsets = Counter((style, value - edge.sheet) for edge, style, value, _ in found)
    stepping = {key for key, count in offsets.items() if count >= 2}
    styles_that_step = {style for style, _ in stepping}
    for edge, style, value, sure in found:
        alone = edge.foot and style == "1" and abs(value - edge.sheet) <= 2
        if sure or alone or (style in styles_that_step and value < 1000):
            running.lines[edge.sheet].add(edge.line)
            running.numbers.setdefault(edge.sheet, (style, value))


def _drop_unsteady(running: Running) -> None:
    """Numbers that do not follow the sheets are something else, however they look."""
    by_style: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for sheet, (style, value) in running.numbers.items():
        by_style[style].append((sheet, value))
    steady = {style for style, numbers in by_style.items() if _steady(numbers)}
    running.numbers = {
        sheet: number for sheet, number in running.numbers.items() if number[0] in steady
    }


def _roman(text: str) -> int | None:
    values = [_ROMAN[letter] for letter in text.lower()]
    total = sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
    return total if 0 < total < 200 else None

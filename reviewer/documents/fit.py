"""Whether a document fits its sheets, by measuring.

Each fault has a code, the sheet it is on (0 for the document), and a sentence. Which codes
hold an export is a matter of policy and not decided here; `SHOW_ONLY` is what only shows
by default. Refused: judging by taste. Every fault here can be pointed at.
"""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

from reviewer.documents.images import Ink
from reviewer.documents.letters import Letters
from reviewer.documents.lines import Line
from reviewer.documents.running import Running
from reviewer.documents.sheets import FitFault, Word

HOLD_BY_DEFAULT = frozenset({"clipped", "overfull", "off_page", "hidden_words"})
SHOW_ONLY = frozenset(
    {
        "blank",
        "mixed_sizes",
        "footer_moved",
        "page_numbers_out_of_order",
        "page_number_twice",
        "small_text",
        "fonts_not_embedded",
        "image_not_loaded",
        "letters_not_shown",
    }
)
CODES = HOLD_BY_DEFAULT | SHOW_ONLY

FEWEST_LETTERS = 3
"""Letters that must be hidden before it is said; one may be lost to a file's rounding."""

_MOST_SHARED = 0.3
_FEWEST_OVERLAPPING = 12
_MOST_COMPARED = 100_000
"""Pairs of words of a page that are looked at for overlap; a page of many is not slow."""
_SHORTEST_OVERLAPPING = 3

SMALLEST = 7.0
"""Points; smaller type is not read by a committee."""


@dataclass(slots=True)
class Measure:
    """What one sheet gives to the verdict. Words are kept as short quotes."""

    sheet: int
    width: float
    height: float
    blank: bool
    clipped: str
    off_page: str
    hidden: str
    overlapping: str
    small: tuple[float, str] | None
    fonts: frozenset[str]
    rare: frozenset[str]


def measure(
    sheet: int, width: float, height: float, letters: Letters, lines: Sequence[Line], ink: Ink
) -> Measure:
    """Look at every word of one sheet once."""
    off: list[Word] = []
    clipped: list[Word] = []
    hidden: list[Word] = []
    small: list[tuple[float, Word]] = []
    styles, shows, page = letters.styles, ink.shows, (0.0, 0.0, width, height)
    for word, style_index in zip(letters.words, letters.style, strict=True):
        style = styles[style_index]
        _, x0, y0, x1, y1 = word
        if x1 <= 0 or y1 <= 0 or x0 >= width or y0 >= height:
            off.append(word)
            continue
        within = x0 >= 0 and y0 >= 0 and x1 <= width and y1 <= height
        if (not within and _cut(word, page)) or (style.clip is not None and _cut(word, style.clip)):
            clipped.append(word)
        elif not shows(word):
            hidden.append(word)
        if style.size < SMALLEST - 0.05 and style.drawn and style.size > 0:
            small.append((style.size, word))
    return Measure(
        sheet,
        width,
        height,
        not letters.words and ink.blank(),
        _quote(clipped) if _letters(clipped) else "",
        _quote(off) if _letters(off) else "",
        _quote(hidden) if _letters(hidden) >= FEWEST_LETTERS else "",
        _overlapping(letters.words, lines),
        _smallest(small),
        frozenset(
            letters.styles[index].font or "without a name"
            for index in set(letters.style)
            if not letters.styles[index].embedded
        ),
        _rare(letters.words),
    )


def _rare(words: Sequence[Word]) -> frozenset[str]:
    """Characters beyond those that every font has."""
    text = "".join([word.text for word in words])
    return frozenset() if text.isascii() else frozenset(c for c in set(text) if c > "\u02ff")


def not_shown(measures: Sequence[Measure], missing: Set[str]) -> list[FitFault]:
    """A fault for each sheet with characters that no font on the server has."""
    faults = []
    for one in measures:
        if lost := sorted(one.rare & missing):
            listed = " ".join(lost[:12]) + (" …" if len(lost) > 12 else "")
            said = f"No font on the server has these characters, so the page shows boxes: {listed}"
            faults.append(FitFault("letters_not_shown", one.sheet, said))
    return faults


def judge(measures: Sequence[Measure], running: Running) -> list[FitFault]:
    """All faults, in order of sheets, the document's own first."""
    faults = [*_sizes(measures), *_fonts(measures)]
    for one in measures:
        faults.extend(_of_sheet(one))
    faults.extend(
        FitFault(
            "footer_moved",
            edge.sheet,
            f"The footer “{_short(edge.text)}” stands elsewhere than on the other sheets.",
        )
        for edge in running.moved
    )
    faults.extend(_numbers(running))
    return sorted(faults, key=lambda fault: (fault.sheet, fault.code))


def _of_sheet(one: Measure) -> list[FitFault]:
    faults = []
    if one.blank:
        faults.append(FitFault("blank", one.sheet, "This sheet is blank."))
    if one.clipped:
        faults.append(FitFault("clipped", one.sheet, f"Text is cut off: “{one.clipped}”."))
    if one.off_page:
        faults.append(
            FitFault("off_page", one.sheet, f"Text lies outside the page: “{one.off_page}”.")
        )
    if one.hidden:
        faults.append(
            FitFault(
                "hidden_words",
                one.sheet,
                f"Words are in the file that cannot be seen on the page: “{one.hidden}”.",
            )
        )
    if one.overlapping:
        faults.append(
            FitFault("overfull", one.sheet, f"Text runs over other text: “{one.overlapping}”.")
        )
    if one.small:
        size, words = one.small
        faults.append(
            FitFault(
                "small_text",
                one.sheet,
                f"Text is set at {size:.1f} points, below {SMALLEST:.0f}: “{words}”.",
            )
        )
    return faults


def _overlapping(words: Sequence[Word], lines: Sequence[Line]) -> str:
    """Words printed over words of another line. The same word twice is a shadow, no fault."""
    over: dict[Word, None] = {}
    left = _MOST_COMPARED
    from_above = sorted(lines, key=_top)
    for index, line in enumerate(from_above):
        for other in from_above[index + 1 :]:
            if other.y0 >= line.y1:
                break
            if left <= 0:
                break
            if line.x0 < other.x1 and other.x0 < line.x1:
                left -= (line.last - line.first + 1) * (other.last - other.first + 1)
                for one in words[line.first : line.last + 1]:
                    for two in words[other.first : other.last + 1]:
                        if _over(one, two):
                            over[one] = over[two] = None
    found = list(over)
    return _quote(found) if _letters(found) >= _FEWEST_OVERLAPPING else ""


def _top(line: Line) -> float:
    return line.y0


def _over(one: Word, two: Word) -> bool:
    long = len(one.text) >= _SHORTEST_OVERLAPPING and len(two.text) >= _SHORTEST_OVERLAPPING
    return long and one.text != two.text and _shared(one, two) > _MOST_SHARED


def _shared(a: Word, b: Word) -> float:
    """How much of the smaller of two boxes lies in the other, from 0 to 1."""
    across = min(a.x1, b.x1) - max(a.x0, b.x0)
    down = min(a.y1, b.y1) - max(a.y0, b.y0)
    if across <= 0 or down <= 0:
        return 0.0
    smaller = min((a.x1 - a.x0) * (a.y1 - a.y0), (b.x1 - b.x0) * (b.y1 - b.y0))
    return across * down / smaller if smaller > 0 else 0.0


def _cut(word: Word, box: tuple[float, float, float, float]) -> bool:
    """Whether an edge of the box goes through the word, by more than a hair."""
    if word.x0 >= box[0] and word.y0 >= box[1] and word.x1 <= box[2] and word.y1 <= box[3]:
        return False
    wide = 0.1 * (word.x1 - word.x0) + 0.5
    high = 0.2 * (word.y1 - word.y0) + 0.5
    return (
        word.x0 < box[0] - wide
        or word.x1 > box[2] + wide
        or word.y0 < box[1] - high
        or word.y1 > box[3] + high
    )


def _smallest(small: Sequence[tuple[float, Word]]) -> tuple[float, str] | None:
    """Small text worth saying: more than a lone superscript or a mark."""
    if _letters([word for _, word in small]) < 20:
        return None
    return min(size for size, _ in small), _quote([word for _, word in small])


def _letters(words: Sequence[Word]) -> int:
    """Letters and digits in all words; rules made of dashes and lone bullets have none."""
    return sum(character.isalnum() for word in words for character in word.text)


def _quote(words: Sequence[Word]) -> str:
    return _short(" ".join(word.text for word in words[:12]))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57].rstrip() + "…"


def _sizes(measures: Sequence[Measure]) -> list[FitFault]:
    sizes = Counter((round(one.width), round(one.height)) for one in measures)
    if len(sizes) < 2:
        return []
    (width, height), _ = sizes.most_common(1)[0]
    others = [
        one.sheet for one in measures if abs(one.width - width) > 2 or abs(one.height - height) > 2
    ]
    if not others:
        return []
    which = _listed(others)
    return [
        FitFault(
            "mixed_sizes",
            0,
            f"Sheets have different sizes: most are {width} × {height} points, {which} not.",
        )
    ]


def _listed(sheets: Sequence[int]) -> str:
    shown = ", ".join(map(str, sheets[:8])) + (" and others" if len(sheets) > 8 else "")
    return f"sheet {shown} is" if len(sheets) == 1 else f"sheets {shown} are"


def _fonts(measures: Sequence[Measure]) -> list[FitFault]:
    names = sorted(frozenset[str]().union(*(one.fonts for one in measures)))
    if not names:
        return []
    shown = ", ".join(names[:5]) + (" and others" if len(names) > 5 else "")
    return [
        FitFault(
            "fonts_not_embedded",
            0,
            f"The file does not carry its fonts ({shown}), so it may look different elsewhere.",
        )
    ]


def _numbers(running: Running) -> list[FitFault]:
    """Printed page numbers that repeat or go back. A new start at 1 is a new part."""
    faults: list[FitFault] = []
    last: dict[str, int] = {}
    seen: dict[tuple[str, int], int] = {}
    for sheet in sorted(running.numbers):
        style, number = running.numbers[sheet]
        if number == 1 and style in last and last[style] > 1:
            seen = {key: where for key, where in seen.items() if key[0] != style}
        elif (style, number) in seen:
            faults.append(
                FitFault(
                    "page_number_twice",
                    sheet,
                    f"Page number {number} is also on sheet {seen[style, number]}.",
                )
            )
            continue
        elif style in last and number < last[style]:
            faults.append(
                FitFault(
                    "page_numbers_out_of_order",
                    sheet,
                    f"Page number {number} comes after {last[style]}.",
                )
            )
        seen[style, number] = sheet
        last[style] = number
    return faults

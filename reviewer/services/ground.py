"""The sheets of one version, loaded once: what findings are placed on."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from reviewer.core.quotes import find_all, words_covered
from reviewer.models import FindingPlace, Sheet, Version

Box = list[float]


Word = tuple[str, float, float, float, float]


@dataclass(frozen=True)
class GroundSheet:
    """One sheet's text and word boxes, in points from the top left as shown."""

    number: int
    label: str
    text: str
    unread: str
    load: Callable[[int], list[Word]]

    @cached_property
    def words(self) -> list[Word]:
        """The words with their boxes; loaded when first asked for."""
        return self.load(self.number)

    @cached_property
    def word_texts(self) -> list[str]:
        return [word[0] for word in self.words]

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """Offsets [start, end) of each word in the text."""
        bounds, position = [], 0
        for word in self.word_texts:
            start = self.text.index(word, position)
            position = start + len(word)
            bounds.append((start, position))
        return bounds

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Offsets [start, end) of the words `first` to `last`, both inclusive."""
        return self.bounds[first][0], self.bounds[last][1]

    def boxes(self, first: int, last: int) -> list[Box]:
        """One box a line over the words from `first` to `last`, both inclusive."""
        lines: list[Box] = []
        for _, x0, y0, x1, y1 in self.words[first : last + 1]:
            line = lines[-1] if lines else None
            if line and x0 >= line[0] and _overlap(line, y0, y1) >= 0.5:
                line[1], line[3] = min(line[1], y0), max(line[3], y1)
                line[2] = max(line[2], x1)
            else:
                lines.append([x0, y0, x1, y1])
        return [[round(edge, 1) for edge in line] for line in lines]


def _overlap(line: Box, y0: float, y1: float) -> float:
    shared = min(line[3], y1) - max(line[1], y0)
    return shared / max(min(line[3] - line[1], y1 - y0), 0.1)


class Ground:
    """Every sheet of a version by number.

    Words are many times their text, and most readings are of one sheet: those of the first
    sheet asked for are loaded alone, and all others with the second.
    """

    def __init__(self, version: Version) -> None:
        self.version = version
        self._sheets = Sheet.objects.filter(version=version)
        self._words: dict[int, list[Word]] = {}
        rows = self._sheets.order_by("number").values_list("number", "label", "text", "unread")
        self.sheets: dict[int, GroundSheet] = {
            row[0]: GroundSheet(*row, load=self._load_words) for row in rows
        }

    def _load_words(self, number: int) -> list[Word]:
        if number not in self._words:
            wanted = self._sheets.exclude(number__in=self._words)
            if not self._words:
                wanted = wanted.filter(number=number)
            for sheet, words in wanted.values_list("number", "words"):
                self._words[sheet] = [(str(w[0]), w[1], w[2], w[3], w[4]) for w in words]
        # None of a sheet that was deleted since, with its proposal.
        return self._words.get(number, [])

    def load_words(self, sheets: Iterable[int]) -> None:
        """Load the words of these sheets now, those that the version has."""
        for number in sheets:
            if number in self.sheets:
                self.sheets[number].bounds  # noqa: B018  (asked for, to be kept)

    @property
    def texts(self) -> dict[int, str]:
        """The text of each sheet that has one, by number."""
        return {number: sheet.text for number, sheet in self.sheets.items()}

    def find(self, quote: str, sheet: int) -> tuple[int, int] | None:
        """Offsets of the quote in its sheet's text; the first place where it stands twice."""
        if sheet not in self.sheets or not quote.strip():
            return None
        places = find_all(quote, self.sheets[sheet].text)
        return places[0] if places else None

    def place(
        self, sheet: int, span: tuple[int, int], *, finding_id: int, position: int = 0
    ) -> FindingPlace | None:
        """An unsaved place for a finding over the words that `span` touches."""
        on = self.sheets[sheet]
        covered = words_covered(span, on.word_texts, on.text)
        if covered is None:
            return None
        first, last = covered
        return FindingPlace(
            finding_id=finding_id,
            version=self.version,
            position=position,
            sheet=sheet,
            first_word=first,
            last_word=last,
            boxes=on.boxes(first, last),
        )

"""How alike two sightings are, and which pairs the evidence joins, strongest first.

The measure is the cosine of the words of finding and quote, each weighed by how rare it
is among all that were reported. Every pair is between two readings; within one reading
nothing is compared.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reviewer.core.folding import fold, is_unspaced, words

MARGIN = 0.05
"""By how much the best candidate must beat the runner-up of the same reading."""

FLOOR_SAME_RULE = 0.30
FLOOR_QUOTELESS = 0.25
FLOOR_NAMED_SHEETS = 0.30
FLOOR_OTHER_RULE = 0.40

_HALF = 0.5
_NAMED_SHEET = re.compile(r"\b(?:sheet|page|slide|p\.)s?\s+(\d{1,4})\b")


@dataclass(frozen=True, slots=True)
class Place:
    """What of a sighting is compared."""

    id: str
    reading: str
    sheet: int
    rule: str
    quote: str
    finding: str
    also: tuple[tuple[int, str], ...]
    span: tuple[int, int] | None


@lru_cache(maxsize=65536)
def terms(text: str) -> tuple[str, ...]:
    """The words of a text, folded; two characters at a time where words are not spaced."""
    found: list[str] = []
    previous: tuple[str, int] | None = None
    for word, first, last in words(fold(text)):
        if not is_unspaced(word[0]):
            found.append(word)
            previous = None
            continue
        if previous is not None and previous[1] == first:
            found.append(previous[0] + word)
        previous = word, last
    return tuple(found)


class Likeness:
    """The evidence among a set of sightings."""

    def __init__(self, places: Sequence[Place], owner: Mapping[str, str] | None = None) -> None:
        """`owner` names the known finding of a sighting that stands for one."""
        self._places = list(places)
        self._reading = [
            f"\0known {owner[place.id]}" if owner and place.id in owner else place.reading
            for place in places
        ]
        self._vectors = _vectors(self._places)
        self._cosines = _cosines(self._vectors)
        self._named = [_named_sheets(place) for place in self._places]

    def matches(self) -> Iterator[tuple[str, str]]:
        """Pairs of ids, strongest evidence first; ties in the order of ids."""
        for step in (self._same_span, self._overlap, self._alike):
            scored = step()
            for _, first, second in sorted(
                scored, key=lambda item: (-item[0], self._places[item[1]].id)
            ):
                yield self._places[first].id, self._places[second].id

    def cosine(self, first: int, second: int) -> float:
        """Cosine of two of the places, by index; 0 to 1."""
        return self._cosines.get((min(first, second), max(first, second)), 0.0)

    def _same_span(self) -> list[tuple[float, int, int]]:
        by_span: dict[tuple[int, object], list[int]] = defaultdict(list)
        for index, place in enumerate(self._places):
            if place.quote:
                by_span[place.sheet, place.span or fold(place.quote).text].append(index)
        scores = {
            (first, second): self._strength(first, second)
            for group in by_span.values()
            for first, second in self._across(group)
        }
        return self._mutual(scores, 0.0)

    def _overlap(self) -> list[tuple[float, int, int]]:
        by_sheet: dict[int, list[int]] = defaultdict(list)
        for index, place in enumerate(self._places):
            if place.span:
                by_sheet[place.sheet].append(index)
        scores = {
            (first, second): self._strength(first, second)
            for group in by_sheet.values()
            for first, second in self._across(group)
            if self._overlaps(first, second)
        }
        return self._mutual(scores, 0.0)

    def _alike(self) -> list[tuple[float, int, int]]:
        scores = {
            pair: cosine for pair, cosine in self._cosines.items() if self._may_compare(*pair)
        }
        return [
            (score, first, second)
            for score, first, second in self._mutual(scores, MARGIN)
            if score >= self._floor(first, second)
        ]

    def _may_compare(self, first: int, second: int) -> bool:
        return (
            self._reading[first] != self._reading[second] and self._floor(first, second) < math.inf
        )

    def _floor(self, first: int, second: int) -> float:
        one, other = self._places[first], self._places[second]
        same_rule = one.rule == other.rule
        if one.sheet == other.sheet:
            return FLOOR_SAME_RULE if same_rule else FLOOR_OTHER_RULE
        if same_rule and not (one.quote and other.quote):
            return FLOOR_QUOTELESS
        if one.sheet in self._named[second] and other.sheet in self._named[first]:
            return FLOOR_NAMED_SHEETS
        return math.inf

    def _strength(self, first: int, second: int) -> float:
        same_rule = self._places[first].rule == self._places[second].rule
        return self.cosine(first, second) + (1.0 if same_rule else 0.0)

    def _overlaps(self, first: int, second: int) -> bool:
        one, other = self._places[first].span, self._places[second].span
        if one is None or other is None:
            return False
        common = min(one[1], other[1]) - max(one[0], other[0])
        return common >= _HALF * min(one[1] - one[0], other[1] - other[0])

    def _across(self, group: Sequence[int]) -> Iterator[tuple[int, int]]:
        for position, first in enumerate(group):
            for second in group[position + 1 :]:
                if self._reading[first] != self._reading[second]:
                    yield first, second

    def _mutual(
        self, scores: Mapping[tuple[int, int], float], margin: float
    ) -> list[tuple[float, int, int]]:
        """Pairs in which each is the other's best in the other's reading, by the margin."""
        ranked: dict[tuple[int, str], list[tuple[float, int]]] = defaultdict(list)
        for (first, second), score in scores.items():
            ranked[first, self._reading[second]].append((score, second))
            ranked[second, self._reading[first]].append((score, first))
        chosen: dict[tuple[int, str], int] = {}
        for key, candidates in ranked.items():
            candidates.sort(reverse=True)
            runner_up = candidates[1][0] if len(candidates) > 1 else -math.inf
            if candidates[0][0] - runner_up > margin:
                chosen[key] = candidates[0][1]
        return [
            (score, first, second)
            for (first, second), score in scores.items()
            if chosen.get((first, self._reading[second])) == second
            and chosen.get((second, self._reading[first])) == first
        ]


def _named_sheets(place: Place) -> frozenset[int]:
    mentioned = _NAMED_SHEET.findall(place.finding.casefold())
    return frozenset({*map(int, mentioned), *(sheet for sheet, _ in place.also)})


def _vectors(places: Sequence[Place]) -> list[dict[str, float]]:
    """Unit vectors of the IDF-weighted terms of finding and quote."""
    counts = [Counter((*terms(place.finding), *terms(place.quote))) for place in places]
    seen_in = Counter(term for count in counts for term in count)
    total = len(places)
    vectors: list[dict[str, float]] = []
    for count in counts:
        weighed = {
            term: (1 + math.log(times)) * math.log(1 + total / seen_in[term])
            for term, times in count.items()
        }
        length = math.sqrt(sum(weight * weight for weight in weighed.values())) or 1.0
        vectors.append({term: weight / length for term, weight in weighed.items()})
    return vectors


def _cosines(vectors: Sequence[Mapping[str, float]]) -> dict[tuple[int, int], float]:
    """Cosines of all pairs that share a term, by way of the terms."""
    holders: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for index, vector in enumerate(vectors):
        for term, weight in sorted(vector.items()):
            holders[term].append((index, weight))
    cosines: dict[tuple[int, int], float] = defaultdict(float)
    for term in sorted(holders):
        holding = holders[term]
        for position, (first, weight) in enumerate(holding):
            for second, other in holding[position + 1 :]:
                cosines[first, second] += weight * other
    return dict(cosines)

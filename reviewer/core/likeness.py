"""How alike two sightings are, and which pairs the evidence joins, strongest first.

The measure is the cosine of the words of finding and quote, each weighed by how rare it
is among all that were reported. Every pair is between two readings; within one reading
nothing is compared.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations

from reviewer.core.folding import fold, is_unspaced, words
from reviewer.core.sighting import Sighting

MARGIN = 0.05
"""By how much the best candidate must beat the runner-up of the same reading."""

FLOOR_SAME_RULE = 0.30
FLOOR_QUOTELESS = 0.25
FLOOR_NAMED_SHEETS = 0.30
FLOOR_OTHER_RULE = 0.40

Cosines = Mapping[tuple[int, int], float]
Scored = list[tuple[float, int, int]]

_HALF = 0.5

# Below these two findings share no more than "the" and "is". Another rule on the same words
# is more often another fault than the same rule on words that overlap.
_SAYS_NOTHING_ALIKE = 0.05
_SAYS_LITTLE_ALIKE = 0.03

# At one place a smaller lead settles it, since the place has spoken already.
_PLACE_MARGIN = 0.03

# By so much more a finding must be like one elsewhere than like the one at its own place,
# before its words outweigh the place: a reader may quote one instalment of four.
_PLAINLY = 0.10
_NAMED_SHEET = re.compile(r"\b(?:sheet|page|slide|p\.)s?\s+(\d{1,4})\b")


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

    def __init__(
        self, sightings: Sequence[Sighting], owner: Mapping[str, str] | None = None
    ) -> None:
        """`owner` names the known finding of a sighting that stands for one."""
        self._all = list(sightings)
        self._reading = [
            f"\0known {owner[sighting.id]}" if owner and sighting.id in owner else sighting.reading
            for sighting in self._all
        ]
        # The known findings are rivals of each other, as two sightings of one reading are.
        self._camp = [
            "\0known" if owner and sighting.id in owner else sighting.reading
            for sighting in self._all
        ]
        self._vectors = _vectors([(*terms(one.finding), *terms(one.quote)) for one in self._all])
        self._says = _vectors([terms(one.finding) for one in self._all])
        self._named = [_named_sheets(sighting) for sighting in self._all]
        self._on_sheet: dict[int, list[int]] = defaultdict(list)
        for index, sighting in enumerate(self._all):
            self._on_sheet[sighting.sheet].append(index)

    def matches(self) -> Iterator[tuple[str, str]]:
        """Pairs of ids, strongest evidence first; ties in the order of ids."""
        cosines = {pair: self.cosine(*pair) for pair in self._comparable()}
        for step in (self._same_span, self._overlap, self._alike):
            scored = step(cosines)
            for _, first, second in sorted(
                scored, key=lambda item: (-item[0], self._all[item[1]].id, self._all[item[2]].id)
            ):
                yield self._all[first].id, self._all[second].id

    def cosine(self, first: int, second: int) -> float:
        """Cosine of two of the sightings, by index, from finding and quote; 0 to 1."""
        return _product(self._vectors[first], self._vectors[second])

    def _comparable(self) -> Iterator[tuple[int, int]]:
        """Pairs across readings for which there is a floor."""
        for group in self._on_sheet.values():
            yield from self._across(group)
        yield from self._quoteless()
        for first, named in enumerate(self._named):
            here = self._all[first].sheet
            for sheet in sorted(named):
                for second in self._on_sheet.get(sheet, ()):
                    if second > first and sheet != here and here in self._named[second]:
                        yield from self._across((first, second))

    def _quoteless(self) -> Iterator[tuple[int, int]]:
        """Pairs of one rule on two sheets of which one quotes nothing."""
        by_rule: dict[str, list[int]] = defaultdict(list)
        for index, sighting in enumerate(self._all):
            by_rule[sighting.rule].append(index)
        for group in by_rule.values():
            for pair in self._across(group):
                one, other = (self._all[index] for index in pair)
                if one.sheet != other.sheet and not (one.quote and other.quote):
                    yield pair

    def _floor(self, first: int, second: int) -> float:
        one, other = self._all[first], self._all[second]
        if one.sheet == other.sheet:
            return FLOOR_SAME_RULE if one.rule == other.rule else FLOOR_OTHER_RULE
        if one.rule == other.rule and not (one.quote and other.quote):
            return FLOOR_QUOTELESS
        return FLOOR_NAMED_SHEETS

    def _same_span(self, cosines: Cosines) -> Scored:
        by_span: dict[tuple[int, object], list[int]] = defaultdict(list)
        for index, sighting in enumerate(self._all):
            if sighting.quote:
                place = sighting.span or fold(sighting.quote).text
                by_span[sighting.sheet, place].append(index)
        return self._in_place(
            (pair for group in by_span.values() for pair in self._across(group)), cosines
        )

    def _overlap(self, cosines: Cosines) -> Scored:
        return self._in_place(
            (
                pair
                for group in self._on_sheet.values()
                for pair in self._across(group)
                if self._overlaps(*pair)
            ),
            cosines,
        )

    def _in_place(self, pairs: Iterable[tuple[int, int]], cosines: Cosines) -> Scored:
        """Pairs that their place joins: each the other's best there, and nothing against it."""
        strengths = {pair: self._strength(*pair, cosines) for pair in pairs}
        best = self._best_alike(cosines)
        return [
            (score, first, second)
            for score, first, second in self._mutual(strengths, _PLACE_MARGIN)
            if self._says_the_same(first, second)
            and not self._is_plainly_elsewhere(first, second, cosines, best)
            and not self._is_said_beside(first, second)
        ]

    def _says_the_same(self, first: int, second: int) -> bool:
        """Words in common beside the place. Where rule or place differ a little, two findings
        that share no word are two faults."""
        one, other = self._all[first], self._all[second]
        if one.rule == other.rule and one.span == other.span:
            return True
        if not (self._says[first] and self._says[second]):
            return True
        floor = _SAYS_LITTLE_ALIKE if one.rule == other.rule else _SAYS_NOTHING_ALIKE
        return _product(self._says[first], self._says[second]) >= floor

    def _is_said_beside(self, first: int, second: int) -> bool:
        """Whether one of them says plainly more of what another sighting beside it says.

        That one is of the other's reading (or a known finding, where the other is one), of the
        same rule, and on words that overlap: the place speaks for both, so what they say decides.
        """
        here = _product(self._says[first], self._says[second])
        return any(
            self._most_alike_beside[one, self._camp[other]] - here > _PLAINLY
            for one, other in ((first, second), (second, first))
        )

    @cached_property
    def _most_alike_beside(self) -> dict[tuple[int, str], float]:
        """For a sighting and a reading, how alike it is to what that one says most like it, under
        its rule and on words that overlap with its own."""
        most: dict[tuple[int, str], float] = defaultdict(float)
        for group in self._on_sheet.values():
            for pair in self._across(group):
                if self._all[pair[0]].rule == self._all[pair[1]].rule and self._overlaps(*pair):
                    said = _product(self._says[pair[0]], self._says[pair[1]])
                    for one, other in (pair, pair[::-1]):
                        key = one, self._camp[other]
                        most[key] = max(most[key], said)
        return most

    def _best_alike(self, cosines: Cosines) -> dict[tuple[int, str], float]:
        """For a sighting and a reading, the cosine of the pair that words alone would join."""
        best: dict[tuple[int, str], float] = defaultdict(float)
        for cosine, first, second in self._alike(cosines):
            best[first, self._reading[second]] = cosine
            best[second, self._reading[first]] = cosine
        return best

    def _is_plainly_elsewhere(
        self, first: int, second: int, cosines: Cosines, best: Mapping[tuple[int, str], float]
    ) -> bool:
        """Whether one of them and another sighting of that reading say the same, elsewhere."""
        here = cosines[first, second]
        return any(
            best[one, self._reading[other]] - here > _PLAINLY
            for one, other in ((first, second), (second, first))
        )

    def _alike(self, cosines: Cosines) -> Scored:
        return [
            (score, first, second)
            for score, first, second in self._mutual(cosines, MARGIN)
            if score >= self._floor(first, second)
        ]

    def _strength(self, first: int, second: int, cosines: Cosines) -> float:
        same_rule = self._all[first].rule == self._all[second].rule
        return cosines[first, second] + (1.0 if same_rule else 0.0)

    def _overlaps(self, first: int, second: int) -> bool:
        one, other = self._all[first].span, self._all[second].span
        if one is None or other is None:
            return False
        common = min(one[1], other[1]) - max(one[0], other[0])
        return common >= _HALF * min(one[1] - one[0], other[1] - other[0])

    def _across(self, group: Sequence[int]) -> Iterator[tuple[int, int]]:
        for first, second in combinations(group, 2):
            if self._reading[first] != self._reading[second]:
                yield first, second

    def _mutual(self, scores: Cosines, margin: float) -> Scored:
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


def _named_sheets(sighting: Sighting) -> frozenset[int]:
    mentioned = _NAMED_SHEET.findall(sighting.finding.casefold())
    return frozenset({*map(int, mentioned), *(sheet for sheet, _ in sighting.also)})


def _vectors(texts: Sequence[Sequence[str]]) -> list[dict[str, float]]:
    """Unit vectors of the IDF-weighted terms of each text."""
    counts = [Counter(text) for text in texts]
    seen_in = Counter(term for count in counts for term in count)
    vectors: list[dict[str, float]] = []
    for count in counts:
        weighed = {
            term: (1 + math.log(times)) * math.log(1 + len(texts) / seen_in[term])
            for term, times in sorted(count.items())
        }
        length = math.sqrt(sum(weight * weight for weight in weighed.values())) or 1.0
        vectors.append({term: weight / length for term, weight in weighed.items()})
    return vectors


def _product(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    if len(other) < len(one):
        one, other = other, one
    return sum(weight * other[term] for term, weight in one.items() if term in other)

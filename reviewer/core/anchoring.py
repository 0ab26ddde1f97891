"""Where a finding stands, on its sheet and in the next version.

A place is carried to another version by the words themselves: the alignment says which
words of the old version are which of the new, and a finding goes where its words went.
Where they were changed, the place is the changed words, if they are enough alike; where
they have gone, the finding has lost its place. It is lost, never misplaced: text that
answers to other words of the old version is not a candidate, and two candidates that are
nearly as good are none.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from reviewer.core.alignment import Words, align
from reviewer.core.folding import text_key
from reviewer.core.quotes import (
    Span,
    find_all,
    find_quote,
    find_quote_in_words,
    words_covered,
)

__all__ = [
    "FLOOR",
    "MARGIN",
    "Carried",
    "Evidence",
    "Kind",
    "Pair",
    "Span",
    "Versions",
    "carry",
    "find_all",
    "find_quote",
    "find_quote_in_words",
    "pair_paragraphs",
    "pair_sheets",
    "words_covered",
]

FLOOR = 0.5
"""The least share of a finding's words that its place must keep."""

MARGIN = 0.15
"""By how much a place must be better than the next best, where the words moved freely."""

# A free place has nothing but its words to speak for it, so it needs more of them.
_FREE_FLOOR = 0.7
_FREE_LEAST_WORDS = 4
_PAIRED_SHARE = 0.5


class Evidence(StrEnum):
    """What became of a finding's words between two versions."""

    PRESENT = "present"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Carried:
    """Where a place went. `span` is None exactly where the evidence is gone, which means
    the finding has lost its place. `likeness` is the share of its words kept, 0 to 1."""

    span: Span | None
    evidence: Evidence
    likeness: float


LOST = Carried(None, Evidence.GONE, 0.0)


class Versions:
    """Two versions of a text, paired once; then any number of places can be carried."""

    def __init__(self, old: Mapping[int, str], new: Mapping[int, str]) -> None:
        """Take the text of each sheet of both versions, by sheet number."""
        self._old_sheets, self._new_sheets = old, new
        self._old, self._new = Words(old), Words(new)
        self._to_new = align(self._old.texts, self._new.texts)
        answered = {index for index in self._to_new if index is not None}
        self._answered = list(
            accumulate((index in answered for index in range(len(self._new.all))), initial=0)
        )

    def carry(self, span: Span) -> Carried:
        """Where a span of the old version is in the new one, or `LOST`."""
        begin, end = self._old.covered(span.sheet, span.first, span.last)
        if begin == end:
            return LOST
        kept = [index for index in self._to_new[begin:end] if index is not None]
        cluster = self._one_place(kept, end - begin)
        if len(cluster) == end - begin and cluster == list(
            range(cluster[0], cluster[0] + len(cluster))
        ):
            return self._found(cluster[0], cluster[-1] + 1, Evidence.PRESENT, 1.0)
        around = self._between_neighbours(begin, end)
        candidates = [around] if around else []
        if cluster:
            candidates.append((cluster[0], cluster[-1] + 1))
            candidates.append(self._widened(cluster, begin, end))
        best = max(
            ((self._likeness(begin, end, *place), place) for place in candidates),
            default=(0.0, (0, 0)),
        )
        if best[0] >= FLOOR:
            return self._found(*best[1], Evidence.CHANGED, best[0])
        return self._anywhere_free(begin, end)

    def _one_place(self, kept: Sequence[int], length: int) -> list[int]:
        """The largest group of the kept words that stand near each other on one sheet."""
        groups: list[list[int]] = []
        for index in sorted(kept):
            near = groups and index - groups[-1][-1] <= max(3, length // 2)
            if near and self._new.all[index].sheet == self._new.all[groups[-1][-1]].sheet:
                groups[-1].append(index)
            else:
                groups.append([index])
        return max(groups, key=len, default=[])

    def _widened(self, cluster: Sequence[int], begin: int, end: int) -> tuple[int, int]:
        """The cluster with the free words beside it, for as many as the quote lost there."""
        places = {new: old for old, new in enumerate(self._to_new[begin:end])}
        start, stop = cluster[0], cluster[-1] + 1
        for _ in range(places[cluster[0]]):
            start -= self._is_free(start - 1, start, beside=start)
        for _ in range(end - begin - 1 - places[cluster[-1]]):
            stop += self._is_free(stop, stop + 1, beside=stop - 1)
        return start, stop

    def _between_neighbours(self, begin: int, end: int) -> tuple[int, int] | None:
        """The free new words between the words that stood right before and right after."""
        before = self._to_new[begin - 1] if begin else -1
        after = self._to_new[end] if end < len(self._to_new) else len(self._new.all)
        if before is None or after is None or not 0 < after - before - 1 <= 3 * (end - begin) + 5:
            return None
        sheets = {self._new.all[index].sheet for index in range(before + 1, after)}
        return (before + 1, after) if len(sheets) == 1 else None

    def _anywhere_free(self, begin: int, end: int) -> Carried:
        """The one place among words that answer to no old word, if it is plainly the best."""
        length = end - begin
        if length < _FREE_LEAST_WORDS:
            return LOST
        scored = [
            (self._likeness(begin, end, start, start + length), start)
            for start in range(len(self._new.all) - length + 1)
            if self._is_free(start, start + length)
        ]
        scored.sort(key=lambda item: (-item[0], item[1]))
        if not scored or scored[0][0] < _FREE_FLOOR:
            return LOST
        likeness, start = scored[0]
        apart = [other for other, place in scored[1:] if abs(place - start) >= length]
        if apart and likeness - apart[0] < MARGIN:
            return LOST
        same = self._old.texts[begin:end] == self._new.texts[start : start + length]
        evidence = Evidence.PRESENT if same else Evidence.CHANGED
        return self._found(start, start + length, evidence, likeness)

    def _is_free(self, start: int, stop: int, beside: int | None = None) -> bool:
        """Whether these words exist, answer to no old word, and are on one sheet, which is
        that of the word `beside` where one is given."""
        words = self._new.all
        if start < 0 or stop > len(words) or self._answered[stop] > self._answered[start]:
            return False
        sheets = {words[start].sheet, words[stop - 1].sheet}
        return len(sheets if beside is None else sheets | {words[beside].sheet}) == 1

    def _likeness(self, begin: int, end: int, start: int, stop: int) -> float:
        """Words in common, over those of the longer of the two ranges."""
        old, new = Counter(self._old.texts[begin:end]), Counter(self._new.texts[start:stop])
        return (old & new).total() / max(end - begin, stop - start)

    def _found(self, start: int, stop: int, evidence: Evidence, likeness: float) -> Carried:
        words = self._new.all[start:stop]
        sheets = Counter(word.sheet for word in words)
        sheet = min(sheets, key=lambda number: (-sheets[number], number))
        on_sheet = [word for word in words if word.sheet == sheet]
        return Carried(Span(sheet, on_sheet[0].first, on_sheet[-1].last), evidence, likeness)


def carry(span: Span, old: Mapping[int, str], new: Mapping[int, str]) -> Carried:
    """Where a span of the old version is in the new one; see `Versions` for many spans."""
    return Versions(old, new).carry(span)


class Kind(StrEnum):
    """What became of a paragraph or a sheet between two versions."""

    SAME = "same"
    CHANGED = "changed"
    SPLIT = "split"
    MERGED = "merged"
    INSERTED = "inserted"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Pair:
    """Texts of two versions that belong together, as indices into the lists given.

    `moved` is set where the order against the other pairs has changed; `likeness` is the
    share of words in common, 0 to 1.
    """

    old: tuple[int, ...]
    new: tuple[int, ...]
    kind: Kind
    likeness: float
    moved: bool = False


def pair_paragraphs(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Pair the paragraphs of two versions by content. Each index is in exactly one pair.

    In the order of the new version, with what was removed at the end.
    """
    shared = _shared_words(old, new)
    _pair_equal_texts(old, new, shared)
    linked = _links(old, new, shared)
    pairs = [_pair(old, new, *group) for group in _components(len(old), len(new), linked)]
    return _with_moves(sorted(pairs, key=lambda pair: (not pair.new, pair.new, pair.old)))


def pair_sheets(old: Mapping[int, str], new: Mapping[int, str]) -> list[Pair]:
    """Pair the sheets of two versions by content; indices in the pairs are sheet numbers."""
    old_numbers, new_numbers = sorted(old), sorted(new)
    pairs = pair_paragraphs([old[n] for n in old_numbers], [new[n] for n in new_numbers])
    return [
        Pair(
            tuple(old_numbers[index] for index in pair.old),
            tuple(new_numbers[index] for index in pair.new),
            pair.kind,
            pair.likeness,
            pair.moved,
        )
        for pair in pairs
    ]


Shared = dict[tuple[int, int], int]


def _shared_words(old: Sequence[str], new: Sequence[str]) -> Shared:
    """How many words of each old text went to each new one."""
    old_words, new_words = Words(dict(enumerate(old))), Words(dict(enumerate(new)))
    shared: Shared = defaultdict(int)
    for index, to in enumerate(align(old_words.texts, new_words.texts)):
        if to is not None:
            shared[old_words.all[index].sheet, new_words.all[to].sheet] += 1
    return shared


def _pair_equal_texts(old: Sequence[str], new: Sequence[str], shared: Shared) -> None:
    """Count as shared what is equal though its words were too few or too common to align."""
    paired_old = {index for index, _ in shared}
    paired_new = {index for _, index in shared}
    waiting: dict[str, list[int]] = defaultdict(list)
    for index, text in enumerate(new):
        if index not in paired_new:
            waiting[text_key(text)].append(index)
    for index, text in enumerate(old):
        if index not in paired_old and waiting[text_key(text)]:
            shared[index, waiting[text_key(text)].pop(0)] = _size(text)


def _links(old: Sequence[str], new: Sequence[str], shared: Shared) -> list[tuple[int, int]]:
    sizes_old, sizes_new = [_size(text) for text in old], [_size(text) for text in new]
    return [
        (i, j)
        for (i, j), count in sorted(shared.items())
        if count >= _PAIRED_SHARE * min(sizes_old[i], sizes_new[j])
    ]


def _size(text: str) -> int:
    return max(1, len(Words({0: text}).all))


def _components(
    old_count: int, new_count: int, linked: Sequence[tuple[int, int]]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Groups that the links join; what no link touches is a group of its own."""
    group_of: dict[tuple[str, int], set[tuple[str, int]]] = {
        **{("old", index): {("old", index)} for index in range(old_count)},
        **{("new", index): {("new", index)} for index in range(new_count)},
    }
    for i, j in linked:
        joined = group_of["old", i] | group_of["new", j]
        for member in joined:
            group_of[member] = joined
    groups = {id(group): group for group in group_of.values()}.values()
    return [
        (
            tuple(sorted(index for side, index in group if side == "old")),
            tuple(sorted(index for side, index in group if side == "new")),
        )
        for group in groups
    ]


def _pair(
    old: Sequence[str], new: Sequence[str], olds: tuple[int, ...], news: tuple[int, ...]
) -> Pair:
    if not olds:
        return Pair(olds, news, Kind.INSERTED, 0.0)
    if not news:
        return Pair(olds, news, Kind.REMOVED, 0.0)
    before = Counter(Words(dict(enumerate(old[index] for index in olds))).texts)
    after = Counter(Words(dict(enumerate(new[index] for index in news))).texts)
    longer = max(before.total(), after.total())
    likeness = (before & after).total() / longer if longer else 1.0
    if len(olds) == len(news) == 1:
        same = text_key(old[olds[0]]) == text_key(new[news[0]])
        return Pair(olds, news, Kind.SAME if same else Kind.CHANGED, likeness)
    if len(olds) == 1:
        return Pair(olds, news, Kind.SPLIT, likeness)
    return Pair(olds, news, Kind.MERGED if len(news) == 1 else Kind.CHANGED, likeness)


def _with_moves(pairs: Sequence[Pair]) -> list[Pair]:
    """Mark the pairs outside the longest run that keeps the order of the old version."""
    both = [index for index, pair in enumerate(pairs) if pair.old and pair.new]
    kept = _longest_rise([pairs[index].old[0] for index in both])
    in_order = {both[index] for index in kept}
    return [
        Pair(pair.old, pair.new, pair.kind, pair.likeness, index in both and index not in in_order)
        for index, pair in enumerate(pairs)
    ]


def _longest_rise(values: Sequence[int]) -> list[int]:
    """Indices of a longest increasing subsequence; the first one in order."""
    best: list[tuple[int, int | None]] = []
    for index, value in enumerate(values):
        length, previous = max(
            ((best[j][0] + 1, j) for j in range(index) if values[j] < value),
            default=(1, None),
            key=lambda item: item[0],
        )
        best.append((length, previous))
    chain: list[int] = []
    at: int | None = max(range(len(best)), key=lambda i: best[i][0], default=None)
    while at is not None:
        chain.append(at)
        at = best[at][1]
    return chain[::-1]

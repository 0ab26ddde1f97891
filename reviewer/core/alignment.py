"""Which words of one version are which words of the next, however they moved.

Runs of words that stand once in each version are taken as the same run; they are grown
to both sides for as long as the words agree; what repeats is then matched in its order
where both versions hold it equally often. A word of the new version answers to at most
one word of the old, so text that merely looks like what has gone is never taken for it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reviewer.core.folding import fold, words

# Five words in a row seldom stand twice in a proposal, and an edit seldom leaves fewer.
_RUN = 5
# What is grown from an anchor may be a single word; what starts without one may not.
_SHORT_RUN = 3


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a version: folded text, its sheet, its character offsets in that sheet."""

    text: str
    sheet: int
    first: int
    last: int


class Words:
    """All words of a version in sheet order, from the text of each sheet by number."""

    def __init__(self, sheets: Mapping[int, str]) -> None:
        self.all: list[Word] = []
        self.range_of_sheet: dict[int, tuple[int, int]] = {}
        for sheet in sorted(sheets):
            begin = len(self.all)
            folded = fold(sheets[sheet])
            for text, first, last in words(folded):
                self.all.append(Word(text, sheet, *folded.original(first, last)))
            self.range_of_sheet[sheet] = begin, len(self.all)

    @cached_property
    def texts(self) -> list[str]:
        """The folded words alone."""
        return [word.text for word in self.all]

    def covered(self, sheet: int, first: int, last: int) -> tuple[int, int]:
        """Range [begin, end) of the words that characters [first, last) of a sheet touch."""
        begin, end = self.range_of_sheet.get(sheet, (0, 0))
        touched = [
            index
            for index in range(begin, end)
            if self.all[index].first < last and self.all[index].last > first
        ]
        return (touched[0], touched[-1] + 1) if touched else (begin, begin)


def align(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """For each old word the index of the new word that it is, or None where it has gone."""
    pairing = _Pairing(old, new)
    for run in (_RUN, _SHORT_RUN):
        pairing.anchor(run)
    pairing.repeats(_RUN)
    pairing.grow()
    return pairing.to_new


class _Pairing:
    """The state of an alignment: each word of one side has at most one of the other."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self.old, self.new = old, new
        self.to_new: list[int | None] = [None] * len(old)
        self.to_old: list[int | None] = [None] * len(new)

    def anchor(self, run: int) -> None:
        """Pair runs of free words that stand once on each side, and grow them."""
        in_old = self._free_runs(self.old, self.to_new, run)
        in_new = self._free_runs(self.new, self.to_old, run)
        for words_of_run, places in in_old.items():
            others = in_new.get(words_of_run, ())
            if len(places) == 1 and len(others) == 1:
                self._pair_run(places[0], others[0], run)
        self.grow()

    def repeats(self, run: int) -> None:
        """Pair runs that stand equally often on both sides, in their order."""
        in_old = self._free_runs(self.old, self.to_new, run)
        in_new = self._free_runs(self.new, self.to_old, run)
        for words_of_run, places in in_old.items():
            others = in_new.get(words_of_run, ())
            if len(places) == len(others):
                for place, other in zip(places, others, strict=True):
                    self._pair_run(place, other, run)

    def grow(self) -> None:
        """Grow every paired run to both sides while the free words agree."""
        for index in range(len(self.old) - 1):
            self._grow_from(index, 1)
        for index in range(len(self.old) - 1, 0, -1):
            self._grow_from(index, -1)

    def _grow_from(self, index: int, step: int) -> None:
        at = self.to_new[index]
        if at is None or self.to_new[index + step] is not None:
            return
        beside = at + step
        if (
            0 <= beside < len(self.new)
            and self.to_old[beside] is None
            and self.old[index + step] == self.new[beside]
        ):
            self._pair(index + step, beside)

    def _pair_run(self, old_start: int, new_start: int, run: int) -> None:
        pairs = [(old_start + offset, new_start + offset) for offset in range(run)]
        if all(self._agrees(old, new) for old, new in pairs):
            for old, new in pairs:
                self._pair(old, new)

    def _agrees(self, old: int, new: int) -> bool:
        return self.to_new[old] in (None, new) and self.to_old[new] in (None, old)

    def _pair(self, old: int, new: int) -> None:
        self.to_new[old] = new
        self.to_old[new] = old

    @staticmethod
    def _free_runs(
        texts: Sequence[str], taken: Sequence[int | None], run: int
    ) -> dict[tuple[str, ...], list[int]]:
        runs: dict[tuple[str, ...], list[int]] = defaultdict(list)
        free = 0
        for index, text_taken in enumerate(taken):
            free = free + 1 if text_taken is None else 0
            if free >= run:
                start = index - run + 1
                runs[tuple(texts[start : index + 1])].append(start)
        return runs

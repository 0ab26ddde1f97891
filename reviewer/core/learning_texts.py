"""How alike two wordings are, and which of them seem to ask for opposite things.

Likeness is the Jaccard index of the trigrams of the normalised text: compatibility forms
folded, case and punctuation dropped, one space between words. What contradicts is a hint for a
person, by words alone; no meaning is read.
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from reviewer.core.learned import Learned, LearningKind
from reviewer.core.word_forms import forms_pattern, lowered_words

ALIKE = 0.72
"""From here on two wordings are near duplicates."""
NEAREST = 5
_THREE = 3

_NO_WORD = re.compile(r"[\W_]+")
_LITTLE = (
    "a an and any are as at be been but by can could do does for from had has have how if in "
    "into is it its may more most no nor not of on one only or our should so some such than "
    "that the their them then there these they this those to too up was we were what when "
    "where which while who why will with would you your"
)
_LITTLE_WORDS = frozenset(_LITTLE.split())
_NO = (
    "not no never none without dont don't doesnt doesn't cannot can't cant avoid omit skip "
    "stop remove leave"
)
_NEGATIONS = frozenset(_NO.split())
_YES = ("always", "ever", "do", "does", "must", "should", "shall")
_POLAR = _NEGATIONS.union(_YES)


def normalised(text: str) -> str:
    """The words of `text` in one form, a space between them."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _NO_WORD.sub(" ", plain.casefold()).strip()


@lru_cache(maxsize=8192)
def trigrams(text: str) -> frozenset[str]:
    """The trigrams of the normalised text; a shorter one is its own only trigram.

    Put together from those of its words and of what joins two words, which texts of one house
    share, so that most of them are worked out once.
    """
    plain = normalised(text)
    words = plain.split(" ")
    if len(plain) < _THREE or any(len(word) == 1 for word in words):
        return _three_by_three(plain)
    joints = [f"{one[-2:]} {other[:2]}" for one, other in pairwise(words)]
    return frozenset().union(
        *(_three_by_three(part) for part in (*words, *joints) if len(part) >= _THREE)
    )


@lru_cache(maxsize=65536)
def _three_by_three(plain: str) -> frozenset[str]:
    if len(plain) < _THREE:
        return frozenset([plain] if plain else [])
    return frozenset(plain[at : at + _THREE] for at in range(len(plain) - _THREE + 1))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared of all trigrams, 0 to 1; 0 where either has none."""
    if not one or not other:
        return 0.0
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def likeness(one: str, other: str) -> float:
    """How alike two wordings are, 0 to 1."""
    return jaccard(trigrams(one), trigrams(other))


def by_likeness(text: str, others: Sequence[str]) -> tuple[list[tuple[int, float]], int]:
    """Indexes of `others` worth showing beside `text`, most alike first, and how many of them
    are near duplicates: all of those, then the NEAREST of the rest. Ties in their order."""
    mine = trigrams(text)
    scored = [(jaccard(mine, trigrams(other)), -index) for index, other in enumerate(others)]
    scored.sort(reverse=True)
    alike = sum(score >= ALIKE for score, _ in scored)
    return [(-index, score) for score, index in scored[: alike + NEAREST]], alike


def words_alike(one: str, other: str) -> float:
    """Cosine of the sets of words that carry meaning, 0 to 1; 0 where either has none."""
    first, second = _meaning(one), _meaning(other)
    if not first or not second:
        return 0.0
    return len(first & second) / math.sqrt(len(first) * len(second))


def contradictions(said: Iterable[Learned]) -> list[tuple[int, int, str]]:
    """Pairs of numbers, the lower first, that seem to contradict, and why; by number.

    Only where both can be for one document. Near linear in their number: of two texts that
    differ in a negation alone, one of the rarest words is shared.
    """
    everything = sorted(said, key=lambda each: each.number)
    found: dict[tuple[int, int], str] = {}
    for first, second, why in (*_opposites(everything), *_asked_and_banned(everything)):
        if first.number != second.number and _meet(first, second):
            pair = min(first.number, second.number), max(first.number, second.number)
            found.setdefault(pair, why)
    return [(first, second, why) for (first, second), why in sorted(found.items())]


def _opposites(said: Sequence[Learned]) -> Iterator[tuple[Learned, Learned, str]]:
    """One that says yes and one that says no to nearly the same words."""
    words = [_words(each.text) for each in said]
    cores = [frozenset(each) - _POLAR for each in words]
    says_no = [_says_no(each, mine) for each, mine in zip(said, words, strict=True)]
    spread = Counter(word for core in cores for word in core)
    holding: dict[tuple[bool, str], list[int]] = defaultdict(list)
    for index, core in enumerate(cores):
        rarest = sorted(core, key=lambda word: (spread[word], word))
        # Of n words, two sets that share as many as they must share one of so many rarest.
        rarest = rarest[: len(core) - math.ceil(ALIKE * len(core)) + 1]
        turned = says_no[index]
        for other in sorted({at for word in rarest for at in holding[not turned, word]}):
            if len(core & cores[other]) >= ALIKE * len(core | cores[other]):
                yield said[other], said[index], "One asks for what the other turns down."
        for word in rarest:
            holding[turned, word].append(index)


def _asked_and_banned(said: Sequence[Learned]) -> Iterator[tuple[Learned, Learned, str]]:
    """A phrase that one bans and another gives as what to say instead."""
    givers = [(each, lowered_words(each.instead)) for each in said if each.instead]
    for banning in said:
        if not banning.phrase:
            continue
        pattern = None
        first = lowered_words(banning.phrase).split(" ")[0][:4]
        for giving, instead in givers:
            if first in instead:
                pattern = pattern or forms_pattern(banning.phrase)
                if pattern.search(instead):
                    yield banning, giving, f"One bans “{banning.phrase}”, the other says it."


def _says_no(said: Learned, words: Iterable[str]) -> bool:
    odd = sum(word in _NEGATIONS for word in words) % 2 == 1
    return odd != (said.kind == LearningKind.DO_NOT_RAISE)


def _meet(first: Learned, second: Learned) -> bool:
    """Whether there can be a document that both are for."""
    clients = {normalised(each.client) for each in (first, second)} - {""}
    kinds = {each.proposal_kind for each in (first, second)} - {""}
    return len(clients) < 2 and len(kinds) < 2


def _words(text: str) -> list[str]:
    return normalised(text.replace("’", "'").replace("n't", "nt")).split()


@lru_cache(maxsize=8192)
def _meaning(text: str) -> frozenset[str]:
    return frozenset(normalised(text).split()) - _LITTLE_WORDS

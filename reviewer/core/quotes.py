"""Where the words of a finding stand in the text of a sheet.

A quote is sought folded; then without punctuation and spaces, so that a table row is
found whatever its borders, and a list whatever its bullets; then, where it holds an
ellipsis, part by part. Nothing is guessed: a quote whose words differ is not found.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from reviewer.core.folding import Folded, fold, is_unspaced, skeleton

_ELLIPSIS = re.compile(r"\s*[\[(]?\.{3,}[\])]?\s*")

# A part of a quote with an ellipsis must say something on its own, and the parts must be
# near each other, or two unrelated passages would be read as one.
_LEAST_PART = 8
_WIDEST_GAP = 800

# Within a word only a long quote may begin or end: "art" is not a quote from "party".
_LEAST_INSIDE_A_WORD = 15
_LEAST_SKELETON = 3


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters [first, last) of the text of sheet number `sheet`."""

    sheet: int
    first: int
    last: int

    def __post_init__(self) -> None:
        """Refuse an empty or backward span."""
        if not 0 <= self.first < self.last:
            raise ValueError(f"a span needs 0 <= first < last, not {self.first}, {self.last}")


def find_quote(
    quote: str, text: str, *, near: int | None = None, nth: int = 0
) -> tuple[int, int] | None:
    """Offsets [first, last) in `text` of the words of `quote`, or None where they are not.

    Of several places the one nearest to offset `near` is taken where it is given, else
    the `nth` (0 is the first); None where there are not so many.
    """
    places = find_all(quote, text)
    if not places:
        return None
    if near is not None:
        return min(places, key=lambda place: (abs(place[0] - near), place))
    return places[nth] if 0 <= nth < len(places) else None


def find_all(quote: str, text: str) -> list[tuple[int, int]]:
    """Every place of the quote in the text, in order, as offsets [first, last)."""
    wanted = fold(quote)
    if not wanted.text:
        return []
    folded = fold(text)
    found = _whole(wanted, folded) or _in_parts(wanted.text, folded)
    return [folded.original(first, last) for first, last in found]


def _whole(wanted: Folded, folded: Folded) -> list[tuple[int, int]]:
    return _as_folded(wanted.text, folded.text) or _as_skeleton(wanted, folded)


def _as_folded(wanted: str, text: str) -> list[tuple[int, int]]:
    places = [(start, start + len(wanted)) for start in _starts(wanted, text)]
    whole_words = [place for place in places if _bounds_words(text, *place)]
    if whole_words or len(wanted) < _LEAST_INSIDE_A_WORD:
        return whole_words
    return places


def _as_skeleton(wanted: Folded, folded: Folded) -> list[tuple[int, int]]:
    bare, _ = skeleton(wanted)
    if len(bare) < _LEAST_SKELETON:
        return []
    text, kept = skeleton(folded)
    places = [(kept[start], kept[start + len(bare) - 1] + 1) for start in _starts(bare, text)]
    return [place for place in places if _bounds_words(folded.text, *place)]


def _starts(wanted: str, text: str) -> list[int]:
    """Starts of the places of `wanted`, none overlapping the one before."""
    starts: list[int] = []
    start = text.find(wanted)
    while start >= 0:
        starts.append(start)
        start = text.find(wanted, start + len(wanted))
    return starts


def _bounds_words(text: str, first: int, last: int) -> bool:
    return not (_inside_word(text, first) or _inside_word(text, last))


def _inside_word(text: str, index: int) -> bool:
    if not 0 < index < len(text):
        return False
    before, after = text[index - 1], text[index]
    if is_unspaced(before) or is_unspaced(after):
        return False
    if before.isalnum() and after.isalnum():
        return True
    # 1.25 is one word: a quote of "1" or of "25" is not found in it.
    return _within_number(text, index) or _within_number(text, index - 1)


def _within_number(text: str, index: int) -> bool:
    return (
        0 < index < len(text) - 1
        and text[index] in ".,"
        and text[index - 1].isdigit()
        and text[index + 1].isdigit()
    )


def _in_parts(wanted: str, folded: Folded) -> list[tuple[int, int]]:
    """Places where the parts around an ellipsis follow each other, the closest first part."""
    parts = [part for part in _ELLIPSIS.split(wanted) if part]
    if not _ELLIPSIS.search(wanted) or not parts:
        return []
    if len(parts) > 1 and min(map(len, parts)) < _LEAST_PART:
        return []
    chains = [_whole(fold(part), folded) for part in parts]
    if not all(chains):
        return []
    found: list[tuple[int, int]] = []
    for first, last in chains[0]:
        end = _chained_end(last, chains[1:])
        if end is not None:
            # A later start that reaches the same end is the tighter reading.
            found = [place for place in found if place[1] != end]
            found.append((first, end))
    return found


def _chained_end(last: int, chains: Sequence[Sequence[tuple[int, int]]]) -> int | None:
    for places in chains:
        following = [place for place in places if last <= place[0] <= last + _WIDEST_GAP]
        if not following:
            return None
        last = following[0][1]
    return last


def words_covered(
    span: tuple[int, int], words: Sequence[str], text: str | None = None
) -> tuple[int, int] | None:
    """First and last word, inclusive, that offsets [first, last) of the text touch.

    `words` are in reading order. `text` is the sheet's text, made of the same words and
    white space; without it, the words joined by single spaces. None where no word is
    touched; ValueError where the text is not made of these words.
    """
    bounds = _word_bounds(words, text)
    starts = [start for start, _ in bounds]
    ends = [end for _, end in bounds]
    first = bisect_right(ends, span[0])
    last = bisect_left(starts, span[1]) - 1
    return (first, last) if first <= last else None


def _word_bounds(words: Sequence[str], text: str | None) -> list[tuple[int, int]]:
    if text is None:
        ends = list(accumulate(len(word) + 1 for word in words))
        return [(end - len(word) - 1, end - 1) for end, word in zip(ends, words, strict=True)]
    bounds: list[tuple[int, int]] = []
    position = 0
    for word in words:
        start = text.find(word, position)
        if start < 0 or not (start == position or text[position:start].isspace()):
            raise ValueError(f"the text is not made of these words; it lacks {word!r} in its place")
        position = start + len(word)
        bounds.append((start, position))
    return bounds


def find_quote_in_words(
    quote: str, words: Sequence[str], *, near: int | None = None, nth: int = 0
) -> tuple[int, int] | None:
    """First and last word, inclusive, of the quote among the words of a sheet, or None.

    `near` is the index of a word; see `find_quote`.
    """
    text = " ".join(words)
    bounds = _word_bounds(words, None)
    offset = bounds[near][0] if near is not None and 0 <= near < len(bounds) else None
    place = find_quote(quote, text, near=offset, nth=nth)
    return None if place is None else words_covered(place, words)

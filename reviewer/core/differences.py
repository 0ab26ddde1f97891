"""What changed from one version of a text to another, paragraph by paragraph and word by word.

Paragraphs are the same where their keys are, which leave out running heads and numbers. What
became of the others is told in the order of the later version, by the standard library's
longest matching blocks.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

ALIKE = 0.5
"""Two paragraphs that have so large a share of their words in common are one that was changed."""
WORDS_COMPARED = 4000
"""A longer paragraph is told as gone and new, not word by word."""
LOOKED_AT = 20
"""So many earlier paragraphs of a stretch are looked through for the one that was changed."""
_WORDS = re.compile(r"\s+|\d+(?:[.,]\d+)+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One of a version: its sheet, its text, and the key under which it is the same elsewhere."""

    sheet: int
    text: str
    key: str


class Kind(StrEnum):
    SAME = "same"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a changed paragraph that stayed, went or came."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A paragraph that went (`after` None), came (`before` None), or was changed.

    `pieces` are its words. `moved` is the sheet on which the same words stand in the other
    version, 0 where they stand nowhere there.
    """

    before: Paragraph | None
    after: Paragraph | None
    pieces: tuple[Piece, ...]
    moved: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """Paragraphs in a row that stayed, by the sheets of the later version on which they stand."""

    paragraphs: int
    first_sheet: int
    last_sheet: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A sheet before and the sheet that it became; 0 where there is none."""

    before: int
    after: int
    is_changed: bool
    """Whether any of their words changed."""


def differences(before: Sequence[Paragraph], after: Sequence[Paragraph]) -> list[Change | Kept]:
    """All of `after` in its order, what stayed counted, with what went where it had stood."""
    found: list[Change | Kept] = []
    for is_kept, old, new in _blocks(before, after):
        if is_kept:
            found.append(Kept(len(new), new[0].sheet, new[-1].sheet))
        else:
            found += _changes(old, new)
    return _with_moves(found)


def sheet_pairs(
    before: Sequence[Paragraph],
    after: Sequence[Paragraph],
    *,
    sheets_before: Iterable[int],
    sheets_after: Iterable[int],
) -> list[Pair]:
    """Each later sheet beside the earlier one that most of its paragraphs stood on.

    A sheet with which none shares a paragraph is beside the one of its own number, where that
    is left. Earlier sheets that became none come last.
    """
    shared: Counter[tuple[int, int]] = Counter()
    changed_before, changed_after = set[int](), set[int]()
    for is_kept, old, new in _blocks(before, after):
        if is_kept:
            shared.update((one.sheet, other.sheet) for one, other in zip(old, new, strict=True))
        else:
            changed_before |= {one.sheet for one in old}
            changed_after |= {one.sheet for one in new}
    partner: dict[int, int] = {}
    for (old_sheet, new_sheet), _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        if new_sheet not in partner and old_sheet not in partner.values():
            partner[new_sheet] = old_sheet
    left = set(sheets_before) - set(partner.values())
    pairs = []
    for number in sheets_after:
        if number not in partner and number in left:
            partner[number] = number
            left.discard(number)
        old_sheet = partner.get(number, 0)
        is_changed = number in changed_after or old_sheet in changed_before or not old_sheet
        pairs.append(Pair(old_sheet, number, is_changed))
    return pairs + [Pair(number, 0, is_changed=True) for number in sorted(left)]


def _blocks(
    before: Sequence[Paragraph], after: Sequence[Paragraph]
) -> Iterator[tuple[bool, Sequence[Paragraph], Sequence[Paragraph]]]:
    """Stretches that stayed, and between them what stood there before and what stands there now."""
    matcher = SequenceMatcher(None, list(_told_apart(before)), list(_told_apart(after)))
    for what, i1, i2, j1, j2 in matcher.get_opcodes():
        yield what == "equal", before[i1:i2], after[j1:j2]


def _told_apart(paragraphs: Sequence[Paragraph]) -> Iterator[tuple[str, int]]:
    """The keys, those that are there more than once by their turn: a table says "Yes" fifty times,
    and each stands for the one that had its turn before."""
    met: Counter[str] = Counter()
    for paragraph in paragraphs:
        yield paragraph.key, met[paragraph.key]
        met[paragraph.key] += 1


def _changes(old: Sequence[Paragraph], new: Sequence[Paragraph]) -> Iterator[Change]:
    """Those of a stretch that changed: each later one with the first earlier one like it."""
    at = 0
    words = [_words(paragraph) for paragraph in old]
    for paragraph in new:
        mine = _words(paragraph)
        near = range(at, min(at + LOOKED_AT, len(old)))
        like = next((i for i in near if _are_alike(words[i], mine)), None)
        if like is None:
            yield Change(None, paragraph, (Piece(Kind.NEW, paragraph.text),))
            continue
        yield from map(_gone, old[at:like])
        yield Change(old[like], paragraph, tuple(_pieces(old[like].text, paragraph.text)))
        at = like + 1
    yield from map(_gone, old[at:])


def _gone(paragraph: Paragraph) -> Change:
    return Change(paragraph, None, (Piece(Kind.GONE, paragraph.text),))


def _words(paragraph: Paragraph) -> Counter[str]:
    return Counter(re.findall(r"\w+", paragraph.text.casefold()))


def _are_alike(one: Counter[str], other: Counter[str]) -> bool:
    together = one.total() + other.total()
    if not together or max(one.total(), other.total()) > WORDS_COMPARED:
        return False
    return 2 * (one & other).total() >= ALIKE * together


def _pieces(old: str, new: str) -> Iterator[Piece]:
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) * len(after) > 250_000)
    for what, i1, i2, j1, j2 in matcher.get_opcodes():
        if what == "equal":
            yield Piece(Kind.SAME, "".join(after[j1:j2]))
            continue
        if i2 > i1:
            yield Piece(Kind.GONE, "".join(before[i1:i2]))
        if j2 > j1:
            yield Piece(Kind.NEW, "".join(after[j1:j2]))


def _with_moves(found: list[Change | Kept]) -> list[Change | Kept]:
    """Say of what went and came with the same words where they stand in the other version."""
    gone, came = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for change in found:
        if isinstance(change, Change) and change.before and not change.after:
            gone[change.before.key].append(change.before.sheet)
        if isinstance(change, Change) and change.after and not change.before:
            came[change.after.key].append(change.after.sheet)
    return [
        _moved(change, gone, came) if isinstance(change, Change) else change for change in found
    ]


def _moved(change: Change, gone: dict[str, list[int]], came: dict[str, list[int]]) -> Change:
    if change.before and change.after:
        return change
    paragraph, elsewhere = (change.after, gone) if change.after else (change.before, came)
    sheets = elsewhere.get(paragraph.key) if paragraph else None
    return Change(change.before, change.after, change.pieces, sheets[0]) if sheets else change

"""What changed between two versions of a text."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.differences import (
    Change,
    Kept,
    Kind,
    Pair,
    Paragraph,
    Piece,
    differences,
    sheet_pairs,
)


def text(*sheets: Iterable[str]) -> list[Paragraph]:
    """Paragraphs of sheets from 1 on; their words are their keys."""
    return [Paragraph(at, words, words) for at, sheet in enumerate(sheets, 1) for words in sheet]


def told(found: list[Change | Kept]) -> list[tuple]:
    """What a page would say, in short."""
    return [
        ("kept", one.paragraphs, one.first_sheet, one.last_sheet)
        if isinstance(one, Kept)
        else (
            one.before.sheet if one.before else 0,
            one.after.sheet if one.after else 0,
            one.moved,
            "".join(f"[{piece.kind}:{piece.text}]" for piece in one.pieces),
        )
        for one in found
    ]


def test_a_changed_word_is_marked_and_what_stayed_is_counted() -> None:
    before = text(["We start in May.", "The pilot costs $54,000 in all."], ["Thank you."])
    after = text(["We start in May.", "The pilot costs $58,000 in all."], ["Thank you."])
    assert told(differences(before, after)) == [
        ("kept", 1, 1, 1),
        (1, 1, 0, "[same:The pilot costs $][gone:54,000][new:58,000][same: in all.]"),
        ("kept", 1, 2, 2),
    ]


def test_what_went_stands_where_it_had_stood_and_what_came_where_it_stands() -> None:
    before = text(["One thing.", "Quite another matter.", "The end."])
    after = text(["One thing.", "The end.", "And a beginning."])
    assert told(differences(before, after)) == [
        ("kept", 1, 1, 1),
        (1, 0, 0, "[gone:Quite another matter.]"),
        ("kept", 1, 1, 1),
        (0, 1, 0, "[new:And a beginning.]"),
    ]


def test_the_same_words_elsewhere_have_moved() -> None:
    before = text(["Prices.", "Scope."], ["Team.", "Method."], ["Next."])
    after = text(["Scope."], ["Team.", "Method."], ["Next.", "Prices."])
    assert [(one[0], one[1], one[2]) for one in told(differences(before, after))] == [
        (1, 0, 3),
        ("kept", 4, 1),
        (0, 3, 1),
    ]


def test_nothing_against_nothing_is_nothing() -> None:
    assert differences([], []) == []
    assert sheet_pairs([], [], sheets_before=[], sheets_after=[]) == []


def test_sheets_stand_beside_what_they_were() -> None:
    before = text(["Cover."], ["Scope.", "Dates."], ["Team."], ["Old annex."])
    after = text(["Cover."], ["A new letter."], ["Scope.", "Dates, changed."], ["Team."])
    assert sheet_pairs(before, after, sheets_before=[1, 2, 3, 4], sheets_after=[1, 2, 3, 4]) == [
        Pair(1, 1, is_changed=False),
        Pair(0, 2, is_changed=True),
        Pair(2, 3, is_changed=True),
        Pair(3, 4, is_changed=False),
        Pair(4, 0, is_changed=True),
    ]


def test_sheets_without_words_stand_beside_their_own_number() -> None:
    pairs = sheet_pairs([], [], sheets_before=[1, 2], sheets_after=[1, 2, 3])
    assert pairs == [Pair(1, 1, False), Pair(2, 2, False), Pair(0, 3, True)]


LINES = st.lists(st.sampled_from(["a b c", "a b d", "x", "y z", "", "q"]), max_size=8)


@given(LINES, LINES)
def test_the_pieces_give_back_both_versions(old: list[str], new: list[str]) -> None:
    before, after = text(old), text(new)
    found = differences(before, after)
    pieces = [change.pieces for change in found if isinstance(change, Change)]
    kept = sum(one.paragraphs for one in found if isinstance(one, Kept))
    changes = [one for one in found if isinstance(one, Change)]
    assert kept + sum(change.after is not None for change in changes) == len(after)
    assert kept + sum(change.before is not None for change in changes) == len(before)
    for change, parts in zip(changes, pieces, strict=True):
        if change.before:
            assert _of(parts, Kind.GONE) == change.before.text
        if change.after:
            assert _of(parts, Kind.NEW) == change.after.text


def _of(pieces: tuple[Piece, ...], kind: Kind) -> str:
    return "".join(piece.text for piece in pieces if piece.kind in {Kind.SAME, kind})


@pytest.mark.parametrize("same", [True, False])
def test_a_long_text_that_was_rewritten_or_says_one_thing_over_and_over_is_compared(
    same: bool,
) -> None:
    lines = ["Yes." if same else f"Line {n} of the old text." for n in range(4000)]
    others = ["Yes." if same else f"Line {n} of another one." for n in range(4100)]
    found = differences(text(lines), text(others))
    changed = sum(isinstance(one, Change) for one in found)
    assert changed == (100 if same else 4100)

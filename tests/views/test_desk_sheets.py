"""Marks, dots and titles of sheets, and how lengths of time are written: without a database."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviewer.models import Finding, FindingPlace, Sheet, Version
from reviewer.templatetags.desk import ago, took
from reviewer.views.desk_cards import Rights, cards_of
from reviewer.views.desk_sheets import leaves_of, titles_of

V1 = Version(pk=1, number=1)


def sheet(number, text="", **fields):
    return Sheet(number=number, text=text, width=612, height=792, **fields)


def card(number, severity="fix", on=1, boxes=((72, 72, 172, 84),), **fields):
    finding = Finding(
        number=number,
        severity=severity,
        rule="grounding",
        sheet=on,
        text="Fault",
        raised="model",
        first_version=V1,
        **fields,
    )
    finding.here = [
        FindingPlace(position=0, sheet=on, first_word=0, boxes=[list(b) for b in boxes])
    ]
    return cards_of([finding], V1, Rights())[0]


def test_the_gravest_mark_lies_on_top():
    cards = [card(1, "block"), card(2, "consider"), card(3, "fix")]
    [leaf] = leaves_of([sheet(1)], cards, cards)
    assert [mark.number for mark in leaf.marks] == [2, 3, 1]


def test_a_box_is_a_place_a_size_and_the_way_to_its_lower_edge():
    cards = [card(1, boxes=((72.04, 72, 172.12, 84),))]
    [leaf] = leaves_of([sheet(1)], cards, cards)
    assert leaf.marks[0].boxes == ((72.0, 72, 100.1, 12, 112.1),)


def test_dots_count_all_that_is_open_whatever_the_list_shows():
    cards = [card(1, "block"), card(2), card(3), card(4, status="dismissed", on=2)]
    one, two = leaves_of([sheet(1), sheet(2)], cards, [])
    assert (one.blocks, one.fixes, one.considers, one.marks) == (1, 2, 0, ())
    assert not one.is_clear
    assert two.is_clear


def test_a_sheet_that_cannot_be_read_is_never_clear():
    [leaf] = leaves_of([sheet(1, unread="no_text")], [], [])
    assert not leaf.is_clear


def test_a_sheet_is_called_by_its_first_line_unless_it_is_long_or_repeats():
    titles = titles_of(
        [
            sheet(1, "Cover\nDear Denise"),
            sheet(2, "Lindqvist & Partners\nScope"),
            sheet(3, "Lindqvist & Partners\nPrice"),
            sheet(4, "word " * 30),
            sheet(5, ""),
        ]
    )
    assert titles == {1: "Cover", 2: "", 3: "", 4: "", 5: ""}


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "no time"),
        (-1, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (65, "1 min 5 s"),
        (4000, "1 h 6 min"),
    ],
)
def test_a_length_of_time_is_short(seconds, words):
    assert took(seconds) == words


def test_what_was_just_done_is_not_now_ago():
    assert ago(timezone.now()) == "just now"
    assert ago(timezone.now() - timedelta(minutes=4)) == "4 min ago"

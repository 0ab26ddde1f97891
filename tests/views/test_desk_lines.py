"""What stands on which line: grouping, tabs, order and the filter, without a database."""

from dataclasses import replace

import pytest

from reviewer.models import Finding, FindingPlace, Version
from reviewer.views.desk_cards import Rights, cards_of
from reviewer.views.desk_lines import (
    Asked,
    Line,
    by_gravity,
    by_sheet,
    cards_in,
    following,
    in_tab,
    kinds_on_lines,
    matching,
)

ALL = {"block": True, "fix": True, "consider": True}
RIGHTS = Rights(fixed=True, dismiss=ALL, accept=ALL)
V1, V2 = Version(pk=1, number=1), Version(pk=2, number=2)


def finding(number, severity="fix", rule="grounding", sheet=1, first_word=0, **fields):
    fields.setdefault("raised", "model")
    one = Finding(
        number=number,
        severity=severity,
        rule=rule,
        sheet=sheet,
        first_version=fields.pop("first_version", V1),
        text=fields.pop("text", f"Fault {number}"),
        **fields,
    )
    one.here = [FindingPlace(position=0, sheet=sheet, first_word=first_word, last_word=first_word)]
    return one


def cards(*findings, rights=RIGHTS, version=V1):
    return cards_of(findings, version, rights)


def numbers(items):
    return [card.finding.number for card in cards_in(items)]


def test_blocks_come_first_in_sheet_order_and_never_share_a_line():
    shown = by_gravity(
        cards(
            finding(1, "fix"),
            *(finding(n, "block", sheet=13 - n) for n in range(2, 7)),
            finding(7, "consider"),
        )
    )
    assert [section.key for section in shown] == ["block", "fix", "consider"]
    assert numbers(shown[0].items) == [6, 5, 4, 3, 2]
    assert not any(item.is_line for item in shown[0].items if isinstance(item, Line))
    assert shown[0].title == "5 blocks"


def test_three_fixes_of_one_kind_stand_on_one_line_and_two_do_not():
    items = kinds_on_lines(
        cards(
            *(finding(n, rule="grounding", sheet=n) for n in (1, 2, 4)),
            finding(5, rule="structure"),
            finding(6, rule="structure"),
        )
    )
    assert [isinstance(item, Line) for item in items] == [True, False, False]
    assert items[0].title == "3 fixes · Grounding"
    assert items[0].sheets == "sheets 1–2, 4"
    assert numbers(items) == [1, 2, 4, 5, 6]


def test_the_largest_kind_comes_first():
    items = kinds_on_lines(
        cards(
            *(finding(n, rule="grounding") for n in range(3)),
            *(finding(n, rule="structure") for n in range(3, 8)),
        )
    )
    assert [item.rule for item in items] == ["structure", "grounding"]


def test_what_is_to_consider_is_one_line_with_its_kinds_inside():
    [section] = by_gravity(cards(*(finding(n, "consider") for n in range(1, 5))))
    [fold] = section.items
    assert fold.title == "4 to consider"
    assert [item.title for item in fold.items] == ["4 to consider · Grounding"]
    assert section.title == ""


def test_one_decision_serves_a_kind_only_where_the_person_may_take_it():
    same = [finding(n) for n in range(1, 5)]
    [line] = kinds_on_lines(cards(*same))
    assert line.dismissable == 4
    [line] = kinds_on_lines(cards(*same, rights=Rights(fixed=True)))
    assert line.dismissable == 0
    [line] = kinds_on_lines(cards(*same), together=False)
    assert line.dismissable == 0


def test_one_decision_is_not_offered_for_findings_of_unknown_rules():
    [line] = kinds_on_lines(
        cards(*(finding(n, rule="other", rule_as_written="Tone") for n in range(3)))
    )
    assert (line.title, line.dismissable) == ("3 fixes · Tone", 0)


def test_by_sheet_each_sheet_has_its_blocks_first_and_the_document_comes_last():
    sections = by_sheet(
        cards(
            finding(1, "fix", sheet=2, first_word=1),
            finding(2, "block", sheet=2, first_word=9),
            finding(3, "consider", sheet=2),
            finding(4, "block", sheet=0),
            finding(5, "fix", sheet=1),
        ),
        {1: "Cover", 2: ""},
    )
    assert [section.title for section in sections] == [
        "Sheet 1 · Cover",
        "Sheet 2",
        "The whole document",
    ]
    assert numbers(sections[1].items) == [2, 1, 3]
    assert sections[1].items[-1].title == "1 to consider"


@pytest.mark.parametrize(
    ("fields", "tab"),
    [
        ({}, "open"),
        ({"status": "fix_claimed"}, "claimed"),
        ({"status": "dismissed"}, "settled"),
        ({"status": "accepted"}, "settled"),
        ({"raised": "check", "recheck": "does_not_hold"}, "settled"),
        ({"status": "fix_claimed", "recheck": "holds"}, "open"),
    ],
)
def test_every_state_has_its_tab(fields, tab):
    [card] = cards(finding(1, **fields))
    assert card.tab == tab
    assert in_tab([card], tab) == [card]


def test_an_open_finding_that_lost_its_place_stands_under_both():
    [card] = cards(finding(1, evidence="gone"))
    assert in_tab([card], "open") == in_tab([card], "lost") == [card]
    assert card.notes == ("Lost its place: its words are not in this version any more.",)


def test_a_settled_finding_has_no_place_to_lose():
    assert in_tab(cards(finding(1, evidence="gone", status="dismissed")), "lost") == []


def test_what_came_with_a_later_version_is_not_shown_on_an_earlier_one():
    later = finding(2, first_version=V2)
    assert numbers(cards(finding(1), later, version=V1)) == [1]
    assert numbers(cards(finding(1), later, version=V2)) == [1, 2]


@pytest.mark.parametrize(
    ("fields", "acts"),
    [
        ({}, ("fixed", "dismiss", "accept")),
        ({"status": "fix_claimed"}, ("reopen",)),
        ({"status": "dismissed"}, ("reopen",)),
        ({"status": "accepted"}, ("reopen",)),
        ({"status": "fix_claimed", "recheck": "holds"}, ("fixed", "dismiss", "accept", "reopen")),
        ({"raised": "check", "recheck": "does_not_hold"}, ()),
    ],
)
def test_only_acts_that_lead_somewhere_are_offered(fields, acts):
    assert cards(finding(1, **fields))[0].acts == acts


def test_no_act_is_offered_without_the_right():
    writer = Rights(fixed=True, dismiss={"consider": True}, accept={})
    fix, light = cards(finding(1, "fix"), finding(2, "consider"), rights=writer)
    assert fix.acts == ("fixed",)
    assert light.acts == ("fixed", "dismiss")


@pytest.mark.parametrize(
    ("fields", "seen"),
    [
        ({"votes": 2, "passes": 3}, "seen 2 of 3"),
        ({"votes": 2, "passes": 3, "verdict": "holds"}, "seen 2 of 3 · verified"),
        ({"raised": "check", "check_code": "weekday"}, "checked: weekdays match their dates"),
        ({"raised": "check", "check_code": "gone"}, "built-in check"),
        ({"raised": "person"}, "raised by a person"),
    ],
)
def test_a_card_says_who_saw_it(fields, seen):
    assert cards(finding(1, **fields))[0].seen == seen


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", [1, 2, 3]),
        ("PRICE", [1, 3]),
        ("price sheet 2", [3]),
        ("sheet 2", [3]),
        ("#2", [2]),
        ("grounding", [1, 2, 3]),
        ("price nowhere", []),
    ],
)
def test_the_filter_looks_for_every_word_a_sheet_or_a_number(words, found):
    those = cards(
        finding(1, text="The price differs from sheet 2."),
        finding(2, text="No baseline."),
        finding(3, text="One price.", sheet=2),
    )
    assert numbers(matching(those, words)) == found


def test_after_a_finding_comes_the_next_and_after_the_last_the_one_before():
    those = cards(*(finding(n, first_word=n) for n in (1, 2, 3)))
    assert [following(those, n) for n in (1, 2, 3)] == [2, 3, 2]
    assert following(those[:1], 1) is None
    assert following(those, 9) is None


def test_the_address_says_only_what_is_not_the_default():
    asked = Asked.of({"tab": "lost", "order": "upside-down", "q": " price & tax "})
    assert asked == Asked(tab="lost", order="gravity", words="price & tax")
    assert asked.query() == "?tab=lost&q=price+%26+tax"
    assert asked.query(tab="open") == "?q=price+%26+tax"
    assert replace(asked, tab="open", words="").query() == ""

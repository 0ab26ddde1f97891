"""What looks the same, what is offered to be learned, and what learnings did."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviewer.models import Event, HeldBack, Likeness, Pinned
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.learnings_alike import alike_of, near, same_as, say_same
from reviewer.services.learnings_dismissed import dismiss_offer
from reviewer.services.learnings_effect import UNMET_AFTER, effect_of
from reviewer.services.learnings_offered import offers_of
from tests.factories import make_finding, make_reading, make_review
from tests.views.learned import RULE, a_version, in_force, met_twice, said_same, upheld

pytestmark = pytest.mark.django_db


def read_with(cast, *learnings, **fields):
    """A proposal that was read to the end, with these learnings in force when it began."""
    version = a_version(cast, **fields)
    review = make_review(version)
    pairs = [[each.number, 1] for each in learnings]
    Pinned.objects.create(
        review=review, kind="proposal", language="en", today="2031-05-30", learnings=pairs
    )
    return version


def test_the_nearest_of_other_proposals_come_first_and_are_five(cast):
    one = upheld(a_version(cast), text="Other tools as needed has no end.", quote="as needed")
    others = [upheld(a_version(cast), text=f"Nothing in common {n}.", quote="") for n in range(6)]
    like = upheld(a_version(cast), text="Other tools as needed is open.", quote="as needed")
    upheld(one.first_version, text=one.text, quote=one.quote)
    found = alike_of(one)
    assert [each.finding for each in found] == [like, *others[:1:-1]]
    assert found[0].likeness > found[1].likeness == 0
    assert {each.said for each in found} == {None}


@pytest.mark.parametrize(
    "fields",
    [
        {"raised": "check", "votes": 0, "passes": 0},
        {"votes": 1, "is_agreed": False, "verdict": "none"},
        {"status": "dismissed"},
    ],
)
def test_what_is_not_upheld_is_neither_asked_about_nor_shown(cast, fields):
    one, other = met_twice(cast)
    assert [each.finding for each in alike_of(one)] == [other]
    decided = {"decided_by": cast.rae} if "status" in fields else {}
    odd = upheld(a_version(cast), **fields, **decided)
    assert alike_of(odd) == ()
    assert [each.finding for each in alike_of(one)] == [other]


def test_nothing_of_another_house_and_no_other_rule_is_near(cast):
    one = upheld(a_version(cast))
    upheld(a_version(cast), rule="grounding")
    there = type(cast)(cast.ola.workspace, cast.ola, cast.ola, cast.ola, cast.ola)
    upheld(a_version(there))
    assert alike_of(one) == ()


def test_the_last_word_counts_and_each_is_an_event(cast):
    one, other = met_twice(cast)
    say_same(finding=one, other=other, actor=cast.rae, same=True)
    say_same(finding=other, other=one, actor=cast.max, same=False)
    row = Likeness.objects.get()
    assert (row.is_same, row.by) == (False, cast.max.user)
    assert same_as([one, other]) == {}
    verbs = Event.objects.filter(subject="finding").values_list("verb", flat=True)
    assert list(verbs) == ["said the same", "said not the same"]


@pytest.mark.parametrize("who", ["wen", "ola"])
def test_a_writer_and_an_outsider_say_nothing(cast, who):
    one, other = met_twice(cast)
    with pytest.raises(NotAllowed):
        say_same(finding=one, other=other, actor=getattr(cast, who), same=True)


def test_two_of_one_proposal_are_for_merging(cast):
    one = upheld(a_version(cast))
    with pytest.raises(Refused, match="Merge them"):
        say_same(finding=one, other=upheld(one.first_version), actor=cast.rae, same=True)


def test_wordings_alike_are_told_from_the_nearest_others(cast):
    same, other = in_force(cast), in_force(cast, "Prices have a currency.")
    found = near(workspace=cast.workspace, text=RULE.upper())
    assert [each.learning for each in found.alike] == [same]
    assert [each.learning for each in found.nearest] == [other]
    assert found.alike[0].likeness == 1
    assert near(workspace=cast.workspace, text=RULE, without=same).alike == ()
    assert near(workspace=cast.ola.workspace, text=RULE).nearest == ()


def test_a_pair_is_asked_once_and_then_offered_and_then_never_again(cast):
    one, other = met_twice(cast)
    (question,) = offers_of(cast.workspace).questions
    assert {question.finding, question.nearest[0].finding} == {one, other}
    say_same(finding=one, other=other, actor=cast.rae, same=True)
    offers = offers_of(cast.workspace)
    assert offers.questions == ()
    (candidate,) = offers.candidates
    assert (candidate.findings, candidate.proposals, candidate.upheld) == ((one, other), 2, 2)
    in_force(cast, findings=candidate.findings)
    assert offers_of(cast.workspace).candidates == ()


def test_what_is_the_same_as_the_same_is_one_offer(cast):
    one, other = said_same(cast)
    third = upheld(a_version(cast))
    say_same(finding=third, other=other, actor=cast.rae, same=True)
    (candidate,) = offers_of(cast.workspace).candidates
    assert candidate.findings == (one, other, third)
    assert candidate.proposals == 3


def test_a_dismissed_offer_needs_a_reason_and_is_all_or_nothing(cast):
    one, other = said_same(cast)
    said = {"kind": "look_for", "text": RULE, "rule": "", "findings": [one, other]}
    with pytest.raises(Refused):
        dismiss_offer(actor=cast.rae, workspace=cast.workspace, why=" ", **said)
    assert not cast.workspace.learnings.exists()
    made = dismiss_offer(actor=cast.rae, workspace=cast.workspace, why="No.", **said)
    assert made.status == "declined"
    assert offers_of(cast.workspace).candidates == ()


def test_dismissals_repeat_by_rule_and_reason_on_two_proposals_and_never_for_a_block(cast):
    def dismissed(version, reason, **fields):
        said = {"status": "dismissed", "decided_by": cast.rae, "decision_reason": reason}
        return make_finding(version, **said | fields)

    first, second = a_version(cast), a_version(cast)
    mine = [
        dismissed(first, "The client asked for it."),
        dismissed(second, "the client asked for it"),
    ]
    dismissed(second, "Known.")
    dismissed(first, "Twice here."), dismissed(first, "Twice here.")
    for version in (first, second):
        dismissed(version, "A block.", severity="block")
    (repeated,) = offers_of(cast.workspace).repeated
    assert (repeated.findings, repeated.proposals) == (tuple(mine), 2)


def test_the_effect_is_counted_before_and_after(cast):
    before = [read_with(cast), read_with(cast)]
    sources = [upheld(version) for version in before]
    rule = in_force(cast, findings=sources)
    after = [read_with(cast, rule), read_with(cast, rule)]
    upheld(after[0], learning=rule)
    upheld(after[0], learning=rule, status="dismissed", decided_by=cast.rae)
    effects = effect_of(cast.workspace)
    effect = effects.of[rule.pk]
    assert (effect.read_with, effect.met, effect.upheld, effect.dismissed) == (2, 4, 3, 1)
    assert [(point.findings, point.after) for point in effect.series] == [
        (1, False),
        (1, False),
        (2, True),
        (0, True),
    ]
    assert effects.house == effect.series
    assert effect_of(cast.workspace, series_of=()).of[rule.pk].series == ()


def test_what_people_said_is_the_same_counts_as_met(cast):
    one, _ = said_same(cast)
    rule = in_force(cast, findings=[one])
    effect = effect_of(cast.workspace).of[rule.pk]
    assert (effect.met, effect.upheld) == (2, 2)


def test_a_proposal_out_of_scope_is_no_point(cast):
    read_with(cast, client="Harbor Mutual")
    mine = read_with(cast, client="Calder Freight")
    rule = in_force(cast, client="calder  freight")
    series = effect_of(cast.workspace).of[rule.pk].series
    assert [point.proposal for point in series] == [mine.proposal_id]


def test_one_that_stays_unmet_is_stale_and_one_met_lately_is_not(cast):
    rule, met = in_force(cast), in_force(cast, "Prices have a currency.")
    for _ in range(UNMET_AFTER - 1):
        read_with(cast, rule, met)
    assert effect_of(cast.workspace).stale == ()
    upheld(read_with(cast, rule, met), learning=met)
    assert effect_of(cast.workspace).stale == (rule,)


def test_one_that_is_mostly_dismissed_is_contested(cast):
    rule, version = in_force(cast), read_with(cast)
    for status in ("open", "dismissed", "dismissed"):
        upheld(version, learning=rule, status=status, decided_by=cast.rae)
    assert effect_of(cast.workspace).contested == ()
    upheld(version, learning=rule, status="dismissed", decided_by=cast.rae)
    assert effect_of(cast.workspace).contested == (rule,)


def test_two_that_contradict_are_pointed_out(cast):
    one = in_force(cast, "Always name the price of every option.")
    other = in_force(cast, "Never name the price of every option.")
    (found,) = effect_of(cast.workspace).contradicting
    assert (found.first, found.second) == (one, other)


def test_what_a_learning_held_back_is_counted(cast):
    dismissed = [
        make_finding(a_version(cast), status="dismissed", decided_by=cast.rae) for _ in range(2)
    ]
    rule = in_force(cast, "Leave it.", kind="do_not_raise", findings=dismissed)
    HeldBack.objects.create(
        reading=make_reading(make_review(a_version(cast)), sheet=1),
        index=0,
        by=rule.current,
        sheet=1,
        severity="fix",
        rule="grounding",
        text="No source.",
    )
    assert effect_of(cast.workspace).of[rule.pk].held_back == 1


def test_offers_and_effect_take_as_many_queries_for_twenty_as_for_two(cast):
    def queries(count):
        for number in range(count):
            one, other = said_same(cast)
            rule = in_force(cast, f"Rule {number} of {count}.", findings=[one])
            upheld(read_with(cast, rule), learning=rule)
            said_same(cast)
        with CaptureQueriesContext(connection) as counted:
            offers_of(cast.workspace)
            effect_of(cast.workspace)
            alike_of(other)
        return len(counted)

    assert queries(2) == queries(8) <= 14

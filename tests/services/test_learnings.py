"""Learnings are proposed, approved by another, worded anew and ended; each act is an event."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db.models import F
from django.utils import timezone

from reviewer.models import Event, Finding, Learning, LearningSource, LearningVersion
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.learnings import (
    approve,
    decline,
    merge_into,
    promote,
    retire,
    revise,
    set_expiry,
    settle_waiting,
)
from reviewer.services.learnings_alike import say_same
from reviewer.services.learnings_given import learned_on
from reviewer.services.policy import change_policy
from tests.factories import Cast, make_finding, make_proposal, make_version
from tests.learned import TEXT, make_learning

Status = Learning.Status
PEOPLE = ("wen", "rae", "max", "ola")


def _finding(cast: Cast, **fields) -> Finding:
    return make_finding(make_version(make_proposal(cast.workspace)), **fields)


def _promote(cast: Cast, who: str = "rae", **how) -> Learning:
    how = {"kind": "look_for", "text": TEXT, **how}
    return promote(actor=getattr(cast, who), workspace=cast.workspace, **how)


def _given(cast: Cast) -> list[tuple[int, int]]:
    day = timezone.localdate()
    return [(each.number, each.version) for each in learned_on(cast.workspace.pk, day)]


def _verbs(learning: Learning) -> list[str]:
    return [e.verb for e in Event.objects.filter(subject="learning", subject_id=learning.pk)]


ACTS = {
    "promote": lambda cast, by: promote(
        actor=by, workspace=cast.workspace, kind="look_for", text=TEXT
    ),
    "revise": lambda cast, by: revise(learning=make_learning(cast), actor=by, text="Other words."),
    "approve": lambda cast, by: approve(learning=make_learning(cast, status="proposed"), actor=by),
    "decline": lambda cast, by: decline(
        learning=make_learning(cast, status="proposed", author=cast.max.user), actor=by, why="No."
    ),
    "retire": lambda cast, by: retire(learning=make_learning(cast), actor=by, why="Over."),
    "set_expiry": lambda cast, by: set_expiry(
        learning=make_learning(cast), actor=by, expires_on=None
    ),
    "merge_into": lambda cast, by: merge_into(
        learning=make_learning(cast), findings=[_finding(cast)], actor=by
    ),
    "say_same": lambda cast, by: say_same(
        finding=_finding(cast), other=_finding(cast), actor=by, same=True
    ),
}
MAY = {
    "promote": {"rae", "max"},
    "revise": {"rae", "max"},
    "approve": {"max"},
    "decline": {"max"},
    "retire": {"max"},
    "set_expiry": {"max"},
    "merge_into": {"rae", "max"},
    "say_same": {"rae", "max"},
}


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("act", sorted(ACTS))
def test_each_role_does_what_it_may_and_every_act_is_an_event(cast, act, who):
    by = getattr(cast, who)
    if who not in MAY[act]:
        with pytest.raises(NotAllowed):
            ACTS[act](cast, by)
        assert not Event.objects.exists()
        return
    ACTS[act](cast, by)
    assert Event.objects.get().actor_id == by.user_id


def test_nobody_approves_what_they_worded_themselves(cast):
    mine = _promote(cast, "max")
    with pytest.raises(NotAllowed):
        approve(learning=mine, actor=cast.max)
    theirs = make_learning(cast, author=cast.rae.user)
    revise(learning=theirs, actor=cast.max, text="Other words.")
    with pytest.raises(NotAllowed):
        approve(learning=theirs, actor=cast.max)
    assert _given(cast) == [(theirs.number, 1)]


def test_a_learning_is_in_force_once_another_person_approves_it(cast):
    finding = _finding(cast, text="Which systems is left open.")
    learning = _promote(cast, findings=[finding], rule="unambiguous_scope")
    assert (learning.status, _given(cast)) == (Status.PROPOSED, [])
    approve(learning=learning, actor=cast.max)
    learning.refresh_from_db()
    assert _given(cast) == [(1, 1)]
    assert (learning.author, learning.approved_by) == (cast.rae.user, cast.max.user)
    assert _verbs(learning) == ["proposed", "approved"]


def test_its_sources_keep_their_words_when_the_finding_is_deleted(cast):
    finding = _finding(cast, text="Which systems is left open.")
    learning = _promote(cast, findings=[finding])
    finding.delete()
    source = LearningSource.objects.get(learning=learning)
    assert (source.finding, source.text) == (None, "Which systems is left open.")


def test_a_wording_in_force_goes_on_until_the_next_is_approved(cast):
    learning = make_learning(cast)
    revise(learning=learning, actor=cast.rae, text="Name every integration.")
    assert _given(cast) == [(1, 1)]
    decline(learning=learning, actor=cast.max, why="The first is plainer.")
    learning.refresh_from_db()
    assert (learning.status, learning.pending, _given(cast)) == (Status.IN_FORCE, None, [(1, 1)])
    revise(learning=learning, actor=cast.rae, text="Name each integration by its product.")
    approve(learning=learning, actor=cast.max)
    assert _given(cast) == [(1, 3)]
    assert learning.versions.get(number=1).text == TEXT


def test_a_wording_is_written_once(cast):
    version = make_learning(cast).current
    version.text = "Changed behind the back of readings."
    with pytest.raises(TypeError):
        version.save()
    assert LearningVersion.objects.get().text == TEXT


def test_a_learning_waits_as_long_as_the_workspace_says_where_nobody_approves(cast):
    learning = _promote(cast)
    assert settle_waiting() == 0
    change_policy(by=cast.max, learning_wait_days=3)
    waiting = _promote(cast, text="Give the baseline beside every percentage.")
    assert (settle_waiting(), _given(cast)) == (0, [])
    past = timezone.now() - timedelta(minutes=1)
    Learning.objects.update(pending_from=past)
    assert settle_waiting(cast.workspace) == 2
    waiting.refresh_from_db()
    assert (waiting.approved_by, len(_given(cast))) == (None, 2)
    assert _verbs(learning)[-1] == "came into force"


@pytest.mark.parametrize("days", [7, 0])
def test_what_came_into_force_by_waiting_is_reworded_and_the_new_wording_waits(cast, days):
    change_policy(by=cast.max, learning_wait_days=7)
    learning = _promote(cast)
    waited = timezone.now() - timedelta(minutes=1)
    Learning.objects.update(pending_from=waited)
    assert settle_waiting() == 1
    change_policy(by=cast.max, learning_wait_days=days)
    learning.refresh_from_db()
    revise(learning=learning, actor=cast.rae, text="Name every integration.")
    learning.refresh_from_db()
    assert (learning.pending.text, learning.in_force_from) == ("Name every integration.", waited)
    assert (learning.pending_from is not None) == bool(days)
    assert (_given(cast), settle_waiting()) == ([(1, 1)], 0)


def test_a_wording_that_was_declined_leaves_nothing_behind_that_waits(cast):
    change_policy(by=cast.max, learning_wait_days=7)
    learning = _promote(cast)
    waited = timezone.now() - timedelta(minutes=1)
    Learning.objects.update(pending_from=waited)
    settle_waiting()
    learning.refresh_from_db()
    revise(learning=learning, actor=cast.rae, text="Name every integration.")
    decline(learning=learning, actor=cast.max, why="The first is plainer.")
    learning.refresh_from_db()
    assert (learning.pending, learning.pending_from, learning.in_force_from) == (None, None, waited)
    revise(learning=learning, actor=cast.rae, text="Name each integration.")
    Learning.objects.update(pending_from=timezone.now() - timedelta(seconds=1))
    assert (settle_waiting(), _given(cast)) == (1, [(1, 3)])


def test_what_a_person_approved_is_reworded_by_waiting_later(cast):
    learning = make_learning(cast)
    change_policy(by=cast.max, learning_wait_days=7)
    revise(learning=learning, actor=cast.rae, text="Name every integration.")
    waited = timezone.now() - timedelta(seconds=1)
    Learning.objects.update(pending_from=waited)
    assert settle_waiting() == 1
    learning.refresh_from_db()
    assert (learning.approved_by, learning.in_force_from, _given(cast)) == (None, waited, [(1, 2)])


def test_the_dates_of_what_waited_before_there_was_a_column_are_moved(cast):
    day = timezone.now() + timedelta(days=3)
    waits = make_learning(cast, status="proposed", in_force_from=day)
    approved, waited = make_learning(cast), make_learning(cast)
    revise(learning=approved, actor=cast.rae, text="Name every integration.")
    Learning.objects.filter(pk=approved.pk).update(in_force_from=day)
    Learning.objects.filter(pk=waited.pk).update(
        approved_by=None, approved_at=None, in_force_from=F("in_force_at")
    )
    import_module("reviewer.migrations.0018_pending_from").move_what_waits(apps, None)
    dates = dict(Learning.objects.values_list("pk", "pending_from"))
    assert dates == {waits.pk: day, approved.pk: day, waited.pk: None}
    assert Learning.objects.get(in_force_from__isnull=False) == waited


def test_a_house_that_asks_for_a_person_lets_nothing_into_force_by_waiting(cast):
    change_policy(by=cast.max, learning_wait_days=3)
    _promote(cast)
    Learning.objects.update(pending_from=timezone.now() - timedelta(days=1))
    change_policy(by=cast.max, learning_wait_days=0)
    assert (settle_waiting(), _given(cast)) == (0, [])


def test_what_supersedes_another_ends_it_when_it_comes_into_force(cast):
    old = make_learning(cast)
    new = _promote(cast, text="Name every system that is connected.", supersedes=old)
    assert _given(cast) == [(1, 1)]
    approve(learning=new, actor=cast.max)
    old.refresh_from_db()
    assert (old.status, old.superseded_by, _given(cast)) == (Status.SUPERSEDED, new, [(2, 1)])


def test_an_expired_or_ended_learning_is_given_to_nobody(cast):
    yesterday = timezone.localdate() - timedelta(days=1)
    make_learning(cast, expires_on=yesterday, proposed_on=yesterday - timedelta(days=9))
    make_learning(cast, status="retired")
    make_learning(cast, status="declined")
    today = make_learning(
        cast, expires_on=timezone.localdate(), proposed_on=yesterday - timedelta(days=9)
    )
    assert _given(cast) == [(today.number, 1)]


def test_of_two_who_decide_at_once_the_second_is_told(cast):
    learning = make_learning(cast, status="proposed")
    seen_before = Learning.objects.get(pk=learning.pk)
    decline(learning=learning, actor=cast.max, why="Too vague.")
    with pytest.raises(MovedMeanwhile):
        approve(learning=seen_before, actor=cast.max)
    reworded = make_learning(cast)
    stale = Learning.objects.get(pk=reworded.pk)
    revise(learning=reworded, actor=cast.rae, text="Other words.")
    with pytest.raises(MovedMeanwhile):
        revise(learning=stale, actor=cast.max, text="Other words still.")
    assert reworded.versions.count() == 2


@pytest.mark.parametrize(
    "how",
    [
        {"text": " "},
        {"text": "x" * 601},
        {"kind": "guess"},
        {"rule": "no_such_rule"},
        {"proposal_kind": "novel"},
        {"phrase": "leverage"},
        {"kind": "never_say", "phrase": "…"},
        {"kind": "do_not_raise"},
        {"expires_on": timezone.localdate()},
    ],
    ids=str,
)
def test_what_cannot_be_used_is_refused_and_nothing_is_kept(cast, how):
    with pytest.raises(Refused) as refused:
        _promote(cast, **how)
    assert refused.value.message.endswith(".")
    assert not Learning.objects.exists()
    assert not Event.objects.exists()


def test_findings_of_another_house_are_no_sources(cast):
    strange = make_finding(make_version(make_proposal(cast.ola.workspace)))
    with pytest.raises(Refused):
        _promote(cast, findings=[strange])
    with pytest.raises(Refused):
        merge_into(learning=make_learning(cast), findings=[strange], actor=cast.rae)


def test_two_findings_of_one_proposal_are_merged_there_and_not_said_the_same(cast):
    version = make_version(make_proposal(cast.workspace))
    with pytest.raises(Refused):
        say_same(
            finding=make_finding(version), other=make_finding(version), actor=cast.rae, same=True
        )

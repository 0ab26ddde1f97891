"""Stored answers read again: what is recovered goes to its review once, and nothing is taken away."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from reviewer.core.raw import RawAnswer, RawToolCall
from reviewer.core.schema import TOOL_NAME
from reviewer.core.verdicts import VERDICTS_TOOL_NAME
from reviewer.models import Answer, Event, Finding, ModelSettings, Reading, Replay, Review, Sighting
from reviewer.services import replay as module
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.replay import last_replay, replay, run_replay, start_replay
from reviewer.services.setting import pin
from reviewer.tasks import forget_answers, replay_answers
from tests.factories import (
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_source,
    make_version,
)
from tests.fakes.replies import finding
from tests.views.html import html_of

FOUND = finding(quote="cut detention costs by 30%", finding="Thirty percent has no source.")


def _report(*findings) -> str:
    return json.dumps({"findings": list(findings), "keeps": []})


def _as_text(*findings) -> RawAnswer:
    """The findings as a call written as text."""
    text = (
        f"<tool_call>\n<function={TOOL_NAME}>\n<parameter=findings>\n{json.dumps(list(findings))}\n"
        "</parameter>\n<parameter=keeps>\n[]\n</parameter>\n</function>\n</tool_call>"
    )
    return RawAnswer(model="text-model", text=text, stop_reason="end_turn")


def _lost(cast, *, status: str = "finished", raw: RawAnswer | None = None, **fields) -> Reading:
    """A reading whose answer an earlier reader lost, though today's reads it."""
    version = make_version(make_proposal(cast.workspace, owner=cast.wen))
    review = make_review(version, status=status, passes=1)
    given = {"model": "text-model", "outcome": "no_call", "kept": 0, **fields}
    return make_reading(review, sheet=1, raw=(raw or _as_text(FOUND)).as_json(), **given)


def _command(*arguments: str) -> str:
    out = StringIO()
    call_command("replay", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_shows_what_changes_as_a_table_and_stores_nothing(cast):
    reading = _lost(cast)
    make_reading(reading.review, sheet=2, raw=RawAnswer().as_json(), model="silent")
    told = _command().splitlines()
    assert told[0].split() == ["reading", "model", "then", "now", "kept", "keeps"]
    assert told[1].split() == [str(reading.pk), "text-model", "no_call", "read", "0", "1"]
    assert told[2] == (
        "1 answer read again, 1 read differently, 1 finding or verdict recovered. "
        "Not stored; say --apply to store what is new."
    )
    reading.refresh_from_db()
    assert (reading.outcome, reading.kept) == ("no_call", 0)
    assert not Finding.objects.exists()
    assert not Event.objects.filter(verb="read again").exists()


def test_applied_twice_it_is_recorded_once(cast):
    reading = _lost(cast)
    assert "Stored." in _command("--apply")
    again = _command("--apply")
    assert (
        again
        == "1 answer read again, 0 read differently, 0 findings or verdicts recovered. Stored.\n"
    )
    reading.refresh_from_db()
    assert (reading.outcome, reading.kept, reading.way_read) == ("read", 1, "text_call")
    raised = Finding.objects.get(proposal=reading.review.version.proposal)
    assert (raised.text, raised.votes) == (FOUND["finding"], 1)
    assert raised.places.count() == 1
    assert Sighting.objects.filter(reading=reading).count() == 1
    event = Event.objects.get(verb="read again")
    assert (event.from_state, event.to_state, event.why) == (
        "no_call",
        "read",
        "1 finding recovered",
    )
    assert (event.review_id, event.proposal_id) == (reading.review_id, raised.proposal_id)


def test_two_replays_at_once_record_once(cast):
    reading = _lost(cast)
    first, second = replay(), replay(apply=True)
    held = next(first)
    assert held.changed
    list(second)
    # The first one loaded the reading as it was before the second one corrected it.
    ground, text = module._Documents().of(held.reading.review)
    read = module.read_answer(_as_text(FOUND), sheets=ground.texts, document=text)
    module._store(held.reading, read, lambda: pytest.fail("it was stored twice"), {})
    assert Event.objects.filter(verb="read again").count() == 1
    assert Sighting.objects.filter(reading=reading).count() == 1


@pytest.mark.parametrize("status", Review.Status.running())
def test_a_review_that_runs_is_left_alone(cast, status):
    reading = _lost(cast, status=status)
    told = _command("--apply")
    assert "still running" in told
    assert "0 findings or verdicts recovered. 1 answer of reviews that still run left alone" in told
    reading.refresh_from_db()
    assert (reading.outcome, reading.kept) == ("no_call", 0)
    assert not Finding.objects.exists()


def test_what_today_reads_less_of_keeps_what_it_has(cast):
    reading = _lost(cast, outcome="read", kept=3)
    assert " 3      1" in _command("--apply")
    reading.refresh_from_db()
    assert (reading.outcome, reading.kept) == ("read", 3)


@pytest.mark.parametrize(
    ("kind", "hides"), [("pass", True), ("picture", True), ("document", False), ("sweep", False)]
)
def test_one_as_long_as_allowed_may_hide_some_as_if_it_had_been_read_so_at_once(cast, kind, hides):
    reading = _lost(cast, kind=kind, outcome="invalid_call", raw=_as_text(*[FOUND] * 15))
    _command("--apply")
    reading.refresh_from_db()
    assert (reading.outcome, reading.kept, reading.is_censored) == ("read", 15, hides)


def test_it_is_judged_by_the_sources_that_its_model_was_given_whatever_they_are_today(cast):
    proposal = make_proposal(cast.workspace, owner=cast.wen)
    version = make_version(proposal)
    source = make_source(proposal, f"They wrote <tool_call><function={TOOL_NAME}> to us.")
    told, untold = make_review(version, passes=1), make_review(version, passes=1)
    raw, lost = _as_text(FOUND).as_json(), {"model": "m", "outcome": "refused_text_call"}
    pin(told)
    refused = make_reading(told, sheet=1, raw=raw, **lost)
    source.delete()
    pin(untold)
    recovered = make_reading(untold, sheet=1, raw=raw, **lost)
    make_source(proposal, f"They wrote <tool_call><function={TOOL_NAME}> again.")
    read = {one.reading: one.after for one in replay(apply=True)}
    assert read == {refused: "refused_text_call", recovered: "read"}
    assert not Sighting.objects.filter(reading=refused).exists()
    assert Sighting.objects.filter(reading=recovered).count() == 1


def test_what_is_recovered_is_known_where_another_reading_saw_it(cast):
    reading = _lost(cast)
    known = make_finding(
        reading.review.version, quote=FOUND["quote"], text=FOUND["finding"], votes=1
    )
    _command("--apply")
    assert Sighting.objects.get(reading=reading).finding == known
    assert Finding.objects.count() == 1


def test_verdicts_are_stored_for_findings_that_have_none(cast):
    native = RawToolCall(
        VERDICTS_TOOL_NAME,
        json.dumps(
            {"verdicts": [{"number": n, "why": "Looked.", "verdict": "holds"} for n in (1, 2)]}
        ),
    )
    reading = _lost(
        cast,
        kind="check",
        candidates=[1, 2],
        raw=RawAnswer(model="m", calls=(native,), stop_reason="tool_use"),
    )
    make_finding(reading.review.version, number=1)
    make_finding(reading.review.version, number=2, verdict="does_not_hold")
    _command("--apply")
    said = Finding.objects.order_by("number").values_list("verdict", flat=True)
    assert list(said) == ["holds", "does_not_hold"]
    assert Event.objects.get(verb="read again").why == "1 verdict recovered"


def test_only_what_was_asked_for_is_read_again(cast):
    _lost(cast)
    other = _lost(cast, model="another", finished_at=timezone.now() - timedelta(days=3))
    assert [one.reading for one in replay(model="another")] == [other]
    today = timezone.localdate().isoformat()
    assert "1 answer read again" in _command("--since", today)


# By a manager, for the workspace ------------------------------------------------------------


def test_a_manager_has_it_done_and_the_models_page_tells_the_result(
    cast, client_of, published, django_capture_on_commit_callbacks
):
    reading = _lost(cast)
    page = reverse("models", args=[cast.workspace.slug])
    with django_capture_on_commit_callbacks(execute=True):
        start_replay(by=cast.max)
    asked = Replay.objects.get()
    assert published == [("replay_answers", asked.pk)]
    assert "Max started this now" in html_of(client_of(cast.max).get(page))
    replay_answers(asked.pk)
    told = "1 answer read again, 1 read differently, 1 finding or verdict recovered."
    assert last_replay(cast.workspace.pk).why == told
    assert told in html_of(client_of(cast.max).get(page))
    assert told not in html_of(client_of(cast.wen).get(page))
    reading.refresh_from_db()
    assert reading.outcome == "read"


@pytest.mark.parametrize("who", ["wen", "rae"])
def test_nobody_but_a_manager_may(cast, who):
    with pytest.raises(NotAllowed):
        start_replay(by=getattr(cast, who))


def test_one_runs_at_a_time_and_what_is_delivered_twice_ends_once(cast):
    _lost(cast)
    asked = start_replay(by=cast.max)
    with pytest.raises(Refused, match="being read again already"):
        start_replay(by=cast.max)
    assert run_replay(asked.pk).recovered == 1
    assert run_replay(asked.pk) is None
    assert Event.objects.filter(verb="replay ended").count() == 1
    start_replay(by=cast.max)


def test_who_lost_it_to_another_worker_ends_nothing(cast, monkeypatch):
    asked = start_replay(by=cast.max)

    def taken_meanwhile(**_: object):
        Replay.objects.update(token="of another worker")
        return iter(())

    monkeypatch.setattr(module, "replay", taken_meanwhile)
    assert run_replay(asked.pk) is None
    assert Replay.objects.get().status == "running"
    assert last_replay(cast.workspace.pk).verb == "replay started"


def test_one_that_took_three_workers_with_it_ends_with_a_sentence(cast):
    asked = start_replay(by=cast.max)
    Replay.objects.update(attempts=3, leased_until=timezone.now() - timedelta(seconds=1))
    assert run_replay(asked.pk) is None
    assert "did not come to its end" in last_replay(cast.workspace.pk).why
    assert Replay.objects.get().status == "failed"


# Raw answers are kept for a time --------------------------------------------------------------


def _aged(reading: Reading, days: float) -> None:
    then = timezone.now() - timedelta(days=days)
    Answer.objects.filter(reading=reading).update(created_at=then)
    Reading.objects.filter(pk=reading.pk).update(finished_at=then)


def test_raw_answers_go_when_the_workspaces_time_is_over_and_findings_stay(cast, client_of):
    ModelSettings.objects.create(workspace=cast.workspace, keep_answers_days=7)
    old, fresh, kept_elsewhere = _lost(cast), _lost(cast), None
    _command("--apply")
    elsewhere = make_version(make_proposal(cast.ola.workspace))
    kept_elsewhere = make_reading(
        make_review(elsewhere), sheet=1, raw=_as_text().as_json(), model="text-model"
    )
    _aged(old, 7.1)
    _aged(fresh, 6.9)
    _aged(kept_elsewhere, 89.0)
    forget_answers()
    assert set(Answer.objects.values_list("reading", flat=True)) == {fresh.pk, kept_elsewhere.pk}
    assert Finding.objects.filter(sightings__reading=old).count() == 1
    event = Event.objects.get(verb="answers removed")
    assert event.workspace == cast.workspace
    assert event.why == "1 raw answer older than 7 days; what was found in it stays"
    forget_answers()
    assert Event.objects.filter(verb="answers removed").count() == 1
    _aged(kept_elsewhere, 90.1)
    forget_answers()
    assert set(Answer.objects.values_list("reading", flat=True)) == {fresh.pk}


def test_a_replay_says_what_was_removed(cast):
    reading = _lost(cast)
    make_reading(reading.review, sheet=2, outcome="not_run", raw=RawAnswer().as_json())
    _aged(reading, 91)
    forget_answers()
    told = _command("--apply")
    assert "1 answer could not be read again: the time for which the workspace keeps it" in told
    assert "What was found in it stays." in told
    replay_answers(start_replay(by=cast.max).pk)
    assert "1 answer could not be read again" in last_replay(cast.workspace.pk).why


def test_a_desk_whose_raw_answers_are_gone_links_to_none(cast, client_of):
    reading = _lost(cast)
    of = reading.review.version
    desk = reverse("desk-version", args=[cast.workspace.slug, of.proposal_id, of.number])
    assert "The raw answer:" in html_of(client_of(cast.rae).get(desk))
    _aged(reading, 91)
    forget_answers()
    page = html_of(client_of(cast.rae).get(desk))
    assert "gave no list of findings" in page
    assert "The raw answer:" not in page

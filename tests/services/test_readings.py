"""One reading: claimed by one worker, asked with nothing held, recorded once."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from reviewer.core.raw import FaultKind, RawAnswer
from reviewer.models import (
    Answer,
    Event,
    Finding,
    ModelSettings,
    Proposal,
    Reading,
    Review,
    Sighting,
)
from reviewer.services import listening, readings
from reviewer.services.progress import reading_progress
from reviewer.services.readings import GAVE_UP, MAX_ATTEMPTS, perform_reading
from reviewer.services.reviews import cancel_review
from tests.fakes.replies import finding
from tests.services.readers import USAGE, Reader, failed, found, read_all, said
from tests.services.scenes import LAPSED, ON_SHEET, OTHER, first_reading, taken_by_another

# What is recorded -----------------------------------------------------------------------


def test_an_answer_is_recorded_with_all_that_was_asked_and_came(cast):
    reading = perform_reading(first_reading(cast).pk, provider=Reader({1: [ON_SHEET, OTHER]}))
    reading.refresh_from_db()
    assert (reading.status, reading.outcome, reading.way_read) == ("done", "read", "native")
    assert (reading.kept, reading.dropped, reading.fault, reading.reason) == (2, [], "", "")
    assert (reading.input_tokens, reading.cache_read_tokens) == (100, 900)
    assert reading.model == "scripted-1"
    assert reading.prompt_hash
    assert reading.first_finding_seconds is not None
    assert reading.leased_until is None
    assert RawAnswer.from_json(reading.answer.raw) == found(ON_SHEET, OTHER)
    assert Event.objects.filter(subject="reading", to_state="done", why="read").count() == 1


def test_what_it_found_stands_at_its_words(cast):
    reading = perform_reading(first_reading(cast).pk, provider=Reader({1: [ON_SHEET]}))
    sighting = reading.sightings.get()
    raised = sighting.finding
    assert (raised.sheet, raised.quote, raised.text) == (1, ON_SHEET["quote"], ON_SHEET["finding"])
    assert raised.raised == Finding.Raised.MODEL
    place = raised.places.get()
    words = reading.review.version.sheets.get(number=1).words[
        place.first_word : place.last_word + 1
    ]
    assert " ".join(word[0] for word in words) == "cut detention costs by 30%."


def test_a_message_delivered_twice_is_recorded_once(cast):
    reading, reader = first_reading(cast), Reader({1: [ON_SHEET]})
    assert perform_reading(reading.pk, provider=reader) is not None
    assert perform_reading(reading.pk, provider=reader) is None
    assert len(reader.asked) == 1
    assert Sighting.objects.count() == Answer.objects.count() == 1


def test_what_a_stream_and_the_whole_answer_say_is_one(cast):
    cut_in_the_middle = said(
        '{"findings": [' + found(ON_SHEET).calls[0].raw_input[14:-14] + ', {"sheet": 1, "sev'
    )
    reader = Reader(answer=lambda request: cut_in_the_middle)
    reading = perform_reading(first_reading(cast).pk, provider=reader)
    assert (reading.outcome, reading.kept) == ("partly_read", 1)
    assert Sighting.objects.get().text == ON_SHEET["finding"]


@pytest.mark.parametrize("character", ["\0", "\U0001f600", "\u202e"])
def test_no_character_of_an_answer_costs_the_rest(cast, character):
    odd = finding(finding=f"Odd{character}.", quote=f"12 weeks{character}")
    answer = found(odd, ON_SHEET, keeps=[f"clear{character}"], text=f"So{character}:")
    reading = perform_reading(
        first_reading(cast).pk, provider=Reader(answer=lambda request: answer)
    )
    assert reading.kept == 2
    assert Sighting.objects.count() == 2


def test_what_is_good_is_kept_once_a_phrase(cast):
    first = first_reading(cast)
    reader = Reader(answer=lambda request: found(keeps=["a clear price", "short", "short"]))
    read_all(first.review, reader)
    first.review.refresh_from_db()
    assert first.review.keeps == ["a clear price", "short"]


@pytest.mark.parametrize("kind", list(FaultKind))
def test_a_fault_of_the_provider_becomes_an_outcome_with_its_sentence(cast, kind):
    reading = first_reading(cast)
    reader = Reader(answer=lambda request: failed(kind, "its own words", retry_after=7.0))
    perform_reading(reading.pk, provider=reader)
    reading.refresh_from_db()
    assert (reading.outcome, reading.fault) == ("provider_error", kind.value)
    assert (reading.reason, reading.retry_after) == ("its own words", 7.0)
    failure = reading_progress(reading.review.version).failures[0]
    assert failure.count == 1
    assert failure.sentence.endswith(".")
    assert failure.next_move.endswith(".")


def test_a_refusal_is_told_with_its_category(cast):
    reading = first_reading(cast)
    answer = RawAnswer(model="m", stop_reason="refusal", refusal_category="general_harms")
    perform_reading(reading.pk, provider=Reader(answer=lambda request: answer))
    failure = reading_progress(reading.review.version).failures[0]
    assert failure.outcome == "refusal"
    assert "general_harms" in failure.sentence


def test_absurd_counts_of_tokens_cost_no_answer(cast):
    many = replace(USAGE, input_tokens=10**9, output_tokens=10**9)
    answer = replace(found(ON_SHEET), usage=many, model="claude-opus-5-5")
    reading = perform_reading(
        first_reading(cast).pk, provider=Reader(answer=lambda request: answer)
    )
    reading.refresh_from_db()
    assert (reading.kept, reading.output_tokens) == (1, 10**9)


# Whose it is ---------------------------------------------------------------------------------


def test_what_a_living_worker_has_is_left_to_it(cast):
    reading, reader = first_reading(cast), Reader()
    taken_by_another(reading, lease=timedelta(seconds=30))
    assert perform_reading(reading.pk, provider=reader) is None
    assert reader.asked == []


@pytest.mark.parametrize(("lease", "asks"), [(30, False), (-1, True)])
def test_a_workspace_has_no_more_calls_under_way_than_it_allows(cast, lease, asks):
    ModelSettings.objects.create(workspace=cast.workspace, calls_at_once=1)
    reading, reader = first_reading(cast, sent_at=timezone.now()), Reader()
    taken_by_another(reading.review.readings.last(), lease=timedelta(seconds=lease))
    assert (perform_reading(reading.pk, provider=reader) is not None) is asks
    assert len(reader.asked) == asks
    if not asks:
        reading.refresh_from_db()
        assert (reading.status, reading.sent_at, reading.attempts) == ("waiting", None, 0)


def test_what_a_dead_worker_left_is_asked_anew(cast):
    reading = first_reading(cast)
    taken_by_another(reading)
    done = perform_reading(reading.pk, provider=Reader({1: [ON_SHEET]}))
    assert (done.status, done.attempts) == ("done", 2)


def test_after_four_dead_workers_a_reading_is_given_up_and_says_so(cast):
    reading, reader = first_reading(cast), Reader()
    taken_by_another(reading, attempts=MAX_ATTEMPTS)
    done = perform_reading(reading.pk, provider=reader)
    assert (done.outcome, done.reason) == ("not_run", GAVE_UP)
    assert reader.asked == []


def test_a_reading_that_breaks_every_time_still_comes_to_its_end(cast, monkeypatch):
    def broken(*args: object) -> None:
        raise ValueError("no such sheet")

    reading = first_reading(cast, sheets=1)
    monkeypatch.setattr(readings, "prompt_of", broken)
    for _ in range(MAX_ATTEMPTS):
        with pytest.raises(ValueError, match="no such sheet"):
            perform_reading(reading.pk, provider=Reader())
        Reading.objects.filter(pk=reading.pk).update(leased_until=timezone.now() + LAPSED)
    assert perform_reading(reading.pk, provider=Reader()).outcome == "not_run"


def test_what_was_deleted_meanwhile_is_let_go(cast):
    reading = first_reading(cast)
    reader = Reader({1: [ON_SHEET]}, during=lambda request: Proposal.objects.all().delete())
    assert perform_reading(reading.pk, provider=reader) is None
    assert not Sighting.objects.exists()


# Where nobody is asked -----------------------------------------------------------------------


def test_without_a_connection_nobody_is_asked(cast):
    reading = perform_reading(first_reading(cast).pk)
    assert reading.outcome == "not_run"
    assert "disconnected" in reading.reason


def test_what_is_kept_to_checks_is_sent_nowhere_from_then_on(cast, settings):
    settings.MODEL_BASE_URL = "http://127.0.0.1:9"
    reading = first_reading(cast)
    Proposal.objects.update(checks_only=True)
    reading = perform_reading(reading.pk)
    assert reading.outcome == "not_run"
    assert "kept to built-in checks" in reading.reason


def test_over_the_months_limit_nobody_is_asked(cast, settings):
    settings.MODEL_BASE_URL = "http://127.0.0.1:9"
    ModelSettings.objects.create(workspace=cast.workspace, monthly_limit=0)
    reading = perform_reading(first_reading(cast).pk)
    assert reading.outcome == "not_run"
    assert "limit" in reading.reason


def test_recorded_answers_are_never_replaced_by_a_model(cast, settings):
    settings.MODEL_BASE_URL = "http://127.0.0.1:9"
    reading = first_reading(cast)
    Review.objects.update(provenance=Review.Provenance.RECORDED)
    assert perform_reading(reading.pk) is None
    reading.refresh_from_db()
    assert reading.status == Reading.Status.WAITING


# Cancelled ----------------------------------------------------------------------------------


def test_what_reported_nothing_before_a_cancel_is_no_failure_of_the_model(cast, monkeypatch):
    monkeypatch.setattr(listening, "LOOK_FOR_CANCEL_SECONDS", 0)
    reading = first_reading(cast)

    class Slow(Reader):
        def ask(self, request, *, on_fragment=None, should_stop=None):
            on_fragment('{"findings": [')
            cancel_review(by=cast.wen, review=Review.objects.get())
            assert should_stop()
            return said('{"findings": [', stop_reason=None)

    perform_reading(reading.pk, provider=Slow())
    reading.refresh_from_db()
    assert reading.outcome == "not_run"
    assert "cancelled" in reading.reason
    assert reading.answer.raw["calls"]


def test_a_cancelled_review_gives_no_more_readings(cast):
    reading = first_reading(cast)
    cancel_review(by=cast.wen, review=reading.review)
    reader = Reader()
    assert perform_reading(reading.pk, provider=reader) is None
    assert reader.asked == []

"""How far a conversion or a review is: counts of rows, and sentences for who waits."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviewer.core.raw import FaultKind
from reviewer.models import Review, Version
from reviewer.services.progress import conversion_progress, reading_progress
from tests.factories import (
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_sighting,
    make_version,
)


@pytest.fixture
def version(cast) -> Version:
    return make_version(make_proposal(cast.workspace))


def test_a_version_that_was_never_read_says_so(version):
    progress = reading_progress(version)
    assert (progress.state, progress.running, progress.total) == ("never", False, 0)


def test_the_counts_are_those_of_the_rows(version):
    review = make_review(version, status=Review.Status.READING, passes=2)
    first = make_reading(review, sheet=1, pass_number=1)
    make_reading(review, sheet=2, pass_number=1)
    make_reading(review, sheet=1, pass_number=2, status="claimed")
    make_reading(review, sheet=2, pass_number=2, status="waiting")
    for _ in range(2):
        make_sighting(first, make_finding(version))
    make_finding(version)
    progress = reading_progress(version)
    assert (progress.done, progress.total, progress.found) == (2, 4, 2)
    assert (progress.passes_done, progress.passes) == (1, 2)
    assert progress.running
    assert progress.sentence == "Pass 2 of 2: reading sheet 1 of 3"


@pytest.mark.parametrize(
    ("kind", "sheet", "sentence"),
    [
        ("document", 0, "Reading the document as a whole"),
        ("sweep", 0, "Looking for what is left"),
        ("sweep", 2, "Looking for what is left on sheet 2"),
        ("check", 3, "Trying to refute what was found on sheet 3"),
        ("recheck", 1, "Looking whether what changed is fixed on sheet 1"),
    ],
)
def test_what_happens_now_is_said_in_words(version, kind, sheet, sentence):
    review = make_review(version, status=Review.Status.READING)
    make_reading(review, sheet=sheet, kind=kind, status="claimed")
    assert reading_progress(version).sentence == sentence


@pytest.mark.parametrize(
    ("status", "passes", "sheets", "sentence"),
    [
        ("queued", 3, (1,), "Queued: it starts as soon as a worker is free"),
        ("finished", 3, (1, 2), "3 passes over 2 sheets"),
        ("finished", 1, (1,), "1 pass over 1 sheet"),
        ("finished", 3, (), "1 reading of what changed"),
        ("cancelled", 2, (1,), "Cancelled after 3 of 3 readings; what was read stays"),
    ],
)
def test_a_review_that_does_not_read_says_how_it_stands(version, status, passes, sheets, sentence):
    review = make_review(version, status=status, passes=passes)
    for number in range(1, passes + 1):
        for sheet in sheets:
            make_reading(review, sheet=sheet, pass_number=number)
    make_reading(review, sheet=0, kind="document")
    assert reading_progress(version).sentence == sentence


def test_between_two_readings_it_says_what_it_waits_for(version):
    review = make_review(version, status=Review.Status.READING)
    make_reading(review, sheet=1)
    make_reading(review, sheet=2, status="waiting")
    sentence = reading_progress(version).sentence
    assert sentence == "1 of 2 readings done; the next one waits for a worker"


def test_the_newest_review_is_the_one_that_is_shown(version):
    make_review(version, passes=1)
    newest = make_review(version, passes=2)
    assert reading_progress(version).review == newest


def test_time_runs_from_the_start_and_stops_at_the_end(version):
    start = timezone.now() - timedelta(minutes=5)
    make_review(version, started_at=start, finished_at=start + timedelta(seconds=42))
    assert reading_progress(version).seconds == 42


def test_what_failed_alike_is_told_once_with_its_sheets(version):
    review = make_review(version)
    make_reading(review, sheet=1)
    for sheet in (2, 3):
        make_reading(
            review,
            sheet=sheet,
            outcome="provider_error",
            fault=FaultKind.RATE_LIMIT.value,
            retry_after=20.0,
        )
    make_reading(review, sheet=1, pass_number=2, outcome="out_of_room")
    make_reading(review, sheet=2, pass_number=2, outcome="not_run", reason="Disconnected.")
    failures = reading_progress(version).failures
    assert [(f.outcome, f.count, f.sheets) for f in failures] == [
        ("not_run", 1, (2,)),
        ("out_of_room", 1, (1,)),
        ("provider_error", 2, (2, 3)),
    ]
    assert "20 seconds" in f"{failures[2].sentence} {failures[2].next_move}"
    assert review.server in failures[2].sentence


def test_progress_takes_as_many_queries_for_many_readings_as_for_few(
    version, django_assert_num_queries
):
    review = make_review(version, status=Review.Status.READING)
    for number in (1, 2, 3):
        for sheet in range(1, 9):
            make_reading(review, sheet=sheet, pass_number=number)
    version.refresh_from_db()
    with django_assert_num_queries(3):
        reading_progress(version)


@pytest.mark.parametrize(
    ("fields", "sentence", "running"),
    [
        ({"status": "waiting"}, "Waits for a worker to convert it", True),
        ({"status": "converting", "doing": ""}, "Being converted", True),
        ({"status": "converting", "doing": "Drawing the sheets"}, "Drawing the sheets", True),
        ({"texts": ["one"]}, "1 sheet is ready", False),
        ({}, "3 sheets are ready", False),
        ({"status": "unreadable", "reason": "It is locked."}, "It is locked.", False),
    ],
)
def test_a_conversion_says_how_it_stands(cast, fields, sentence, running):
    version = make_version(make_proposal(cast.workspace), **fields)
    progress = conversion_progress(version)
    assert (progress.sentence, progress.running) == (sentence, running)
    assert progress.seconds >= 0

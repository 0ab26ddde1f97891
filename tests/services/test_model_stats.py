"""What came back from each model, counted from readings: shares, losses, alarms."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.cache import cache
from django.utils import timezone

from reviewer.models import ModelSettings
from reviewer.services.model_stats import effort_of, lost_alarm, model_stats
from tests.factories import make_proposal, make_reading, make_review, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def review(cast):
    cache.clear()
    return make_review(make_version(make_proposal(cast.workspace), texts=["One sheet."]))


def _answers(review, number: int, **fields) -> None:
    at = review.readings.count()
    given = {"model": "m", "way_asked": "forced_tool", **fields}
    for sheet in range(at + 1, at + number + 1):
        make_reading(review, sheet=sheet, **given)


def test_each_outcome_is_counted_for_what_it_is(cast, review):
    _answers(review, 3, kept=2, way_read="native")
    _answers(review, 2, outcome="partly_read", kept=1, dropped=[{"index": 1, "why": "bad"}])
    _answers(review, 1, outcome="no_call")
    _answers(review, 2, outcome="refused_text_call", way_read="text_call")
    _answers(review, 1, outcome="read", kept=1, way_read="text_call")
    _answers(review, 4, outcome="provider_error", fault="rate_limit")
    _answers(review, 1, outcome="refusal")
    _answers(review, 5, outcome="not_run", way_asked="forced_tool")
    stats = model_stats(cast.workspace)
    [line] = stats.lines
    assert (line.answers, line.whole, line.in_part, line.lost_answers) == (9, 4, 2, 3)
    assert line.lost == {"no_call": 1, "refused_text_call": 2}
    assert line.not_answered == {"rate_limit": 4, "refusal": 1}
    assert (line.kept, line.dropped) == (9, 2)
    assert (line.written, line.written_read) == (3, 1)
    assert (stats.answers, stats.lost) == (9, 3)


def test_ways_of_asking_are_told_apart_and_losses_are_a_models(cast, review):
    _answers(review, 10, model="a")
    _answers(review, 10, model="a", way_asked="text", outcome="no_call")
    _answers(review, 30, model="b")
    stats = model_stats(cast.workspace)
    assert [(line.model, line.way) for line in stats.lines] == [
        ("a", "forced_tool"),
        ("a", "text"),
        ("b", "forced_tool"),
    ]
    [follows] = stats.follows
    assert (follows.model, follows.lost, follows.answers) == ("a", 10, 20)


def test_tokens_cost_cache_and_waiting_are_summed(cast, review):
    tokens = {"input_tokens": 60, "cache_write_tokens": 40, "cache_read_tokens": 300}
    _answers(review, 2, **tokens, output_tokens=10, cost=Decimal("0.25"))
    _answers(review, 1, first_finding_seconds=9.0)
    for seconds in (1.0, 2.0):
        _answers(review, 1, first_finding_seconds=seconds)
    [line] = model_stats(cast.workspace).lines
    assert (line.input_tokens, line.cache_read_tokens, line.output_tokens) == (200, 600, 20)
    assert line.cache_share == 0.75
    assert line.cost == Decimal("0.50")
    assert line.first_finding == 2.0


def test_where_nothing_was_read_shares_are_none_rather_than_nought(cast, review):
    _answers(review, 1, outcome="provider_error", fault="timeout")
    [line] = model_stats(cast.workspace).lines
    assert (line.cache_share, line.cost, line.first_finding, line.answers) == (None, None, None, 0)
    assert effort_of([]).cost is None


def test_the_days_are_counted_oldest_first(cast, review):
    now = timezone.now()
    _answers(review, 2, finished_at=now)
    _answers(review, 1, finished_at=now - timedelta(days=2), outcome="no_call")
    [line] = model_stats(cast.workspace).lines
    today = timezone.localdate(now)
    assert line.days == [(today - timedelta(days=2), 1, 1), (today, 2, 0)]


@pytest.mark.parametrize(("days", "answers"), [(7, 1), (30, 2)])
def test_the_window_is_in_days(cast, review, days, answers):
    for back in (6.9, 29.9, 30.1):
        _answers(review, 1, finished_at=timezone.now() - timedelta(days=back))
    assert model_stats(cast.workspace, days=days).answers == answers


def test_other_workspaces_recorded_answers_and_what_is_under_way_do_not_count(cast, review):
    elsewhere = make_review(make_version(make_proposal(cast.ola.workspace), texts=["x"]))
    recorded = make_review(review.version, provenance="recorded")
    for of in (elsewhere, recorded):
        _answers(of, 2)
    make_reading(review, sheet=1, status="waiting")
    assert model_stats(cast.workspace).lines == ()


@pytest.mark.parametrize(
    ("answers", "lost", "percent", "alarms"),
    [
        (19, 19, 5, False),
        (20, 1, 5, False),
        (21, 2, 9, True),
        (40, 2, 5, False),
        (40, 3, 5, True),
        (40, 0, 0, False),
        (40, 1, 0, True),
        (40, 40, 100, False),
    ],
)
def test_the_alarm_sounds_above_the_share_and_not_at_it(
    cast, review, answers, lost, percent, alarms
):
    ModelSettings.objects.create(workspace=cast.workspace, lost_alarm_percent=percent)
    _answers(review, lost, outcome="no_call")
    _answers(review, answers - lost)
    assert bool(lost_alarm(cast.workspace)) is alarms


def test_faults_of_the_provider_are_no_lost_answers(cast, review):
    _answers(review, 30)
    _answers(review, 30, outcome="provider_error", fault="overloaded")
    assert lost_alarm(cast.workspace) == ""


def test_it_takes_as_many_queries_for_many_as_for_few(cast, review, django_assert_max_num_queries):
    _answers(review, 30)
    with django_assert_max_num_queries(2):
        model_stats(cast.workspace)

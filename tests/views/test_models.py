"""The Models pages: what came back, what was lost, who reads, and the queue."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from reviewer.core.raw import FaultKind, ProviderFault, RawAnswer, RawToolCall
from reviewer.models import Answer, Event, ModelSettings, Reading, Review
from reviewer.services.sealing import unseal
from tests.factories import make_proposal, make_reading, make_review, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_cached_alarm():
    cache.clear()


@pytest.fixture
def version(cast):
    return make_version(make_proposal(cast.workspace, owner=cast.wen, title="Control tower"))


def answered(version, *, model: str, outcome: str = "read", count: int = 1, **fields):
    review = make_review(version, provenance="live", status="finished")
    for number in range(count):
        made = make_reading(
            review,
            sheet=number + 1,
            model=model,
            outcome=outcome,
            way_asked="forced_tool",
            status="done",
            finished_at=fields.pop("finished_at", timezone.now()),
            **fields,
        )
    return made


def url(cast, name: str, **args) -> str:
    return reverse(name, args=[cast.workspace.slug, *args.values()])


def test_each_model_and_way_is_counted(cast, client_of, version):
    answered(version, model="opus", count=3, kept=4, cost=Decimal("0.5"))
    answered(version, model="opus", outcome="no_call")
    page = client_of(cast.wen).get(url(cast, "models")).content.decode()
    assert "opus" in page
    assert "1 no call" in page
    assert "$1.50" in page


def test_what_is_older_than_the_window_is_not_counted(cast, client_of, version):
    answered(version, model="old-model", finished_at=timezone.now() - timedelta(days=10))
    assert "old-model" in client_of(cast.wen).get(url(cast, "models")).content.decode()
    week = client_of(cast.wen).get(url(cast, "models") + "?days=7").content.decode()
    assert "old-model" not in week


def test_a_model_that_loses_its_answers_is_named_with_its_p_value(cast, client_of, version):
    answered(version, model="good", count=60)
    answered(version, model="bad", count=10)
    answered(version, model="bad", outcome="no_call", count=12)
    page = client_of(cast.rae).get(url(cast, "models")).content.decode()
    assert "bad loses one answer in two" in page
    assert "12 of 22, against 0 of 60" in page
    assert "p &lt; 0.001" in page


def test_managers_are_told_on_every_page_that_answers_are_lost(cast, client_of, version):
    answered(version, model="bad", outcome="no_call", count=3)
    answered(version, model="bad", count=20)
    told = "13 % of the answers"
    assert told in client_of(cast.max).get(url(cast, "proposals")).content.decode()
    assert told not in client_of(cast.wen).get(url(cast, "proposals")).content.decode()


def test_the_share_that_alarms_is_the_workspaces(cast, client_of, version):
    ModelSettings.objects.create(workspace=cast.workspace, lost_alarm_percent=50)
    answered(version, model="bad", outcome="no_call", count=3)
    answered(version, model="bad", count=20)
    page = client_of(cast.max).get(url(cast, "proposals")).content.decode()
    assert "of the answers of the last" not in page


def test_a_raw_answer_is_shown_as_text_and_nothing_else(cast, client_of, version):
    reading = answered(version, model="m", outcome="invalid_call")
    raw = RawAnswer(
        text="<script>alert(1)</script>",
        calls=(RawToolCall("report_findings", '{"findings": "none"'),),
        fault=ProviderFault(FaultKind.BROKEN_STREAM, "gone", 200),
    )
    one = Answer.objects.create(reading=reading, raw=raw.as_json())
    page = client_of(cast.rae).get(url(cast, "answer", pk=one.pk)).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
    assert "Call of report_findings" in page


def test_stored_answers_are_sought_by_model_and_outcome(cast, client_of, version):
    for model, outcome in (("a", "read"), ("b", "no_call")):
        reading = answered(version, model=model, outcome=outcome)
        Answer.objects.create(reading=reading, raw=RawAnswer().as_json())
    page = client_of(cast.rae).get(url(cast, "answers") + "?model=b").content.decode()
    assert "no call" in page
    assert page.count("Control tower, v1") == 1


def test_a_key_is_stored_sealed_and_shown_by_its_last_four_characters(cast, client_of):
    answer = client_of(cast.max).post(
        url(cast, "model-settings"),
        {
            "api_key": "sk-secret-1234abcd",
            "model": "opus",
            "depth": "standard",
            "calls_at_once": 4,
            "keep_answers_days": 30,
            "lost_alarm_percent": 12,
        },
    )
    assert answer.status_code == 302
    row = ModelSettings.objects.get(workspace=cast.workspace)
    assert (row.keep_answers_days, row.lost_alarm_percent) == (30, 12)
    assert "secret" not in row.api_key
    assert unseal(row.api_key) == "sk-secret-1234abcd"
    page = client_of(cast.max).get(url(cast, "model-settings")).content.decode()
    assert "abcd" in page
    assert "sk-secret" not in page


def test_a_new_address_does_not_get_the_old_key(cast, client_of):
    said = {
        "depth": "standard",
        "calls_at_once": 4,
        "keep_answers_days": 30,
        "lost_alarm_percent": 5,
    }
    client = client_of(cast.max)
    client.post(url(cast, "model-settings"), {**said, "api_key": "sk-secret-1234abcd"})
    client.post(url(cast, "model-settings"), {**said, "base_url": "https://other.example"})
    assert ModelSettings.objects.get(workspace=cast.workspace).api_key == ""


def test_a_wrong_address_is_refused_with_its_sentence(cast, client_of):
    answer = client_of(cast.max).post(
        url(cast, "model-settings"),
        {
            "base_url": "ftp://models",
            "depth": "standard",
            "calls_at_once": 4,
            "keep_answers_days": 30,
            "lost_alarm_percent": 5,
        },
    )
    assert answer.status_code == 422
    assert "reads like http://127.0.0.1:8080" in answer.content.decode()


def test_replay_is_queued_and_told(cast, client_of):
    client_of(cast.max).post(url(cast, "replay"))
    assert Event.objects.filter(verb="replay started", actor=cast.max.user).exists()


def test_a_failed_reading_can_be_asked_again_only_where_a_model_is_connected(
    cast, client_of, version
):
    reading = answered(version, model="m", outcome="provider_error", fault="timeout")
    page = client_of(cast.max).post(url(cast, "queue-retry", pk=reading.pk), follow=True)
    assert "No model is connected" in page.content.decode()


def test_a_failed_reading_of_a_running_review_is_followed_by_another(
    cast, client_of, version, settings
):
    settings.MODEL_BASE_URL = "http://127.0.0.1:9"
    review = make_review(version, status=Review.Status.READING, provenance="live")
    reading = make_reading(
        review, sheet=2, status="done", outcome="provider_error", fault="timeout"
    )
    client_of(cast.max).post(url(cast, "queue-retry", pk=reading.pk))
    again = Reading.objects.get(follows=reading)
    assert (again.kind, again.sheet, again.status) == (reading.kind, reading.sheet, "waiting")


@pytest.mark.parametrize("name", ["models", "answers", "queue"])
def test_a_page_takes_as_many_queries_for_twenty_readings_as_for_two(
    cast, client_of, version, name, django_assert_num_queries
):
    client = client_of(cast.max)

    def count() -> int:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        cache.clear()
        with CaptureQueriesContext(connection) as captured:
            assert client.get(url(cast, name)).status_code == 200
        return len(captured)

    def more(number: int) -> None:
        for _ in range(number):
            reading = answered(version, model=f"m{number}", outcome="no_call")
            Answer.objects.create(reading=reading, raw=RawAnswer().as_json())

    more(2)
    count()
    few = count()
    more(18)
    assert count() == few

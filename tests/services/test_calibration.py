"""Calibrating a model over HTTP: what it found, who it is, what it cost, and what is no verdict."""

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection as database
from django.utils import timezone

from reviewer.core.prompts import ReadingKind, recipe_of
from reviewer.core.raw import FaultKind
from reviewer.models import Calibration, Event, Expense
from reviewer.services import calibration
from reviewer.services.calibration import (
    run_calibration,
    start_calibration,
)
from reviewer.services.coverage import calibrated_models
from reviewer.services.demo import SAMPLES
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.model_settings import change_model_settings
from reviewer.services.prices import change_prices
from reviewer.services.spending import spent_this_month
from tests.fakes.replies import fails, finds
from tests.services.documents import plain_document
from tests.services.readers import Reader, failed, found

FAULTS = json.loads((SAMPLES / "planted.json").read_text())
FAULTS = FAULTS["faults"] if isinstance(FAULTS, dict) else FAULTS
PLANTED = len(FAULTS)


@pytest.fixture(autouse=True)
def _sample_read_in_this_process(monkeypatch) -> None:
    """The planted sample, without the process that reads files."""

    def read(path, workdir, **options):
        return plain_document(path.read_text(), workdir)

    monkeypatch.setattr(calibration, "read_file", read)


def _reader(seen, *, misses: int = 0, **how):
    """Finds what is planted on the sheet that is read, but for the first so many."""
    found = [fault for fault in FAULTS[misses:] if fault["sheet"] == seen.sheet]
    fields = ("sheet", "severity", "rule", "quote", "finding", "fix")
    return finds([{"fix": "Say it.", **{k: f[k] for k in fields if k in f}} for f in found], **how)


@pytest.fixture
def connected(cast, settings, start_server):
    """`connected(script)` gives the workspace a server that answers so, asked for "alias"."""
    settings.MODEL_RETRIES = 0

    def connect(script=_reader, **own):
        server = start_server(script)
        given = {"base_url": server.url, "model": "alias", **own}
        change_model_settings(by=cast.max, **given)
        return server

    return connect


def _run(cast) -> Calibration:
    return run_calibration(start_calibration(by=cast.max).pk)


def test_a_model_that_finds_what_is_planted_clears_text_under_its_servers_name(cast, connected):
    server = connected(lambda seen: _reader(seen, model="named-by-server"))
    run = _run(cast)
    assert (run.status, run.found, run.planted, run.missed) == ("done", PLANTED, PLANTED, [])
    assert (run.model, run.asked) == ("named-by-server", "alias")
    assert run.passed
    host = server.url.removeprefix("http://")
    assert calibrated_models(cast.workspace.pk) == {(host, "named-by-server", run.recipe)}
    assert calibrated_models(cast.ola.workspace.pk) == set()
    told = list(Event.objects.filter(verb="calibration").values_list("to_state", flat=True))
    assert told == ["running", "done"]


def test_one_that_misses_too_much_clears_nothing_and_what_it_missed_is_told(cast, connected):
    connected(lambda seen: _reader(seen, misses=PLANTED // 2))
    run = _run(cast)
    assert run.status == "done"
    assert run.found < 0.8 * PLANTED
    assert not run.passed
    assert len(run.missed) == PLANTED - run.found
    assert all(missed.startswith("sheet ") for missed in run.missed)
    assert calibrated_models(cast.workspace.pk) == set()


@pytest.mark.django_db(transaction=True)
def test_no_connection_is_held_while_the_sample_is_read_and_the_model_is_asked(cast, monkeypatch):
    held: list[object] = []

    def read(path, workdir, **options):
        held.append(database.connection)
        return plain_document(path.read_text(), workdir)

    class Looks(Reader):
        def ask(self, request, **heard):
            held.append(database.connection)
            return found()

    monkeypatch.setattr(calibration, "read_file", read)
    run = Calibration.objects.create(
        workspace=cast.workspace, server="s", model="m", recipe=recipe_of(ReadingKind.PASS)
    )
    assert run_calibration(run.pk, provider=Looks()).status == "done"
    assert len(held) > 1
    assert set(held) == {None}


def test_what_it_cost_counts_in_the_month(cast, connected):
    change_prices(by=cast.max, prices=[("alias", {"input": "1", "output": "1"})])
    server = connected()
    _run(cast)
    rows = Expense.objects.filter(what=Expense.What.CALIBRATION)
    assert rows.count() == len(server.requests) > 1
    assert spent_this_month(cast.workspace.pk) == sum(row.cost for row in rows) > 0


def test_a_month_that_is_spent_starts_none(cast, connected):
    server = connected(monthly_limit="1")
    Expense.objects.create(workspace=cast.workspace, what="trial", cost=1)
    with pytest.raises(Refused, match="so no model was asked"):
        start_calibration(by=cast.max)
    assert server.requests == []
    assert not Calibration.objects.exists()


def test_a_limit_that_is_reached_on_the_way_ends_it_without_a_verdict(cast, connected):
    change_prices(by=cast.max, prices=[("alias", {"input": "1000", "output": "1000"})])
    server = connected(monthly_limit="0.01")
    run = _run(cast)
    assert (run.status, len(server.requests)) == ("failed", 1)
    assert "This month's limit of $0.01 is reached" in run.reason
    assert run.found == run.planted == 0


def test_a_server_that_answers_half_of_it_gives_no_verdict_on_the_model(cast, connected):
    def half(seen):
        return fails(529, "overloaded_error", "Overloaded") if seen.number > 1 else _reader(seen)

    connected(half)
    run = _run(cast)
    assert run.status == "failed"
    assert "sheets of the sample were not answered" in run.reason
    assert "overloaded" in run.reason
    assert calibrated_models(cast.workspace.pk) == set()


def test_a_message_that_is_delivered_twice_runs_it_once(cast, connected):
    server = connected()
    run = start_calibration(by=cast.max)
    during: list[Calibration | None] = []

    class Twice(Reader):
        def ask(self, request, **heard):
            during.append(run_calibration(run.pk))
            return found()

    assert run_calibration(run.pk, provider=Twice()).status == "done"
    assert run_calibration(run.pk) is None
    assert set(during) == {None}
    assert server.requests == []
    assert Event.objects.filter(verb="calibration", to_state="done").count() == 1


def _left_by_a_dead_worker(run: Calibration, **fields) -> None:
    lapsed = timezone.now() - timedelta(seconds=1)
    Calibration.objects.filter(pk=run.pk).update(leased_until=lapsed, **fields)


def test_who_takes_it_up_asks_only_for_what_was_not_answered(cast, connected):
    server = connected()
    run = start_calibration(by=cast.max)

    class Dies(Reader):
        def ask(self, request, **heard):
            self.asked.append(request)
            if len(self.asked) == 3:
                raise KeyboardInterrupt
            if len(self.asked) == 2:
                return failed(FaultKind.OVERLOADED)
            return found()

    with pytest.raises(KeyboardInterrupt):
        run_calibration(run.pk, provider=Dies())
    assert run_calibration(run.pk) is None
    _left_by_a_dead_worker(run)
    done = run_calibration(run.pk)
    assert (done.status, done.attempts, done.answers) == ("done", 2, {})
    sheets = {fault["sheet"] for fault in FAULTS if fault["sheet"]}
    assert 0 < len(server.requests) == Expense.objects.count() - 2
    assert done.found == sum(fault["sheet"] != min(sheets) for fault in FAULTS)


def test_who_lost_it_to_another_worker_asks_no_more_and_ends_nothing(cast, connected):
    connected()
    run = start_calibration(by=cast.max)

    class Late(Reader):
        def ask(self, request, **heard):
            self.asked.append(request)
            Calibration.objects.update(token="of another worker")
            return found()

    late = Late()
    assert run_calibration(run.pk, provider=late) is None
    run.refresh_from_db()
    assert (len(late.asked), run.status, run.answers) == (1, "running", {})
    assert Expense.objects.count() == 1


def test_another_server_than_it_was_started_for_is_not_asked(cast, connected, start_server):
    connected()
    run = start_calibration(by=cast.max)
    other = connected()
    ended = run_calibration(run.pk)
    assert ended.status == "failed"
    assert other.url.removeprefix("http://") in ended.reason
    assert other.requests == []


def test_one_runs_at_a_time_for_managers_with_a_model(cast, connected):
    with pytest.raises(Refused, match="No model is connected"):
        start_calibration(by=cast.max)
    connected()
    with pytest.raises(NotAllowed):
        start_calibration(by=cast.rae)
    start_calibration(by=cast.max)
    with pytest.raises(Refused, match="running already"):
        start_calibration(by=cast.max)


def test_a_run_that_took_three_workers_with_it_is_given_up(cast, connected):
    server = connected()
    run = start_calibration(by=cast.max)
    _left_by_a_dead_worker(run, attempts=3)
    ended = run_calibration(run.pk)
    assert (ended.status, ended.reason) == ("failed", "It did not come to its end. Run it again.")
    assert server.requests == []
    assert Decimal(spent_this_month(cast.workspace.pk)) == 0


def test_one_that_waited_while_the_prompt_was_changed_says_nothing_of_todays(cast, connected):
    server = connected()
    run = start_calibration(by=cast.max)
    Calibration.objects.update(recipe="of another prompt")
    assert "prompt was changed" in run_calibration(run.pk).reason
    assert server.requests == []

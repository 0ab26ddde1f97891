"""Readings side by side: nothing is held while a model is asked, and nothing is asked twice."""

import threading

import pytest
from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from reviewer.models import ModelSettings, Reading, Review, Sighting, Workspace
from reviewer.services.locking import hold_row
from reviewer.services.readings import perform_reading
from tests.factories import make_proposal, make_reading, make_review, make_version
from tests.fakes.messages_server import MessagesServer, Seen
from tests.fakes.replies import Reply, finding, finds
from tests.services.readers import Reader, found, sheet_of
from tests.services.scenes import ON_SHEET, first_reading


@pytest.mark.django_db(transaction=True)
def test_no_connection_and_no_transaction_is_held_while_a_model_is_asked(cast, published):
    held: list[object] = []

    class Looks(Reader):
        def ask(self, request, *, on_fragment=None, should_stop=None):
            held.append(connection.connection)
            report = found(ON_SHEET).calls[0].raw_input
            on_fragment(report[:60])
            on_fragment(report[60:])
            held.extend((connection.connection, connection.in_atomic_block))
            return found(ON_SHEET)

    perform_reading(first_reading(cast).pk, provider=Looks())
    assert held == [None, None, False]


@pytest.mark.django_db(transaction=True)
def test_a_lease_is_renewed_while_the_answer_takes_its_time(cast, published, settings):
    settings.LEASE_SECONDS = 1
    reading = first_reading(cast)
    leases = []

    def wait(request: object) -> None:
        threading.Event().wait(1.4)
        leases.append(Reading.objects.get(pk=reading.pk).leased_until > timezone.now())

    assert perform_reading(reading.pk, provider=Reader({1: [ON_SHEET]}, during=wait)) is not None
    assert leases == [True]


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_with_one_message_one_asks(cast, published):
    """Both have seen the reading waiting before either takes it, where rows are locked."""
    reading, reader = first_reading(cast), Reader({1: [ON_SHEET]})
    start, done = threading.Barrier(2), []

    def work() -> None:
        start.wait(5)
        done.append(perform_reading(reading.pk, provider=reader))
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    if connection.vendor == "sqlite":
        _run(workers)
    else:
        with transaction.atomic():
            Reading.objects.select_for_update().get(pk=reading.pk)
            for worker in workers:
                worker.start()
            threading.Event().wait(0.5)
        for worker in workers:
            worker.join()
    assert len(reader.asked) == 1
    assert sorted(d is None for d in done) == [False, True]


@pytest.mark.django_db(transaction=True)
def test_of_workers_that_begin_together_no_more_ask_than_may(cast, published):
    ModelSettings.objects.create(workspace=cast.workspace, calls_at_once=2)
    first = first_reading(cast, sheets=6)
    waiting = list(first.review.readings.values_list("pk", flat=True))
    start, end, done = threading.Barrier(6), threading.Event(), []
    reader = Reader({1: [ON_SHEET]}, during=lambda request: end.wait(10))

    def work(pk: int) -> None:
        start.wait(5)
        done.append(perform_reading(pk, provider=reader))
        connection.close()
        if len(done) == 4:
            end.set()

    workers = [threading.Thread(target=work, args=[pk]) for pk in waiting]
    if connection.vendor == "sqlite":
        _run(workers)
    else:
        # Where rows are locked, each looks and takes while it has the workspace's.
        with transaction.atomic():
            hold_row(Workspace, cast.workspace.pk)
            for worker in workers:
                worker.start()
            threading.Event().wait(0.5)
            assert not Reading.objects.exclude(status="waiting").exists()
        for worker in workers:
            worker.join()
    assert len(reader.asked) == 2
    assert sum(one is not None for one in done) == 2


def _run(workers: list[threading.Thread]) -> None:
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


@pytest.mark.django_db(transaction=True)
def test_sixteen_readings_at_once_wait_for_each_other_and_none_fails(cast, published):
    ModelSettings.objects.create(workspace=cast.workspace, calls_at_once=16)
    first = first_reading(cast, sheets=16)
    reader = Reader(
        answer=lambda request: found(
            *(
                finding(sheet=sheet_of(request), quote="", finding=f"{sheet_of(request)} lacks {n}")
                for n in range(4)
            )
        )
    )
    pks = list(first.review.readings.values_list("pk", flat=True))
    errors: list[Exception] = []

    def work(pk: int) -> None:
        try:
            perform_reading(pk, provider=reader)
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    _run([threading.Thread(target=work, args=(pk,)) for pk in pks])
    assert errors == []
    outcomes = first.review.readings.filter(pk__in=pks).values_list("outcome", flat=True)
    assert set(outcomes) == {"read"}
    assert Sighting.objects.count() == 64


@pytest.mark.django_db(transaction=True)
def test_sixteen_calls_of_the_real_client_hold_nothing_and_no_record_fails(
    cast, published, settings
):
    """The server answers once all sixteen have asked, and looks at their connections then."""
    ModelSettings.objects.create(workspace=cast.workspace, calls_at_once=16)
    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=["As is."] * 16)
    theirs: list[BaseDatabaseWrapper] = []
    held: list[bool] = []
    met, errors = threading.Barrier(16), []

    def answer(seen: Seen) -> Reply:
        if met.wait(60) == 0:
            held.extend(each.connection is not None or each.in_atomic_block for each in theirs)
        met.wait(60)
        return finds(finding(sheet=seen.sheet, quote="", finding=f"Lacks {n}") for n in range(3))

    def work(pk: int) -> None:
        theirs.append(connections["default"])
        try:
            perform_reading(pk)
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    with MessagesServer(answer) as server:
        settings.MODEL_BASE_URL = server.url
        host = server.url.removeprefix("http://")
        review = make_review(version, status=Review.Status.READING, passes=1, server=host)
        pks = [make_reading(review, sheet=n, status="waiting").pk for n in range(1, 17)]
        _run([threading.Thread(target=work, args=(pk,)) for pk in pks])
        assert server.most_at_once == 16
    assert errors == []
    assert held == [False] * 16
    read = review.readings.filter(pk__in=pks)
    assert list(read.values_list("outcome", "kept", "attempts")) == [("read", 3, 1)] * 16
    assert Sighting.objects.filter(reading__in=pks).count() == 48

"""Threads that write to SQLite take turns, and a turn never outlives its transaction."""

import threading

import pytest
from django.db import IntegrityError, connection, transaction

from reviewer.models import Workspace

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "sqlite", reason="NOT ON SQLITE: other databases lock rows"
    ),
]


def _in_a_thread(work) -> threading.Thread:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_second_writer_begins_when_the_first_has_ended(cast):
    begun, order = threading.Event(), []

    def write() -> None:
        begun.set()
        with transaction.atomic():
            order.append("second")

    with transaction.atomic():
        Workspace.objects.filter(pk=cast.workspace.pk).update(name="One")
        second = _in_a_thread(write)
        assert begun.wait(30)
        order.append("first")
    second.join(30)
    assert order == ["first", "second"]


def test_one_statement_by_itself_waits_for_its_turn_and_ends_it(cast):
    begun, order = threading.Event(), []

    def write() -> None:
        begun.set()
        Workspace.objects.filter(pk=cast.workspace.pk).update(name="Two")
        order.append("second")
        assert connection._turn is None

    with transaction.atomic():
        Workspace.objects.filter(pk=cast.workspace.pk).update(name="One")
        second = _in_a_thread(write)
        assert begun.wait(30)
        second.join(0.2)
        order.append("first")
    second.join(30)
    assert order == ["first", "second"]
    assert Workspace.objects.get(pk=cast.workspace.pk).name == "Two"


@pytest.mark.parametrize("ends_by", ["error", "constraint", "closing", "rollback"])
def test_a_turn_ends_with_its_transaction_however_that_ends(cast, ends_by):
    def broken() -> None:
        with transaction.atomic():
            if ends_by == "error":
                raise ValueError
            if ends_by == "constraint":
                Workspace.objects.create(name="Twice", slug=cast.workspace.slug)
            if ends_by == "closing":
                connection.close()
            transaction.set_rollback(True)

    if ends_by in {"error", "constraint"}:
        with pytest.raises((ValueError, IntegrityError)):
            broken()
    else:
        broken()
    done = threading.Event()

    def write() -> None:
        with transaction.atomic():
            done.set()

    _in_a_thread(write).join(30)
    assert done.is_set()
    assert connection._turn is None

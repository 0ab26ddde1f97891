"""Threads that write to SQLite take turns, and a turn never outlives its transaction."""

import threading

import pytest
from django.db import IntegrityError, ProgrammingError, connection, connections, transaction

from reviewer.models import Workspace
from reviewer.sqlite3 import base

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


def test_a_connection_that_is_let_go_is_the_one_that_is_asked_for_next(cast):
    connection.ensure_connection()
    first = connection.connection
    connection.close()
    assert Workspace.objects.filter(pk=cast.workspace.pk).exists()
    assert connection.connection is first
    assert not first.in_transaction


def test_what_was_written_between_is_seen(cast):
    connection.ensure_connection()
    first = connection.connection
    assert Workspace.objects.first().name != "Three"
    connection.close()
    other = connections.create_connection("default")
    try:
        kept = base._kept.copy()
        base._kept.clear()
        with other.cursor() as cursor:
            cursor.execute("UPDATE reviewer_workspace SET name = 'Three'")
    finally:
        other.close()
        base._kept.clear()
        base._kept.update(kept)
    assert Workspace.objects.first().name == "Three"
    assert connection.connection is first


def test_a_connection_in_the_middle_of_something_is_not_kept(cast):
    def close_halfway() -> None:
        with transaction.atomic():
            Workspace.objects.update(name="Half")
            connection.close()
            Workspace.objects.count()

    with pytest.raises(ProgrammingError):
        close_halfway()
    connection.close()
    assert not Workspace.objects.filter(name="Half").exists()
    assert all(not one.in_transaction for kept in base._kept.values() for one in kept)


def test_two_threads_never_have_the_same_connection(cast):
    held, both = [], threading.Barrier(8)

    def use() -> None:
        for _ in range(20):
            connection.ensure_connection()
            held.append(id(connection.connection))
            both.wait(30)
            mine = held[-8:]
            assert len(set(mine)) == 8
            both.wait(30)
            connection.close()
            both.wait(30)

    threads = [_in_a_thread(use) for _ in range(8)]
    for thread in threads:
        thread.join(60)
    assert len(held) == 160


def test_a_file_in_the_place_of_another_is_another_database(tmp_path):
    file = tmp_path / "some.sqlite3"
    settings = {**connection.settings_dict, "NAME": str(file)}
    one = base.DatabaseWrapper(settings, "some")
    with one.cursor() as cursor:
        cursor.execute("CREATE TABLE old (id INTEGER)")
    one.close()
    file.unlink()
    with one.cursor() as cursor:
        assert one.introspection.table_names(cursor) == []
    one.close()

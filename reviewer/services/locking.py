"""A row is locked so that what is read of it stands until the transaction ends."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection as database
from django.db import models, transaction


def hold_row(rows: type[models.Model], pk: int) -> None:
    """Lock one row that is not to be read, until the running transaction ends.

    SQLite has no locks of rows: a transaction there has the whole database to itself from its
    beginning, so nothing is asked.
    """
    if database.features.has_select_for_update:
        locked = rows._default_manager.select_for_update(no_key=True).only("pk")
        locked.get(pk=pk)


@contextmanager
def one_at_a_time(rows: type[models.Model], pk: int) -> Iterator[None]:
    """Let nobody else in who names this row, for one statement that looks before it writes.

    SQLite needs nothing for it: each statement has the database to itself, and a transaction
    around it would only keep others waiting while it is made.
    """
    if database.features.has_select_for_update:
        with transaction.atomic():
            hold_row(rows, pk)
            yield
    else:
        yield

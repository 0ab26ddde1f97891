"""A row is locked so that what is read of it stands until the transaction ends."""

from django.db import connection as database
from django.db import models


def hold_row(rows: type[models.Model], pk: int) -> None:
    """Lock one row that is not to be read, until the running transaction ends.

    SQLite has no locks of rows: a transaction there has the whole database to itself from its
    beginning, so nothing is asked.
    """
    if database.features.has_select_for_update:
        locked = rows._default_manager.select_for_update(no_key=True).only("pk")
        locked.get(pk=pk)

"""SQLite for many threads: those of one process that write wait for each other in a queue.

SQLite lets one connection write at a time. Who finds it taken sleeps, up to a tenth of a
second at a time, and does not hear when it is free; with sixteen readings at once most of
their time would go there. Between the threads of one process a lock wakes the next at once.
Between processes SQLite's own waiting stands, and so does its limit: a thread that has waited
here for `timeout` seconds goes on and is told by SQLite that the database is locked.

A connection that is let go is kept for whoever asks next: a reading lets go of its own while
a model is asked, and opening one reads the whole schema.
"""

import atexit
import os
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from django.db.backends.sqlite3 import base

DEFAULT_TIMEOUT = 5.0
_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")
_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
"""One for each database file."""

KEPT_AT_MOST = 32


class _Place(NamedTuple):
    """Whose connection it is, and to which file: one that was put in place of another is
    another database, and a process that was forked may not use what its parent opened."""

    process: int
    device: int
    inode: int
    parameters: str


_kept: defaultdict[_Place, list[Any]] = defaultdict(list)
"""Open connections that nobody uses."""


@atexit.register
def close_kept() -> None:
    """Close the connections that nobody uses."""
    for kept in _kept.values():
        while kept:
            kept.pop().close()


class DatabaseWrapper(base.DatabaseWrapper):
    """Takes its turn before a transaction begins, and gives it up when that ends. A statement
    that writes outside of one takes a turn of its own.

    The type stubs of Django leave out the methods that begin and end one.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: threading.Lock | None = None
        self._place: _Place | None = None
        self.execute_wrappers.append(self._execute_in_turn)

    def _execute_in_turn(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        if self.in_atomic_block or self._turn is not None or not sql.startswith(_WRITES):
            return execute(sql, params, many, context)
        self._take_turn()
        try:
            return execute(sql, params, many, context)
        finally:
            self._end_turn()

    def _take_turn(self) -> None:
        turn = _turns[str(self.settings_dict["NAME"])]
        patience = float(self.settings_dict["OPTIONS"].get("timeout", DEFAULT_TIMEOUT))
        if turn.acquire(timeout=patience):
            self._turn = turn

    def _start_transaction_under_autocommit(self) -> None:
        self._take_turn()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._end_turn()
            raise

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._end_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._end_turn()

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """One that was let go, where there is one, else a new one."""
        self._place = _place(conn_params)
        if self._place is not None:
            with suppress(IndexError):
                return _kept[self._place].pop()
        made = super().get_new_connection(conn_params)
        self._place = _place(conn_params)  # the file may have been made by this
        return made

    def _close(self) -> None:
        try:
            if not self._keep():
                super()._close()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _keep(self) -> bool:
        """Keep the connection for whoever asks next; not one that is in the middle of something,
        that met an error, or whose file is gone."""
        if self.in_atomic_block or self.connection.in_transaction or self.errors_occurred:
            return False
        if self._place is None or self._place != _place(self.get_connection_params()):
            return False
        kept = _kept[self._place]
        if len(kept) >= KEPT_AT_MOST:
            return False
        kept.append(self.connection)
        return True

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.release()


def _place(parameters: dict[str, Any]) -> _Place | None:
    """None for a database in memory, and for a file that is not there yet."""
    try:
        found = Path(parameters["database"]).stat()
    except (OSError, ValueError):
        return None
    return _Place(os.getpid(), found.st_dev, found.st_ino, repr(sorted(parameters.items())))

"""SQLite for many threads: those of one process that write wait for each other in a queue.

SQLite lets one connection write at a time. Who finds it taken sleeps, up to a tenth of a
second at a time, and does not hear when it is free; with sixteen readings at once most of
their time would go there. Between the threads of one process a lock wakes the next at once.
Between processes SQLite's own waiting stands, and so does its limit: a thread that has waited
here for `timeout` seconds goes on and is told by SQLite that the database is locked.
"""

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from django.db.backends.sqlite3 import base

DEFAULT_TIMEOUT = 5.0
_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")
_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
"""One for each database file."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Takes its turn before a transaction begins, and gives it up when that ends. A statement
    that writes outside of one takes a turn of its own.

    The type stubs of Django leave out the methods that begin and end one.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: threading.Lock | None = None
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

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.release()

"""The queue in a folder: Celery's file transport, made safe for writers and readers at once.

Promises: a message has its name only once it is whole, is taken by one reader, and comes in
the order in which it was sent. What is no message is passed over. A folder that somebody removed is
made again: the messages are lost, the rows that they were about are not, and the rescue
sends them anew. Kombu's own transport opens
a message's file before it writes to it; a worker that looks in that moment reads an empty
message, and stops for good. And a worker looks into the folder ten times a second, but at
once for what it has sent itself.
"""

import contextlib
import threading
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

_LOOKS_EVERY = 0.1
"""Seconds, where the options do not say `polling_interval`."""


class Channel(filesystem.Channel):
    """Messages are files named `<time>_<id>.<queue>.msg`."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        # Kombu's own classes disagree on the name of the second parameter.
        folder, key = Path(self.data_folder_out), uuid.uuid4().hex
        part = folder / f"{key}.part"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            part.write_text(dumps(payload), encoding="utf-8")
            part.replace(folder / f"{time.time_ns():020}_{key}.{queue}.msg")
        except OSError as error:
            raise ChannelError(f"A message could not be put into {folder}: {error}") from error
        _sent.tell()

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        for name in sorted(self._names(folder, queue)):
            taken = folder / f"{name}.taken"
            try:
                (folder / name).replace(taken)
                written = taken.read_bytes()
            except OSError:
                continue  # another reader was faster
            with contextlib.suppress(OSError):
                taken.unlink()
            with contextlib.suppress(ValueError):
                return loads(written.decode())
        raise Empty

    def _names(self, folder: Path, queue: str) -> list[str]:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            names = [path.name for path in folder.iterdir()]
        except OSError as error:
            raise ChannelError(f"The queue's folder {folder} cannot be read: {error}") from error
        return [name for name in names if name.partition(".")[2] == f"{queue}.msg"]


class Transport(filesystem.Transport):
    """The transport that `reviewer.celery` puts in the place of Kombu's."""

    Channel = Channel

    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> None:
        """Deliver the next message; raises TimeoutError where none comes in `timeout` seconds."""
        assert self.cycle is not None
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            told = _sent.count
            with contextlib.suppress(Empty):
                self.cycle.get(self._deliver, timeout=timeout)
                return
            patience = self.polling_interval or _LOOKS_EVERY
            if until is not None:
                patience = min(patience, until - time.monotonic())
            if patience <= 0:
                raise TimeoutError("No message came.")
            _sent.wait_beyond(told, patience)


class _Sent:
    """How many messages this process has put into folders, for who waits for the next."""

    def __init__(self) -> None:
        self.count = 0
        self._changed = threading.Condition()

    def tell(self) -> None:
        with self._changed:
            self.count += 1
            self._changed.notify_all()

    def wait_beyond(self, told: int, seconds: float) -> None:
        """Wait until it is not `told` any more, for so many seconds at most."""
        with self._changed:
            self._changed.wait_for(lambda: self.count != told, seconds)


_sent = _Sent()

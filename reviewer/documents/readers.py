"""Readers of files, one process each, from a fork server of this process.

The fork server is started when the first reader is asked for, gets nothing of our settings,
and is gone when this process is. One that ended in between is started again.
"""

import atexit
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from reviewer.documents.forkserver import ENDED, MADE

logger = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-P", "-s", "-B", "-m", "reviewer.documents.forkserver")
ENVIRONMENT = {
    "PATH": os.defpath,
    "HOME": "/nonexistent",
    "PYTHONPATH": str(_ROOT),
    "PYTHONHASHSEED": "0",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    # Pictures of one size after another: the room of the last is taken for the next, instead
    # of giving it back and asking for it again page by page of memory.
    "PILLOW_BLOCKS_MAX": "4",
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
}
"""What the fork server is told. None of our own settings: a key there must not reach a reader,
which has the folder of its file as HOME and TMPDIR."""


_PATIENCE = 60
"""Seconds in which the fork server starts, and in which it ends a reader, on a busy machine."""


class ReaderGone(Exception):
    """No reader could be made, or nobody can say how it ended."""


class Ended(NamedTuple):
    """How a reader ended: its exit code (minus the signal that ended it), the most memory that
    it had, in bytes, and what it took of a processor, in seconds; with what it started."""

    code: int
    memory: int
    processor: float


@dataclass(slots=True)
class Reader:
    """A process that reads the file in its folder; let go of it at the end, whatever comes."""

    progress: int
    """A descriptor to read its progress from."""
    leash: socket.socket
    """Can be read when it has ended."""

    def ended(self) -> Ended:
        """How it ended, once the leash can be read. Raises `ReaderGone` where nobody can say."""
        said = b""
        with suppress(OSError):
            said = self.leash.recv(ENDED.size)
        if len(said) != ENDED.size:
            raise ReaderGone("the fork server ended before the reader did")
        return Ended(*ENDED.unpack(said))

    def let_go(self) -> None:
        """End it, where it has not, with everything it started; returns when it is gone."""
        with self.leash, suppress(OSError):
            self.leash.shutdown(socket.SHUT_WR)
            self.leash.settimeout(_PATIENCE)
            while self.leash.recv(ENDED.size):
                pass
        os.close(self.progress)


class Readers:
    """The fork server of this process; a process forked from this one gets one of its own."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = command
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._owner = 0

    def read(self, folder: Path) -> Reader:
        """A process that reads the file in `folder`. Raises `ReaderGone`."""
        # A server that ends because it was idle may do so while it is asked.
        reader = self._ask(folder) or self._ask(folder)
        if reader is None:
            raise ReaderGone("the fork server does not start")
        return reader

    def close(self) -> None:
        """End the fork server, where there is one, with every reader."""
        with self._lock:
            self._close()

    def _ask(self, folder: Path) -> Reader | None:
        progress, its_progress = os.pipe()
        leash, its_leash = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        reader = Reader(progress, leash)
        with self._lock:
            control = self._started()
        try:
            try:
                ends = [its_progress, its_leash.fileno()]
                socket.send_fds(control, [os.fsencode(folder)], ends)
            finally:
                os.close(its_progress)
                its_leash.close()
            leash.settimeout(_PATIENCE)
            if leash.recv(len(MADE)) == MADE:
                return reader
        except OSError:
            logger.exception("The fork server does not answer")
        reader.let_go()
        with self._lock:
            if self._control is control:  # nobody else has put another in its place
                self._close()
        return None

    def _started(self) -> socket.socket:
        if self._owner != os.getpid():
            self._close()
        if self._control is None:
            self._control, its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with its_end:
                self._server = subprocess.Popen(
                    self._command,
                    env=ENVIRONMENT,
                    stdin=its_end.fileno(),
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,
                )
            self._owner = os.getpid()
        return self._control

    def _close(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._server is not None and self._owner == os.getpid():
            self._server.wait()
        self._control = self._server = None


readers = Readers()
"""The ones of this process."""
atexit.register(readers.close)

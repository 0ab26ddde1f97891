"""The process from which the readers of files are forked. Started by `readers`, never imported.

It loads what reading needs once, which takes longer than most files do, and opens none of
them: each file gets a process of its own that confines itself before it looks at it. A
request is one packet on standard input: the folder of the job, with two descriptors, the
pipe for progress and the leash. On the leash it says that a process was made, and how that
ended; when the other side lets go of the leash, the process is ended with all it started.

It ends when nobody asks it for anything any more, or nothing for a while. Refused: threads,
which a forked process would not have, and our settings, which a forked process would see.
"""

import gc
import importlib
import os
import resource
import selectors
import signal
import socket
import struct
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from reviewer.documents.sandbox import end_with_parent

IDLE = 300.0
"""Seconds without a reader after which it ends, to give its memory back."""
LONGEST_NAME = 4096
MADE = b"+"
"""The first that is said on the leash: there is a process."""
ENDED = struct.Struct("<iQd")
"""The last: its exit code (minus the signal that ended it), the most memory it had, in bytes,
and what it took of a processor, in seconds; with what it started."""

_LOADED = (
    "email.headerregistry",
    "mammoth",
    "pikepdf",
    "PIL.ImageChops",
    "reviewer.documents.leftovers",
    "reviewer.documents.outgoing",
    "reviewer.documents.paper",
)
"""What only some files need, and a rehearsal does not load."""

Read = Callable[[Path], None]


@dataclass(slots=True)
class _Server:
    """The readers that run: the leash of each process by its number."""

    read: Read
    control: socket.socket
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    leashes: dict[int, socket.socket] = field(default_factory=dict)

    def run(self, wake: int) -> None:
        """Serve until the other side is gone, or until nothing was asked for a while."""
        self.selector.register(self.control, selectors.EVENT_READ)
        self.selector.register(wake, selectors.EVENT_READ)
        while ready := self.selector.select(None if self.leashes else IDLE):
            for key, _ in ready:
                if key.fileobj is self.control:
                    if not self.accept():
                        return
                elif key.fileobj == wake:
                    os.read(wake, 4096)
                    self.reap()
                elif self.leashes.get(key.data) is key.fileobj:
                    self.let_go(key.data)

    def accept(self) -> bool:
        """Make the process that is asked for; False where nobody can ask any more."""
        folder, descriptors, _, _ = socket.recv_fds(self.control, LONGEST_NAME, 2)
        if not folder:
            return False
        progress, leash = descriptors
        number = os.fork()
        if number == 0:
            _become_reader(Path(os.fsdecode(folder)), progress, self.read)
        os.close(progress)
        self.leashes[number] = socket.socket(fileno=leash)
        self.selector.register(self.leashes[number], selectors.EVENT_READ, number)
        _say(self.leashes[number], MADE)
        return True

    def let_go(self, number: int) -> None:
        """Nobody waits for it any more."""
        self.selector.unregister(self.leashes[number])
        _kill(number)

    def reap(self) -> None:
        """Tell of the processes that ended, after what they had started is ended too."""
        for number in [n for n in self.leashes if _has_ended(n)]:
            _kill(number)  # while its number is still its own
            _, status, usage = os.wait4(number, 0)
            with self.leashes.pop(number) as leash:
                with suppress(KeyError):
                    self.selector.unregister(leash)
                code = os.waitstatus_to_exitcode(status)
                took = usage.ru_utime + usage.ru_stime
                _say(leash, ENDED.pack(code, usage.ru_maxrss * 1024, took))

    def end_all(self) -> None:
        for number in self.leashes:
            _kill(number)


def serve(read: Read) -> None:
    """Fork a process that calls `read` with its folder for each request on standard input."""
    nothing = os.open(os.devnull, os.O_RDWR)
    with socket.socket(fileno=os.dup(0)) as control, _children_wake() as wake:
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.close(nothing)
        gc.collect()
        gc.freeze()  # so that looking for garbage does not copy what is shared
        server = _Server(read, control)
        try:
            server.run(wake)
        finally:
            server.end_all()


@contextmanager
def _children_wake() -> Iterator[int]:
    """A descriptor that can be read when a child has ended."""
    receiving, sending = os.pipe()
    os.set_blocking(sending, False)
    signal.set_wakeup_fd(sending, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    yield receiving


def _become_reader(folder: Path, progress: int, read: Read) -> None:
    """Leave everything of the server behind, read, and end. Does not return."""
    code = 1
    try:
        os.setsid()
        end_with_parent()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(progress, 1)
        os.dup2(os.open(folder / "errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        # With the server's own socket, a reader that was taken over could ask for others.
        os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        os.chdir(folder)
        os.environ.update(HOME=str(folder), TMPDIR=str(folder / "tmp"))
        tempfile.tempdir = None  # which is remembered otherwise
        read(folder)
        code = 0
    except BaseException:  # noqa: BLE001  (nothing of it may go on as the server)
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def _has_ended(number: int) -> bool:
    return os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill(number: int) -> None:
    for kill in (os.kill, os.killpg):  # it may not lead its group yet
        with suppress(ProcessLookupError, PermissionError):
            kill(number, signal.SIGKILL)


def _say(leash: socket.socket, what: bytes) -> None:
    with suppress(OSError):
        os.write(leash.fileno(), what)


if __name__ == "__main__":
    from reviewer.documents.child import main, rehearse

    rehearse()
    for module in _LOADED:
        importlib.import_module(module)
    serve(main)

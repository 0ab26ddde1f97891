"""A child process that touches a hostile file, watched by the side that is trusted.

It gets a folder of its own with the file and a job in it, nothing of our settings, and limits.
What runs over is ended with everything it started; the reason is raised as a sentence.
"""

import contextlib
import json
import logging
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector

from reviewer.documents.errors import unreadable
from reviewer.documents.limits import Limits
from reviewer.documents.readers import Ended, Reader, ReaderGone, readers

logger = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Called with a stage (opening, converting, sheets), how much is done, and of how much."""

_GRACE = 5
"""Seconds between the processor limit inside the child and the clock outside."""


@contextlib.contextmanager
def working_in(workdir: Path) -> Iterator[Path]:
    """A folder for the child inside `workdir`, gone afterwards; so is a `workdir` made here
    where nothing came of it."""
    made = not workdir.exists()
    workdir.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(prefix=".reading-", dir=workdir) as folder:
            yield Path(folder).resolve()
    except BaseException:
        if made:
            with contextlib.suppress(OSError):
                workdir.rmdir()
        raise


def silent(stage: str, done: int, total: int) -> None:
    """Nobody wants to know how far it is."""


def run_child(
    path: Path, folder: Path, job: Mapping[str, object], limits: Limits, on_progress: Progress
) -> None:
    """Run the child to its end; raises `UnreadableFile` where it was stopped or crashed."""
    shutil.copyfile(path, folder / "original")
    (folder / "tmp").mkdir()
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    began = time.monotonic()
    try:
        reader = readers.read(folder)
        try:
            ended = _watch(reader, limits, on_progress)
        finally:
            reader.let_go()
    except ReaderGone as gone:
        raise unreadable("crashed") from gone
    seconds = time.monotonic() - began
    logger.debug("A reader ended after %.1f s: %s", seconds, ended)
    if ended.code != 0:
        _explain(ended.code, folder, limits, seconds)


def _watch(reader: Reader, limits: Limits, on_progress: Progress) -> Ended:
    """Pass progress on until the child has ended; raises where its time is over before."""
    deadline = time.monotonic() + limits.seconds + _GRACE
    buffered = b""
    with DefaultSelector() as selector:
        selector.register(reader.progress, EVENT_READ)
        selector.register(reader.leash, EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise unreadable("too_slow", limit=limits.seconds)
            ready = {key.fileobj for key, _ in selector.select(min(left, 1.0))}
            if reader.progress in ready:
                piece = os.read(reader.progress, 4096)
                if not piece:
                    selector.unregister(reader.progress)
                *lines, buffered = (buffered + piece).split(b"\n")
                buffered = buffered[-200:]
                for line in lines:
                    _report(line, on_progress)
            elif ready:
                return reader.ended()


def _report(line: bytes, on_progress: Progress) -> None:
    stage, _, numbers = line.decode("ascii", "replace").partition(" ")
    done, _, total = numbers.partition(" ")
    if stage in {"opening", "converting", "sheets"} and done.isdigit() and total.isdigit():
        on_progress(stage, min(int(done[:6]), 99_999), min(int(total[:6]), 99_999))


def _explain(code: int, folder: Path, limits: Limits, seconds: float) -> None:
    """Raise the reason for which the child, after so many seconds, ended other than by itself."""
    errors = _bytes_of(folder / "errors")[-2000:].decode("utf-8", "replace")
    logger.warning("The reader of a file ended with %s: %s", code, errors)
    if "MemoryError" in errors or "Cannot allocate memory" in errors:
        raise unreadable("too_much_memory")
    if code == -signal.SIGKILL and seconds * (os.cpu_count() or 1) < limits.seconds:
        # Too early for the limit on processor time: the kernel was out of memory.
        raise unreadable("too_much_memory")
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        raise unreadable("too_slow", limit=limits.seconds)
    if code == -signal.SIGXFSZ:
        raise unreadable("too_much_output")
    raise unreadable("crashed")


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""

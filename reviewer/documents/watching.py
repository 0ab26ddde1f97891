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
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector

from reviewer.documents.errors import unreadable
from reviewer.documents.limits import Limits

logger = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Called with a stage (opening, converting, sheets), how much is done, and of how much."""

_ROOT = Path(__file__).resolve().parents[2]
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
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-B", "-m", "reviewer.documents.child", str(folder)],
            cwd=folder,
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    try:
        code = _watch(process, limits, on_progress)
    finally:
        _end(process)
    if code != 0:
        _explain(code, folder, limits, time.monotonic() - began)


def _environment(folder: Path) -> dict[str, str]:
    """What the child is told. None of our own settings: a key there must not reach it."""
    return {
        "PATH": os.defpath,
        "PYTHONPATH": str(_ROOT),
        "PYTHONHASHSEED": "0",
        "HOME": str(folder),
        "TMPDIR": str(folder / "tmp"),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        # Pictures of one size after another: the room of the last is taken for the next.
        "PILLOW_BLOCKS_MAX": "4",
    }


def _watch(process: "subprocess.Popen[bytes]", limits: Limits, on_progress: Progress) -> int:
    """Pass progress on until the child ends or its time is over."""
    assert process.stdout is not None
    deadline = time.monotonic() + limits.seconds + _GRACE
    buffered = b""
    with DefaultSelector() as selector:
        selector.register(process.stdout, EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise unreadable("too_slow", limit=limits.seconds)
            if not selector.select(min(left, 1.0)):
                continue
            piece = os.read(process.stdout.fileno(), 4096)
            if not piece:
                break
            *lines, buffered = (buffered + piece).split(b"\n")
            buffered = buffered[-200:]
            for line in lines:
                _report(line, on_progress)
    try:
        return process.wait(timeout=max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise unreadable("too_slow", limit=limits.seconds) from None


def _report(line: bytes, on_progress: Progress) -> None:
    stage, _, numbers = line.decode("ascii", "replace").partition(" ")
    done, _, total = numbers.partition(" ")
    if stage in {"opening", "converting", "sheets"} and done.isdigit() and total.isdigit():
        on_progress(stage, min(int(done[:6]), 99_999), min(int(total[:6]), 99_999))


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the child and everything it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


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

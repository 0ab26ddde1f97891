"""Files read once for all tests, and again only when they or the reading of files change.

Reading is the dearest thing that tests do. What was read is kept under `.pytest_cache` by the
hash of the file's bytes, its name and its limits, of the code that reads and of what it reads
with, and shared by every process of a run and by later runs. `make clean` forgets it.
"""

import fcntl
import hashlib
import logging
import pickle
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from reviewer.core.checks import CheckedSheet, FitSeen, Leftover
from reviewer.documents import watching
from reviewer.documents.errors import UnreadableFile
from reviewer.documents.intake import read_file
from reviewer.documents.limits import Limits
from reviewer.documents.office import installed
from reviewer.documents.readers import Ended
from reviewer.documents.sheets import DocumentRead

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / ".pytest_cache" / "reads"
LIBRARIES = (
    "lxml",
    "mammoth",
    "markdown-it-py",
    "mdit-py-plugins",
    "pillow",
    "pypdfium2",
    "weasyprint",
)
FONTS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
LIMITS = Limits(seconds=300)
"""More time than the product gives: a machine that runs all tests is slow."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading as it ended: the document, or the code and sentence of the reason why there
    is none; what it took by the clock, in seconds; the most memory that its reader had, in
    bytes; and where it wrote."""

    document: DocumentRead | None
    reason: tuple[str, str]
    seconds: float
    memory: int
    folder: Path

    def result(self) -> DocumentRead:
        """The document; raises `UnreadableFile` where there is none."""
        if self.document is None:
            raise UnreadableFile(*self.reason)
        return self.document


@cache
def _reading() -> str:
    """What reads: a digest of the code, the libraries, LibreOffice and the fonts."""
    digest = hashlib.sha256()
    for source in sorted((ROOT / "reviewer" / "documents").glob("*")):
        if source.is_file():
            digest.update(source.read_bytes())
    office = installed()
    said = [f"{name} {version(name)}" for name in LIBRARIES]
    fonts = [str(font) for folder in FONTS for font in sorted(folder.rglob("*.?t?"))]
    digest.update(repr([sys.version, *said, *fonts, str(office), str(ROOT)]).encode())
    if office is not None and (office / "versionrc").is_file():
        digest.update((office / "versionrc").read_bytes())
    return digest.hexdigest()


@cache
def reading_of(path: Path, name: str = "", limits: Limits = LIMITS) -> Reading:
    """How reading `path` ended, under its own name or another; its files stay where they are."""
    name = name or path.name
    asked = hashlib.sha256(path.read_bytes())
    asked.update(repr((name, limits)).encode())
    place = KEPT / asked.hexdigest()[:20]
    KEPT.mkdir(parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = place / f"{_reading()[:16]}.pickle"
        if not kept.exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            kept.write_bytes(pickle.dumps(_read(path, place / "read", name, limits)))
        found: Reading = pickle.loads(kept.read_bytes())
        return found


def _read(path: Path, folder: Path, name: str, limits: Limits) -> Reading:
    document, reason = None, ("", "")
    begun = time.monotonic()
    with told_of_readers() as told:
        try:
            document = read_file(path, folder, name=name, limits=limits)
        except UnreadableFile as error:
            reason = error.code, error.message
    seconds = time.monotonic() - begun
    return Reading(document, reason, seconds, told.ended.memory, folder)


class _Told(logging.Handler):
    """Listens for how readers end; holds the last."""

    ended = Ended(0, 0, 0.0)

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno == logging.DEBUG:
            _, self.ended = record.args


@contextmanager
def told_of_readers() -> Iterator[_Told]:
    """Inside, `ended` is how the last reader of a file ended."""
    told, before = _Told(), watching.logger.level
    watching.logger.addHandler(told)
    watching.logger.setLevel(logging.DEBUG)
    yield told
    watching.logger.setLevel(before)
    watching.logger.removeHandler(told)


def read_once(path: Path) -> DocumentRead:
    """What `read_file` gives for `path` under its own name. Raises `UnreadableFile`."""
    return reading_of(path).result()


@cache
def sheets_of(path: Path) -> tuple[CheckedSheet, ...]:
    """The sheets of a file as checks get them, with words, boxes and paragraphs."""
    return tuple(
        CheckedSheet(
            number=sheet.number,
            label=sheet.label,
            text=sheet.text,
            words=tuple(tuple(word) for word in sheet.words),
            paragraphs=tuple(paragraph.text for paragraph in sheet.paragraphs),
        )
        for sheet in read_once(path).sheets
    )


@cache
def _told(path: Path) -> dict[str, Any]:
    read = read_once(path)
    source = read.source
    return {
        "leftovers": tuple(Leftover(*left) for left in source.leftovers),
        "tables": source.tables,
        "outline": source.headings,
        "fit": tuple(FitSeen(fault.code, fault.sheet, fault.message) for fault in read.fit),
        "source_text": path.read_text("utf-8") if read.kind in ("markdown", "text") else None,
    }


def told_by(path: Path) -> dict[str, Any]:
    """What a file tells beside its sheets, as arguments of a CheckedDocument."""
    return dict(_told(path))

"""Files read once for all tests, and again only when they or the reading of files change.

Reading is the dearest thing that tests do. What was read is kept under `.pytest_cache` by the
hash of the file's bytes, of the code that reads and of the libraries it reads with, and shared
by every process of a run and by later runs. `make clean` forgets it.
"""

import fcntl
import hashlib
import pickle
import shutil
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from reviewer.core.checks import CheckedSheet, FitSeen, Leftover
from reviewer.documents.intake import read_file
from reviewer.documents.limits import Limits
from reviewer.documents.office import installed
from reviewer.documents.sheets import DocumentRead

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / ".pytest_cache" / "reads"
LIBRARIES = ("lxml", "mammoth", "markdown-it-py", "mdit-py-plugins", "pypdfium2", "weasyprint")
LIMITS = Limits(seconds=100)


@cache
def _reading() -> str:
    """What reads: a digest of the code, the libraries, and whether LibreOffice is here."""
    digest = hashlib.sha256()
    for source in sorted((ROOT / "reviewer" / "documents").glob("*")):
        if source.is_file():
            digest.update(source.read_bytes())
    said = [f"{name} {version(name)}" for name in LIBRARIES]
    digest.update(repr([*said, installed() is not None, str(ROOT)]).encode())
    return digest.hexdigest()


@cache
def read_once(path: Path) -> DocumentRead:
    """What `read_file` gives for `path` under its own name; its files stay where they are.

    Raises `UnreadableFile`, which is not kept.
    """
    name = f"{path.name}-{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = KEPT / name / f"{_reading()[:16]}.pickle"
        if kept.exists():
            return pickle.loads(kept.read_bytes())
        shutil.rmtree(KEPT / name, ignore_errors=True)
        read = read_file(path, KEPT / name / "read", name=path.name, limits=LIMITS)
        kept.write_bytes(pickle.dumps(read))
        return read


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

"""What the child wrote, checked and moved to its place.

The child read a hostile file and may have been taken over by it. So its output is data:
regular files under names that we choose, of bounded size, JSON of a known form.
"""

import json
import os
import stat
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, get_args

from reviewer.documents.errors import UnreadableFile, unreadable
from reviewer.documents.limits import Limits
from reviewer.documents.sheets import (
    DocumentRead,
    FitFault,
    Kind,
    Leftover,
    LeftoverKind,
    ParagraphRead,
    SheetRead,
    SourceRead,
    Unread,
    Word,
)

_MOST_RESULT = 4 * 1024 * 1024
_MOST_ROW = 64 * 1024 * 1024


def read_result(folder: Path, workdir: Path, limits: Limits) -> DocumentRead:
    """The child's result with its files moved from `folder` to `workdir`."""
    try:
        return _document(_result(folder), folder, workdir, limits)
    except (OSError, ValueError, TypeError, KeyError, IndexError) as error:
        raise unreadable("crashed") from error


def read_drawing(folder: Path, image: Path, limits: Limits) -> tuple[int, int]:
    """The drawing that the child made, moved to `image`; its width and height in pixels."""
    try:
        result = _result(folder)
        _check(folder / "drawing.png", limits.output_bytes)
        size = int(result["width"]), int(result["height"])
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise unreadable("crashed") from error
    (folder / "drawing.png").replace(image)
    return size


def read_made(folder: Path, name: str, target: Path, limits: Limits) -> tuple[int, dict[str, Any]]:
    """The number of pages of the one file that the child made, which is moved to `target`, and
    what else it says."""
    try:
        result = _result(folder)
        _check(folder / name, limits.output_bytes)
        pages = int(result["pages"])
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise unreadable("crashed") from error
    (folder / name).replace(target)
    return pages, result


def _result(folder: Path) -> dict[str, Any]:
    """What the child says came of it; raises the reason where it says that nothing did."""
    result = json.loads(_bytes(folder / "result.json", _MOST_RESULT))
    if not isinstance(result, dict):
        raise TypeError("not a result")
    if "error" in result:
        code, message = result["error"]
        raise UnreadableFile(str(code)[:60], str(message)[:600])
    return result


def _document(result: dict[str, Any], folder: Path, workdir: Path, limits: Limits) -> DocumentRead:
    kind = result["kind"]
    if kind not in get_args(Kind):
        raise ValueError("unknown kind")
    sheets: list[SheetRead] = []
    for row in _rows(folder / "sheets.jsonl"):
        if len(sheets) >= limits.max_sheets:
            raise unreadable("too_many_sheets", limit=limits.max_sheets)
        sheets.append(_sheet(row, len(sheets) + 1, folder, workdir))
    if not sheets:
        raise ValueError("no sheets")
    document = DocumentRead(
        kind=kind,
        pdf=workdir / "document.pdf",
        layout_approximate=bool(result["layout_approximate"]),
        notes=tuple(_text(note, 1000) for note in result["notes"][:50]),
        fit=tuple(
            FitFault(_text(code, 60), int(sheet), _text(message, 600))
            for code, sheet, message in result["fit"][:5000]
        ),
        sheets=tuple(sheets),
        converter=_text(result["converter"], 100),
        source=_source(result["source"]),
    )
    # Only now that all of it has the right form: what is moved is never half of it.
    names = [name for sheet in sheets for name in (sheet.image.name, sheet.thumbnail.name)]
    for name in ["document.pdf", *names]:
        _check(folder / name, limits.output_bytes)
    for name in ["document.pdf", *names]:
        (folder / name).replace(workdir / name)
    return document


def _sheet(row: dict[str, Any], number: int, folder: Path, workdir: Path) -> SheetRead:
    unread = row["unread"]
    if row["number"] != number or unread not in get_args(Unread):
        raise ValueError("not a sheet")
    words = tuple(map(Word._make, row["words"]))
    texts, *edges = zip(*words, strict=True) if words else ((),)
    if not set(map(type, texts)) <= {str} or not set(map(type, chain(*edges))) <= {float, int}:
        raise TypeError("not words")
    return SheetRead(
        number=number,
        label=_text(row["label"], 60),
        text=_text(row["text"], 2_000_000),
        width=float(row["width"]),
        height=float(row["height"]),
        words=words,
        image=workdir / f"sheet-{number:04}.png",
        image_width=int(row["image_width"]),
        image_height=int(row["image_height"]),
        thumbnail=workdir / f"thumb-{number:04}.jpg",
        paragraphs=tuple(
            ParagraphRead(_text(text, 2_000_000), _text(digest, 80), int(first), int(last))
            for text, digest, first, last in row["paragraphs"]
        ),
        has_text=not unread,
        unread=unread,
    )


def _source(told: dict[str, Any]) -> SourceRead:
    leftovers = []
    for kind, sheet, words, note, around in told["leftovers"][:5000]:
        if kind not in get_args(LeftoverKind):
            raise ValueError("not a leftover")
        said = _text(words, 1000), _text(note, 1000), _text(around, 1000)
        leftovers.append(Leftover(kind, int(sheet), *said))
    return SourceRead(
        leftovers=tuple(leftovers),
        tables=tuple(
            tuple(tuple(_text(cell, 2000) for cell in row[:200]) for row in table[:5000])
            for table in told["tables"][:500]
        ),
        headings=tuple((int(level), _text(text, 2000)) for level, text in told["headings"][:5000]),
    )


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value[:most]


def _check(path: Path, most: int) -> None:
    """A regular file of bounded size, and not a link to somewhere else."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > most or status.st_nlink != 1:
        raise ValueError("not a file of ours")


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _bytes(path: Path, most: int) -> bytes:
    _check(path, most)
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream:
        return stream.read(most)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    _check(path, 1 << 30)
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(handle, "r", encoding="utf-8") as stream:
        while row := stream.readline(_MOST_ROW):
            yield json.loads(row, parse_constant=_no_number)

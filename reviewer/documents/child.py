"""What the process that reads one file does. Forked by `forkserver`, once a file.

It confines itself first, then reads `original` in the folder it is given and writes there:
`document.pdf`, one image and one thumbnail a sheet, `sheets.jsonl`, and last `result.json`.
Progress goes to standard output, one line a step: stage, done, total. It ends with 0 also
where the file cannot be read; `result.json` then holds the reason. Asked to draw, it draws
one sheet as `drawing.png` instead; asked to rewrite, it writes `outgoing.pdf`; asked to
print a bundle, `record.pdf`.
"""

import errno
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from reviewer.documents import sandbox
from reviewer.documents.errors import UnreadableFile, unreadable
from reviewer.documents.limits import Limits

_REHEARSED = """---
title: A rehearsal
---

# A heading

Words, *some* of them **strong**, a `name`, and [a link](https://example.com).

1. One
2. Two

| a | b |
| - | - |
| 1 | 2 |
"""


def main(folder: Path) -> None:
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    limits = Limits(**job["limits"])
    sandbox.confine(folder, limits)
    try:
        if "draw" in job:
            result = _draw(folder, job["draw"], job["scale"])
        elif "paper" in job:
            result = _print(folder, job["paper"])
        elif "outgoing" in job:
            result = _rewrite(folder, job["outgoing"], limits)
        else:
            result = _read(folder, job["name"], limits)
    except UnreadableFile as error:
        result = _refusal(error)
    except RecursionError:
        result = _refusal(unreadable("too_deep"))
    except MemoryError:
        result = _refusal(unreadable("too_much_memory"))
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        result = _refusal(unreadable("too_much_output"))
    temporary = folder / "result.part"
    temporary.write_text(json.dumps(result), encoding="utf-8")
    temporary.replace(folder / "result.json")


def rehearse() -> None:
    """Read a page of our own, without confinement: what is loaded and worked out at the first
    reading is then there for every process that is forked from this one."""
    with tempfile.TemporaryDirectory(prefix="reviewer-") as folder:
        original = Path(folder, "original")
        original.write_text(_REHEARSED, encoding="utf-8")
        _read(original.parent, "rehearsal.md", Limits())


def _refusal(error: UnreadableFile) -> dict[str, Any]:
    return {"error": [error.code, error.message]}


def progress(stage: str, done: int, total: int) -> None:
    """Say how far the work is."""
    os.write(1, f"{stage} {done} {total}\n".encode())


def _read(folder: Path, name: str, limits: Limits) -> dict[str, Any]:
    from reviewer.documents.convert import convert
    from reviewer.documents.record import Recorder

    progress("opening", 0, 1)
    converted = convert(folder, name, limits, progress)
    ours = converted.kind != "pdf"
    recorder = Recorder(converted.pdf, folder, limits, progress, ours=ours)
    faults, sheets = recorder.record()
    faults = sorted([*converted.faults, *faults], key=lambda fault: (fault.sheet, fault.code))
    told = converted.source
    # What is marked in a Word file is told from the file, with the paragraph it stands in.
    left = told.leftovers if converted.kind == "docx" else recorder.marked
    return {
        "kind": converted.kind,
        "converter": converted.converter,
        "layout_approximate": converted.layout_approximate,
        "notes": [*converted.notes, *recorder.notes],
        "fit": [[fault.code, fault.sheet, fault.message] for fault in faults],
        "sheets": sheets,
        "source": {"leftovers": left[:1000], "tables": told.tables, "headings": told.headings},
    }


def _draw(folder: Path, number: int, scale: float) -> dict[str, Any]:
    from reviewer.documents.images import save_page
    from reviewer.documents.pages import nth_page, open_pdf, raster, scale_for

    with open_pdf(folder / "original") as document:
        page = nth_page(document, number)
        if page is None:
            raise unreadable("no_sheets")
        drawn = raster(page, scale_for(page.width, page.height, scale))
        save_page(drawn.image, folder / "drawing.png")
        width, height = drawn.image.size
        drawn.close()
        page.helper.close()
    return {"width": width, "height": height}


def _print(folder: Path, wanted: dict[str, Any]) -> dict[str, Any]:
    from reviewer.documents.paper import print_record

    return print_record(
        folder / "original",
        folder / "record.pdf",
        title=wanted["title"],
        identifier=wanted["identifier"],
        progress=progress,
    )


def _rewrite(folder: Path, wanted: dict[str, Any], limits: Limits) -> dict[str, Any]:
    from reviewer.documents.outgoing import rewrite

    return rewrite(
        folder / "original",
        folder / "outgoing.pdf",
        title=wanted["title"],
        keep=wanted["keep"],
        limits=limits,
        progress=progress,
    )

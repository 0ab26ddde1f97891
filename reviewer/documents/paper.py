"""The review record as a PDF: laid out a part at a time, so that memory does not grow with it.

Runs in the child process. It is given a bundle: `part-0001.html` and so on, and the pictures
of sheets that they name as `sheet:N`. Pages are numbered through all parts, and the headings
of all parts are bookmarks. The same bundle gives the same bytes.

Refused: fetching anything but a picture of the bundle.
"""

import gc
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reviewer.documents.errors import unreadable

WIDTH = 900
"""Pixels across a sheet's picture on paper: about 190 dots an inch at half a page."""

Progress = Callable[[str, int, int], None]


def print_record(
    bundle: Path, target: Path, *, title: str, identifier: str, progress: Progress
) -> dict[str, Any]:
    """Write `target`; says how many pages it has. `identifier` goes into the PDF's id."""
    import pikepdf

    from reviewer.documents.layout import write_paper

    bookmarks: list[tuple[str, int, int]] = []
    with zipfile.ZipFile(bundle) as packed, pikepdf.Pdf.new() as whole:
        parts = sorted(name for name in packed.namelist() if name.startswith("part-"))
        pages = 0
        for number, name in enumerate(parts, start=1):
            made = target.with_name(f"{name}.pdf")
            html = packed.read(name).decode("utf-8")
            found = write_paper(html, made, pages_before=pages, picture=_pictures(packed))
            bookmarks += [(text, level, pages + page) for text, level, page in found]
            with pikepdf.open(made) as part:
                pages += len(part.pages)
                whole.pages.extend(part.pages)
            gc.collect()
            progress("sheets", number, len(parts))
        if not pages:
            raise unreadable("no_sheets")
        _finish(whole, target, bookmarks, title, identifier)
    return {"pages": pages}


def _pictures(packed: zipfile.ZipFile) -> Callable[[str], bytes]:
    def picture(name: str) -> bytes:
        from PIL import Image

        with Image.open(io.BytesIO(packed.read(f"sheet-{int(name)}.image"))) as image:
            small = image.convert("RGB")
        factor = small.width / WIDTH
        if factor > 1:
            small = small.resize((WIDTH, round(small.height / factor)), reducing_gap=2.0)
        held = io.BytesIO()
        small.save(held, "JPEG", quality=78)
        return held.getvalue()

    return picture


def _finish(
    whole: Any, target: Path, bookmarks: list[tuple[str, int, int]], title: str, identifier: str
) -> None:
    import pikepdf

    with whole.open_outline() as outline:
        parents = [outline.root]
        for text, level, page in bookmarks:
            del parents[max(1, level) :]
            item = pikepdf.OutlineItem(text[:200], page)
            parents[-1].append(item)
            parents.append(item.children)
    for each in whole.pages:
        for key in ("/StructParents", "/Tabs"):
            if key in each.obj:
                del each.obj[key]
    whole.Root["/Lang"] = pikepdf.String("en")
    whole.Root["/ViewerPreferences"] = pikepdf.Dictionary(DisplayDocTitle=True)
    whole.trailer["/Info"] = whole.make_indirect(
        pikepdf.Dictionary(Title=pikepdf.String(title), Subject=pikepdf.String(identifier))
    )
    whole.remove_unreferenced_resources()
    whole.save(
        target,
        deterministic_id=True,
        object_stream_mode=pikepdf.ObjectStreamMode.generate,
        compress_streams=True,
    )

"""The review record as a PDF: laid out a part at a time, so that memory does not grow with it.

Runs in the child process. It is given a bundle: `style.css`, `part-0001.html` and so on, and
the pictures of sheets that they name as `sheet:N-W`, to be W pixels wide at most. Pages are
numbered through all parts, and the headings of all parts are bookmarks. The same bundle gives
the same bytes.

Refused: fetching anything but a picture of the bundle.
"""

import gc
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reviewer.documents.errors import unreadable

AHEAD = 3
"""So many pictures are made before they are asked for; each is some 100 kB."""
_NAMED = re.compile(r'href="sheet:([0-9]+-[0-9]+)"')

Progress = Callable[[str, int, int], None]


def print_record(
    bundle: Path, target: Path, *, title: str, identifier: str, progress: Progress
) -> dict[str, Any]:
    """Write `target`; says how many pages it has. `identifier` goes into the PDF's id."""
    import pikepdf

    from reviewer.documents.layout import Paper

    bookmarks: list[tuple[str, int, int]] = []
    pages = 0
    with (
        zipfile.ZipFile(bundle) as packed,
        pikepdf.Pdf.new() as whole,
        ThreadPoolExecutor(1) as maker,
        _collected_by_part() as collect,
    ):
        pictures = _Pictures(packed, maker, progress)
        paper = Paper(packed.read("style.css").decode("utf-8"), pictures.get)
        parts = sorted(name for name in packed.namelist() if name.startswith("part-"))
        for name in parts:
            made = target.with_name(f"{name}.pdf")
            html = packed.read(name).decode("utf-8")
            pictures.expect(html)
            found = paper.write(html, made, pages_before=pages)
            bookmarks += [(text, level, pages + page) for text, level, page in found]
            with pikepdf.open(made) as part:
                pages += len(part.pages)
                whole.pages.extend(part.pages)
            collect()
        if not pages:
            raise unreadable("no_sheets")
        _finish(whole, target, bookmarks, title, identifier)
    return {"pages": pages}


@contextmanager
def _collected_by_part() -> Iterator[Callable[[], int]]:
    """Let what a part leaves go at its end, all at once, and look through nothing that stays."""
    gc.freeze()
    gc.disable()
    try:
        yield gc.collect
    finally:
        gc.enable()
        gc.unfreeze()


class _Pictures:
    """The pictures of a bundle's sheets as JPEGs; the next few are made while pages are laid
    out, since they take a quarter of the time and another core is often free."""

    def __init__(
        self, packed: zipfile.ZipFile, maker: ThreadPoolExecutor, progress: Progress
    ) -> None:
        self._packed, self._maker, self._progress = packed, maker, progress
        self._total = sum(name.endswith(".image") for name in packed.namelist())
        self._given = 0
        self._named: list[str] = []
        self._begun: dict[str, Future[bytes]] = {}

    def expect(self, html: str) -> None:
        """Begin with the pictures that a part names, in its order."""
        self._named = _NAMED.findall(html)
        self._begun.clear()
        self._begin()

    def get(self, name: str) -> bytes:
        """One picture, `N-W`: the sheet's number, and how many pixels wide at most."""
        begun = self._begun.pop(name, None)
        made = begun.result() if begun else self._made(name)
        self._begin()
        self._given += 1
        self._progress("sheets", min(self._given, self._total), self._total)
        return made

    def _begin(self) -> None:
        while self._named and len(self._begun) < AHEAD:
            name = self._named.pop(0)
            self._begun[name] = self._maker.submit(self._made, name)

    def _made(self, name: str) -> bytes:
        from PIL import Image

        number, wide = map(int, name.split("-"))
        with Image.open(io.BytesIO(self._packed.read(f"sheet-{number}.image"))) as image:
            image.load()
            small = image if image.mode in {"RGB", "L"} else image.convert("RGB")
        factor = small.width / wide
        if factor >= 2:
            small = small.reduce(int(factor))
        elif factor > 1:
            size = wide, max(1, round(small.height / factor))
            small = small.resize(size, Image.Resampling.BILINEAR)
        held = io.BytesIO()
        small.save(held, "JPEG", quality=78)
        return held.getvalue()


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

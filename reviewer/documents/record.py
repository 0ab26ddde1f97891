"""A PDF becomes sheets in a folder. Runs in the child process only.

Writes one image and one thumbnail a sheet, and `sheets.jsonl` with one line a sheet, so
that memory does not grow with the number of sheets. Two rounds: the first reads each page
once; the second, when it is known which lines run through the document, makes paragraphs.

Refused: more sheets than the limit, documents without any page that loads, and more
output than the limit. Pages that the file names but does not have are left out and said.
"""

import marshal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from reviewer.documents import fit
from reviewer.documents.errors import unreadable
from reviewer.documents.fonts import without_a_font
from reviewer.documents.images import Ink, save_page, save_thumbnail
from reviewer.documents.letters import Letters, read_letters
from reviewer.documents.limits import Limits
from reviewer.documents.lines import Line, read_lines
from reviewer.documents.marks import Picture, marked_on
from reviewer.documents.pages import (
    MOST_SKIPPED,
    Page,
    Raster,
    label,
    load_page,
    nth_page,
    open_pdf,
    raster,
    scale_for,
)
from reviewer.documents.paragraphs import read_paragraphs
from reviewer.documents.rows import closed_row, sheet_row
from reviewer.documents.running import EdgeLine, Running, edge_lines, find_running
from reviewer.documents.sheets import FitFault, Leftover, Unread

MOST_MISSING = 20
"""Pages in a row that do not load, after which the rest is not asked for."""

_PAGES, _LINES = "pages.part", "lines.part"

Progress = Callable[[str, int, int], None]


class Recorder:
    """Reads one PDF into `folder`."""

    def __init__(
        self, pdf: Path, folder: Path, limits: Limits, progress: Progress, *, ours: bool
    ) -> None:
        """`ours` says that the PDF was made here, with the fonts of this machine."""
        self._pdf = pdf
        self._folder = folder
        self._limits = limits
        self._progress = progress
        self._ours = ours
        self._edges: list[EdgeLine] = []
        self._sizes: Counter[float] = Counter()
        self._measures: list[fit.Measure] = []
        self._written = 0
        self.notes: list[str] = []
        self.marked: list[Leftover] = []
        """What is marked on the sheets, in their order."""

    def record(self) -> tuple[list[FitFault], int]:
        """All sheets written; what does not fit, and how many sheets there are."""
        with (
            open_pdf(self._pdf) as document,
            (self._folder / _PAGES).open("w", encoding="utf-8") as pages,
            (self._folder / _LINES).open("wb") as lines,
        ):
            self._read_pages(document, pages, lines)
        if not self._measures:
            raise unreadable("no_sheets")
        body = self._sizes.most_common(1)[0][0] if self._sizes else 0.0
        running = find_running(self._edges, len(self._measures), body)
        self._write_sheets(running)
        faults = fit.judge(self._measures, running)
        if self._ours:
            rare = frozenset[str]().union(*(one.rare for one in self._measures))
            faults.extend(fit.not_shown(self._measures, without_a_font(rare)))
        return faults, len(self._measures)

    def _write_sheets(self, running: Running) -> None:
        """The second round: each page's row as it was written, with its paragraphs."""
        with (
            (self._folder / _PAGES).open(encoding="utf-8") as pages,
            (self._folder / _LINES).open("rb") as lines,
            (self._folder / "sheets.jsonl").open("w", encoding="utf-8") as out,
        ):
            for number, page in enumerate(pages, 1):
                on_page = [Line(*stored) for stored in marshal.load(lines)]  # noqa: S302  (ours)
                found = read_paragraphs(on_page, running.lines.get(number, set()))
                out.write(closed_row(page[:-1], found))

    def _read_pages(self, document: Any, pages: TextIO, lines: BinaryIO) -> None:
        claimed = len(document)
        if self._too_many(document, claimed):
            raise unreadable("too_many_sheets", limit=self._limits.max_sheets)
        missing: list[int] = []
        in_a_row = 0
        for index in range(claimed):
            page = load_page(document, index)
            if page is None:
                missing.append(index + 1)
                in_a_row += 1
                if in_a_row >= MOST_MISSING or len(missing) >= MOST_SKIPPED:
                    break
                continue
            in_a_row = 0
            try:
                row, on_page = self._read_page(page, label(document, index))
            finally:
                page.helper.close()
            pages.write(row + "\n")
            marshal.dump([line.stored() for line in on_page], lines)
            self._progress("sheets", len(self._measures), min(claimed, self._limits.max_sheets))
        if missing and self._measures:
            which = ", ".join(map(str, missing[:8])) + (" and more" if len(missing) > 8 else "")
            self.notes.append(
                f"The file names pages that it does not have ({which}); they are left out."
            )
        elif missing:
            raise unreadable("damaged", what="a PDF")

    def _too_many(self, document: Any, claimed: int) -> bool:
        """Whether more pages load than may; said before any is drawn."""
        if claimed <= self._limits.max_sheets:
            return False
        page = nth_page(document, self._limits.max_sheets + 1)
        if page is not None:
            page.helper.close()
        return page is not None

    def _read_page(self, page: Page, page_label: str) -> tuple[str, list[Line]]:
        number = len(self._measures) + 1
        names = f"sheet-{number:04}.png", f"thumb-{number:04}.jpg"
        page_text = page.helper.get_textpage()
        try:
            letters = read_letters(page_text, page.shown)
        finally:
            page_text.close()
        if letters.cut:
            self.notes.append(
                f"Sheet {number} has more text than is read of one sheet; the rest is left out."
            )
        lines = read_lines(letters)
        drawn = raster(page, scale_for(page.width, page.height))
        image = drawn.image
        try:
            ink = Ink(image, drawn.pixels, drawn.stride, page.width, page.height)
            measured = fit.measure(number, page.width, page.height, letters, lines, ink)
            unread = _unread(letters, ink)
            self.marked.extend(_marked(number, letters, drawn, page))
        finally:
            drawn.close()
        self._measures.append(measured)
        self._written += save_page(image, self._folder / names[0])
        self._written += save_thumbnail(image, self._folder / names[1])
        if self._written > self._limits.output_bytes:
            raise unreadable("too_much_output")
        self._edges.extend(edge_lines(number, lines, page.height))
        for line in lines:
            self._sizes[line.size] += len(line.text)
        facts = {
            "number": number,
            "label": page_label,
            "text": letters.text,
            "width": round(page.width, 2),
            "height": round(page.height, 2),
            "image": names[0],
            "thumbnail": names[1],
            "image_width": image.width,
            "image_height": image.height,
            "unread": unread,
        }
        return sheet_row(facts, letters.words), lines


def _marked(sheet: int, letters: Letters, drawn: Raster, page: Page) -> list[Leftover]:
    wide, high = drawn.image.size
    across, down = wide / page.width, high / page.height
    picture = Picture(drawn.pixels, drawn.stride, wide, high, across, down)
    return marked_on(sheet, letters.words, letters.line, picture, page.annotations, page.shown)


def _unread(letters: Letters, ink: Ink) -> Unread:
    if not letters.words:
        return "blank" if ink.blank() else "no_text"
    return "unknown_letters" if letters.unreadable else ""

"""Documents made for tests: decks in HTML with one fault each, and PDFs written by hand."""

from dataclasses import dataclass, field
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name

A4 = (595, 842)


TOPICS = ("Intake", "Routing", "Training", "Rollout", "Reports", "Support", "Handover")


@dataclass
class Deck:
    """An HTML document of A4 sheets with a head, three paragraphs, a footer and a number.

    Without changes nothing is wrong with it.
    """

    sheets: int = 4
    body: dict[int, str] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    foot_at: dict[int, int] = field(default_factory=dict)
    style: str = ""
    head: str = "Acme Systems proposal"

    def html(self) -> str:
        pages = "".join(self._sheet(number) for number in range(1, self.sheets + 1))
        return f"""<!DOCTYPE html><html lang="en"><head><style>
            @page {{ size: 595pt 842pt; margin: 0 }}
            body {{ margin: 0; font: 11pt/1.4 "DejaVu Sans", sans-serif }}
            .sheet {{ position: relative; width: 595pt; height: 842pt; break-after: page }}
            .sheet > * {{ position: absolute; left: 60pt; width: 470pt; margin: 0 }}
            .head {{ top: 30pt; font-size: 9pt }} .foot {{ font-size: 9pt }}
            .main {{ top: 80pt }} .main p {{ margin: 0 0 10pt }}
            {self.style}</style></head><body>{pages}</body></html>"""

    def _sheet(self, number: int) -> str:
        printed = self.numbers.get(number, number)
        foot = self.foot_at.get(number, 800)
        return f"""<section class="sheet"><p class="head">{self.head}</p><div class="main">
            <p>{TOPICS[number % len(TOPICS)]} come first, in the order in which we do them.</p>
            <p>The second paragraph names the people who work on {TOPICS[-number]}.</p>
            <p>The third gives the price, and when it is due.</p></div>
            {self.body.get(number, "")}
            <p class="foot" style="top: {foot}pt">Acme Systems · Page {printed}</p></section>"""

    def write(self, path: Path) -> Path:
        path.write_text(self.html(), encoding="utf-8")
        return path


@dataclass
class HandPdf:
    """A PDF whose content streams are given as text; fonts are the standard ones."""

    pages: list[bytes]
    size: tuple[float, float] = A4
    rotate: int = 0
    boxes: dict[str, list[float]] = field(default_factory=dict)

    def write(self, path: Path) -> Path:
        with self.build() as pdf:
            pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.disable)
        return path

    def build(self) -> pikepdf.Pdf:
        pdf = pikepdf.new()
        font = pdf.make_indirect(
            Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
        )
        for content in self.pages:
            page = pdf.add_blank_page(page_size=self.size)
            page.obj.Contents = pdf.make_stream(content)
            page.obj.Resources = Dictionary(Font=Dictionary(F1=font))
            if self.rotate:
                page.obj.Rotate = self.rotate
            for name, box in self.boxes.items():
                page.obj[name] = Array(box)
        return pdf


def text_at(x: float, y: float, text: str, *, size: float = 12, mode: int = 0) -> bytes:
    """Operators that set one line of text, `x` and `y` in the page's own space."""
    safe = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /F1 {size} Tf {mode} Tr 1 0 0 1 {x} {y} Tm ({safe}) Tj ET\n".encode("latin-1")


def lines_of(*lines: str, top: float = 780, step: float = 16) -> bytes:
    """Lines of text from `top` down, as one paragraph."""
    return b"".join(text_at(60, top - step * index, line) for index, line in enumerate(lines))

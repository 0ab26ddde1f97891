"""Sheets in a small Markdown, written as the formats in which proposals come.

Known are headings, paragraphs, lists with bullets or numbers, and tables. What people leave
in files is told in CriticMarkup, {>>a note<<} after {==its words==}, {++an insertion++} and
{==marked words==}, and becomes what each format has for it: a comment, a tracked change or a
marker's yellow. What a format has nothing for stays as it is written.
"""

import re
import zipfile
from collections.abc import Sequence
from io import BytesIO
from itertools import count
from pathlib import Path

import docx
import pikepdf
import pptx
from docx.enum.text import WD_BREAK, WD_COLOR_INDEX, WD_LINE_SPACING
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt
from docx.text.paragraph import Paragraph
from markdown_it import MarkdownIt
from pptx.util import Pt as SlidePt

from tests.reads import read_once

BLANK = "(blank)"
"""A sheet with nothing on it."""
TIGHT = "(tight) "
"""What a paragraph begins with whose lines run over each other."""

_MARK = re.compile(
    r"\{==(?P<marked>[^{}]+)==\}(?:\{>>(?P<note>[^{}]+)<<\})?|\{\+\+(?P<added>[^{}]+)\+\+\}"
)
_STYLE = (
    "<style>section { break-after: page } mark { background: #ff0 }"
    " td, th { padding: 2pt 10pt; text-align: left }</style>"
)
_TIGHT_PITCH = 6
"""Points from line to line of text that runs over itself."""
_TIGHT_LINES = f'<p style="line-height: {_TIGHT_PITCH}pt">'


def as_markdown(sheets: Sequence[str]) -> str:
    """One text; a rule before a heading begins a new sheet."""
    return "\n\n---\n\n".join(_tight_html("##" if s == BLANK else _one_mark(s)) for s in sheets)


def as_html(sheets: Sequence[str]) -> str:
    """A page with a section a sheet; marked words are on yellow."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    pages = (parser.render(_tight_html(_on_yellow(s))) if s != BLANK else "&nbsp;" for s in sheets)
    return _STYLE + "".join(f"<section>{page}</section>" for page in pages)


def _tight_html(sheet: str) -> str:
    blocks = (
        f"{_TIGHT_LINES}{block.removeprefix(TIGHT)}</p>" if block.startswith(TIGHT) else block
        for block in sheet.split("\n\n")
    )
    return "\n\n".join(blocks)


def _one_mark(sheet: str) -> str:
    """The words that a note stands on are not marked as well, in text that has no other way."""
    return re.sub(r"\{==([^{}]+)==\}(?=\{>>)", r"\1", sheet)


def _on_yellow(sheet: str) -> str:
    """Marked words in HTML, which has no notes: those stay in the text."""

    return re.sub(r"\{==([^{}]+)==\}", r"<mark>\1</mark>", _one_mark(sheet))


def as_word(sheets: Sequence[str], path: Path) -> None:
    """A Word file with its own headings, lists, tables, comments, changes and highlighting."""
    document = docx.Document()
    for level, size in ((2, 16), (3, 13)):
        document.styles[f"Heading {level}"].font.size = Pt(size)
    for number, sheet in enumerate(sheets):
        if number:
            document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
        for block in re.split(r"\n\n+", sheet.strip()) if sheet != BLANK else ():
            _word_block(document, block.strip())
    _save(document, path)


def _save(file: "docx.document.Document | pptx.presentation.Presentation", path: Path) -> None:
    """Write an Office file without the time of day, so that what was read of it can be kept."""
    raw = BytesIO()
    file.save(raw)
    with zipfile.ZipFile(raw) as timed, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as kept:
        for name in timed.namelist():
            part = re.sub(rb' w:date="[^"]*"', b"", timed.read(name))
            kept.writestr(zipfile.ZipInfo(name), part)


def _word_block(document: "docx.document.Document", block: str) -> None:
    lines = block.split("\n")
    if block.startswith("#"):
        document.add_heading(block.lstrip("# "), len(block) - len(block.lstrip("#")))
    elif block.startswith("|"):
        rows = cells_of(block)
        table = document.add_table(len(rows), len(rows[0]))
        for row, words in zip(table.rows, rows, strict=True):
            for cell, word in zip(row.cells, words, strict=True):
                cell.text = word
    elif block.startswith("- "):
        for line in lines:
            document.add_paragraph(line.removeprefix("- "), "List Bullet")
    elif re.match(r"\d\. ", block):
        for line in lines:
            document.add_paragraph(line.partition(". ")[2], "List Number")
    else:
        paragraph = document.add_paragraph()
        if block.startswith(TIGHT):
            paragraph.paragraph_format.line_spacing_rule = WD_LINE_SPACING.EXACTLY
            paragraph.paragraph_format.line_spacing = Pt(_TIGHT_PITCH)
        text = " ".join(line.strip() for line in lines).removeprefix(TIGHT)
        _word_runs(document, paragraph, text)


def _word_runs(document: "docx.document.Document", paragraph: Paragraph, text: str) -> None:
    cursor = 0
    for match in _MARK.finditer(text):
        paragraph.add_run(text[cursor : match.start()])
        cursor = match.end()
        if match["added"]:
            change = f'<w:ins {nsdecls("w")} w:id="{900 + cursor}" w:author="Rae"><w:r><w:t>'
            paragraph._p.append(parse_xml(f"{change}{match['added']}</w:t></w:r></w:ins>"))
            continue
        run = paragraph.add_run(match["marked"])
        if match["note"]:
            document.add_comment(run, text=match["note"], author="Wen")
        else:
            run.font.highlight_color = WD_COLOR_INDEX.YELLOW
    paragraph.add_run(text[cursor:])


def cells_of(table: str) -> list[list[str]]:
    """The cells of a Markdown table, without the rule under its head."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n")]
    return [row for row in cells if not set("".join(row)) <= set("- ")]


def unmarked(sheet: str) -> str:
    """The sheet as it reads without its marks and notes; an insertion stays as it is written."""
    return _MARK.sub(lambda m: m["marked"] or m.group(), sheet)


def annotate(sheets: Sequence[str], markdown: Path, path: Path) -> None:
    """Lay a note or a marker over the words that `sheets` mark, in the PDF of their unmarked text."""
    read = read_once(markdown)
    with pikepdf.open(read.pdf) as pdf:
        for index, sheet in enumerate(sheets):
            for match in _MARK.finditer(sheet):
                if match["marked"]:
                    page, words = pdf.pages[index], read.sheets[index].words
                    _annotate(pdf, page, words, match["marked"].split(), match["note"])
        pdf.save(path, deterministic_id=True)


def _annotate(
    pdf: pikepdf.Pdf, page: pikepdf.Page, words: Sequence[tuple], said: list[str], note: str | None
) -> None:
    texts = [word[0] for word in words]
    at = next(i for i in count() if texts[i : i + len(said)] == said)
    boxes = words[at : at + len(said)]
    height = float(page.mediabox[3])
    x0, x1 = boxes[0][1], boxes[-1][3]
    top, foot = height - min(b[2] for b in boxes), height - max(b[4] for b in boxes)
    annotation = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Squiggly if note else pikepdf.Name.Highlight,
        Rect=[x0, foot, x1, top],
        QuadPoints=[x0, top, x1, top, x0, foot, x1, foot],
        C=[1, 1, 0],
        Contents=pikepdf.String(note or ""),
        F=4,
    )
    if "/Annots" not in page.obj:
        page.obj.Annots = pikepdf.Array()
    page.obj.Annots.append(pdf.make_indirect(annotation))


_LEFT, _WIDTH = SlidePt(40), SlidePt(640)
_SIZES = {2: 24, 3: 20, 4: 18}
_BODY = 16


def as_slides(sheets: Sequence[str], path: Path) -> None:
    """A deck with a slide a sheet: a text box a block, and its own tables."""
    deck = pptx.Presentation()
    for sheet in sheets:
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        top = 12
        for block in re.split(r"\n\n+", sheet.strip()) if sheet != BLANK else ():
            top += _slide_block(slide, block.strip(), top)
    _save(deck, path)


def _slide_block(slide: "pptx.slide.Slide", block: str, top: int) -> int:
    """Put one block on a slide; the height it takes, in points."""
    if block.startswith("|"):
        rows = cells_of(block)
        height = 32 * len(rows)
        frame = slide.shapes.add_table(
            len(rows), len(rows[0]), _LEFT, SlidePt(top), _WIDTH, SlidePt(height)
        )
        for row, words in zip(frame.table.rows, rows, strict=True):
            for cell, word in zip(row.cells, words, strict=True):
                cell.text = word
        return height + 24
    if block.startswith(TIGHT):
        words = block.removeprefix(TIGHT).split()
        for part in (0, 1):
            half = words[part * len(words) // 2 :][: len(words) // 2 + 1]
            _slide_box(slide, [" ".join(half)], _BODY, top + part * _TIGHT_PITCH)
        return 60
    level = len(block) - len(block.lstrip("#"))
    height = _slide_box(slide, block.lstrip("# ").split("\n"), _SIZES.get(level, _BODY), top)
    return height - 12 if level == 2 else height


def _slide_box(slide: "pptx.slide.Slide", lines: Sequence[str], size: int, top: int) -> int:
    letters = sum(len(line) for line in lines)
    height = int(size * 1.3 * (len(lines) + letters * size // 1100))
    box = slide.shapes.add_textbox(_LEFT, SlidePt(top), _WIDTH, SlidePt(height))
    box.text_frame.word_wrap = True
    for number, line in enumerate(lines):
        frame = box.text_frame
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        _slide_runs(paragraph, f"• {line[2:]}" if line.startswith("- ") else line, size)
    return height + 18


def _slide_runs(paragraph: "pptx.text.text._Paragraph", text: str, size: int) -> None:
    """Runs of a paragraph; marked words are on yellow, notes and changes stay in the text."""
    cursor = 0
    for match in _MARK.finditer(text):
        if match["note"] or match["added"]:
            continue
        _slide_run(paragraph, text[cursor : match.start()], size)
        run = _slide_run(paragraph, match["marked"], size)
        yellow = '<a:highlight {}><a:srgbClr val="FFFF00"/></a:highlight>'
        run._r.get_or_add_rPr().append(
            pptx.oxml.parse_xml(yellow.format(pptx.oxml.ns.nsdecls("a")))
        )
        cursor = match.end()
    _slide_run(paragraph, re.sub(r"\{==|==\}", "", text[cursor:]), size)


def _slide_run(
    paragraph: "pptx.text.text._Paragraph", text: str, size: int
) -> "pptx.text.text._Run":
    run = paragraph.add_run()
    run.text, run.font.size = text, SlidePt(size)
    return run

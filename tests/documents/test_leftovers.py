"""What people left in a file is found, with its words; design in yellow is not."""

from io import BytesIO
from pathlib import Path

import docx
import pikepdf
import pytest
from docx.enum.text import WD_COLOR_INDEX
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pikepdf import Array, Dictionary, Name, String

from reviewer.documents.limits import Limits
from reviewer.documents.sheets import Leftover
from tests.documents.conftest import Read, needs_libreoffice
from tests.documents.making import HandPdf

WITHOUT_LIBREOFFICE = Limits(libreoffice=False)


def saved(document: "docx.document.Document") -> bytes:
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def commented() -> bytes:
    document = docx.Document()
    paragraph = document.add_paragraph("The fee is ")
    price = paragraph.add_run("$9,000")
    paragraph.add_run(" for all of it.")
    document.add_comment(price, text="Is this right?", author="Wen")
    return saved(document)


def with_change(kind: str, inside: str) -> bytes:
    document = docx.Document()
    paragraph = document.add_paragraph("We meet every week")
    mark = f'<w:{kind} {nsdecls("w")} w:id="7" w:author="Rae"><w:r>{inside}</w:r></w:{kind}>'
    paragraph._p.append(parse_xml(mark))
    paragraph.add_run(" in your office.")
    return saved(document)


def highlighted() -> bytes:
    document = docx.Document()
    paragraph = document.add_paragraph("Please check ")
    for word in ("the ", "day ", "rate"):
        paragraph.add_run(word).font.highlight_color = WD_COLOR_INDEX.YELLOW
    paragraph.add_run(", and the term.")
    gray = document.add_paragraph().add_run("A gray field of a form")
    gray.font.highlight_color = WD_COLOR_INDEX.GRAY_25
    return saved(document)


def left_in(read: Read, source: bytes | str, name: str) -> tuple[Leftover, ...]:
    return read(source, name, limits=WITHOUT_LIBREOFFICE).source.leftovers


def test_a_comment_in_a_word_file_is_told_with_its_words_and_its_author(read: Read) -> None:
    assert left_in(read, commented(), "a.docx") == (
        Leftover("comment", 0, "$9,000", "Wen: Is this right?", "The fee is $9,000 for all of it."),
    )


@pytest.mark.parametrize(
    ("kind", "inside", "words", "note", "around"),
    [
        ("ins", "<w:t>, on Monday,</w:t>", ", on Monday,", "inserted",
         "We meet every week, on Monday, in your office."),
        ("del", "<w:delText>, on Friday,</w:delText>", "", "deleted: , on Friday,",
         "We meet every week in your office."),
    ],
)  # fmt: skip
def test_a_tracked_change_is_told_beside_the_text_as_it_is_shown(
    read: Read, kind: str, inside: str, words: str, note: str, around: str
) -> None:
    left = left_in(read, with_change(kind, inside), "a.docx")
    assert left == (Leftover("change", 0, words, note, around),)


def test_highlighted_words_that_follow_each_other_are_one_and_gray_is_no_marker(
    read: Read,
) -> None:
    assert left_in(read, highlighted(), "a.docx") == (
        Leftover("highlight", 0, "the day rate", "", "Please check the day rate, and the term."),
    )


@needs_libreoffice
def test_a_word_file_tells_the_same_however_it_is_laid_out(read: Read) -> None:
    source = highlighted()
    assert read(source, "a.docx").source.leftovers == left_in(read, source, "a.docx")


@needs_libreoffice
def test_a_word_file_with_a_comment_is_laid_out_as_any_other(read: Read) -> None:
    document = read(commented(), "a.docx")
    assert (document.converter, document.notes) == ("libreoffice", ())
    assert " ".join(document.sheets[0].text.split()) == "The fee is $9,000 for all of it."
    assert [left.kind for left in document.source.leftovers] == ["comment"]


def test_a_word_file_without_anything_left_in_tells_nothing(read: Read) -> None:
    document = docx.Document()
    document.add_heading("Offer", 1)
    document.add_paragraph("The fee is $9,000.")
    assert left_in(read, saved(document), "a.docx") == ()


PAGE = b"BT /F1 12 Tf 72 700 Td (The fee is 9,000 dollars in all.) Tj ET"


def annotated(path: Path, kind: str, **more: object) -> bytes:
    with HandPdf([PAGE]).build() as pdf:
        box = [72, 696, 130, 712]
        annotation = Dictionary(
            Type=Name.Annot,
            Subtype=Name(f"/{kind}"),
            Rect=Array(box),
            QuadPoints=Array([72, 712, 112, 712, 72, 696, 112, 696]),
            C=Array([1, 0.82, 0]),
            Contents=String("Ask Karin"),
            F=4,
        )
        for key, value in more.items():
            annotation[f"/{key}"] = value
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(annotation)])
        pdf.save(path)
    return path.read_bytes()


@pytest.mark.parametrize(("kind", "told"), [("Highlight", "highlight"), ("StrikeOut", "comment")])
def test_a_marker_in_a_pdf_is_told_with_the_words_under_it(
    read: Read, tmp_path: Path, kind: str, told: str
) -> None:
    left = read(annotated(tmp_path / "a.pdf", kind), "a.pdf").source.leftovers
    assert left == (Leftover(told, 1, "The fee", "Ask Karin", ""),)  # type: ignore[arg-type]


def test_a_note_in_a_pdf_is_told_though_it_stands_on_no_words(read: Read, tmp_path: Path) -> None:
    raw = annotated(tmp_path / "a.pdf", "Text", QuadPoints=Array([]))
    assert read(raw, "a.pdf").source.leftovers == (Leftover("comment", 1, "", "Ask Karin", ""),)


def test_a_hidden_note_is_none(read: Read, tmp_path: Path) -> None:
    assert read(annotated(tmp_path / "a.pdf", "Text", F=2), "a.pdf").source.leftovers == ()


def test_a_marker_is_told_also_where_a_form_is_drawn_in(read: Read, tmp_path: Path) -> None:
    raw = annotated(tmp_path / "a.pdf", "Highlight")
    with pikepdf.open(BytesIO(raw)) as pdf:
        stamp = Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=Array([10, 10, 60, 30]), F=4)
        pdf.pages[0].obj.Annots.append(pdf.make_indirect(stamp))
        pdf.save(tmp_path / "b.pdf")
    left = read((tmp_path / "b.pdf").read_bytes(), "b.pdf").source.leftovers
    assert [(one.kind, one.words) for one in left] == [("highlight", "The fee")]


def html(body: str) -> str:
    return f"<!DOCTYPE html><html><body>{body}</body></html>"


def test_words_on_marker_yellow_are_told_once_however_many_lines_they_take(read: Read) -> None:
    marked = "these words are to be checked by somebody before this leaves " * 3
    left = left_in(read, html(f"<p>The fee, and <mark>{marked}</mark> as it is.</p>"), "a.html")
    assert left == (Leftover("highlight", 1, marked.strip(), "", ""),)


@pytest.mark.parametrize(
    "body",
    [
        "<p style='background: #ff0; padding: 8pt'>A box that is yellow by design</p>",
        "<table><tr><td><mark>Finance lead</mark></td><td>Ines Maddox</td></tr></table>",
        "<table><tr><td style='background: #ff0'>Total</td><td>$9,000</td></tr></table>",
        "<body style='background: #ff0'><p>A yellow page</p>",
        "<p><span style='color: #ff0'>Yellow letters</span> and <mark style='background: #eee'>"
        "gray</mark></p>",
    ],
)
def test_yellow_that_does_not_end_with_its_words_is_design(read: Read, body: str) -> None:
    assert left_in(read, html(body), "a.html") == ()


def test_markdown_tells_its_tables_and_headings(read: Read) -> None:
    text = "# Offer\n\n## Price\n\n| Item | Fee |\n| --- | --- |\n| Build | $9,000 |\n| Test | |\n"
    source = read(text, "a.md").source
    assert source.headings == ((1, "Offer"), (2, "Price"))
    assert source.tables == ((("Item", "Fee"), ("Build", "$9,000"), ("Test", "")),)


def test_cells_over_several_rows_and_columns_keep_the_others_in_their_columns(read: Read) -> None:
    table = (
        "<table><tr><th rowspan=2>Phase</th><th colspan=2>Effort</th></tr>"
        "<tr><th>Days</th><th>Fee</th></tr><tr><td>Build</td><td>5</td><td>$9</td></tr></table>"
    )
    assert read(html(table), "a.html").source.tables == (
        (("Phase", "Effort", ""), ("", "Days", "Fee"), ("Build", "5", "$9")),
    )


def test_a_table_made_for_layout_is_none(read: Read) -> None:
    inner = "<table><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></table>"
    source = read(html(f"<table><tr><td>{inner}</td><td>x</td></tr></table>"), "a.html").source
    assert source.tables == ((("a", "1"), ("b", "2")),)


def test_a_word_file_tells_its_tables_and_headings(read: Read) -> None:
    document = docx.Document()
    document.add_heading("Offer", 1)
    document.add_heading("Price", 2)
    table = document.add_table(3, 3)
    for row, words in zip(
        table.rows,
        [("Item", "Days", "Fee"), ("Build", "5", "$9"), ("Total", "", "$9")],
        strict=True,
    ):
        for cell, word in zip(row.cells, words, strict=True):
            cell.text = word
    table.cell(2, 0).merge(table.cell(2, 1))
    source = read(saved(document), "a.docx", limits=WITHOUT_LIBREOFFICE).source
    assert source.headings == ((1, "Offer"), (2, "Price"))
    assert source.tables == ((("Item", "Days", "Fee"), ("Build", "5", "$9"), ("Total", "", "$9")),)

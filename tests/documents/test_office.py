"""Word and PowerPoint, with LibreOffice and without it."""

import io
import re
import resource
import zipfile
from pathlib import Path

import docx
import pptx
import pptx.util
import pytest
from PIL import Image

from reviewer.documents import word
from reviewer.documents.errors import UnreadableFile
from reviewer.documents.limits import Limits
from reviewer.documents.office import convert_with_libreoffice, installed
from tests.documents.conftest import Read, needs_libreoffice

WITHOUT = Limits(libreoffice=False)
BOTH = [
    pytest.param(Limits(), marks=needs_libreoffice, id="libreoffice"),
    pytest.param(WITHOUT, id="mammoth"),
]
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def word_file(path: Path) -> Path:
    document = docx.Document()
    document.add_heading("Claims intake", 1)
    document.add_paragraph("The fee is fixed at $642,000 for 26 weeks.")
    table = document.add_table(rows=2, cols=2)
    for row, cells in enumerate((("Phase", "Fee"), ("Design", "$147,000"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document.save(str(path))
    return path


def with_part(path: Path, part: str, change: tuple[str, str]) -> Path:
    """The Office file with one piece of one part replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == part:
                assert change[0].encode() in content
                content = content.replace(change[0].encode(), change[1].encode(), 1)
            new.writestr(name, content)
    path.write_bytes(out.getvalue())
    return path


def slides(path: Path, *titles: str) -> Path:
    deck = pptx.Presentation()
    for title in titles:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
    deck.save(str(path))
    return path


@pytest.mark.parametrize("limits", BOTH)
def test_a_word_file_gives_its_text_and_its_table_rows(
    limits: Limits, read: Read, tmp_path: Path
) -> None:
    document = read(word_file(tmp_path / "a.docx"), limits=limits)
    paragraphs = [one.text for sheet in document.sheets for one in sheet.paragraphs]
    assert paragraphs == [
        "Claims intake",
        "The fee is fixed at $642,000 for 26 weeks.",
        "Phase Fee",
        "Design $147,000",
    ]
    assert document.layout_approximate == (limits == WITHOUT)


@pytest.mark.parametrize("limits", BOTH)
def test_tracked_changes_are_shown_as_accepted_and_said(
    limits: Limits, read: Read, tmp_path: Path
) -> None:
    path = word_file(tmp_path / "a.docx")
    tracked = (
        '<w:r><w:t xml:space="preserve">The fee is </w:t></w:r>'
        '<w:del w:id="1" w:author="W"><w:r><w:delText>open</w:delText></w:r></w:del>'
        '<w:ins w:id="2" w:author="W"><w:r><w:t>capped</w:t></w:r></w:ins>'
        '<w:r><w:t xml:space="preserve"> at $642,000.</w:t></w:r>'
    )
    old = "<w:r><w:t>The fee is fixed at $642,000 for 26 weeks.</w:t></w:r>"
    document = read(with_part(path, "word/document.xml", (old, tracked)), limits=limits)
    text = " ".join(document.sheets[0].text.split())
    assert "The fee is capped at $642,000." in text
    assert "open" not in text
    assert (
        "This document has tracked changes (1 insertion, 1 deletion). "
        "It is shown as if all of them were accepted." in document.notes
    )


def test_a_deleted_paragraph_mark_and_a_deleted_row_are_accepted_too() -> None:
    mark = '<w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>'
    row = "<w:tr>{}<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc></w:tr>"
    gone = '<w:trPr><w:del w:id="2"/></w:trPr>'
    xml = (
        f"<w:document {W}><w:body><w:p>{mark}<w:r><w:t>One</w:t></w:r></w:p>"
        f"<w:p><w:r><w:t> and two</w:t></w:r></w:p><w:tbl>{row.format(gone, 'Gone')}"
        f"{row.format('', 'Stays')}</w:tbl></w:body></w:document>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", xml)
    accepted, _ = word.accept_changes(out.getvalue(), {"word/document.xml": xml.encode()})
    with zipfile.ZipFile(io.BytesIO(accepted)) as archive:
        found = archive.read("word/document.xml").decode()
    assert "Gone" not in found
    assert re.sub("<[^>]+>", "|", found).replace("|", "").endswith("One and twoStays")
    assert found.index("One") < found.index(" and two") < found.index("</w:p>")


@pytest.mark.parametrize("limits", BOTH)
def test_a_picture_in_a_word_file_has_the_size_it_has_there(
    limits: Limits, read: Read, tmp_path: Path
) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (2000, 2000), "#c00").save(picture, "PNG")
    picture.seek(0)
    document = docx.Document()
    document.add_paragraph("Our logo")
    document.add_picture(picture, width=docx.shared.Pt(72))
    document.save(str(tmp_path / "a.docx"))
    sheet = read(tmp_path / "a.docx", limits=limits).sheets[0]
    with Image.open(sheet.image) as image:
        red = image.convert("RGB").getchannel("G").point(lambda g: 255 if g < 60 else 0)
        black = image.convert("RGB").getchannel("R").point(lambda r: 255 if r > 150 else 0)
        box = Image.composite(red, Image.new("L", red.size), black).getbbox()
    assert box is not None
    points = (box[2] - box[0]) * sheet.width / sheet.image_width
    assert points == pytest.approx(72, abs=2)


def test_xml_with_a_type_declaration_is_refused_before_anything_reads_it(
    read: Read, tmp_path: Path
) -> None:
    bomb = '<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document '
    path = with_part(word_file(tmp_path / "a.docx"), "word/document.xml", ("<w:document ", bomb))
    with pytest.raises(UnreadableFile) as caught:
        read(path)
    assert caught.value.code == "unsafe"


def test_slides_without_libreoffice_get_a_message_that_says_what_to_do(
    read: Read, tmp_path: Path
) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read(slides(tmp_path / "a.pptx", "One"), limits=WITHOUT)
    assert caught.value.code == "needs_libreoffice"
    assert "Export the presentation as PDF and upload that" in caught.value.message


def test_a_presentation_without_slides_says_so_either_way(read: Read, tmp_path: Path) -> None:
    for limits in (Limits(), WITHOUT):
        with pytest.raises(UnreadableFile) as caught:
            read(slides(tmp_path / "a.pptx"), limits=limits)
        assert caught.value.code == "no_slides"


@needs_libreoffice
def test_each_slide_is_a_sheet_and_hidden_ones_are_said(read: Read, tmp_path: Path) -> None:
    path = slides(tmp_path / "a.pptx", "Need", "Approach", "Price")
    document = read(with_part(path, "ppt/slides/slide2.xml", ("<p:sld ", '<p:sld show="0" ')))
    assert [sheet.text for sheet in document.sheets] == ["Need", "Price"]
    assert document.notes == ("Hidden slides are left out (1).",)
    assert (document.kind, document.converter) == ("pptx", "libreoffice")


def test_where_libreoffice_is_can_be_asked() -> None:
    found = installed()
    assert found is None or any(found.glob("lib*.so"))


@needs_libreoffice
def test_libreoffice_does_not_test_its_drawing_before_each_file(tmp_path: Path) -> None:
    """Its pictures would touch 1 GB of memory, a page of it after the other."""
    source = word_file(tmp_path / "a.docx")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    assert convert_with_libreoffice(source, tmp_path / "a.pdf", tmp_path)
    touched = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before
    assert touched * resource.getpagesize() < 400 << 20

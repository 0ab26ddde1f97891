"""Words as people read them: lines, hyphens, ligatures, scripts, and what is not text."""

from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name

from tests.documents.conftest import Read
from tests.documents.making import HandPdf, lines_of, text_at


def test_words_in_order_with_white_space_between_give_the_text(read: Read, tmp_path: Path) -> None:
    pdf = HandPdf([lines_of("We start on Monday.", "We end in May, 2026.")])
    sheet = read(pdf.write(tmp_path / "a.pdf")).sheets[0]
    assert sheet.text == "We start on Monday.\nWe end in May, 2026."
    at = 0
    for word in sheet.words:
        found = sheet.text.index(word.text, at)
        assert sheet.text[at:found].strip() == ""
        at = found + len(word.text)
    assert sheet.text[at:] == ""


def test_a_superscript_stays_on_its_line_and_in_its_word(read: Read, tmp_path: Path) -> None:
    content = (
        text_at(60, 700, "as others found")
        + text_at(142.4, 705, "12", size=7)
        + text_at(150.2, 700, ". It holds.")
    )
    sheet = read(HandPdf([content]).write(tmp_path / "a.pdf")).sheets[0]
    assert sheet.text == "as others found12. It holds."


def test_a_word_broken_at_a_line_end_stays_two_words_on_two_lines(
    read: Read, tmp_path: Path
) -> None:
    pdf = HandPdf([lines_of("We redesign the assign-", "ment of every claim.")])
    sheet = read(pdf.write(tmp_path / "a.pdf")).sheets[0]
    assert sheet.text == "We redesign the assign-\nment of every claim."
    broken, rest = sheet.words[3], sheet.words[4]
    assert (broken.text, rest.text) == ("assign-", "ment")
    assert rest.y0 > broken.y1
    assert rest.x0 < broken.x0


def test_lines_that_run_up_the_page_are_lines(read: Read, tmp_path: Path) -> None:
    upwards = b"BT /F1 12 Tf 0 1 -1 0 40 300 Tm (Confidential draft for Harbor) Tj ET\n"
    content = upwards + text_at(100, 700, "Dear Denise")
    sheet = read(HandPdf([content]).write(tmp_path / "a.pdf")).sheets[0]
    assert sheet.text == "Confidential draft for Harbor\nDear Denise"
    assert len(sheet.paragraphs) == 2


def test_arabic_ligatures_and_latin_names_are_in_reading_order(read: Read) -> None:
    html = """<html lang="ar" dir="rtl"><p>العمل في ثلاث مراحل مع Harbor Mutual Group في بورتلاند
        بتكلفة 45,000 دولار</p></html>"""
    text = read(html, "a.html").sheets[0].text.replace("\n", " ")
    assert text == ("العمل في ثلاث مراحل مع Harbor Mutual Group في بورتلاند بتكلفة 45,000 دولار")


def test_scripts_without_spaces_give_a_word_a_character_and_text_without_spaces(
    read: Read, tmp_path: Path
) -> None:
    pdf = HandPdf([b""])
    with pdf.build() as made:
        _cjk(made, "リスク中立確率")
        made.save(tmp_path / "cjk.pdf")
    sheet = read(tmp_path / "cjk.pdf").sheets[0]
    assert sheet.text == "リスク中立確率"
    assert [word.text for word in sheet.words] == list("リスク中立確率")


def test_a_scan_without_text_is_unread_and_says_so(read: Read, tmp_path: Path) -> None:
    picture = b"0 0 0 rg 100 300 200 200 re f\n"
    document = read(HandPdf([picture]).write(tmp_path / "scan.pdf"))
    assert [(sheet.has_text, sheet.unread) for sheet in document.sheets] == [(False, "no_text")]


def test_text_in_a_private_code_is_shown_and_marked_unread(read: Read, tmp_path: Path) -> None:
    with HandPdf([b""]).build() as made:
        _cjk(made, "\ue001\ue002\ue003\ue004\ue005\ue006")
        made.save(tmp_path / "private.pdf")
    sheet = read(tmp_path / "private.pdf").sheets[0]
    assert (sheet.has_text, sheet.unread) == (False, "unknown_letters")
    assert sheet.words


def test_an_invisible_text_layer_over_a_scan_is_read(read: Read, tmp_path: Path) -> None:
    """Recognised text lies, unpainted, on the picture of the same words."""
    content = text_at(60, 700, "Fee: 642,000") + text_at(60, 700, "Fee: 642,000", mode=3)
    document = read(HandPdf([content]).write(tmp_path / "ocr.pdf"))
    assert document.sheets[0].has_text
    assert "hidden_words" not in {fault.code for fault in document.fit}


def test_invisible_text_beside_no_picture_is_hidden(read: Read, tmp_path: Path) -> None:
    content = text_at(60, 700, "Fee: 642,000") + text_at(60, 500, "The fee may rise", mode=3)
    document = read(HandPdf([content]).write(tmp_path / "hidden.pdf"))
    assert ("hidden_words", 1) in {(fault.code, fault.sheet) for fault in document.fit}


def test_page_labels_are_kept(read: Read, tmp_path: Path) -> None:
    with HandPdf([text_at(60, 700, f"Page {n}") for n in range(4)]).build() as made:
        made.Root.PageLabels = Dictionary(
            Nums=Array([0, Dictionary(S=Name.r), 2, Dictionary(S=Name.D, P="A-")])
        )
        made.save(tmp_path / "labels.pdf")
    labels = [sheet.label for sheet in read(tmp_path / "labels.pdf").sheets]
    assert labels == ["i", "ii", "A-1", "A-2"]


def test_a_page_without_a_label_has_its_number(read: Read, tmp_path: Path) -> None:
    document = read(HandPdf([b"", text_at(60, 700, "Two")]).write(tmp_path / "a.pdf"))
    assert [sheet.label for sheet in document.sheets] == ["1", "2"]


def test_a_sheet_with_more_text_than_is_read_says_so(read: Read, tmp_path: Path) -> None:
    row = "word " * 40
    content = b"".join(text_at(10, 1 + n % 800, row, size=1) for n in range(1100))
    document = read(HandPdf([content]).write(tmp_path / "much.pdf"))
    assert len(document.sheets[0].text) < 210_000
    assert document.notes == (
        "Sheet 1 has more text than is read of one sheet; the rest is left out.",
    )


def test_what_was_filled_into_a_form_is_text(read: Read, tmp_path: Path) -> None:
    with HandPdf([text_at(60, 700, "Price:")]).build() as made:
        widget = made.make_indirect(
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.Widget,
                FT=Name.Tx,
                T="price",
                V="642,000 dollars",
                Rect=Array([120, 690, 400, 720]),
                DA="/F1 12 Tf 0 g",
                F=4,
            )
        )
        made.pages[0].obj.Annots = Array([widget])
        made.Root.AcroForm = Dictionary(
            Fields=Array([widget]),
            DR=Dictionary(Font=made.pages[0].obj.Resources.Font),
            DA="/F1 12 Tf 0 g",
            NeedAppearances=True,
        )
        made.save(tmp_path / "form.pdf")
    assert read(tmp_path / "form.pdf").sheets[0].text == "Price: 642,000 dollars"


def _cjk(made: pikepdf.Pdf, text: str) -> None:
    """Set `text` in a font that the file does not carry, with its codes in a map."""
    codes = {character: index for index, character in enumerate(dict.fromkeys(text), 1)}
    rows = "\n".join(f"<{code:04x}> <{ord(c):04x}>" for c, code in codes.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{rows}\nendbfchar endcmap end end"
    )
    descendant = Dictionary(
        Type=Name.Font,
        Subtype=Name.CIDFontType2,
        BaseFont=Name("/Nowhere"),
        CIDSystemInfo=Dictionary(Registry="Adobe", Ordering="Identity", Supplement=0),
        FontDescriptor=made.make_indirect(
            Dictionary(
                Type=Name.FontDescriptor,
                FontName=Name("/Nowhere"),
                Flags=4,
                FontBBox=Array([0, -200, 1000, 800]),
                ItalicAngle=0,
                Ascent=800,
                Descent=-200,
                CapHeight=700,
                StemV=80,
            )
        ),
        DW=1000,
    )
    font = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type0,
        BaseFont=Name("/Nowhere"),
        Encoding=Name("/Identity-H"),
        DescendantFonts=Array([made.make_indirect(descendant)]),
        ToUnicode=made.make_stream(cmap.encode()),
    )
    shown = "".join(f"{codes[c]:04x}" for c in text)
    page = made.pages[0]
    page.obj.Resources = Dictionary(Font=Dictionary(F1=made.make_indirect(font)))
    page.obj.Contents = made.make_stream(f"BT /F1 20 Tf 60 700 Td <{shown}> Tj ET".encode())

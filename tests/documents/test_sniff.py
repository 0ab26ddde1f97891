"""What a file is, is told by its content; what is refused says what to do instead."""

import io
import zipfile

import pytest

from reviewer.documents.decode import decode
from reviewer.documents.errors import ACCEPTED, UnreadableFile, unreadable
from reviewer.documents.sniff import sniff, unpack

PROSE = "We held two calls with the team in October.\n\nThe fee is fixed.\n"
MARKDOWN = "# Offer\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n- one\n- two **bold**\n"


def archive(*names: str, content: bytes = b"<x/>") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in names:
            made.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("raw", "name", "kind"),
    [
        (b"%PDF-1.7\n1 0 obj", "a.docx", "pdf"),
        (b"\n\n%PDF-1.4 after a blank line", "a.txt", "pdf"),
        (b"<!DOCTYPE html><html><body>Hi</body></html>", "a.md", "html"),
        (b"<!-- saved --><HTML><p>Hi</HTML>", "a.txt", "html"),
        (b"<div><p>One</p><p>Two</p><p>Three</p></div>", "a", "html"),
        (b'<?xml version="1.0"?><html xmlns="x"><body/></html>', "a", "html"),
        (MARKDOWN.encode(), "offer", "markdown"),
        (MARKDOWN.encode(), "offer.txt", "markdown"),
        (b"<small>Permalink</small>\n\n# Offer\n\n**Bold** [a](b)\n", "a", "markdown"),
        (PROSE.encode(), "notes.txt", "text"),
        (PROSE.encode(), "notes", "text"),
        (PROSE.encode(), "notes.md", "markdown"),
        (PROSE.encode("utf-16"), "notes.txt", "text"),
        ("Préparé par Ünal – 5 €".encode("cp1252"), "notes.txt", "text"),
        (archive("[Content_Types].xml", "word/document.xml"), "a.pdf", "docx"),
        (archive("[Content_Types].xml", "ppt/presentation.xml"), "a.pdf", "pptx"),
        (b"BMW is the client of this offer.", "a.txt", "text"),
    ],
)
def test_the_kind_comes_from_the_content(raw: bytes, name: str, kind: str) -> None:
    assert sniff(raw, name).kind == kind


@pytest.mark.parametrize(
    ("raw", "code", "says"),
    [
        (b"", "empty", "is empty"),
        (b" \n\n", "empty", "is empty"),
        (b"\x89PNG\r\n\x1a\n....", "not_accepted", "a picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not_accepted", "a picture"),
        (b"{\\rtf1\\ansi Hello}", "not_accepted", "rich text"),
        (archive("a.txt"), "not_accepted", "a compressed archive"),
        (archive("mimetype", "content.xml", "meta.xml"), "not_accepted", "OpenDocument"),
        (archive("[Content_Types].xml", "xl/workbook.xml"), "not_accepted", "an Excel workbook"),
        (b"PK\x03\x04 and then nothing", "damaged", "damaged or incomplete"),
        (b"1 0 obj << /Type /Page >> endobj trailer", "no_header", "beginning is missing"),
        (bytes(range(256)) * 40, "unknown", "cannot be told"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"),
            "old_office",
            "Save it as .docx or PDF",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "locked",
            "locked with a password. Upload it without one.",
        ),
    ],
)
def test_what_is_not_accepted_says_why_and_what_to_do(raw: bytes, code: str, says: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        sniff(raw, "a.pdf")
    assert caught.value.code == code
    assert says in caught.value.message
    assert "pload" in caught.value.message


def test_an_archive_that_unpacks_to_too_much_is_not_opened() -> None:
    bomb = archive("[Content_Types].xml", "word/document.xml", content=b" " * 3_000_000)
    with pytest.raises(UnreadableFile) as caught:
        unpack(bomb, most=4_000_000)
    assert caught.value.code == "inflates"


def test_an_archive_that_lies_about_its_size_is_counted_as_it_unpacks() -> None:
    raw = bytearray(archive("word/document.xml", content=b" " * 3_000_000))
    stated = (3_000_000).to_bytes(4, "little")
    for _ in range(2):
        at = raw.index(stated)
        raw[at : at + 4] = (10).to_bytes(4, "little")
    with pytest.raises((UnreadableFile, zipfile.BadZipFile)):
        unpack(bytes(raw), most=1_000_000)


@pytest.mark.parametrize(
    ("raw", "text", "encoding"),
    [
        ("größer – 5 €".encode(), "größer – 5 €", "utf-8"),
        (b"\xef\xbb\xbfplain", "plain", "utf-8"),
        ("größer".encode("utf-16"), "größer", "utf-16-le"),
        (b"\xfe\xff" + "größer".encode("utf-16-be"), "größer", "utf-16-be"),
        ("plain words here".encode("utf-16-le"), "plain words here", "utf-16-le"),
        ("plain words here".encode("utf-16-be"), "plain words here", "utf-16-be"),
        ("größer – 5 €, “ja”".encode("cp1252"), "größer – 5 €, “ja”", "cp1252"),
        (b"nul\x00s and\x07 bells", "nuls and bells", "utf-8"),
        (b"one\r\ntwo\rthree\x0cfour", "one\ntwo\nthree\nfour", "utf-8"),
        (
            "Предлагаем выполнить работы в три этапа за двадцать шесть недель.".encode("cp1251"),
            "Предлагаем выполнить работы в три этапа за двадцать шесть недель.",
            "cp1251",
        ),
        ("価格は六十四万二千円です。".encode("cp932"), "価格は六十四万二千円です。", "cp932"),
        (
            "Ceny są wyższe niż rok temu, proszę o odpowiedź.".encode("cp1250"),
            "Ceny są wyższe niż rok temu, proszę o odpowiedź.",
            "cp1250",
        ),
        (
            '<meta charset="shift_jis">価格'.encode("shift_jis"),
            '<meta charset="shift_jis">価格',
            "shift_jis",
        ),
    ],
)
def test_text_is_decoded_by_mark_and_by_what_fits(raw: bytes, text: str, encoding: str) -> None:
    decoded = decode(raw)
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert bool(decoded.note) == (encoding != "utf-8" or b"\x00" in raw)


def test_every_reason_is_a_sentence_with_a_next_step() -> None:
    message = unreadable("not_accepted", what="a picture").message
    assert message == f"This file is a picture, which cannot be read here. Upload {ACCEPTED}."
    with pytest.raises(KeyError):
        unreadable("not_accepted")

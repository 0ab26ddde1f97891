"""What stands within itself too deep is refused at once; what does not is whole on its sheet."""

from io import BytesIO
from zipfile import ZipFile

import pytest

from reviewer.documents import word
from reviewer.documents.convert import convert
from reviewer.documents.errors import UnreadableFile
from reviewer.documents.limits import Limits
from reviewer.documents.markdown import markdown_to_html
from reviewer.documents.sanitise import sanitise
from tests.documents.conftest import Read

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


@pytest.mark.parametrize("opened", ["<div>", "<blockquote>", "<ul><li>", "<table><tr><td>", "<b>"])
def test_html_nested_thousands_deep_is_refused_and_not_cut(opened: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        sanitise(f"<p>Before</p>{opened * 3000}inside")
    assert caught.value.code == "too_deep"


@pytest.mark.parametrize(
    "text",
    [
        "> " * 3000 + "inside",
        "- " * 3000 + "inside",
        "\n".join(f"{'  ' * n}- a" for n in range(300)),
    ],
    ids=["quotes", "lists", "indented"],
)
def test_markdown_nested_thousands_deep_is_refused_and_not_cut(text: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        markdown_to_html(text)
    assert caught.value.code == "too_deep"


def test_a_list_as_deep_as_people_write_is_whole() -> None:
    text = "\n".join(f"{'  ' * n}- level {n}." for n in range(30)) + "\n\n" + "> " * 30 + "quoted"
    html = markdown_to_html(text)
    assert all(f"level {n}." in html for n in range(30))
    assert "quoted" in html


def test_what_the_parser_takes_and_the_layout_does_not_says_the_same(read: Read) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read(f"<html><body>{'<table><tr><td>' * 70}inside", "deep.html")
    assert caught.value.code == "too_deep"
    assert caught.value.message.endswith("or save it as PDF, and upload that.")


def word_file(depth: int) -> bytes:
    """A Word file with tables within tables."""
    opened, closed = "<w:tbl><w:tr><w:tc>", "<w:p/></w:tc></w:tr></w:tbl>"
    body = f"{opened * depth}<w:p><w:r><w:t>inside</w:t></w:r></w:p>{closed * depth}"
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>"
        )
    return out.getvalue()


@pytest.mark.parametrize("libreoffice", [True, False])
def test_tables_within_tables_of_a_word_file_are_refused(libreoffice: bool, tmp_path) -> None:
    (tmp_path / "original").write_bytes(word_file(1000))
    with pytest.raises(UnreadableFile) as caught:
        convert(tmp_path, "a.docx", Limits(libreoffice=libreoffice), lambda *step: None)
    assert caught.value.code == "too_deep"
    assert not (tmp_path / "document.pdf").exists()


def test_a_part_of_ordinary_depth_is_parsed() -> None:
    with ZipFile(BytesIO(word_file(20))) as archive:
        assert word.parse(archive.read("word/document.xml")) is not None

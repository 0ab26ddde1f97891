"""Real proposals: the same words in four formats, and the draft of twelve sheets."""

import difflib
import json
import re
from functools import cache
from pathlib import Path

import pytest

from reviewer.documents.intake import read_file
from reviewer.documents.limits import Limits
from reviewer.documents.sheets import DocumentRead
from tests.documents.conftest import Read, needs_libreoffice
from tests.shared_cases import case, needs_cases

pytestmark = needs_cases


def words_of(document: DocumentRead) -> list[str]:
    text = " ".join(word.text for sheet in document.sheets for word in sheet.words)
    return re.findall(r"[^\W\d_]{2,}", text.lower())


def seed(suffix: str) -> Path:
    return case("documents", "proposals", f"czi-seed-rfa.{suffix}")


@pytest.fixture(scope="module")
def words_of_the_pdf(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    into = tmp_path_factory.mktemp("seed")
    return words_of(read_file(seed("pdf"), into, name="seed.pdf"))


@pytest.mark.parametrize(("suffix", "least"), [("docx", 0.98), ("html", 0.98), ("md", 0.84)])
def test_a_proposal_in_four_formats_gives_the_same_words(
    suffix: str, least: float, read: Read, words_of_the_pdf: list[str]
) -> None:
    document = read(seed(suffix), limits=Limits(libreoffice=False))
    assert document.sheets
    assert document.layout_approximate == (suffix == "docx")
    matcher = difflib.SequenceMatcher(None, words_of_the_pdf, words_of(document), autojunk=False)
    assert matcher.ratio() >= least


@needs_libreoffice
def test_a_word_file_laid_out_by_libreoffice_gives_the_same_words_too(
    read: Read, words_of_the_pdf: list[str]
) -> None:
    document = read(seed("docx"))
    assert (document.converter, document.layout_approximate) == ("libreoffice", False)
    matcher = difflib.SequenceMatcher(None, words_of_the_pdf, words_of(document), autojunk=False)
    assert matcher.ratio() >= 0.98


def test_a_file_under_a_wrong_name_is_read_by_its_content(read: Read) -> None:
    assert read(seed("pdf"), "budget.docx").kind == "pdf"
    assert read(seed("html"), "page.pdf").kind == "html"
    assert read(seed("md"), "notes.txt").kind == "markdown"
    assert read(seed("docx"), "a.md", limits=Limits(libreoffice=False)).kind == "docx"


def folded(text: str) -> str:
    plain = text.translate(str.maketrans("“”‘’|", "\"\"'' "))
    return " ".join(plain.split()).lower()


@cache
def findings() -> list[dict[str, object]]:
    found = []
    for name in "ABC":
        raw = case("readings", f"harbor-claims-{name}.json").read_text(encoding="utf-8")
        found.extend(json.loads(raw)["findings"])
    return found


def test_the_draft_of_twelve_sheets_has_twelve_and_its_quotes_stand_on_them(read: Read) -> None:
    document = read(case("documents", "proposals", "harbor-claims-12-sheets.md"))
    assert len(document.sheets) == 12
    assert document.fit == ()
    texts = {sheet.number: folded(sheet.text) for sheet in document.sheets}
    quoted = [one for one in findings() if one["quote"]]
    found = [one for one in quoted if folded(str(one["quote"])) in texts[int(str(one["sheet"]))]]
    assert len(quoted) > 300
    assert len(found) >= 0.95 * len(quoted)

"""Real proposals: the same words in four formats, and the draft of twelve sheets."""

import difflib
import json
import re
from functools import cache
from pathlib import Path

import pytest

from reviewer.documents.limits import Limits
from reviewer.documents.sheets import DocumentRead
from reviewer.documents.sniff import sniff
from tests.documents.conftest import Read, needs_libreoffice
from tests.reads import LIMITS, read_once
from tests.shared_cases import case, needs_cases

pytestmark = needs_cases
WITHOUT_LIBREOFFICE = Limits(seconds=LIMITS.seconds, libreoffice=False)


def words_of(document: DocumentRead) -> list[str]:
    text = " ".join(word.text for sheet in document.sheets for word in sheet.words)
    return re.findall(r"[^\W\d_]{2,}", text.lower())


def seed(suffix: str) -> Path:
    return case("documents", "proposals", f"czi-seed-rfa.{suffix}")


@pytest.fixture(scope="module")
def words_of_the_pdf() -> list[str]:
    return words_of(read_once(seed("pdf")))


@pytest.mark.parametrize(("suffix", "least"), [("docx", 0.98), ("html", 0.98), ("md", 0.84)])
def test_a_proposal_in_four_formats_gives_the_same_words(
    suffix: str, least: float, read: Read, words_of_the_pdf: list[str]
) -> None:
    limits = WITHOUT_LIBREOFFICE if suffix == "docx" else LIMITS
    document = read(seed(suffix), limits=limits)
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


@pytest.mark.parametrize(
    ("suffix", "name", "kind"),
    [
        ("pdf", "budget.docx", "pdf"),
        ("html", "page.pdf", "html"),
        ("md", "notes.txt", "markdown"),
        ("docx", "a.md", "docx"),
    ],
)
def test_a_file_under_a_wrong_name_is_taken_by_its_content(
    suffix: str, name: str, kind: str
) -> None:
    assert sniff(seed(suffix).read_bytes(), name).kind == kind


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

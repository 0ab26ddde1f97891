"""A fault for every check, planted in every format, is found on its sheet; the twin has none.

The words that are highlighted are those that the finding quotes.
"""

from datetime import date
from functools import cache
from pathlib import Path

import pytest

from reviewer.core.checks import CHECKS, CheckedDocument, CheckFinding, examine
from reviewer.core.quotes import find_quote, words_covered
from tests.core.checks.plants import DOCUMENTS, KNOWN, expected, source
from tests.core.checks.written_as import (
    annotate,
    as_html,
    as_markdown,
    as_slides,
    as_word,
    unmarked,
)
from tests.documents.conftest import needs_libreoffice
from tests.reads import sheets_of, told_by

TODAY = date(2030, 1, 15)
FORMATS = ("md", "html", "docx", "pdf", pytest.param("pptx", marks=needs_libreoffice))
CANNOT_BE_IN = {"pdf": {"skipped_level"}, "pptx": {"skipped_level"}}
"""What a format has no place for: levels of headings are told by a source alone."""

each_format = pytest.mark.parametrize("kind", FORMATS)
each_document = pytest.mark.parametrize("name", DOCUMENTS)


def _written(kind: str, name: str, repaired: bool, folder: Path) -> Path:
    sheets = source(name, repaired=repaired)
    path = folder / f"{name}-{repaired}.{kind}"
    if kind == "docx":
        as_word(sheets, path)
    elif kind == "pptx":
        as_slides(sheets, path)
    elif kind == "html":
        path.write_text(as_html(sheets), encoding="utf-8")
    elif kind == "md":
        path.write_text(as_markdown(sheets), encoding="utf-8")
    else:
        plain = folder / f"{name}-{repaired}-unmarked.md"
        plain.write_text(as_markdown([unmarked(sheet) for sheet in sheets]), encoding="utf-8")
        annotate(sheets, plain, path)
    return path


@cache
def _read(kind: str, name: str, repaired: bool, folder: Path) -> CheckedDocument:
    path = _written(kind, name, repaired, folder)
    return CheckedDocument(sheets=sheets_of(path), today=TODAY, **KNOWN, **told_by(path))


@cache
def _findings(kind: str, name: str, repaired: bool, folder: Path) -> tuple[CheckFinding, ...]:
    examination = examine(_read(kind, name, repaired, folder), off=())
    assert examination.failures == ()
    return examination.findings


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("planted")


def test_a_fault_is_planted_for_every_check() -> None:
    planted = {check for name in DOCUMENTS for check, _ in expected(name)}
    assert planted == {check.code for check in CHECKS}


@each_document
@each_format
def test_each_check_finds_its_fault_on_its_sheet_and_nothing_else(
    kind: str, name: str, folder: Path
) -> None:
    found = {(finding.check, finding.sheet) for finding in _findings(kind, name, False, folder)}
    cannot = CANNOT_BE_IN.get(kind, set())
    assert found == {(check, sheet) for check, sheet in expected(name) if check not in cannot}


@each_document
@each_format
def test_the_repaired_twin_has_no_finding(kind: str, name: str, folder: Path) -> None:
    assert _findings(kind, name, True, folder) == ()


@each_document
@each_format
def test_the_highlight_covers_the_words_that_are_quoted(kind: str, name: str, folder: Path) -> None:
    sheets = {sheet.number: sheet for sheet in _read(kind, name, False, folder).sheets}
    for finding in _findings(kind, name, False, folder):
        for number, quote in [
            (finding.sheet, finding.quote),
            *((place.sheet, place.quote) for place in finding.also),
        ]:
            if not quote:
                continue
            words = [word for word, *_ in sheets[number].words]
            place = find_quote(quote, sheets[number].text)
            assert place is not None
            covered = words_covered(place, words, sheets[number].text)
            assert covered is not None
            first, last = covered
            squeezed = "".join(quote.split())
            assert squeezed in "".join(words[first : last + 1])
            assert squeezed not in "".join(words[first + 1 : last + 1])
            assert squeezed not in "".join(words[first:last])

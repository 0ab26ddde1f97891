"""Every shared document gives sheets or a reason to act on, within limits and without a trace.

The index's column `expected` is a judgement. Where ours differs, it is said here:

- GHOSTSCRIPT-698804-1-fuzzed, operator_list_cycle and handbuilt_T04_006_premature-EOF give one
  blank sheet and the fault "blank" rather than an error: the page is there, loads, and shows
  nothing, which is just what a person sees in any viewer.
- poppler-91414-0-53 and Pages-tree-refs give the page that does load; what does not is said.
- ExternalEntityInText.docx is refused for its type declaration, and not shown blank.
"""

import csv
from pathlib import Path

import pytest

from reviewer.documents.limits import Limits
from reviewer.documents.office import installed
from reviewer.documents.sheets import DocumentRead
from tests.documents.conftest import needs_libreoffice
from tests.reads import LIMITS, Reading, read_once, reading_of
from tests.shared_cases import CASES, case, needs_cases

pytestmark = needs_cases

FOR_TOO_MUCH = {"hard/bug65649.docx": Limits(seconds=4)}
"""What would be laid out for minutes: it ends at its limit, whatever the machine."""

REFUSED = {
    "hard/ExternalEntityInText.docx": "unsafe",
    "hard/REDHAT-1531897-0.pdf": "damaged",
    "hard/SampleDoc.doc": "old_office",
    "hard/clusterfuzz-testcase-minimized-POIXSLFFuzzer-6254434927378432.pptx": "damaged",
    "hard/clusterfuzz-testcase-minimized-POIXWPFFuzzer-5166796835258368.docx": "damaged",
    "hard/handbuilt_T01_006_header-invalid-syntax-no-pdf.pdf": "no_header",
    "hard/handbuilt_T02-02_001_no-page-tree-node.pdf": "damaged",
    "hard/handbuilt_T02-02_002_page-tree-kids-links-recursive.pdf": "damaged",
    "hard/handbuilt_T02-03_006_page-object-missing.pdf": "damaged",
    "hard/issue6010_1.pdf": "locked",
    "hard/issue6010_2.pdf": "locked",
    "hard/no-slides.pptx": "no_slides",
    "hard/poc-xmlbomb.xlsx": "not_accepted",
    "hard/poppler-395-0-fuzzed.pdf": "damaged",
    "hard/poppler-742-0-fuzzed.pdf": "damaged",
    "hard/poppler-85140-0.pdf": "damaged",
    "hard/protected_agile.docx": "locked",
    "hard/truncated62886.docx": "damaged",
    "hard/xfa_issue14315.pdf": "form_not_supported",
}

SHEETS = {
    "hard/Pages-tree-refs.pdf": 1,
    "hard/empty#hash.pdf": 1,
    "hard/empty_protected.pdf": 1,
    "hard/hello_world_rotated.pdf": 5,
    "hard/issue7229.pdf": 2,
    "hard/rotation.pdf": 2,
    "hard/sizes.pdf": 3,
    "proposals/czi-seed-rfa.pdf": 16,
    "proposals/harbor-claims-12-sheets.md": 12,
}

TEXTS = {
    "hard/IdentityToUnicodeMap_charCodeOf.pdf": "ABCdef",
    "hard/copy_paste_ligatures.pdf": "abcdeffffiflffifflſtstghijklmno",
    "hard/hello_world_rotated.pdf": "Hello world",
    "hard/issue16538.pdf": "リスク",
    "hard/rotation.pdf": "landscape layout",
    "proposals/rconsortium_isc-proposal.html": "Proposal Title",
    "proposals/18F_Posted_QASP.md": "Quality Assurance",
}


def listed() -> list[str]:
    if CASES is None:
        return []
    with (CASES / "documents" / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        return [row["path"] for row in csv.DictReader(index, delimiter="\t")]


def needs_slides(path: str) -> bool:
    return path.endswith((".pptx", ".pptm")) and path not in REFUSED


def reading(path: str) -> Reading:
    """One file, read once for all tests that look at it."""
    return reading_of(case("documents", path), limits=FOR_TOO_MUCH.get(path, LIMITS))


def expected_reasons(path: str) -> set[str]:
    """The codes with one of which the file is refused; none where it must give sheets."""
    if path in FOR_TOO_MUCH:
        return {"too_slow", "too_many_sheets"}
    if installed() is None and needs_slides(path):
        return {"needs_libreoffice"}
    return {REFUSED[path]} if path in REFUSED else set()


@pytest.mark.parametrize("path", listed())
def test_each_file_gives_sheets_or_a_reason(path: str) -> None:
    reasons = expected_reasons(path)
    ended = reading(path)
    code, message = ended.reason
    if ended.document is None:
        assert code in reasons, message
        assert message.endswith(".")
        assert "pload" in message
        assert not ended.folder.exists()
    else:
        assert not reasons
        assert_whole(ended.document, ended.folder)
        assert len(ended.document.sheets) == SHEETS.get(path, len(ended.document.sheets))
        assert TEXTS.get(path, "") in " ".join(sheet.text for sheet in ended.document.sheets)
    assert ended.seconds < FOR_TOO_MUCH.get(path, LIMITS).seconds + 15
    assert ended.memory < 1 << 30


def assert_whole(document: DocumentRead, into: Path) -> None:
    """Everything that is named is there, and nothing else is."""
    named = {document.pdf} | {p for s in document.sheets for p in (s.image, s.thumbnail)}
    assert set(into.rglob("*")) == named
    for sheet in document.sheets:
        assert sheet.width > 0
        assert sheet.height > 0
        assert max(sheet.image_width, sheet.image_height) <= 3000
        assert "\x00" not in sheet.text
        assert sheet.has_text == (not sheet.unread)
        for one in sheet.paragraphs:
            assert 0 <= one.first_word <= one.last_word < len(sheet.words)
    faults = {fault.code for fault in document.fit}
    unread = {sheet.unread for sheet in document.sheets}
    assert ("blank" in faults) == ("blank" in unread)


def test_a_scan_is_shown_and_marked_unread() -> None:
    document = read_once(case("documents", "hard", "issue7229.pdf"))
    assert [sheet.unread for sheet in document.sheets] == ["no_text", "no_text"]


@needs_libreoffice
def test_each_sheet_of_a_word_file_has_its_own_head() -> None:
    document = read_once(case("documents", "hard", "PageSpecificHeadFoot.docx"))
    heads = [sheet.text.split("\n")[0] for sheet in document.sheets]
    assert len(set(heads)) == len(heads) == 2


@needs_libreoffice
def test_one_sheet_a_slide() -> None:
    assert len(read_once(case("documents", "hard", "aptia.pptx")).sheets) == 9

"""Every shared document gives sheets or a reason to act on, within limits and without a trace.

The index's column `expected` is a judgement. Where ours differs, it is said here:

- GHOSTSCRIPT-698804-1-fuzzed, operator_list_cycle and handbuilt_T04_006_premature-EOF give one
  blank sheet and the fault "blank" rather than an error: the page is there, loads, and shows
  nothing, which is just what a person sees in any viewer.
- poppler-91414-0-53 and Pages-tree-refs give the page that does load; what does not is said.
- ExternalEntityInText.docx is refused for its type declaration, and not shown blank.
"""

import csv
import resource
import time
from pathlib import Path

import pytest

from reviewer.documents.errors import UnreadableFile
from reviewer.documents.intake import read_file
from reviewer.documents.limits import Limits
from reviewer.documents.office import installed
from reviewer.documents.sheets import DocumentRead
from tests.documents.conftest import needs_libreoffice
from tests.shared_cases import CASES, case, needs_cases

pytestmark = needs_cases

LIMITS = Limits(seconds=100)
SLOW_WITHOUT_LIBREOFFICE = {"hard/bug65649.docx"}

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


def outcome(path: str, into: Path, limits: Limits) -> DocumentRead | UnreadableFile:
    try:
        return read_file(case("documents", path), into, name=Path(path).name, limits=limits)
    except UnreadableFile as reason:
        return reason


def expected_reasons(path: str) -> set[str]:
    """The codes with one of which the file is refused; none where it must give sheets."""
    if installed() is None and path in SLOW_WITHOUT_LIBREOFFICE:
        return {"too_slow", "too_many_sheets"}
    if installed() is None and needs_slides(path):
        return {"needs_libreoffice"}
    return {REFUSED[path]} if path in REFUSED else set()


@pytest.mark.parametrize("path", listed())
def test_each_file_gives_sheets_or_a_reason(path: str, tmp_path: Path) -> None:
    into = tmp_path / "into"
    slow = path in SLOW_WITHOUT_LIBREOFFICE and installed() is None
    limits = Limits(seconds=15) if slow else LIMITS
    reasons = expected_reasons(path)
    begun = time.monotonic()
    result = outcome(path, into, limits)
    assert time.monotonic() - begun < limits.seconds + 15
    if isinstance(result, UnreadableFile):
        assert result.code in reasons, result.message
        assert result.message.endswith(".")
        assert "pload" in result.message
        assert not into.exists()
    else:
        assert not reasons
        assert_whole(result, into)
        assert len(result.sheets) == SHEETS.get(path, len(result.sheets))
        assert TEXTS.get(path, "") in " ".join(sheet.text for sheet in result.sheets)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    assert most < 1 << 30


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


def test_a_scan_is_shown_and_marked_unread(tmp_path: Path) -> None:
    document = read_file(case("documents", "hard", "issue7229.pdf"), tmp_path / "a", name="a.pdf")
    assert [sheet.unread for sheet in document.sheets] == ["no_text", "no_text"]


@needs_libreoffice
def test_each_sheet_of_a_word_file_has_its_own_head(tmp_path: Path) -> None:
    source = case("documents", "hard", "PageSpecificHeadFoot.docx")
    document = read_file(source, tmp_path / "a", name="a.docx")
    heads = [sheet.text.split("\n")[0] for sheet in document.sheets]
    assert len(set(heads)) == len(heads) == 2


@needs_libreoffice
def test_one_sheet_a_slide(tmp_path: Path) -> None:
    source = case("documents", "hard", "aptia.pptx")
    document = read_file(source, tmp_path / "a", name="aptia.pptx")
    assert len(document.sheets) == 9

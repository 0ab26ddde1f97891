"""The planted faults are found in every format, and none of them in the repaired twin.

Each finding's words are found on its sheet, and the words that are highlighted are those.
"""

import json
import re
from datetime import date
from functools import cache
from pathlib import Path

import pytest

import reviewer
from reviewer.core.checks import CheckedDocument, CheckFinding, examine
from reviewer.core.quotes import find_quote, words_covered
from tests.core.checks.written_as import as_html, as_word
from tests.reads import read_once, sheets_of, told_by

SAMPLES = Path(reviewer.__file__).parent / "samples"
PLANTED = (SAMPLES / "planted.md").read_text(encoding="utf-8")
FOUND_BY_CHECKS = {
    fault["check"]
    for fault in json.loads((SAMPLES / "planted.json").read_text(encoding="utf-8"))
    if "check" in fault
}
REPAIRS = (
    (
        "In today's fast-paced healthcare landscape, patient expectations are evolving at an "
        "unprecedented pace. As your trusted partner, we are excited to embark on this "
        "transformative journey with you.\n\n",
        "",
    ),
    (" Missed appointments will fall by 45% within three months of go-live.", ""),
    ("$186,000", "$190,400"),
    ("$194,400", "$190,400"),
    (
        "Studies show that 38% of patients leave a practice after a single bad experience with "
        "booking. As the country's leading experts in patient access, we know what these numbers "
        "mean for your clinics.",
        "Each missed appointment is one that a patient on the waiting list could have had.",
    ),
    ("at all seven clinics", "at all six clinics"),
    (" and other systems as needed", ", MediRecord 8"),
    (" We will also provide reports, dashboards, etc.", ""),
    (
        "[insert reference from the cardiology group once they approve]\n\n"
        "We are confident that the approach that worked there will work for Harbor Mutual too.\n\n"
        "### How reminders work\n\nA patient receives a text message seven days and again two days "
        "before the appointment, and answers with one letter: C to confirm, X to cancel. A cancelled "
        "appointment is offered at once to the next three patients on the waiting list of that "
        "clinic. Whoever answers first has it, and the other two are told.\n",
        "Dr Ines Maddox of the Port of Selby practice has agreed to take your call.\n",
    ),
    ("- 20% at the end of week 20", "- 10% at the end of week 20"),
    (
        "Let us know what you think whenever it suits you.",
        "We recommend all four, and ask you to sign by Friday 28 May 2032.",
    ),
    (
        "We fully understand if this is not the right time for a project of this size, and you "
        "should of course feel free to say no. We hope this proposal might be of some interest.\n\n",
        "",
    ),
    ("Monday 15 June 2032", "Monday 14 June 2032"),
)


def _repaired() -> str:
    text = PLANTED
    for fault, repair in REPAIRS:
        assert text.count(fault) == 1, fault
        text = text.replace(fault, repair)
    return text


@cache
def _read(kind: str, repaired: bool, folder: Path) -> CheckedDocument:
    text = _repaired() if repaired else PLANTED
    sheets = re.split(r"\n---\n+(?=## )", text)
    path = folder / f"{kind}-{repaired}.{kind}"
    if kind == "docx":
        as_word(sheets, path)
    elif kind == "pdf":
        source = folder / f"for-pdf-{repaired}.md"
        source.write_text(text, encoding="utf-8")
        path = read_once(source).pdf
    else:
        path.write_text(as_html(sheets) if kind == "html" else text, encoding="utf-8")
    return CheckedDocument(
        sheets=sheets_of(path),
        client="Northgate Clinics",
        other_clients=("Harbor Mutual",),
        today=date(2031, 12, 31),
        **told_by(path),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


each_format = pytest.mark.parametrize("kind", ["md", "html", "docx", "pdf"])


def _findings(kind: str, repaired: bool, folder: Path) -> tuple[CheckFinding, ...]:
    examination = examine(_read(kind, repaired, folder))
    assert examination.failures == ()
    return examination.findings


@each_format
def test_every_planted_fault_is_found(kind: str, folder: Path) -> None:
    assert {finding.check for finding in _findings(kind, False, folder)} == FOUND_BY_CHECKS


@each_format
def test_nothing_is_found_in_the_repaired_twin(kind: str, folder: Path) -> None:
    assert _findings(kind, True, folder) == ()


@each_format
def test_the_highlight_of_a_finding_covers_the_words_it_quotes(kind: str, folder: Path) -> None:
    document = _read(kind, False, folder)
    sheets = {sheet.number: sheet for sheet in document.sheets}
    for finding in _findings(kind, False, folder):
        sheet = sheets[finding.sheet]
        place = find_quote(finding.quote, sheet.text)
        assert place is not None
        words = [word for word, *_ in sheet.words]
        covered = words_covered(place, words, sheet.text)
        assert covered is not None
        highlighted = words[covered[0] : covered[1] + 1]
        assert "".join(finding.quote.split()) in "".join(highlighted)

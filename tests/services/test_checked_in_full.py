"""What checks are given of a version, and what becomes of each finding when its cause goes."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.documents.sheets import DocumentRead, FitFault, Leftover, SourceRead
from reviewer.models import Finding, Version
from reviewer.services.as_checked import checked_document, text_of_source
from reviewer.services.checking import check_version
from reviewer.services.ground import Ground
from tests.core.checks.plants import MONEY, WORDS
from tests.services.documents import plain_document

FAULTS = {
    "In today's fast-paced landscape, we answer your letter.": "We answer your letter.",
    "Missed appointments will fall by 45% within three months.": "We count missed appointments.",
    "Dear [CLIENT NAME], this is our offer.": "Dear Ms Ode, this is our offer.",
    "The project starts on Tuesday 2 February 2032.": "The project starts on Monday 2 February 2032.",
    "We will also provide reports, dashboards, etc.": "We will also provide reports.",
}
FAULTY = "# An offer\n\n" + "\n\n".join(FAULTS)
GERMAN = (
    "# Angebot\n\nDer Preis für die Arbeit ist in der Tabelle zu sehen und gilt für das ganze "
    "Projekt. Wir werden mit den Leuten in der Klinik sprechen und die Regeln mit ihnen schreiben, "
    "die auf der Seite zu lesen sind. Das ist nicht im Preis enthalten, der Preis ist fest."
)


def checked(version: Version) -> dict[str, str]:
    """State of every finding of checks, by the check and its words."""
    findings = Finding.objects.filter(proposal=version.proposal_id, raised=Finding.Raised.CHECK)
    return {f"{f.check_code}: {f.quote}": f.shown_state for f in findings.order_by("number")}


def told(monkeypatch: pytest.MonkeyPatch, **more: object) -> None:
    """Have the reader of files tell `more` than the text."""

    def read(path: Path, workdir: Path, **options: object) -> DocumentRead:
        return replace(plain_document(path.read_text(), workdir), **more)  # type: ignore[arg-type]

    monkeypatch.setattr("reviewer.services.conversion.read_file", read)


Ready = Callable[..., Version]


def test_the_same_document_twice_gives_the_same_findings_in_the_same_order(ready: Ready) -> None:
    first = ready(FAULTY)
    before = checked(first)
    assert len(before) >= len(FAULTS)
    second = ready(FAULTY, of=first.proposal)
    assert list(checked(second).items()) == list(before.items())
    assert set(before.values()) == {"open"}


@pytest.mark.parametrize("fault", FAULTS)
def test_exactly_the_finding_whose_cause_is_gone_is_fixed(ready: Ready, fault: str) -> None:
    first = ready(FAULTY)
    before = checked(first)
    after = checked(ready(FAULTY.replace(fault, FAULTS[fault]), of=first.proposal))
    became = {key for key, state in after.items() if state != before[key]}
    assert became
    assert {after[key] for key in became} == {"fixed"}
    assert all(key.partition(": ")[2] in fault for key in became)
    assert set(after) == set(before)


def test_faults_repaired_at_once_are_fixed_and_every_other_finding_stays(ready: Ready) -> None:
    sheets = [*WORDS[:-1], *MONEY]
    repaired = {
        n for n, sheet in enumerate(sheets, 1) if sheet.checks and sheet.good and n % 2 == 0
    }
    written = [sheet.text(repaired=False) for sheet in sheets]
    edited = [sheet.text(repaired=n in repaired) for n, sheet in enumerate(sheets, 1)]
    first = ready("\n---\n".join(written))
    before = checked(first)
    on_sheets = {
        f"{finding.check_code}: {finding.quote}"
        for finding in Finding.objects.filter(proposal=first.proposal_id, sheet__in=repaired)
    }
    after = checked(ready("\n---\n".join(edited), of=first.proposal))
    assert len(on_sheets) >= 8
    assert len(before) > 30
    assert {key for key, state in after.items() if state == "fixed"} == on_sheets
    assert {state for key, state in after.items() if key not in on_sheets} == {"open"}
    assert list(after) == list(before)


def test_checks_are_given_paragraphs_and_the_markdown(ready: Ready) -> None:
    version = ready(FAULTY)
    document = checked_document(version, Ground(version))
    assert document.source_text == FAULTY
    assert document.sheets[0].paragraphs[1] == next(iter(FAULTS))


@pytest.mark.parametrize(
    ("kind", "raw", "text"),
    [
        ("markdown", "# Preis \u00fcber alles".encode("cp1252"), "# Preis \u00fcber alles"),
        ("text", b"Price", "Price"),
        ("pdf", b"%PDF-1.7", None),
        ("docx", b"PK", None),
        ("markdown", b"a" * (Version.MOST_TEXT + 1), None),
    ],
)
def test_only_the_source_of_text_of_bounded_length_is_read(
    kind: str, raw: bytes, text: str | None
) -> None:
    assert text_of_source(kind, raw) == text


def test_a_version_whose_original_is_gone_is_checked_all_the_same(ready: Ready) -> None:
    version = ready(FAULTY)
    version.original.delete(save=False)
    assert checked_document(version, Ground(version)).source_text is None
    assert check_version(version)


def test_what_was_left_in_the_file_is_a_finding_at_its_words(
    ready: Ready, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = "The fee is nine thousand."
    left = Leftover("comment", 0, "nine thousand", "Karin: with travel?", around)
    told(monkeypatch, source=SourceRead(leftovers=(left,)))
    version = ready(f"# An offer\n\n{around}")
    finding = Finding.objects.get(proposal=version.proposal_id, check_code="comment_left")
    assert (finding.sheet, finding.quote) == (1, "nine thousand")
    assert "Karin: with travel?" in finding.text
    assert finding.places.count() == 1
    told(monkeypatch)
    ready(f"# An offer\n\n{around}", of=version.proposal)
    finding.refresh_from_db()
    assert finding.shown_state == "fixed"


def test_cells_of_the_source_decide_what_a_table_adds_up_to(
    ready: Ready, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = (("Phase", "Days"), ("Design", "52"), ("Build", "84"), ("Total", "146"))
    told(monkeypatch, source=SourceRead(tables=(table,)))
    rows = "\n\n".join(" ".join(row) for row in table)
    version = ready(f"# Effort\n\n{rows}")
    found = Finding.objects.get(proposal=version.proposal_id, check_code="table_total")
    assert found.quote == "Total 146"


@pytest.mark.parametrize(("holds", "severity"), [([], "fix"), (["blank"], "consider")])
def test_what_the_fit_already_holds_is_only_shown_by_the_check(
    ready: Ready, cast, monkeypatch: pytest.MonkeyPatch, holds: list[str], severity: str
) -> None:
    cast.workspace.policy["fit"] = holds
    cast.workspace.save()
    told(monkeypatch, fit=(FitFault("blank", 1, "This sheet is blank."),))
    version = ready("# An offer")
    finding = Finding.objects.get(proposal=version.proposal_id, check_code="blank_sheet")
    assert (finding.sheet, finding.quote, finding.severity) == (1, "", severity)
    assert finding.shown_state == "open"


@pytest.mark.parametrize(("forms", "found"), [("en-US", True), ("en-GB", False), ("", False)])
def test_the_workspace_says_which_way_round_a_date_is(
    ready: Ready, cast, forms: str, found: bool
) -> None:
    cast.workspace.policy["forms"] = forms
    cast.workspace.save()
    version = ready("# An offer\n\nThe project starts on Saturday 03/04/2032.")
    assert any(key.startswith("weekday") for key in checked(version)) == found


def test_a_text_in_another_language_is_checked_without_english_and_it_is_said(
    ready: Ready,
) -> None:
    version = ready(GERMAN)
    version.refresh_from_db()
    assert "promised_result" in version.unchecked["language"]
    (note,) = version.notes_shown
    assert re.search(r"does not read as English\. \d+ checks", note)
    assert ready(FAULTY).notes_shown == []

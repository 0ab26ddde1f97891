"""On the real proposals the checks find what was judged, finding by finding, and no more.

`judged.json` lists every finding over the shared proposals with a person's judgement and
its reason. A finding that is new has to be judged and added; one that is gone, removed.
"""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from reviewer.core.checks import CHECKS, CheckedDocument, CheckFinding, examine
from tests.core.checks.written import cases
from tests.reads import sheets_of, told_by
from tests.shared_cases import case, needs_cases

JUDGED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "judged.json").read_text(encoding="utf-8")
)
TODAY = date(2026, 11, 30)
CLIENTS = {"harbor-claims-12-sheets.md": "Harbor Mutual"}
FEWEST_CASES = 20
RIGHT = 0.9


def _document(path: Path) -> CheckedDocument:
    return CheckedDocument(
        sheets=sheets_of(path),
        client=CLIENTS.get(path.name, ""),
        today=TODAY,
        **told_by(path),
    )


@cache
def _everything() -> tuple[int, tuple[tuple[str, CheckFinding], ...]]:
    """Sheets in all, and every finding with its document; no check may break on any."""
    sheets, findings = 0, []
    paths = sorted(case("documents", "proposals").iterdir())
    with ThreadPoolExecutor(2) as pool:  # each file is read by a process of its own
        list(pool.map(sheets_of, paths))
    for path in paths:
        document = _document(path)
        examination = examine(document)
        assert examination.failures == ()
        sheets += len(document.sheets)
        findings += [(path.name, finding) for finding in examination.findings]
    return sheets, tuple(findings)


@needs_cases
def test_the_findings_are_those_that_were_judged() -> None:
    _, findings = _everything()
    found = Counter((document, f.check, f.quote, f.finding) for document, f in findings)
    judged = Counter((j["document"], j["check"], j["quote"], j["finding"]) for j in JUDGED)
    assert {"new": found - judged, "gone": judged - found} == {"new": Counter(), "gone": Counter()}


@needs_cases
def test_there_is_at_most_one_finding_a_sheet_on_average() -> None:
    sheets, findings = _everything()
    assert 0 < len(findings) <= sheets


@needs_cases
def test_every_quote_stands_on_its_sheet() -> None:
    _, findings = _everything()
    for document, finding in findings:
        path = case("documents", "proposals", document)
        texts = {s.number: " ".join(s.text.split()) for s in sheets_of(path)}
        for sheet, quote in [
            (finding.sheet, finding.quote),
            *((p.sheet, p.quote) for p in finding.also),
        ]:
            assert quote in texts[sheet] if sheet else quote == ""


def test_every_check_that_is_on_is_right_in_nine_of_ten() -> None:
    right: Counter[str] = Counter(j["check"] for j in JUDGED if j["right"])
    judged: Counter[str] = Counter(j["check"] for j in JUDGED)
    for check in CHECKS:
        if check.on_by_default and judged[check.code]:
            assert right[check.code] >= RIGHT * judged[check.code], check.code
    made = Counter(made.check for made in cases())
    few = {c.code for c in CHECKS if made[c.code] + judged[c.code] < FEWEST_CASES}
    assert few == set()


def test_every_judgement_has_its_reason() -> None:
    assert all(j["why"] for j in JUDGED)

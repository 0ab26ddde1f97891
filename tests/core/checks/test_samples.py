"""The sample proposals: the planted faults are found, the clean one has none."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import reviewer
from reviewer.core.checks import CHECKS_BY_CODE, CheckedDocument, run_checks
from reviewer.core.rubric import RULE_CODES
from reviewer.core.schema import ReportedFinding
from tests.reads import sheets_of, told_by

SAMPLES = Path(reviewer.__file__).parent / "samples"
LISTED: list[dict[str, Any]] = json.loads((SAMPLES / "samples.json").read_text(encoding="utf-8"))
CLIENTS = tuple(sample["client"] for sample in LISTED)
FAULTS: list[dict[str, Any]] = json.loads((SAMPLES / "planted.json").read_text(encoding="utf-8"))


def _checked(name: str, today: date = date(2031, 12, 31)) -> CheckedDocument:
    sample = next(sample for sample in LISTED if sample["file"] == name)
    return CheckedDocument(
        sheets=sheets_of(SAMPLES / name),
        client=sample["client"],
        other_clients=tuple(client for client in CLIENTS if client != sample["client"]),
        today=today,
        kind=sample["kind"],
        **told_by(SAMPLES / name),
    )


@pytest.mark.parametrize("today", [date(2026, 11, 30), date(2031, 12, 31)])
def test_no_check_finds_anything_in_the_clean_sample(today: date) -> None:
    assert run_checks(_checked("clean.md", today)) == []


def test_the_faults_that_code_can_see_are_found_where_they_were_planted() -> None:
    found = run_checks(_checked("planted.md"))
    missed = [
        fault
        for fault in FAULTS
        if "check" in fault
        and not any(
            finding.check == fault["check"]
            and finding.sheet == fault["sheet"]
            and (finding.quote in fault["quote"] or fault["quote"] in finding.quote)
            for finding in found
        )
    ]
    assert missed == []


def test_nothing_is_found_in_the_planted_sample_that_was_not_planted() -> None:
    planted = {(fault["check"], fault["sheet"]) for fault in FAULTS if "check" in fault}
    found = {(finding.check, finding.sheet) for finding in run_checks(_checked("planted.md"))}
    assert found <= planted


def test_a_fault_of_every_rule_is_planted() -> None:
    assert {fault["rule"] for fault in FAULTS} == set(RULE_CODES)
    assert {fault["check"] for fault in FAULTS if "check" in fault} <= set(CHECKS_BY_CODE)


def test_planted_faults_quote_the_sheets_they_are_on() -> None:
    texts = {s.number: " ".join(s.text.split()) for s in sheets_of(SAMPLES / "planted.md")}
    for fault in FAULTS:
        for where in [fault, *fault.get("also", [])]:
            assert where["quote"] in texts[where["sheet"]]


@pytest.mark.parametrize("sample", LISTED, ids=lambda sample: sample["file"])
def test_recorded_answers_have_the_form_of_the_tool(sample: dict[str, Any]) -> None:
    assert sample["recorded"]
    for name in sample["readings"]:
        answer = json.loads((SAMPLES / name).read_text(encoding="utf-8"))
        assert set(answer) == {"findings", "keeps"}
        for finding in answer["findings"]:
            ReportedFinding.model_validate(finding)

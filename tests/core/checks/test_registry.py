"""The registry: what every check says of itself, and how checks are run together."""

from collections.abc import Iterable

import pytest

from reviewer.core.checks import CHECKS, CHECKS_BY_CODE, Check, Fault, FitSeen, examine, run_checks
from reviewer.core.checks.document import CheckedDocument
from reviewer.core.learned import Learned
from reviewer.core.rubric import RULE_CODES
from reviewer.core.schema import Severity
from tests.core.checks.written import written

FAULTY = (
    "In today's fast-paced landscape, missed appointments will fall by 45%.\n\n"
    "We will also provide reports, dashboards, etc.\n\n"
    "Licences cost $XX,000 a year.\fThe project starts on Tuesday 2 February 2032."
)
KNOWN = {
    "banned_phrase": {"banned": (("world-class", "what we have done"),)},
    "never_say": {
        "never_say": (Learned(1, 1, "never_say", "Never say it.", phrase="leverage"),),
    },
    "other_client": {"client": "Harbor Mutual", "other_clients": ("Coastal Mutual",)},
    "client_misspelt": {"client": "Northgate Clinics"},
    "name_like_clients": {"client": "Harbor Mutual"},
}
TOLD_OF_THE_BAD = {
    "blank_sheet": FitSeen("blank", 1, "This sheet is blank."),
    "page_numbers": FitSeen("page_numbers_out_of_order", 1, "Page number 2 comes after 3."),
    "overfull_sheet": FitSeen("overfull", 1, "Text runs over other text: “other text”."),
}
each_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)


def _break(document: CheckedDocument) -> Iterable[Fault]:
    raise ZeroDivisionError(document.client)


BROKEN = Check("broken", "Breaks", "structure", Severity.FIX, "good", "bad", _break)


@each_check
def test_a_check_finds_its_bad_example_and_not_its_good_one(check: Check) -> None:
    known = KNOWN.get(check.code, {})
    told = TOLD_OF_THE_BAD.get(check.code)
    assert list(check.run(written(check.bad, **known, fit=(told,) if told else ())))
    assert not list(check.run(written(check.good, **known)))


@each_check
def test_a_check_names_a_rule_of_the_rubric(check: Check) -> None:
    assert check.rule in RULE_CODES
    assert check.title
    assert CHECKS_BY_CODE[check.code] is check


def test_every_rule_has_a_check() -> None:
    assert {check.rule for check in CHECKS} == set(RULE_CODES)


def test_the_same_document_gives_the_same_findings_in_the_same_order() -> None:
    first, second = run_checks(written(FAULTY)), run_checks(written(FAULTY))
    assert first == second
    assert [finding.check for finding in first] == [
        "promised_result",
        "stock_phrase",
        "open_scope",
        "placeholders",
        "weekday",
    ]


def test_what_the_whole_document_lacks_comes_last() -> None:
    document = written("Our fee is $9,000, of which $4,500 at the start.\f# A\n\n# B\f# C\n\nEnd.")
    sheets = [finding.sheet for finding in run_checks(document)]
    assert 0 in sheets
    assert sheets == sorted(sheets, key=lambda sheet: (sheet == 0, sheet))


def test_a_check_that_breaks_costs_the_others_nothing_and_is_named() -> None:
    examination = examine(written(FAULTY), checks=[BROKEN, *CHECKS])
    assert [failure.check for failure in examination.failures] == ["broken"]
    assert list(examination.findings) == run_checks(written(FAULTY))


def test_a_check_that_is_off_does_not_run() -> None:
    found = run_checks(written(FAULTY), off={"weekday", "stock_phrase"})
    assert {finding.check for finding in found} == {"promised_result", "open_scope", "placeholders"}


def test_a_workspace_may_change_how_much_a_check_weighs() -> None:
    found = run_checks(written(FAULTY), severities={"weekday": Severity.CONSIDER})
    assert [f.severity for f in found if f.check == "weekday"] == [Severity.CONSIDER]


def test_a_document_in_another_language_is_read_by_checks_of_numbers_alone() -> None:
    german = (
        "Der Preis für die Arbeit ist in der Tabelle zu sehen und gilt für das ganze Projekt. "
        "Wir werden mit den Leuten in der Klinik sprechen und die Regeln mit ihnen schreiben, "
        "die auf der Seite zu lesen sind. Das ist nicht im Preis enthalten, der Preis ist fest.\n\n"
        "Phase       Tage\nEntwurf     52\nBau         84\nTotal       146\n\n"
        "Die Lizenzen kosten €XX,000 im Jahr."
    )
    examination = examine(written(german))
    assert {finding.check for finding in examination.findings} == {"table_total", "placeholders"}
    assert "promised_result" in examination.not_for_this_language
    assert "table_total" not in examination.not_for_this_language


def test_a_finding_is_gone_when_its_cause_is_gone_and_no_other() -> None:
    before = run_checks(written(FAULTY))
    after = run_checks(written(FAULTY.replace("Tuesday", "Monday")))
    assert [f for f in before if f not in after] == [f for f in before if f.check == "weekday"]
    assert [f for f in after if f not in before] == []

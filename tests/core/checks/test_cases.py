"""Each check finds what it must, and is silent about what only looks like it."""

from collections import defaultdict

import pytest

from reviewer.core.checks import CHECKS, Check
from tests.core.checks.written import Case, cases

BY_CHECK: dict[str, list[Case]] = defaultdict(list)
for _case in cases():
    BY_CHECK[_case.check].append(_case)

each_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)


@each_check
def test_a_check_finds_what_it_must_and_nothing_else(check: Check) -> None:
    wrong = [
        ("missed" if case.found else "false", case.text)
        for case in BY_CHECK[check.code]
        if bool(list(check.run(case.document()))) != case.found
    ]
    assert wrong == []


@each_check
def test_a_check_has_cases_of_both_kinds(check: Check) -> None:
    assert {case.found for case in BY_CHECK[check.code]} == {True, False}


@each_check
def test_findings_quote_words_that_stand_on_their_sheet(check: Check) -> None:
    for case in BY_CHECK[check.code]:
        document = case.document()
        texts = {sheet.number: " ".join(sheet.text.split()) for sheet in document.sheets}
        for finding in check.run(document):
            places = [(finding.sheet, finding.quote), *((p.sheet, p.quote) for p in finding.also)]
            for sheet, quote in places:
                assert quote in texts[sheet] if sheet else quote == ""
            assert len(finding.finding.split()) < 60
            assert finding.fix


def test_no_case_is_for_a_check_that_does_not_exist() -> None:
    assert set(BY_CHECK) == {check.code for check in CHECKS}

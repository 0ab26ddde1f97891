"""The built-in checks over versions: deterministic, and gone exactly when their cause is gone."""

import pytest

from reviewer.core import checks
from reviewer.core.checks import CheckFailure, Examination
from reviewer.models import Event, Finding, Proposal, Version
from reviewer.services import checking
from reviewer.services.checking import check_version
from reviewer.services.exceptions import exceptions_on
from reviewer.services.findings import dismiss, mark_fixed
from reviewer.services.gates import gate_of
from reviewer.services.history import history_of
from reviewer.services.policy import change_checks
from reviewer.services.proposals import change_details
from reviewer.services.triage import change_severity, merge
from tests.factories import make_finding, make_proposal

PLACEHOLDER = "# An offer to Northwind\n\nDear [CLIENT NAME],\n\nthe pilot runs for 12 weeks."
FIXED = PLACEHOLDER.replace("[CLIENT NAME]", "Ms Ode")


def _placeholders(version: Version) -> list[Finding]:
    return list(
        Finding.objects.filter(proposal=version.proposal_id, rule="honest_placeholders").order_by(
            "number"
        )
    )


def test_checking_a_version_again_changes_nothing(ready):
    version = ready(PLACEHOLDER)
    before = list(Finding.objects.order_by("pk").values())
    places = sorted(_placeholders(version)[0].places.values_list("sheet", "first_word"))
    assert before
    check_version(version)
    assert list(Finding.objects.order_by("pk").values()) == before
    assert sorted(_placeholders(version)[0].places.values_list("sheet", "first_word")) == places


def test_what_a_check_finds_says_which_check_and_stands_at_its_words(ready):
    (finding,) = _placeholders(ready(PLACEHOLDER))
    assert finding.check_code in checks.CHECKS_BY_CODE
    assert finding.raised == Finding.Raised.CHECK
    assert finding.quote in PLACEHOLDER
    assert finding.places.count() == 1


def test_a_finding_is_gone_exactly_when_its_cause_is_gone(ready):
    first = ready(PLACEHOLDER)
    second = ready(PLACEHOLDER.replace("12 weeks", "14 weeks"), of=first.proposal)
    (finding,) = _placeholders(first)
    assert (finding.shown_state, finding.checked_version) == ("open", second)
    ready(FIXED, of=first.proposal)
    (finding,) = _placeholders(first)
    assert (finding.shown_state, finding.evidence) == ("fixed", "gone")


def test_what_comes_back_is_the_same_finding_again(ready):
    first = ready(PLACEHOLDER)
    ready(FIXED, of=first.proposal)
    last = ready(PLACEHOLDER, of=first.proposal)
    (finding,) = _placeholders(first)
    assert (finding.shown_state, finding.evidence) == ("open", "present")
    assert finding.places.filter(version=last).exists()


def test_a_fix_that_was_claimed_and_did_not_help_is_still_there(ready, cast):
    first = ready(PLACEHOLDER)
    (finding,) = _placeholders(first)
    mark_fixed(by=cast.wen, finding=finding, version=first)
    ready(PLACEHOLDER.replace("12 weeks", "14 weeks"), of=first.proposal)
    assert _placeholders(first)[0].shown_state == "still_there"


def test_what_was_dismissed_is_not_raised_again(ready, cast):
    first = ready(PLACEHOLDER)
    (finding,) = _placeholders(first)
    dismiss(by=cast.max, finding=finding, version=first, reason="The client fills it in.")
    ready(PLACEHOLDER, of=first.proposal)
    assert [f.status for f in _placeholders(first)] == ["dismissed"]


def test_a_finding_moves_with_its_words_to_another_sheet(ready):
    first = ready(PLACEHOLDER)
    second = ready(f"# A first word\n\nWe are glad.\n\n---\n\n{PLACEHOLDER}", of=first.proposal)
    (finding,) = _placeholders(first)
    assert finding.sheet == 2
    assert finding.places.get(version=second).sheet == 2


def test_two_of_the_same_words_are_two_findings_and_each_keeps_its_own(ready):
    twice = f"{PLACEHOLDER}\n\n---\n\n# And once more\n\nDear [CLIENT NAME],\n\nyours."
    first = ready(twice)
    numbers = {f.sheet: f.number for f in _placeholders(first)}
    assert set(numbers) == {1, 2}
    ready(twice.replace("Dear [CLIENT NAME],\n\nthe", "Dear Ms Ode,\n\nthe"), of=first.proposal)
    states = {f.number: f.shown_state for f in _placeholders(first)}
    assert states == {numbers[1]: "fixed", numbers[2]: "open"}


@pytest.mark.parametrize("silent_by", ["failure", "language"])
def test_a_check_that_could_not_speak_confirms_nothing(ready, monkeypatch, silent_by):
    first = ready(PLACEHOLDER)
    code = _placeholders(first)[0].check_code
    mute = Examination(
        findings=(),
        failures=(CheckFailure(code, "broke"),) if silent_by == "failure" else (),
        not_for_this_language=(code,) if silent_by == "language" else (),
    )
    monkeypatch.setattr(checking, "examine", lambda document, **how: mute)
    check_version(first)
    assert _placeholders(first)[0].shown_state == "open"


def _set_check(cast, code, *, on=True, severity="block"):
    change_checks(by=cast.max, choices={code: (on, severity)})
    cast.workspace.refresh_from_db()


def _again(version: Version) -> Version:
    """The version as another process loads it, so that the policy of now is met."""
    return Version.objects.get(pk=version.pk)


PROMISE = "# An offer to Northwind\n\nWe guarantee that your costs fall by 30 percent."


def _promise(version: Version) -> Finding:
    return Finding.objects.get(proposal=version.proposal_id, check_code="promised_result")


def test_what_a_check_raised_holds_nothing_once_it_is_switched_off_and_the_next_is_checked(
    ready, cast
):
    first = ready(PROMISE)
    assert _promise(first).severity == "block"
    _set_check(cast, "promised_result", on=False)
    assert _promise(first).number in _holding(first)
    second = ready(PROMISE + " Each year.", of=Proposal.objects.get(pk=first.proposal_id))
    finding = _promise(first)
    assert (finding.shown_state, finding.status) == ("fixed", "open")
    assert finding.number not in _holding(second)
    assert _on_list(cast, second) == 0
    (told,) = history_of(finding).decisions
    assert (told.what, told.reason, told.who) == ("it ended", "The check was switched off.", None)
    assert [each.finding for each in exceptions_on(_again(second))] == [finding.number]
    event = Event.objects.get(subject="finding", subject_id=finding.pk, to_state="fixed")
    assert event.why == "The check was switched off."
    check_version(_again(second))
    assert finding.decisions.count() == 1


def test_what_people_decided_of_a_check_that_is_switched_off_stays(ready, cast):
    first = ready(PROMISE)
    dismiss(by=cast.max, finding=_promise(first), version=first, reason="They asked for it.")
    _set_check(cast, "promised_result", on=False)
    ready(PROMISE, of=Proposal.objects.get(pk=first.proposal_id))
    assert (_promise(first).status, _promise(first).evidence) == ("dismissed", "present")


def test_a_check_that_is_switched_on_again_raises_the_same_finding_again(ready, cast):
    first = ready(PROMISE)
    _set_check(cast, "promised_result", on=False)
    check_version(_again(first))
    assert _promise(first).shown_state == "fixed"
    _set_check(cast, "promised_result")
    check_version(_again(first))
    assert (_promise(first).shown_state, _promise(first).evidence) == ("open", "present")
    assert exceptions_on(_again(first)) == ()


def test_the_severity_that_a_manager_gives_a_check_reaches_what_stands(ready, cast):
    first = ready(PROMISE)
    _set_check(cast, "promised_result", severity="consider")
    ready(PROMISE, of=Proposal.objects.get(pk=first.proposal_id))
    assert _promise(first).severity == "consider"
    dismiss(by=cast.max, finding=_promise(first), version=first, reason="They asked for it.")
    _set_check(cast, "promised_result", severity="block")
    ready(PROMISE, of=Proposal.objects.get(pk=first.proposal_id))
    assert (_promise(first).severity, _promise(first).status) == ("block", "open")


def test_a_severity_that_a_person_set_stays_whatever_the_check_is_given(ready, cast):
    first = ready(PROMISE)
    change_severity(
        by=cast.max, finding=_promise(first), version=first, severity="fix", reason="Small."
    )
    _set_check(cast, "promised_result", severity="consider")
    ready(PROMISE, of=Proposal.objects.get(pk=first.proposal_id))
    assert _promise(first).severity == "fix"


def test_what_was_merged_into_a_finding_of_a_check_keeps_its_weight(ready, cast):
    first = ready(PROMISE)
    graver = make_finding(first, severity="block")
    _set_check(cast, "promised_result", severity="consider")
    merge(by=cast.max, finding=graver, into=_promise(first), version=first)
    check_version(_again(first))
    assert _promise(first).severity == "block"


def _holding(version: Version) -> set[int]:
    gate = gate_of(_again(version))
    return {int(number) for reason in gate.reasons for number in reason.findings}


def _on_list(cast, version: Version) -> int:
    due = Finding.objects.due_of([version.proposal_id])
    return due[version.proposal_id]["block"]


def test_another_client_of_the_workspace_is_known_by_name(ready, cast):
    make_proposal(cast.workspace, client="Harbor Mutual")
    text = "# An offer to Northwind Logistics\n\nHarbor Mutual will name one owner."
    found = Finding.objects.filter(proposal=ready(text).proposal_id, text__contains="Harbor Mutual")
    assert found.exists()


def test_a_finding_goes_when_the_details_that_caused_it_change(ready, cast):
    make_proposal(cast.workspace, client="Harbor Mutual")
    version = ready("# An offer to Harbor Mutual\n\nHarbor Mutual will name one owner.")
    named = Finding.objects.filter(proposal=version.proposal_id, text__contains="Harbor Mutual")
    raised = [finding for finding in named if finding.shown_state == "open"]
    assert raised
    proposal = Proposal.objects.get(pk=version.proposal_id)
    change_details(
        by=cast.wen,
        proposal=proposal,
        title=proposal.title,
        client="Harbor Mutual",
        kind=proposal.kind,
        checks_only=False,
    )
    assert {f.shown_state for f in Finding.objects.filter(pk__in=[f.pk for f in raised])} == {
        "fixed"
    }


def test_a_decision_made_while_a_check_runs_stands(ready, cast, monkeypatch):
    first = ready(PLACEHOLDER)
    (finding,) = _placeholders(first)
    real = checking._stand

    def meanwhile(*args: object) -> None:
        dismiss(by=cast.max, finding=Finding.objects.get(pk=finding.pk), version=first, reason="x")
        real(*args)

    monkeypatch.setattr(checking, "_stand", meanwhile)
    check_version(first)
    assert _placeholders(first)[0].status == Finding.Status.DISMISSED
    assert Event.objects.filter(subject="finding", to_state="dismissed").count() == 1

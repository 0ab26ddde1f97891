"""The page of built-in checks: what each finds, and which run."""

import pytest
from django.urls import reverse

from reviewer.core.checks import CHECKS
from reviewer.models import Event, Finding
from reviewer.services.checking import check_version
from reviewer.services.policy import check_choices, check_severities, checks_off, number_forms
from tests.factories import make_proposal, make_version

pytestmark = pytest.mark.django_db
PROMISE = "The new desk will cut handling time by 40% within three months of go-live."


def all_as_they_are() -> dict[str, str]:
    on = {f"on-{check.code}": "on" for check in CHECKS if check.on_by_default}
    return {**on, **{f"severity-{check.code}": check.severity.value for check in CHECKS}}


@pytest.fixture
def version(cast):
    proposal = make_proposal(cast.workspace, owner=cast.wen)
    return make_version(proposal, texts=[PROMISE])


def save(client, cast, **changes):
    said = {**all_as_they_are(), **changes}
    said = {name: value for name, value in said.items() if value}
    return client.post(reverse("checks", args=[cast.workspace.slug]), said)


def test_every_check_is_shown_with_an_example_of_each_kind(cast, client_of):
    page = client_of(cast.wen).get(reverse("checks", args=[cast.workspace.slug]))
    shown = {choice.check.code for _, group in page.context["groups"] for choice in group}
    assert shown == {check.code for check in CHECKS}


def test_saving_what_is_there_changes_nothing(cast, client_of):
    save(client_of(cast.max), cast)
    cast.workspace.refresh_from_db()
    assert cast.workspace.policy["checks"] == {}


def test_a_check_that_is_off_raises_nothing(cast, client_of, version):
    save(client_of(cast.max), cast, **{"on-promised_result": ""})
    version.proposal.workspace.refresh_from_db()
    assert "promised_result" in checks_off(version.proposal.workspace)
    check_version(version)
    assert not Finding.objects.filter(check_code="promised_result").exists()


def test_what_a_check_raised_that_is_turned_off_ends_when_a_version_is_checked_next(
    cast, client_of, version
):
    check_version(version)
    raised = Finding.objects.get(check_code="promised_result")
    save(client_of(cast.max), cast, **{"on-promised_result": ""})
    version.proposal.workspace.refresh_from_db()
    raised.refresh_from_db()
    assert raised.shown_state == "open"
    check_version(version)
    raised.refresh_from_db()
    assert raised.shown_state == "fixed"


def test_a_severity_that_the_workspace_chose_is_the_findings(cast, client_of, version):
    save(client_of(cast.max), cast, **{"severity-promised_result": "consider"})
    version.proposal.workspace.refresh_from_db()
    assert check_severities(version.proposal.workspace) == {"promised_result": "consider"}
    check_version(version)
    assert Finding.objects.get(check_code="promised_result").severity == "consider"


def test_the_change_is_told_with_its_author(cast, client_of):
    save(client_of(cast.max), cast, **{"on-promised_result": ""})
    assert Event.objects.filter(verb="checks changed", actor=cast.max.user).exists()


def test_an_unknown_severity_changes_nothing(cast, client_of):
    save(client_of(cast.max), cast, **{"severity-promised_result": "fatal"})
    cast.workspace.refresh_from_db()
    assert all(choice.severity != "fatal" for choice in check_choices(cast.workspace))


@pytest.mark.parametrize("forms", ["en-US", "en-GB", "ISO", ""])
def test_a_manager_says_how_dates_and_numbers_are_written(cast, client_of, forms):
    save(client_of(cast.max), cast, forms=forms)
    cast.workspace.refresh_from_db()
    assert number_forms(cast.workspace) == forms
    page = client_of(cast.wen).get(reverse("checks", args=[cast.workspace.slug]))
    assert page.context["chosen_forms"] == forms


def test_a_way_of_writing_that_is_not_known_changes_nothing(cast, client_of):
    save(client_of(cast.max), cast, forms="fr", **{"on-promised_result": ""})
    cast.workspace.refresh_from_db()
    assert number_forms(cast.workspace) == ""
    assert "promised_result" not in checks_off(cast.workspace)


def test_a_form_without_the_choice_leaves_it_as_it_is(cast, client_of):
    save(client_of(cast.max), cast, forms="en-GB")
    save(client_of(cast.max), cast)
    cast.workspace.refresh_from_db()
    assert number_forms(cast.workspace) == "en-GB"

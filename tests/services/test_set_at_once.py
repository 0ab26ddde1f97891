"""Of two who set something at once, neither takes away what the other set."""

from reviewer.core.checks import CHECKS
from reviewer.models import Event, Membership, ModelSettings, Proposal, Workspace
from reviewer.services.model_settings import change_model_settings, forget_key
from reviewer.services.policy import change_checks, change_policy, four_eyes
from reviewer.services.prices import change_prices
from reviewer.services.proposals import change_details
from tests.factories import Cast, make_proposal

PRICE = {"input": "3", "output": "15", "cache_write": "", "cache_read": ""}


def _as_loaded(member: Membership) -> Membership:
    """The member as another request has loaded it, with the workspace as it stands now."""
    return Membership.objects.select_related("workspace", "user").get(pk=member.pk)


def test_checks_that_are_saved_meanwhile_leave_the_policy_as_it_is(cast: Cast) -> None:
    other = _as_loaded(cast.max)
    change_policy(by=cast.max, four_eyes=True)
    change_checks(by=other, choices={CHECKS[0].code: (False, "consider")}, forms="ISO")
    now = Workspace.objects.get(pk=cast.workspace.pk)
    assert four_eyes(now)
    assert now.policy["checks"] == {CHECKS[0].code: {"on": False, "severity": "consider"}}
    assert other.workspace.policy == now.policy


def test_a_policy_that_is_saved_meanwhile_leaves_the_checks_and_its_other_parts(cast: Cast) -> None:
    other = _as_loaded(cast.max)
    change_checks(by=cast.max, choices={CHECKS[0].code: (False, "consider")})
    change_policy(by=cast.max, learning_wait_days=7)
    change_policy(by=other, four_eyes=True)
    now = Workspace.objects.get(pk=cast.workspace.pk)
    assert set(now.policy) == {"checks", "learning_wait_days", "four_eyes"}
    told = Event.objects.filter(verb="policy changed").latest("pk")
    assert "'learning_wait_days': 7" in told.why


def _loaded_before_the_key_was_forgotten(cast: Cast) -> ModelSettings:
    change_model_settings(by=cast.max, api_key="sk-1", model="one")
    before = ModelSettings.objects.get()
    forget_key(by=cast.max)
    return before


def test_prices_that_are_saved_meanwhile_leave_the_rest_of_the_settings(
    cast: Cast, monkeypatch
) -> None:
    before = _loaded_before_the_key_was_forgotten(cast)
    monkeypatch.setattr("reviewer.services.prices.held_settings", lambda workspace: before)
    change_prices(by=cast.max, prices=[("one", PRICE)])
    row = ModelSettings.objects.get()
    assert (row.api_key, row.key_ends, set(row.prices)) == ("", "", {"one"})


def test_settings_that_are_saved_meanwhile_leave_prices_and_a_forgotten_key(
    cast: Cast, monkeypatch
) -> None:
    before = _loaded_before_the_key_was_forgotten(cast)
    change_prices(by=cast.max, prices=[("one", PRICE)])
    monkeypatch.setattr("reviewer.services.model_settings.held_settings", lambda of: before)
    change_model_settings(by=cast.max, model="two")
    row = ModelSettings.objects.get()
    assert (row.model, row.api_key, set(row.prices)) == ("two", "", {"one"})


def test_a_title_that_is_saved_meanwhile_leaves_the_kind_and_who_may_read(cast: Cast) -> None:
    proposal = make_proposal(cast.workspace, kind="update", checks_only=False)
    loaded = Proposal.objects.get(pk=proposal.pk)
    change_details(
        by=cast.max, proposal=proposal, title="T", client="", kind="scope", checks_only=True
    )
    change_details(
        by=cast.wen, proposal=loaded, title="A title", client="", kind="update", checks_only=False
    )
    now = Proposal.objects.get(pk=proposal.pk)
    assert (now.title, now.kind, now.checks_only) == ("A title", "scope", True)
    assert (loaded.kind, loaded.checks_only) == ("scope", True)

"""The policy page: which faults hold, which kinds are gated."""

import re

import pytest
from django.urls import reverse

from reviewer.documents.fit import CODES, HOLD_BY_DEFAULT
from reviewer.forms import FIT_FAULTS
from reviewer.models import Event
from reviewer.services.policy import fit_that_holds, gated_kinds, is_gated
from tests.factories import make_proposal

pytestmark = pytest.mark.django_db


def test_every_fault_that_can_be_measured_can_be_chosen():
    assert set(FIT_FAULTS) == set(CODES)


def test_a_new_workspace_holds_for_cut_and_hidden_text(cast):
    assert fit_that_holds(cast.workspace) == HOLD_BY_DEFAULT


def test_a_manager_chooses_what_holds(cast, client_of):
    address = reverse("policy", args=[cast.workspace.slug])
    answer = client_of(cast.max).post(address, {"fit": ["blank"], "gated": ["scope"]})
    assert answer.status_code == 302
    cast.workspace.refresh_from_db()
    assert fit_that_holds(cast.workspace) == {"blank"}
    assert gated_kinds(cast.workspace) == {"scope"}
    assert Event.objects.filter(verb="policy changed", actor=cast.max.user).exists()


def test_nothing_chosen_means_that_nothing_of_the_layout_holds(cast, client_of):
    client_of(cast.max).post(reverse("policy", args=[cast.workspace.slug]), {})
    cast.workspace.refresh_from_db()
    assert fit_that_holds(cast.workspace) == frozenset()


def test_an_unknown_fault_is_refused(cast, client_of):
    answer = client_of(cast.max).post(
        reverse("policy", args=[cast.workspace.slug]), {"fit": ["taste"]}
    )
    assert answer.status_code == 422
    cast.workspace.refresh_from_db()
    assert fit_that_holds(cast.workspace) == HOLD_BY_DEFAULT


def test_a_kind_is_gated_as_the_policy_says(cast):
    assert is_gated(make_proposal(cast.workspace, kind="proposal"))
    assert not is_gated(make_proposal(cast.workspace, kind="update"))


@pytest.mark.parametrize("page", ["policy", "rubric", "checks", "members", "model-settings"])
def test_who_may_not_change_a_setting_is_shown_no_field_that_takes_input(cast, client_of, page):
    address = reverse(page, args=[cast.workspace.slug])
    for member in (cast.wen, cast.rae):
        answer = client_of(member).get(address)
        assert answer.status_code in {200, 403}
        html = answer.content.decode().split("<main", 1)[1]
        fields = re.findall(r"<(?:input|select|textarea)\b[^>]*>", html)
        live = [one for one in fields if 'type="hidden"' not in one and " disabled" not in one]
        assert live == []

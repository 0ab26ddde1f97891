"""Over random sets: what stands in a prompt is approved, in scope, unended and unexpired."""

import random
from datetime import timedelta

import pytest
from django.utils import timezone

from reviewer.core.prompts import pass_request
from reviewer.models import Learning, Workspace
from reviewer.services.learnings_given import used_by
from reviewer.services.reviews import start_review
from reviewer.services.setting import pinned_of, setting_with
from tests.factories import make_proposal, make_version
from tests.learned import make_learning

pytestmark = pytest.mark.django_db
CLIENT, KIND = "Harbor Mutual", "proposal"
HOW_MANY = 14


def _drawn(draw: random.Random, cast, elsewhere: Workspace, number: int) -> tuple[Learning, bool]:
    """A learning of any kind, state, scope and end, and whether a prompt may hold it."""
    today = timezone.localdate()
    ends = draw.choice([None, None, today, today + timedelta(days=9), today - timedelta(days=1)])
    fields = {
        "kind": draw.choice(["look_for", "look_for", "look_for", "do_not_raise"]),
        "status": draw.choice(["in_force", "in_force", "proposed", "declined", "retired"]),
        "client": draw.choice(["", "", CLIENT, "Northwind Logistics"]),
        "proposal_kind": draw.choice(["", "", KIND, "scope"]),
        "workspace": draw.choice([cast.workspace, cast.workspace, cast.workspace, elsewhere]),
    }
    learning = make_learning(
        cast,
        text=f"Rule {number} of this draw.",
        number=number,
        expires_on=ends,
        proposed_on=today - timedelta(days=30),
        **fields,
    )
    may = (
        fields["kind"] == "look_for"
        and fields["status"] == "in_force"
        and fields["client"] in {"", CLIENT}
        and fields["proposal_kind"] in {"", KIND}
        and fields["workspace"] == cast.workspace
        and (ends is None or ends >= today)
    )
    return learning, may


@pytest.mark.parametrize("seed", range(12))
def test_a_prompt_holds_exactly_what_may_be_given(cast, settings, seed):
    settings.MODEL_API_KEY = "k"
    draw = random.Random(seed)
    elsewhere = cast.ola.workspace
    drawn = [_drawn(draw, cast, elsewhere, number) for number in range(1, HOW_MANY + 1)]
    proposal = make_proposal(cast.workspace, owner=cast.wen, client=CLIENT, kind=KIND)
    review = start_review(by=cast.wen, version=make_version(proposal), passes=1)
    pinned = pinned_of(review)
    setting = setting_with(review.version, pinned, learnings=used_by(review, pinned).lines)
    prompt = pass_request(setting, number=1, sheet=1)
    told = "\n".join(block.text for block in (*prompt.system, *prompt.user))
    for learning, may in drawn:
        assert (f"Rule {learning.number} of this draw." in told) == may, learning.number


def test_the_draws_hold_both_what_may_and_what_may_not_be_given(cast):
    drawn = [
        _drawn(random.Random(seed), cast, cast.ola.workspace, seed + 1)[1] for seed in range(60)
    ]
    assert 3 <= sum(drawn) <= 57

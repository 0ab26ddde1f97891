"""Trying the connected model: one small reading over HTTP, whose cost counts."""

from decimal import Decimal

import pytest
from django.urls import reverse

from reviewer.models import Expense, ModelWay, Reading
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.model_settings import change_model_settings
from reviewer.services.prices import change_prices
from reviewer.services.spending import spent_this_month
from reviewer.services.trial import try_connected_model
from tests.fakes.replies import fails, finding, finds
from tests.views.html import html_of

SEEN = [finding(quote="$82,500", finding="The rows add up to another sum.")]


@pytest.fixture
def connected(cast, start_server):
    """`connected(reply)` gives the workspace a server that answers so."""

    def connect(reply, **own):
        server = start_server(reply)
        change_model_settings(by=cast.max, base_url=server.url, model="m", **own)
        return server

    return connect


def test_it_says_what_came_back_and_keeps_only_what_it_cost(cast, connected):
    change_prices(by=cast.max, prices=[("m", {"input": "1", "output": "1"})])
    server = connected(finds(SEEN))
    tried = try_connected_model(by=cast.max)
    assert tried.trial.works
    assert "saw 1 of the 3 faults" in " ".join(tried.sentences)
    [seen] = server.requests
    made = Expense.objects.get()
    assert (made.what, made.model) == (Expense.What.TRIAL, "m")
    assert made.cost == tried.trial.cost == spent_this_month(cast.workspace.pk)
    assert made.input_tokens == seen.billed.tokens
    assert not Reading.objects.exists()
    assert not ModelWay.objects.exists()


def test_a_server_that_turns_it_away_is_told_in_its_sentence(cast, connected):
    connected(fails(401, "authentication_error", "invalid x-api-key"))
    tried = try_connected_model(by=cast.max)
    assert not tried.trial.works
    assert "did not accept the key" in " ".join(tried.sentences)
    assert Expense.objects.get().cost in (None, Decimal(0))


def test_a_month_that_is_spent_makes_no_call(cast, connected, client_of):
    server = connected(finds(SEEN), monthly_limit="1")
    Expense.objects.create(workspace=cast.workspace, what="calibration", cost=1)
    with pytest.raises(Refused, match=r"This month's limit of \$1"):
        try_connected_model(by=cast.max)
    page = client_of(cast.max).post(reverse("try-model", args=[cast.workspace.slug]), follow=True)
    assert "so no model was asked" in html_of(page)
    assert server.requests == []


def test_without_a_model_there_is_none_to_try_and_only_managers_try(cast):
    with pytest.raises(Refused, match="No model is connected"):
        try_connected_model(by=cast.max)
    with pytest.raises(NotAllowed):
        try_connected_model(by=cast.rae)

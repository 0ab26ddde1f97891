"""What calls cost: prices of one's own before the list's, and a month's limit that stops them all."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from reviewer.core.raw import RawAnswer, Usage
from reviewer.models import Event, Expense, ModelSettings
from reviewer.providers.prices import TABLE, row_for
from reviewer.services import spending
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.model_settings import change_model_settings
from reviewer.services.prices import change_prices, cost_by, own_prices, price_list
from reviewer.services.proposals import delete_proposal
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import start_review
from reviewer.services.spending import over_own_limit, record_expense, spent_this_month
from tests.factories import make_proposal, make_reading, make_review, make_version
from tests.fakes.replies import finds
from tests.views.html import html_of

MILLION = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
OWN = {"input": "1", "output": "3"}
LISTED = row_for("claude-opus-5-5").price


def _prices(cast, *prices) -> None:
    change_prices(by=cast.max, prices=prices)


# Prices ------------------------------------------------------------------------------------


def test_a_price_of_ones_own_stands_before_the_list_whatever_the_case(cast):
    assert cost_by({}, MILLION, "claude-opus-5-5") == LISTED.input + LISTED.output
    _prices(cast, ("Claude-Opus-5-5", OWN))
    assert cost_by(own_prices(cast.workspace.pk), MILLION, "claude-opus-5-5") == 4
    assert own_prices(cast.ola.workspace.pk) == {}


def test_the_servers_name_for_a_model_is_priced_before_the_name_it_was_asked_by(cast):
    _prices(cast, ("asked", {"input": "9", "output": "9"}), ("named", OWN))
    own = own_prices(cast.workspace.pk)
    assert cost_by(own, MILLION, "named", "asked") == 4
    assert cost_by(own, MILLION, "unknown", "asked") == 18
    assert cost_by(own, MILLION, "", "unknown") is None


def test_what_the_cache_costs_is_the_inputs_price_where_it_is_unsaid(cast):
    _prices(cast, ("m", OWN), ("n", {**OWN, "cache_write": "2", "cache_read": "0.5"}))
    own = own_prices(cast.workspace.pk)
    cached = Usage(cache_write_tokens=1_000_000, cache_read_tokens=1_000_000)
    assert cost_by(own, cached, "m") == 2
    assert cost_by(own, cached, "n") == Decimal("2.5")


@pytest.mark.parametrize(
    ("model", "said", "words"),
    [
        ("m", {"input": "1"}, "needs the model's name"),
        ("", OWN, "needs the model's name"),
        ("m", {"input": "a lot", "output": "1"}, "is not an amount"),
        ("m", {"input": "-1", "output": "1"}, "is no price"),
        ("m", {"input": "NaN", "output": "1"}, "is no price"),
        ("m", {"input": "Infinity", "output": "1"}, "is no price"),
        ("m", {"input": "100000", "output": "1"}, "is no price"),
        ("kept", OWN, "is named twice"),
        ("KEPT", OWN, "is named twice"),
    ],
)
def test_what_is_no_price_is_refused_and_nothing_is_changed(cast, model, said, words):
    _prices(cast, ("kept", OWN))
    with pytest.raises(Refused, match=words):
        _prices(cast, ("kept", {"input": "7", "output": "7"}), (model, said))
    assert set(own_prices(cast.workspace.pk)) == {"kept"}
    assert cost_by(own_prices(cast.workspace.pk), MILLION, "kept") == 4


def test_more_prices_than_anybody_enters_are_refused(cast):
    with pytest.raises(Refused, match="At most 50"):
        _prices(cast, *((f"m{number}", OWN) for number in range(51)))


def test_a_row_left_empty_forgets_its_price_and_only_managers_set_any(cast):
    _prices(cast, ("m", OWN))
    _prices(cast, ("m", {}))
    assert own_prices(cast.workspace.pk) == {}
    assert Event.objects.filter(verb="prices changed", actor=cast.max.user).count() == 2
    with pytest.raises(NotAllowed):
        change_prices(by=cast.rae, prices=[("m", OWN)])


def test_the_list_names_what_is_connected_what_was_asked_and_what_has_a_price(cast, settings):
    settings.MODEL_API_KEY = "k"
    change_model_settings(by=cast.max, model="claude-opus-5-5", second_model="second")
    _prices(cast, ("priced", OWN))
    review = make_review(make_version(make_proposal(cast.workspace), texts=["x"]))
    make_reading(review, sheet=1, model="asked")
    old = timezone.now() - timedelta(days=31)
    make_reading(review, sheet=2, model="long ago", finished_at=old)
    lines = {line.model: line for line in price_list(cast.workspace)}
    assert sorted(lines) == ["asked", "claude-opus-5-5", "priced", "second"]
    assert lines["claude-opus-5-5"].table == LISTED
    assert {name for name, line in lines.items() if not line.is_known} == {"asked", "second"}


# A server of one's own ----------------------------------------------------------------------


def _read_once(cast, url: str, text="One sheet.", **own) -> "tuple[Decimal | None, int]":
    change_model_settings(by=cast.max, base_url=url, **own)
    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=[text])
    review = start_review(by=cast.wen, version=version, passes=1)
    reading = review.readings.order_by("pk").first()
    perform_reading(reading.pk)
    reading.refresh_from_db()
    return reading.cost, reading.input_tokens + reading.cache_write_tokens


def test_a_server_that_was_told_no_model_is_not_priced_as_anthropics(
    cast, settings, start_server, client_of
):
    settings.MODEL_RETRIES = 0
    url = start_server(finds()).url
    assert _read_once(cast, url)[0] is None
    page = html_of(client_of(cast.max).get(reverse("model-settings", args=[cast.workspace.slug])))
    assert f"What {settings.MODEL_NAME} costs is not known" in page
    cost, tokens = _read_once(cast, url, "Another.", model="claude-opus-5-5")
    assert cost is not None
    assert tokens > 0


def test_a_price_of_ones_own_counts_on_a_server_of_ones_own(cast, settings, start_server):
    settings.MODEL_RETRIES = 0
    _prices(cast, (settings.MODEL_NAME, {"input": "1", "output": "0"}))
    cost, tokens = _read_once(cast, start_server(finds()).url)
    assert cost == Decimal(tokens) / 1_000_000


# The month's limit --------------------------------------------------------------------------


@pytest.fixture
def at(monkeypatch):
    """`at("2026-11-30 12:00")` sets the clock by which months are counted."""

    def set_clock(moment: str) -> datetime:
        now = datetime.fromisoformat(moment).replace(tzinfo=UTC)
        monkeypatch.setattr(spending.timezone, "localtime", lambda: now)
        return now

    return set_clock


def _spend(cast, cost: str, when: datetime) -> None:
    review = make_review(make_version(make_proposal(cast.workspace), texts=["x"]))
    make_reading(review, sheet=1, cost=Decimal(cost), finished_at=when)


def test_a_month_counts_readings_trials_and_calibrations_of_the_workspace(cast, at):
    now = at("2026-11-30 12:00")
    _spend(cast, "1.25", now)
    _spend(cast, "8", now.replace(day=1, hour=0) - timedelta(seconds=1))
    for what, workspace, when in (
        ("trial", cast.workspace, now),
        ("calibration", cast.workspace, now.replace(day=1, hour=0)),
        ("trial", cast.ola.workspace, now),
        ("trial", cast.workspace, now - timedelta(days=30)),
    ):
        Expense.objects.create(workspace=workspace, what=what, cost=Decimal("0.5"), at=when)
    Expense.objects.create(workspace=cast.workspace, what="trial", cost=None, at=now)
    assert spent_this_month(cast.workspace.pk) == Decimal("2.25")


@pytest.mark.parametrize(("limit", "over"), [("2.00", True), ("2.01", False), ("", False)])
def test_the_limit_is_reached_when_as_much_is_spent(cast, limit, over):
    change_model_settings(by=cast.max, monthly_limit=limit)
    _spend(cast, "2", timezone.now())
    assert bool(over_own_limit(cast.workspace.pk)) is over
    assert over_own_limit(cast.ola.workspace.pk) == ""


def test_what_a_call_beside_a_review_cost_is_kept_with_its_tokens(cast):
    _prices(cast, ("m", OWN))
    usage = Usage(input_tokens=10, output_tokens=5, cache_read_tokens=20, cache_write_tokens=30)
    made = record_expense(cast.workspace.pk, "trial", RawAnswer(model="m", usage=usage), asked="a")
    assert (made.model, made.input_tokens, made.output_tokens) == ("m", 60, 5)
    assert made.cost == Decimal("0.000075")


def test_what_a_deleted_proposal_cost_still_counts(cast):
    _spend(cast, "1.5", timezone.now())
    review = make_review(make_version(make_proposal(cast.workspace), texts=["x"]))
    for sheet, cost in ((1, "0.25"), (2, "0.5"), (3, None)):
        make_reading(review, sheet=sheet, cost=cost and Decimal(cost), input_tokens=7)
    before = spent_this_month(cast.workspace.pk)
    delete_proposal(by=cast.max, proposal=review.version.proposal)
    assert spent_this_month(cast.workspace.pk) == before == Decimal("2.25")
    row = Expense.objects.get()
    assert (row.what, row.cost, row.input_tokens) == ("deleted", Decimal("0.75"), 14)


def test_what_is_deleted_counts_for_the_month_in_which_it_was_spent(cast, at):
    now = at("2026-11-30 12:00")
    _spend(cast, "4", now - timedelta(days=45))
    for proposal in cast.workspace.proposals.all():
        delete_proposal(by=cast.max, proposal=proposal)
    assert spent_this_month(cast.workspace.pk) == 0
    assert Expense.objects.get().at < now - timedelta(days=44)


def test_the_prices_list_is_not_empty_and_the_settings_page_shows_the_month(cast, client_of):
    assert len(TABLE) > 5
    ModelSettings.objects.create(workspace=cast.workspace, base_url="http://llm", model="m")
    Expense.objects.create(workspace=cast.workspace, what="trial", cost=Decimal("0.42"))
    page = html_of(client_of(cast.max).get(reverse("model-settings", args=[cast.workspace.slug])))
    assert "This month so far: $0.42" in page

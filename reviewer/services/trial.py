"""Trying the connected model with one small reading of a made page; only its cost is stored."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone

from reviewer.models import Expense, Membership
from reviewer.providers.prices import TABLE, Price
from reviewer.providers.probe import Trial, told, try_model
from reviewer.services.connection import connection
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.lease import release_database
from reviewer.services.prices import own_prices
from reviewer.services.spending import over_own_limit, record_expense

TRIAL_SECONDS = 60


@dataclass(frozen=True)
class Tried:
    """What a trial showed, and as sentences for a person."""

    trial: Trial
    sentences: tuple[str, ...]


def try_connected_model(*, by: Membership) -> Tried:
    """One small reading by the workspace's model.

    Raises Refused where none is connected, or the month's limit is reached.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can try a model.")
    connected = connection(by.workspace_id)
    if connected is None:
        raise Refused("No model is connected, so there is none to try.")
    spent = over_own_limit(by.workspace_id)
    if spent:
        raise Refused(spent)
    prices = own_prices(by.workspace_id)
    release_database()
    result = tried(
        connected.model,
        connected.api_key,
        connected.base_url,
        connected.server,
        own_prices=prices,
        by_list=connected.is_by_price_list,
    )
    what = Expense.What.TRIAL
    record_expense(by.workspace_id, what, result.trial.raw, asked=connected.model)
    return result


def tried(
    model: str,
    api_key: str,
    base_url: str,
    server: str,
    *,
    own_prices: Mapping[str, Price] | None = None,
    by_list: bool = True,
) -> Tried:
    """One small reading by `model`; its way of asking is found anew and not remembered."""
    from reviewer.providers.messages import MessagesProvider

    provider = MessagesProvider(
        api_key=api_key,
        base_url=base_url or None,
        max_retries=0,
        timeout=float(min(TRIAL_SECONDS, settings.MODEL_TIMEOUT_SECONDS)),
    )
    try:
        trial = try_model(
            provider,
            model,
            today=timezone.localdate().isoformat(),
            own_prices=own_prices,
            table=TABLE if by_list else (),
        )
    finally:
        provider.close()
    return Tried(trial, tuple(told(trial, server=server)))

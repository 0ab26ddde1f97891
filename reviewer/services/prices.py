"""What tokens cost for a workspace: its own prices, and before them nothing but the table's.

A price counts from the readings on that are recorded after it was entered; what was recorded
before keeps its cost.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal, InvalidOperation

from django.db import transaction
from django.utils import timezone

from reviewer.core.raw import Usage
from reviewer.models import Membership, ModelSettings, Reading, Review, Workspace
from reviewer.providers.prices import TABLE, Price, cost, own_price, row_for
from reviewer.services.connection import connection
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.model_settings import held_settings, set_settings, settings_of

PARTS = ("input", "output", "cache_write", "cache_read")
PRICES_AT_MOST = 50
_DAYS = 30


@dataclass(frozen=True)
class PriceLine:
    """One model of the price list: what the workspace entered, and what the table says."""

    model: str
    own: Mapping[str, str]
    table: Price | None

    @property
    def is_known(self) -> bool:
        """Whether readings of this model have a cost."""
        return bool(self.own) or self.table is not None


def own_prices(workspace_id: int) -> dict[str, Price]:
    """The workspace's own prices by model, in lower case."""
    return prices_in(ModelSettings.objects.filter(workspace=workspace_id).first())


def prices_in(own: ModelSettings | None) -> dict[str, Price]:
    """The prices that a workspace's settings hold, by model, in lower case."""
    return {
        model.casefold(): own_price(
            said["input"], said["output"], write=said["cache_write"], read=said["cache_read"]
        )
        for model, said in (own.prices if own else {}).items()
    }


def cost_by(
    own: Mapping[str, Price], usage: Usage, *models: str, by_list: bool = True
) -> Decimal | None:
    """Dollars for `usage`; `models` are the names of one model, the server's own first.

    None where no price is known under any of them. `by_list` False leaves the public price
    list out: see `Connection.is_by_price_list`.
    """
    table = TABLE if by_list else ()
    costs = (cost(usage, model, table, own=own) for model in models if model)
    return next((known for known in costs if known is not None), None)


def price_list(workspace: Workspace) -> list[PriceLine]:
    """The models that are connected, were asked of late or have a price of their own, by name."""
    own: dict[str, dict[str, str]] = settings_of(workspace).prices
    since = timezone.now() - timedelta(days=_DAYS)
    asked = Reading.objects.filter(
        review__version__proposal__workspace=workspace,
        review__provenance=Review.Provenance.LIVE,
        finished_at__gte=since,
    ).exclude(model="")
    names = {*own, *asked.order_by().values_list("model", flat=True).distinct()}
    connected = connection(workspace)
    table = TABLE
    if connected is not None:
        names |= {connected.model, connected.second_model} - {""}
        table = TABLE if connected.is_by_price_list else ()
    return [
        PriceLine(name, own.get(name, {}), row.price if (row := row_for(name, table)) else None)
        for name in sorted(names)
    ]


def change_prices(
    *, by: Membership, prices: Iterable[tuple[str, Mapping[str, str]]]
) -> ModelSettings:
    """Set the workspace's own prices, in dollars a million tokens; what is not named is forgotten.

    A model with neither input nor output has no price of its own. Raises Refused for half a
    price, for what is no amount, and for a model that is named twice.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can change the workspace's prices.")
    kept: dict[str, dict[str, str]] = {}
    for model, said in prices:
        name, amounts = model.strip(), {part: said.get(part, "").strip() for part in PARTS}
        if not any(amounts.values()):
            continue
        if not name or not amounts["input"] or not amounts["output"]:
            raise Refused(
                "A price needs the model's name and what its input and output cost. "
                "Nothing was changed."
            )
        if name.casefold() in {other.casefold() for other in kept}:
            raise Refused(f"{name} is named twice, so nothing was changed.")
        kept[name] = {part: _amount(amount) for part, amount in amounts.items()}
    if len(kept) > PRICES_AT_MOST:
        raise Refused(f"At most {PRICES_AT_MOST} prices can be kept. Nothing was changed.")
    with transaction.atomic():
        row = held_settings(by.workspace)
        set_settings(row, prices=kept)
        record(
            workspace=by.workspace_id,
            subject=by.workspace,
            verb="prices changed",
            by=by,
            why=", ".join(kept),
        )
    return row


def _amount(text: str) -> str:
    if not text:
        return ""
    try:
        amount = Decimal(text)
    except InvalidOperation as error:
        raise Refused(f"“{text}” is not an amount, so nothing was changed.") from error
    if not amount.is_finite() or not 0 <= amount < 100_000:
        raise Refused(f"“{text}” is no price of a million tokens, so nothing was changed.")
    return str(amount)

"""What a workspace's calls cost in a month, all of them, and where its limit stops them.

Counted are readings, trials, calibrations, and the readings of proposals that were deleted
since. Calls of models without a known price count nothing.
"""

from decimal import Decimal

from django.db.models import Sum
from django.db.models.functions import Coalesce, TruncDay
from django.utils import timezone

from reviewer.core.raw import RawAnswer
from reviewer.models import Expense, ModelSettings, Proposal, Reading
from reviewer.services.connection import connection
from reviewer.services.prices import cost_by, own_prices
from reviewer.services.storable import storable

ZERO = Decimal(0)


def spent_this_month(workspace_id: int) -> Decimal:
    """US dollars that this workspace's calls cost since the first of the month."""
    first = timezone.localtime().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    readings = Reading.objects.filter(
        review__version__proposal__workspace=workspace_id, finished_at__gte=first
    ).aggregate(total=Coalesce(Sum("cost"), ZERO))
    beside = Expense.objects.filter(workspace=workspace_id, at__gte=first).aggregate(
        total=Coalesce(Sum("cost"), ZERO)
    )
    return Decimal(readings["total"] + beside["total"])


def over_limit(workspace_id: int, limit: Decimal | None) -> str:
    """The sentence that says the month's limit is reached, or an empty one."""
    if limit is None or spent_this_month(workspace_id) < limit:
        return ""
    return (
        f"This month's limit of ${limit} is reached, so no model was asked. A manager can "
        "raise it; it starts anew on the first of the month."
    )


def over_own_limit(workspace_id: int) -> str:
    """The same, by the limit that the workspace has set."""
    own = ModelSettings.objects.filter(workspace=workspace_id).first()
    return over_limit(workspace_id, own.monthly_limit if own else None)


def record_expense(workspace_id: int, what: str, raw: RawAnswer, *, asked: str) -> Expense:
    """Store what a call beside a review took; `asked` is the model's name as it was asked for."""
    usage, connected = raw.usage, connection(workspace_id)
    by_list = connected is None or connected.is_by_price_list
    return Expense.objects.create(
        workspace_id=workspace_id,
        what=what,
        model=storable(raw.model or asked)[:120],
        input_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
        cost=cost_by(own_prices(workspace_id), usage, raw.model, asked, by_list=by_list),
    )


def keep_what_it_cost(proposal: Proposal) -> None:
    """Before `proposal` is deleted: what its readings cost stays, one row a day of them."""
    days = (
        Reading.objects.filter(review__version__proposal=proposal, cost__gt=0)
        .exclude(finished_at=None)
        .order_by()
        .annotate(day=TruncDay("finished_at"))
        .values("day")
        .annotate(
            spent=Sum("cost"),
            fresh=Sum("input_tokens"),
            read=Sum("cache_read_tokens"),
            written=Sum("cache_write_tokens"),
            out=Sum("output_tokens"),
        )
    )
    Expense.objects.bulk_create(
        Expense(
            workspace_id=proposal.workspace_id,
            what=Expense.What.DELETED,
            input_tokens=day["fresh"] + day["read"] + day["written"],
            output_tokens=day["out"],
            cost=day["spent"],
            at=day["day"],
        )
        for day in days
    )

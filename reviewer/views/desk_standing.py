"""Where a version stands: what holds it, what each pass added, what reading again would cost.

It is asked for after the desk is there, since it looks at all that was ever read of the
proposal; without scripts it is a page of its own.
"""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from reviewer.core.gate import Reason
from reviewer.models import Membership, Version
from reviewer.services.connection import connection_by, loaded_settings
from reviewer.services.coverage import History
from reviewer.services.offers import offers_of
from reviewer.services.receipts import receipt_of
from reviewer.services.standing import Held, HeldFinding, PassAdded, Stand, standing_of
from reviewer.views.access import (
    in_workspace,
    newest_version_or_404,
    proposal_or_404,
    version_or_404,
)
from reviewer.views.answering import page_or_part
from reviewer.views.desk_lines import Asked

NAMED_AT_ONCE = 6
"""So many findings of a reason are named; the rest are counted."""
CHART_WIDTH = 240
"""Units across of the longest bar."""


@dataclass(frozen=True, slots=True)
class Holding:
    """One reason of the gate, with the first of its findings and how many more there are."""

    reason: Reason
    named: tuple[HeldFinding, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Piece:
    """One severity's part of a bar, in units of the chart."""

    severity: str
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Bar:
    """What a pass saw, and of it what was new: `seen` wide, with its new part by severity."""

    label: str
    words: str
    seen: float
    pieces: tuple[Piece, ...]


def holdings_of(stand: Stand) -> list[Holding]:
    """The reasons in the gate's order."""
    return [_holding(held) for held in stand.held]


def _holding(held: Held) -> Holding:
    named = held.findings[:NAMED_AT_ONCE]
    return Holding(held.reason, named, len(held.findings) - len(named))


def bars_of(passes: tuple[PassAdded, ...]) -> list[Bar]:
    """A bar a pass, the longest as wide as the chart; none where there is nothing to compare."""
    most = max((each.seen for each in passes), default=0)
    if most == 0 or len(passes) < 2:
        return []
    return [_bar(each, CHART_WIDTH / most) for each in passes]


def _bar(added: PassAdded, unit: float) -> Bar:
    pieces, x = [], 0.0
    for severity, number in added.by_severity:
        if number:
            pieces.append(Piece(severity, round(x, 1), round(number * unit, 1)))
            x += number * unit
    words = f"{added.seen} seen, {added.added} new"
    return Bar(added.label, words, round(added.seen * unit, 1), tuple(pieces))


@require_safe
@in_workspace
def standing(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    """Part of the desk, or a page: reasons in order, the sentence, the chart, the offers."""
    of = proposal_or_404(membership, proposal)
    version = version_or_404(of, number)
    is_newest = newest_version_or_404(of).pk == version.pk
    context = {
        "section": "proposals",
        "proposal": of,
        "version": version,
        "query": Asked.of(request.GET).query(),
        **_context(version, is_newest),
    }
    return page_or_part(request, "desk/standing.html", "desk/_standing.html", context)


def _context(version: Version, is_newest: bool) -> dict[str, Any]:
    """Nothing while it is read, or before it has sheets: there is nothing to say for long."""
    if version.status != Version.Status.READY or version.reviews.running().exists():
        return {}
    history = History(version)
    stand = standing_of(version, history=history)
    proposal = version.proposal
    may_read = (
        not proposal.checks_only and connection_by(loaded_settings(proposal.workspace)) is not None
    )
    return {
        "stand": stand,
        "receipt": receipt_of(version, stand.gate, history=history),
        "was_read": bool(history.readings),
        "holdings": holdings_of(stand),
        "bars": bars_of(stand.passes),
        "offers": offers_of(version, history=history) if is_newest and may_read else None,
    }

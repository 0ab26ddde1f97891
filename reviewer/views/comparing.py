"""Versions compared: what a new upload changed, as text and as sheets beside each other."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reviewer.models import Membership
from reviewer.services.comparing import Comparison
from reviewer.views.access import in_workspace, proposal_or_404, version_or_404, with_sheets

LOOKS = {"text": "Text", "sheets": "Sheets"}


@require_safe
@in_workspace
def compare(
    request: HttpRequest, membership: Membership, proposal: int, number: int, other: int
) -> HttpResponse:
    """Version `number` against `other`, which came before it."""
    of = proposal_or_404(membership, proposal)
    after, before = version_or_404(of, number), version_or_404(of, other)
    ready = with_sheets(of)
    if before.number >= after.number or not {before, after} <= set(ready):
        raise Http404("There is nothing to compare: both must have sheets, the other one first.")
    look = request.GET.get("look", "text")
    context = {
        "section": "proposals",
        "proposal": of,
        "before": before,
        "after": after,
        "earlier": [one for one in ready if one.number < after.number],
        "look": look if look in LOOKS else "text",
        "looks": LOOKS.items(),
        "comparison": Comparison(before, after),
    }
    return render(request, "compare/compare.html", context)

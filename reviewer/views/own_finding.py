"""A finding of one's own: over words that were selected on a sheet, or that are typed as they stand."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from reviewer.core.schema import Severity
from reviewer.core.typed import typed_number
from reviewer.models import Membership, Version
from reviewer.services.errors import Refused
from reviewer.services.ground import Ground
from reviewer.services.rubric import rubric_in_force, rules_of
from reviewer.services.triage import raise_own
from reviewer.views.access import in_workspace, proposal_or_404, version_or_404
from reviewer.views.desk import act_answer, desk_url

NOT_THERE = "These words are not on that sheet. Copy them as they stand there. Nothing was raised."
NO_SHEET = "There is no sheet of that number. Nothing was raised."


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a sheet by their places in its reading order, both inclusive, and as they read."""

    sheet: int
    first: int
    last: int
    text: str


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def own_finding(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    """`?sheet=`, `first=` and `last=` name the words that were selected, where they were."""
    of = proposal_or_404(membership, proposal)
    version = version_or_404(of, number)
    ground = Ground(version)
    selected = _selected(request, ground)
    if request.method != "POST":
        return _page(request, membership, version, selected)
    said = request.POST
    try:
        words = selected or _typed(ground, said.get("on_sheet", ""), said.get("quote", ""))
        finding = raise_own(
            by=membership,
            proposal=of,
            version=version,
            sheet=words.sheet,
            first_word=words.first,
            last_word=words.last,
            severity=said.get("severity", ""),
            rule=said.get("rule", ""),
            text=said.get("text", ""),
            edit=said.get("edit", ""),
        )
    except Refused as error:
        return _page(request, membership, version, selected, refused=error.message)
    return act_answer(request, membership, version, f"Raised: {finding}.", at=finding.number)


def _selected(request: HttpRequest, ground: Ground) -> Words | None:
    sheet, first, last = (typed_number(request.GET.get(n, "")) for n in ("sheet", "first", "last"))
    on = ground.sheets.get(sheet) if sheet else None
    if on is None or first is None or last is None or not first <= last < len(on.words):
        return None
    start, end = on.span(first, last)
    return Words(on.number, first, last, on.text[start:end])


def _typed(ground: Ground, named: str, quote: str) -> Words:
    sheet = typed_number(named)
    if sheet is None or sheet not in ground.sheets:
        raise Refused(NO_SHEET)
    span = ground.find(quote, sheet)
    place = ground.place(sheet, span, finding_id=0) if span else None
    if place is None:
        raise Refused(NOT_THERE)
    return Words(sheet, place.first_word, place.last_word, quote)


def _page(
    request: HttpRequest,
    membership: Membership,
    version: Version,
    selected: Words | None,
    refused: str = "",
) -> HttpResponse:
    context = {
        "section": "proposals",
        "proposal": version.proposal,
        "version": version,
        "selected": selected,
        "sheet": request.POST.get("on_sheet") or request.GET.get("sheet", ""),
        "said": request.POST,
        "severities": [one.value for one in Severity],
        "rules": rules_of(rubric_in_force(membership.workspace_id)),
        "refused": refused,
        "back": desk_url(request, membership, version),
    }
    return render(request, "desk/own.html", context, status=422 if refused else 200)

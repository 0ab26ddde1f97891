"""Reading a version: start, stop, and how far it is. Progress is rows, counted when asked."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from reviewer.core.typed import typed_number
from reviewer.models import Membership, Version
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.pictures import read_picture
from reviewer.services.progress import reading_progress
from reviewer.services.reviews import cancel_review, start_review
from reviewer.views.access import in_workspace, proposal_or_404, version_or_404
from reviewer.views.answering import page_or_part, wants_part
from reviewer.views.desk import act_answer
from reviewer.views.desk_lines import Asked
from reviewer.views.desk_page import desk_context

STARTED = "The reading has started. Findings appear as they come in."
HOW: dict[str, dict[str, Any]] = {"widen": {"widen": 1}, "anew": {"anew": True}}
STOPPED = "The reading was stopped. What was read stays."
NOTHING_RUNS = "No reading is under way, so there was nothing to stop."


@require_POST
@in_workspace
def read(request: HttpRequest, membership: Membership, proposal: int, number: int) -> HttpResponse:
    """Have the connected model read this version: what is due, or by `?how=` widen or anew.

    `?how=picture&sheet=3` has one sheet read that has no text.
    """
    version = version_or_404(proposal_or_404(membership, proposal), number)
    try:
        how = request.GET.get("how", "")
        if how == "picture":
            read_picture(by=membership, version=version, sheet=_sheet(request))
        else:
            start_review(by=membership, version=version, **HOW.get(how, {}))
    except Refused as error:
        return act_answer(request, membership, version, error.message, status=422)
    return act_answer(request, membership, version, STARTED)


def _sheet(request: HttpRequest) -> int:
    """The number of the sheet that is named; 0, which is none, for anything else."""
    return typed_number(request.GET.get("sheet", "")) or 0


@require_POST
@in_workspace
def cancel(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    """Stop the reading that is under way; what was read stays."""
    version = version_or_404(proposal_or_404(membership, proposal), number)
    progress = reading_progress(version)
    if not progress.running or progress.review is None:
        return act_answer(request, membership, version, NOTHING_RUNS, status=409)
    try:
        cancel_review(by=membership, review=progress.review)
    except (Refused, MovedMeanwhile) as error:
        return act_answer(request, membership, version, error.message, status=409)
    return act_answer(request, membership, version, STOPPED)


@require_safe
@in_workspace
def progress(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    """The reading box, which asks for itself while something runs, and what is new on the desk.

    `?seen=` names what the page shows already; only where that has changed does the answer
    bring findings, marks and counts.
    """
    of = proposal_or_404(membership, proposal)
    version = version_or_404(of, number)
    if not wants_part(request):
        return redirect("desk-version", membership.workspace.slug, of.pk, number)
    context = desk_context(membership, version, Asked.of(request.GET))
    is_same = context.get("stamp") == request.GET.get("seen") and context["reading"].running
    part = "desk/_reading.html" if is_same else "desk/_changes.html"
    response = page_or_part(request, part, part, context | {"oob": True})
    if not is_same:
        trigger_client_event(response, "desk:stale", after="settle")
    return response


@require_safe
@in_workspace
def converting(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    """How far a file is on its way to sheets; once it is there, the page is asked for anew."""
    of = proposal_or_404(membership, proposal)
    version = version_or_404(of, number)
    if not wants_part(request):
        return redirect("desk-version", membership.workspace.slug, of.pk, number)
    if version.status == Version.Status.READY:
        return HttpResponse(headers={"HX-Refresh": "true", "Vary": "HX-Request"})
    context = desk_context(membership, version, Asked.of(request.GET))
    return page_or_part(request, "desk/_converting.html", "desk/_converting.html", context)

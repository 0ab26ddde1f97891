"""The text of a proposal in a page, with what is open on it beside it."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from reviewer.core.schema import Severity
from reviewer.forms import EditForm
from reviewer.models import Membership, Proposal, Version
from reviewer.models.finding import DUE
from reviewer.services.as_checked import text_of_original
from reviewer.services.editing import changed_since, save_edited
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.views.access import (
    findings_of,
    in_workspace,
    newest_version_or_404,
    proposal_or_404,
    version_or_404,
)


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def edit(request: HttpRequest, membership: Membership, proposal: int) -> HttpResponse:
    """Edit the text of the newest version; what is saved is the next one."""
    of = proposal_or_404(membership, proposal)
    newest = newest_version_or_404(of)
    if request.method == "POST":
        return _save(request, membership, of, newest)
    text = text_of_original(newest)
    if text is None:
        raise Http404("The newest version is no Markdown or plain text.")
    return _page(request, newest, EditForm(initial={"text": text, "based_on": newest.number}))


def _save(
    request: HttpRequest, membership: Membership, proposal: Proposal, newest: Version
) -> HttpResponse:
    form = EditForm(request.POST)
    if not form.is_valid():
        return _page(request, newest, form, status=422)
    said = form.cleaned_data
    base = version_or_404(proposal, said["based_on"])
    try:
        save_edited(
            by=membership,
            proposal=proposal,
            based_on=base,
            text=said["text"],
            read_when_ready=said["read_when_ready"] and not proposal.checks_only,
        )
    except MovedMeanwhile as error:
        newest = newest_version_or_404(proposal)
        again = EditForm(initial={**said, "based_on": newest.number})
        more = {"moved": error.message, "base": base, "theirs": changed_since(base, newest)}
        return _page(request, newest, again, status=409, **more)
    except Refused as error:
        return _page(request, newest, form, status=422, refused=error.message)
    return redirect("desk", membership.workspace.slug, proposal.pk)


def _page(
    request: HttpRequest, newest: Version, form: EditForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    due = [finding for finding in findings_of(newest.proposal) if finding.shown_state in DUE]
    context = {
        "section": "proposals",
        "proposal": newest.proposal,
        "newest": newest,
        "form": form,
        "due": sorted(due, key=lambda finding: Severity(finding.severity).rank),
        **more,
    }
    return render(request, "edit/edit.html", context, status=status)

"""What a proposal is called, for whom it is, who may read it; archive and deletion."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from reviewer.forms import DeleteForm, DetailsForm
from reviewer.models import Membership, Proposal
from reviewer.services.errors import Refused
from reviewer.services.proposals import (
    archive_proposal,
    change_details,
    delete_proposal,
    restore_proposal,
)
from reviewer.views.access import in_workspace, proposal_or_404


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def details(request: HttpRequest, membership: Membership, proposal: int) -> HttpResponse:
    of = proposal_or_404(membership, proposal)
    form = DetailsForm(
        request.POST if request.method == "POST" else None, by=membership, proposal=of
    )
    if form.is_bound and form.is_valid():
        try:
            change_details(by=membership, proposal=of, **form.cleaned_data)
            messages.success(request, "The details were saved.")
            return redirect("details", membership.workspace.slug, of.pk)
        except Refused as error:
            form.add_error(None, error.message)
    return _page(request, of, form, DeleteForm(proposal=of))


@require_POST
@in_workspace
def archive(request: HttpRequest, membership: Membership, proposal: int) -> HttpResponse:
    of = proposal_or_404(membership, proposal)
    archive_proposal(by=membership, proposal=of)
    messages.success(request, f"“{of.title}” is in the archive. Nothing of it was lost.")
    return redirect("proposals", membership.workspace.slug)


@require_POST
@in_workspace
def restore(request: HttpRequest, membership: Membership, proposal: int) -> HttpResponse:
    of = proposal_or_404(membership, proposal)
    restore_proposal(by=membership, proposal=of)
    messages.success(request, f"“{of.title}” is back on the list.")
    return redirect("proposals", membership.workspace.slug)


@require_POST
@in_workspace
def delete(request: HttpRequest, membership: Membership, proposal: int) -> HttpResponse:
    """Only after the title was typed again, and only by a manager."""
    of = proposal_or_404(membership, proposal)
    if not membership.is_manager:
        raise PermissionDenied("Only a manager can delete a proposal. Archive it instead.")
    form = DeleteForm(request.POST, proposal=of)
    if not form.is_valid():
        return _page(request, of, DetailsForm(by=membership, proposal=of), form)
    title = of.title
    delete_proposal(by=membership, proposal=of)
    messages.success(request, f"“{title}” was deleted, with its versions, findings and files.")
    return redirect("proposals", membership.workspace.slug)


def _page(
    request: HttpRequest, proposal: Proposal, form: DetailsForm, delete_form: DeleteForm
) -> HttpResponse:
    wrong = bool(form.errors or delete_form.errors)
    context = {"proposal": proposal, "form": form, "delete_form": delete_form}
    return render(request, "proposals/details.html", context, status=422 if wrong else 200)

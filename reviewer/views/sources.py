"""What the seller knows, attached to a proposal: the ground on which claims are judged."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from reviewer.models import Membership
from reviewer.services.errors import Refused
from reviewer.services.proposals import add_source, remove_source
from reviewer.views.access import in_workspace, proposal_or_404, source_or_404, sources_of


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def sources(request: HttpRequest, membership: Membership, proposal: int) -> HttpResponse:
    """The list, and a form that takes several files; each is kept or refused on its own."""
    of = proposal_or_404(membership, proposal)
    refused = []
    if request.method == "POST":
        files = request.FILES.getlist("file")
        refused = [
            f"“{name}” is larger than this installation takes, so it was not kept. "
            "Attach the pages that matter."
            for name in getattr(request, "too_big", [])
        ]
        if not files and not refused:
            refused = ["No file was chosen, so nothing was attached. Choose one first."]
        for file in files:
            try:
                added = add_source(by=membership, proposal=of, file=file)
                messages.success(request, f"“{added.name}” was attached.")
            except Refused as error:
                refused.append(error.message)
        if not refused:
            return redirect("sources", membership.workspace.slug, of.pk)
    context = {"proposal": of, "sources": sources_of(of), "refused": refused}
    return render(request, "proposals/sources.html", context, status=422 if refused else 200)


@require_POST
@in_workspace
def source_remove(
    request: HttpRequest, membership: Membership, proposal: int, pk: int
) -> HttpResponse:
    of = proposal_or_404(membership, proposal)
    source = source_or_404(of, pk)
    name = source.name
    remove_source(by=membership, source=source)
    messages.success(request, f"“{name}” was removed. Findings raised while it was there stay.")
    return redirect("sources", membership.workspace.slug, of.pk)

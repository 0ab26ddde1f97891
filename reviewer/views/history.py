"""The history of one finding: who and what saw it, what was said and decided, what became of it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from reviewer.models import Finding, Membership, Proposal
from reviewer.models.comment import LONGEST_COMMENT
from reviewer.services.comments import add_comment
from reviewer.services.errors import Refused
from reviewer.services.history import history_of
from reviewer.services.rubric import rule_titles
from reviewer.views.access import (
    finding_or_404,
    in_workspace,
    newest_version_or_404,
    proposal_or_404,
)


@require_safe
@in_workspace
def finding_history(
    request: HttpRequest, membership: Membership, proposal: int, finding: int
) -> HttpResponse:
    of = proposal_or_404(membership, proposal)
    return _page(request, membership, of, finding_or_404(of, finding))


@require_POST
@in_workspace
def comment(
    request: HttpRequest, membership: Membership, proposal: int, finding: int
) -> HttpResponse:
    """Add a comment and show it in its place; what was refused is kept in the form."""
    of = proposal_or_404(membership, proposal)
    on, version = finding_or_404(of, finding), newest_version_or_404(of)
    text = request.POST.get("text", "")
    try:
        added = add_comment(by=membership, finding=on, version=version, text=text)
    except Refused as error:
        return _page(request, membership, of, on, text=text, refused=error.message)
    at = reverse("finding-history", args=(membership.workspace.slug, of.pk, on.number))
    return redirect(f"{at}#comment-{added.pk}")


def _page(
    request: HttpRequest,
    membership: Membership,
    of: Proposal,
    one: Finding,
    *,
    text: str = "",
    refused: str = "",
) -> HttpResponse:
    titles = rule_titles(membership.workspace_id)
    context = {
        "proposal": of,
        "finding": one,
        "rule": titles.get(one.rule, one.rule),
        "state": one.shown_state.replace("_", " "),
        "history": history_of(one),
        "text": text,
        "refused": refused,
        "longest": LONGEST_COMMENT,
        "section": "proposals",
    }
    return render(request, "history/finding.html", context, status=422 if refused else 200)

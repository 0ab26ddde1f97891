"""The history of one finding: who and what saw it, what was decided, what became of its words."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reviewer.models import Membership
from reviewer.services.history import history_of
from reviewer.services.rubric import rule_titles
from reviewer.views.access import finding_or_404, in_workspace, proposal_or_404


@require_safe
@in_workspace
def finding_history(
    request: HttpRequest, membership: Membership, proposal: int, finding: int
) -> HttpResponse:
    of = proposal_or_404(membership, proposal)
    one = finding_or_404(of, finding)
    titles = rule_titles(membership.workspace_id)
    context = {
        "proposal": of,
        "finding": one,
        "rule": titles.get(one.rule, one.rule),
        "state": one.shown_state.replace("_", " "),
        "history": history_of(one),
        "section": "proposals",
    }
    return render(request, "history/finding.html", context)

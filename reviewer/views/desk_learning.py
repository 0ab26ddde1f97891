"""From a finding to a learning, on the desk: the rule is worded in place, and a person says
which findings of other proposals are the same fault."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from reviewer.core.rubric import OTHER
from reviewer.models import Finding, Learning, Membership, Version
from reviewer.services.errors import Refused
from reviewer.services.learnings_alike import AlikeFinding, alike_of, say_same
from reviewer.services.rubric import rule_titles
from reviewer.views.access import (
    asked_finding,
    finding_or_404,
    findings_named,
    in_workspace,
    proposal_or_404,
    triage_only,
)
from reviewer.views.answering import page_or_part, wants_part
from reviewer.views.desk import act_answer, desk_url
from reviewer.views.promoting import Attempt, attempt, form_for

GONE = "That finding is not there any more. Nothing was said of it."


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def finding_learn(
    request: HttpRequest, membership: Membership, proposal: int, number: int, finding: int
) -> HttpResponse:
    """Make a learning of a finding; the form is worded from it."""
    triage_only(membership)
    version, on = asked_finding(membership, proposal, number, finding)
    name, clients = f"learn-{on.number}", [version.proposal.client]
    if request.method != "POST":
        form = form_for(membership, initial=_worded(on), clients=clients, name=name)
        return _form(request, membership, version, on, Attempt(form))
    form = form_for(membership, request.POST, clients=clients, name=name)
    same = [each.finding for each in alike_of(on) if each.said]
    tried = attempt(request, membership, form, [on, *same])
    if tried.made is not None:
        return act_answer(request, membership, version, tried.said, at=on.number)
    return _form(request, membership, version, on, tried)


def _worded(on: Finding) -> dict[str, str]:
    """What the form begins with. A rule that is none of the rubric is left open."""
    return {
        "kind": Learning.Kind.LOOK_FOR,
        "text": on.text[:600],
        "rule": "" if on.rule == OTHER else on.rule,
    }


def _form(
    request: HttpRequest, membership: Membership, version: Version, on: Finding, tried: Attempt
) -> HttpResponse:
    context = {
        "section": "proposals",
        "proposal": version.proposal,
        "version": version,
        "finding": on,
        "rule": rule_titles(membership.workspace_id).get(on.rule, on.rule),
        "form": tried.form,
        "tried": tried,
        "query": request.META["QUERY_STRING"],
        "back": desk_url(request, membership, version) + f"#finding-{on.number}",
    }
    if not wants_part(request):
        context |= _pairs(on)
    status = 422 if tried.refused or tried.form.errors else 200
    return page_or_part(request, "desk/learn.html", "desk/_learn.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def finding_alike(
    request: HttpRequest, membership: Membership, proposal: int, finding: int
) -> HttpResponse:
    """Findings of other proposals that look the same; posting says of one whether it is."""
    triage_only(membership)
    of = proposal_or_404(membership, proposal)
    on = finding_or_404(of, finding)
    refused = _say(request, membership, on) if request.method == "POST" else ""
    if request.method == "POST" and not refused and not wants_part(request):
        return redirect("finding-alike", membership.workspace.slug, of.pk, on.number)
    context = {
        "section": "proposals",
        "proposal": of,
        "finding": on,
        "rule": rule_titles(membership.workspace_id).get(on.rule, on.rule),
        "refused": refused,
        **_pairs(on),
    }
    return page_or_part(
        request,
        "desk/alike.html",
        "desk/_alike.html",
        context,
        status=422 if refused else 200,
    )


def _say(request: HttpRequest, membership: Membership, on: Finding) -> str:
    """A sentence where it was refused; empty where it was said."""
    found = findings_named(membership, [request.POST.get("other", "")])
    if not found:
        return GONE
    is_same = request.POST.get("same") == "yes"
    try:
        say_same(finding=on, other=found[0], actor=membership, same=is_same)
    except Refused as error:
        return error.message
    return ""


def _pairs(on: Finding) -> dict[str, object]:
    """The pairs that nobody judged yet, and those that were; proposals of the former counted."""
    pairs: tuple[AlikeFinding, ...] = alike_of(on)
    asked = [each for each in pairs if each.said is None]
    return {
        "asked": asked,
        "answered": [each for each in pairs if each.said is not None],
        "elsewhere": len({each.finding.proposal_id for each in asked}),
    }

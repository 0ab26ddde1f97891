"""What a person does to a finding on the desk: each act is a form that works as a plain page.

A refusal keeps the sentence of the service: 422 where something is to be put right, 409 where
somebody else was first and today's state is shown.
"""

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from reviewer.core.rubric import rule_title
from reviewer.core.schema import Severity
from reviewer.models import Finding, Membership, Version
from reviewer.services import findings
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.views.access import (
    asked_finding,
    in_workspace,
    proposal_or_404,
    version_or_404,
)
from reviewer.views.answering import wants_part
from reviewer.views.desk import act_answer, desk_url
from reviewer.views.desk_lines import Asked, counted_as, following
from reviewer.views.desk_page import desk_context

DONE = {
    "fixed": "Marked as fixed",
    "dismiss": "Dismissed",
    "accept": "Accepted",
    "reopen": "Open again",
}
ASKS_WHY = {
    "dismiss": "Why is this no fault?",
    "accept": "Why may this stay as it is?",
}
NOTHING_TO_UNDO = "There is no decision of yours on this proposal to take back."


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def finding_act(
    request: HttpRequest,
    membership: Membership,
    proposal: int,
    number: int,
    finding: int,
    act: str,
) -> HttpResponse:
    """Mark fixed, dismiss, accept or reopen; reading the address of an act asks for its reason."""
    if act not in DONE:
        raise Http404
    version, on = asked_finding(membership, proposal, number, finding)
    if request.method != "POST":
        return _ask_why(request, membership, version, on, act)
    reason = request.POST.get("reason", "")
    coming = None if wants_part(request) else _next_one(request, membership, version, on)
    try:
        _ACTS[act](membership, on, version, reason)
    except Refused as error:
        return _refused(request, membership, version, on, act, error.message)
    except MovedMeanwhile as error:
        return act_answer(request, membership, version, error.message, status=409)
    said = f"{DONE[act]}: {on}, {rule_title(on.rule)}."
    return act_answer(request, membership, version, said, at=coming, can_undo=True)


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def dismiss_kind(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    """One decision for all open findings of a rule and severity; never for blocks."""
    of = proposal_or_404(membership, proposal)
    version = version_or_404(of, number)
    named = request.POST if request.method == "POST" else request.GET
    rule, severity = named.get("rule", ""), named.get("severity", "")
    if severity not in list(Severity):
        raise Http404
    if request.method != "POST":
        return _ask_why_of_kind(request, membership, version, rule, severity)
    reason = request.POST.get("reason", "")
    try:
        done = findings.dismiss_kind(
            by=membership,
            proposal=of,
            version=version,
            rule=rule,
            severity=severity,
            reason=reason,
        )
    except Refused as error:
        if wants_part(request):
            return act_answer(request, membership, version, error.message, status=422)
        return _ask_why_of_kind(request, membership, version, rule, severity, refused=error.message)
    except MovedMeanwhile as error:
        return act_answer(request, membership, version, error.message, status=409)
    said = f"Dismissed: {counted_as(done, severity)}, {rule_title(rule)}."
    return act_answer(request, membership, version, said, can_undo=True)


@require_POST
@in_workspace
def undo(request: HttpRequest, membership: Membership, proposal: int, number: int) -> HttpResponse:
    """Take back the person's own last decision on this proposal."""
    of = proposal_or_404(membership, proposal)
    version = version_or_404(of, number)
    try:
        back = findings.undo_last(by=membership, proposal=of, version=version)
    except MovedMeanwhile as error:
        return act_answer(request, membership, version, error.message, status=409)
    if back is None:
        return act_answer(request, membership, version, NOTHING_TO_UNDO)
    said = f"Taken back: {back} is {back.get_status_display()} again."
    return act_answer(request, membership, version, said, at=back.number)


def _mark_fixed(by: Membership, on: Finding, version: Version, reason: str) -> None:
    findings.mark_fixed(by=by, finding=on, version=version)


def _dismiss(by: Membership, on: Finding, version: Version, reason: str) -> None:
    findings.dismiss(by=by, finding=on, version=version, reason=reason)


def _accept(by: Membership, on: Finding, version: Version, reason: str) -> None:
    findings.accept(by=by, finding=on, version=version, reason=reason)


def _reopen(by: Membership, on: Finding, version: Version, reason: str) -> None:
    findings.reopen(by=by, finding=on, version=version, reason=reason)


_ACTS: dict[str, Callable[[Membership, Finding, Version, str], None]] = {
    "fixed": _mark_fixed,
    "dismiss": _dismiss,
    "accept": _accept,
    "reopen": _reopen,
}


def _ask_why(
    request: HttpRequest,
    membership: Membership,
    version: Version,
    on: Finding,
    act: str,
    refused: str = "",
) -> HttpResponse:
    if act not in ASKS_WHY:
        return HttpResponseNotAllowed(["POST"])
    may = findings.may_dismiss if act == "dismiss" else findings.may_accept
    if not may(membership, on):
        raise NotAllowed("You may not decide this finding. Ask a reviewer or a manager.")
    context = {
        "section": "proposals",
        "proposal": version.proposal,
        "version": version,
        "finding": on,
        "rule": rule_title(on.rule),
        "act": act,
        "question": ASKS_WHY[act],
        "refused": refused,
        "typed": request.POST.get("reason", ""),
        "back": desk_url(request, membership, version) + f"#finding-{on.number}",
    }
    return render(request, "desk/reason.html", context, status=422 if refused else 200)


def _ask_why_of_kind(
    request: HttpRequest,
    membership: Membership,
    version: Version,
    rule: str,
    severity: str,
    refused: str = "",
) -> HttpResponse:
    if severity == Severity.BLOCK:
        raise NotAllowed("Blocks are decided one by one. Nothing was changed.")
    same = [
        one
        for one in version.proposal.findings.for_desk(version)
        if (one.rule, one.severity, one.status) == (rule, severity, Finding.Status.OPEN)
    ]
    if not all(findings.may_dismiss(membership, one) for one in same):
        raise NotAllowed("You may not decide these findings. Ask a reviewer or a manager.")
    context = {
        "section": "proposals",
        "proposal": version.proposal,
        "version": version,
        "kind": f"{counted_as(len(same), severity)} · {rule_title(rule)}",
        "same": same,
        "rule": rule,
        "severity": severity,
        "act": "dismiss",
        "question": "Why are these no faults?",
        "refused": refused,
        "typed": request.POST.get("reason", ""),
        "back": desk_url(request, membership, version),
    }
    return render(request, "desk/reason.html", context, status=422 if refused else 200)


def _refused(
    request: HttpRequest,
    membership: Membership,
    version: Version,
    on: Finding,
    act: str,
    sentence: str,
) -> HttpResponse:
    if act in ASKS_WHY and not wants_part(request):
        return _ask_why(request, membership, version, on, act, refused=sentence)
    return act_answer(request, membership, version, sentence, status=422)


def _next_one(
    request: HttpRequest, membership: Membership, version: Version, on: Finding
) -> int | None:
    """Where a person without scripts goes on after this finding has left the list."""
    context = desk_context(membership, version, Asked.of(request.GET))
    return following(context.get("listed", []), on.number)

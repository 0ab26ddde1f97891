"""The gate of one version: what holds it, what was let through by whom, and a manager's answer."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from reviewer.forms import AskForm, NoForm, WaiveForm
from reviewer.models import Membership, Version
from reviewer.services.approvals import approve, ask, say_no
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.read_first import is_being_read
from reviewer.services.reviews import start_review
from reviewer.services.signing import take_back, waive
from reviewer.views.access import (
    in_workspace,
    managers_only,
    proposal_or_404,
    version_or_404,
    waiver_or_404,
)
from reviewer.views.gate_lines import gate_context


@require_safe
@in_workspace
def gate(request: HttpRequest, membership: Membership, proposal: int, number: int) -> HttpResponse:
    """What holds this version, what was decided about it, and who may do what now."""
    return _page(request, membership, _version(membership, proposal, number))


@require_POST
@in_workspace
def gate_ask(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    version = _version(membership, proposal, number)
    form = AskForm(request.POST)
    form.is_valid()
    try:
        ask(
            by=membership,
            version=version,
            note=form.cleaned_data.get("note", ""),
            under=request.build_absolute_uri("/"),
        )
    except (Refused, MovedMeanwhile) as error:
        return _refused(request, membership, version, error)
    said = (
        "It is read first. The managers are asked when that is over."
        if is_being_read(version)
        else "The managers were asked."
    )
    return _done(request, membership, version, said)


@require_POST
@in_workspace
def gate_approve(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    managers_only(membership)
    version = _version(membership, proposal, number)
    form = AskForm(request.POST)
    form.is_valid()
    try:
        approve(
            by=membership,
            version=version,
            seal=request.POST.get("seal", ""),
            note=form.cleaned_data.get("note", ""),
        )
    except (Refused, MovedMeanwhile) as error:
        return _refused(request, membership, version, error)
    return _done(request, membership, version, "Approved. It may leave as it is now.")


@require_POST
@in_workspace
def gate_refuse(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    """A no, with its reason and the findings that stay due."""
    managers_only(membership)
    version = _version(membership, proposal, number)
    form = NoForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, version, status=422, no_form=form)
    try:
        say_no(by=membership, version=version, **form.cleaned_data)
    except (Refused, MovedMeanwhile) as error:
        return _refused(request, membership, version, error, no_form=form, is_no=True)
    return _done(request, membership, version, "Not approved. The writer reads why.")


@require_POST
@in_workspace
def gate_waive(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    managers_only(membership)
    version = _version(membership, proposal, number)
    form = WaiveForm(request.POST)
    if not form.is_valid():
        told = " ".join(str(each[0]) for each in form.errors.values())
        return _page(request, membership, version, status=422, **_typed(request, told))
    try:
        waive(by=membership, version=version, **form.cleaned_data)
    except (Refused, MovedMeanwhile) as error:
        typed = _typed(request, error.message)
        return _refused(request, membership, version, error, **typed)
    return _done(request, membership, version, "Signed. It stands here with your name.")


@require_POST
@in_workspace
def gate_take_back(
    request: HttpRequest, membership: Membership, proposal: int, number: int, waiver: int
) -> HttpResponse:
    managers_only(membership)
    version = _version(membership, proposal, number)
    try:
        take_back(by=membership, waiver=waiver_or_404(version.proposal, waiver))
    except (Refused, MovedMeanwhile) as error:
        return _refused(request, membership, version, error)
    return _done(request, membership, version, "Taken back. What it was for holds again.")


@require_POST
@in_workspace
def gate_read(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    """Have a version read that is on its way out and was not read, or not to its end."""
    version = _version(membership, proposal, number)
    try:
        start_review(by=membership, version=version)
    except (Refused, MovedMeanwhile) as error:
        return _refused(request, membership, version, error)
    return _done(request, membership, version, "It is being read. This page shows what comes.")


def _version(membership: Membership, proposal: int, number: int) -> Version:
    return version_or_404(proposal_or_404(membership, proposal), number)


def _done(
    request: HttpRequest, membership: Membership, version: Version, said: str
) -> HttpResponse:
    messages.success(request, said)
    return redirect("gate", membership.workspace.slug, version.proposal_id, version.number)


def _typed(request: HttpRequest, told: str) -> dict[str, Any]:
    """What was typed into the form of one line and refused, so that it stands there again."""
    kind, code = request.POST.get("kind", ""), request.POST.get("code", "")
    key = f"{kind} {code} {request.POST.get('sheet') or 0}"
    return {"typed": request.POST, "typed_key": key, "told": told, "alarm": told}


def _refused(
    request: HttpRequest,
    membership: Membership,
    version: Version,
    error: Refused | MovedMeanwhile,
    **more: Any,
) -> HttpResponse:
    """The sentence, over the page as things are now, or in the form that was refused."""
    status = 409 if isinstance(error, MovedMeanwhile) else 422
    fresh = _version(membership, version.proposal_id, version.number)
    return _page(request, membership, fresh, status=status, **({"alarm": error.message} | more))


def _page(
    request: HttpRequest,
    membership: Membership,
    version: Version,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    context = gate_context(membership, version) | more
    lines = [*context.get("holding", ()), *context.get("holding_more", ())]
    if any(line.key == more.get("typed_key") for line in lines):
        context["alarm"] = ""
    return render(request, "gate/gate.html", context, status=status)

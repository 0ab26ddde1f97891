"""The workspace's policy: which faults of layout hold an export, which kinds are gated, who may approve."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from reviewer.forms import PolicyForm
from reviewer.models import Membership
from reviewer.services.policy import (
    change_policy,
    fit_that_holds,
    four_eyes,
    gated_kinds,
    learning_wait_days,
)
from reviewer.views.access import in_workspace, managers_only


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def policy(request: HttpRequest, membership: Membership) -> HttpResponse:
    if request.method == "POST":
        managers_only(membership)
    workspace = membership.workspace
    form = PolicyForm(
        request.POST if request.method == "POST" else None,
        initial={
            "fit": sorted(fit_that_holds(workspace)),
            "gated": sorted(gated_kinds(workspace)),
            "four_eyes": four_eyes(workspace),
            "learning_wait_days": learning_wait_days(workspace),
        },
    )
    for field in form.fields.values():
        field.disabled = not membership.is_manager
    if form.is_bound and form.is_valid():
        change_policy(by=membership, **form.cleaned_data)
        messages.success(request, "Saved. Every gate is judged by it from now on.")
        return redirect("policy", workspace.slug)
    status = 422 if form.errors else 200
    return render(request, "policy/policy.html", {"form": form}, status=status)

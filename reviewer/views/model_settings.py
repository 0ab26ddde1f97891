"""Who reads for the workspace: server, key, model, limits; trying and calibrating it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from reviewer.forms import ModelSettingsForm
from reviewer.models import Membership
from reviewer.services.calibration import start_calibration
from reviewer.services.connection import connection
from reviewer.services.errors import Refused
from reviewer.services.model_settings import (
    PRICES_OF,
    change_model_settings,
    forget_key,
    settings_of,
    spent_this_month,
)
from reviewer.services.trial import try_connected_model
from reviewer.views.access import calibrations_of, in_workspace, managers_only


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def model_settings(request: HttpRequest, membership: Membership) -> HttpResponse:
    managers_only(membership)
    row = settings_of(membership.workspace)
    form = ModelSettingsForm(request.POST if request.method == "POST" else None, row=row)
    if form.is_bound and form.is_valid():
        try:
            change_model_settings(by=membership, **form.said())
            messages.success(request, "Saved. Readings that start from now on use it.")
            return redirect("model-settings", membership.workspace.slug)
        except Refused as error:
            form.add_error(None, error.message)
    return _page(request, membership, form=form, status=422 if form.errors else 200)


@require_POST
@in_workspace
def key_forget(request: HttpRequest, membership: Membership) -> HttpResponse:
    forget_key(by=membership)
    messages.success(request, "The stored key was removed.")
    return redirect("model-settings", membership.workspace.slug)


@require_POST
@in_workspace
def try_this_model(request: HttpRequest, membership: Membership) -> HttpResponse:
    managers_only(membership)
    try:
        trial = try_connected_model(by=membership)
    except Refused as error:
        messages.error(request, error.message)
        return redirect("model-settings", membership.workspace.slug)
    return _page(request, membership, trial=trial)


@require_POST
@in_workspace
def calibrate(request: HttpRequest, membership: Membership) -> HttpResponse:
    managers_only(membership)
    try:
        start_calibration(by=membership)
        messages.success(request, "The planted sample is being read; the result appears here.")
    except Refused as error:
        messages.error(request, error.message)
    return redirect("model-settings", membership.workspace.slug)


def _page(
    request: HttpRequest,
    membership: Membership,
    *,
    form: ModelSettingsForm | None = None,
    trial: object = None,
    status: int = 200,
) -> HttpResponse:
    row = settings_of(membership.workspace)
    context = {
        "form": form or ModelSettingsForm(row=row),
        "row": row,
        "connected": connection(membership.workspace_id),
        "calibrations": calibrations_of(membership),
        "trial": trial,
        "spent": spent_this_month(membership.workspace_id),
        "prices_of": PRICES_OF,
    }
    return render(request, "models/settings.html", context, status=status)

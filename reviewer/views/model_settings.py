"""Who reads for the workspace: server, key, model, limits, prices; trying and calibrating it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from reviewer.forms import ModelSettingsForm, PriceForms
from reviewer.models import Membership
from reviewer.services.calibration import start_calibration
from reviewer.services.connection import connection
from reviewer.services.errors import Refused
from reviewer.services.model_settings import (
    PRICES_OF,
    change_model_settings,
    forget_key,
    settings_of,
)
from reviewer.services.prices import PARTS, PriceLine, change_prices, price_list
from reviewer.services.spending import spent_this_month
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
def model_prices(request: HttpRequest, membership: Membership) -> HttpResponse:
    managers_only(membership)
    lines = price_list(membership.workspace)
    forms = PriceForms(request.POST, prefix="price", initial=_as_initial(lines))
    if not forms.is_valid():
        return _page(request, membership, prices=forms, refused=NOT_READ, status=422)
    said = [(form.cleaned_data.pop("model", ""), form.cleaned_data) for form in forms]
    try:
        change_prices(by=membership, prices=said)
    except Refused as error:
        return _page(request, membership, prices=forms, refused=error.message, status=422)
    messages.success(request, "Saved. It counts for readings from now on.")
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


NOT_READ = "The prices could not be read, so nothing was changed. Enter them again."


def _page(
    request: HttpRequest,
    membership: Membership,
    *,
    form: ModelSettingsForm | None = None,
    prices: Any = None,
    refused: str = "",
    trial: object = None,
    status: int = 200,
) -> HttpResponse:
    row = settings_of(membership.workspace)
    connected = connection(membership.workspace_id)
    lines = price_list(membership.workspace)
    known = {line.model for line in lines if line.is_known}
    reading = [connected.model, connected.second_model] if connected else []
    context = {
        "form": form or ModelSettingsForm(row=row),
        "row": row,
        "connected": connected,
        "calibrations": calibrations_of(membership),
        "trial": trial,
        "spent": spent_this_month(membership.workspace_id),
        "prices_of": PRICES_OF,
        "prices": prices or PriceForms(prefix="price", initial=_as_initial(lines)),
        "prices_refused": refused,
        "unpriced": [model for model in reading if model and model not in known],
    }
    return render(request, "models/settings.html", context, status=status)


def _as_initial(lines: list[PriceLine]) -> list[dict[str, Any]]:
    """What the price list's rows begin with: own prices filled in, the table's shown in grey."""
    return [
        {"model": line.model, **line.own}
        | {
            f"table_{part}": f"{getattr(line.table, part).normalize():f}" if line.table else ""
            for part in PARTS
        }
        for line in lines
    ]

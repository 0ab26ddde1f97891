"""Uploads: several files at once by form, one at a time by script, and what became of each."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reviewer.forms import UploadForm, VersionForm
from reviewer.models import Membership, Proposal, Version
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.uploads import retry_conversion, upload_proposal, upload_version
from reviewer.views.access import (
    in_workspace,
    newest_version_or_404,
    proposal_or_404,
    version_by_pk_or_404,
    version_or_404,
)
from reviewer.views.answering import wants_part
from reviewer.views.rows import conversion_standing

NO_FILE = "No file was chosen, so nothing was uploaded. Choose one or more files first."


@dataclass(frozen=True, slots=True)
class Received:
    """What became of one file: the version it made, or the sentence why it made none."""

    name: str
    version: Version | None = None
    refused: str = ""


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def upload(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Each file becomes a proposal of its own, or is refused on its own."""
    form = UploadForm(request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return render(request, "proposals/upload.html", {"upload": form})
    received = _receive(request, membership, form)
    if wants_part(request):
        return _results(request, received)
    kept = [one for one in received if one.version]
    if not kept:
        context = {"upload": form, "received": received}
        return render(request, "proposals/upload.html", context, status=422)
    _tell(request, received)
    if len(received) == 1 and kept[0].version:
        return redirect("desk", membership.workspace.slug, kept[0].version.proposal_id)
    return redirect("proposals", membership.workspace.slug)


@require_safe
@in_workspace
def upload_result(request: HttpRequest, membership: Membership, pk: int) -> HttpResponse:
    """How one uploaded file stands; the part asks for itself until that is settled."""
    version = version_by_pk_or_404(membership, pk)
    if not wants_part(request):
        return redirect("desk", membership.workspace.slug, version.proposal_id)
    response = _results(request, [Received(version.original_name, version)])
    if version.is_settled:
        response["HX-Trigger"] = "proposals-changed"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def new_version(request: HttpRequest, membership: Membership, proposal: int) -> HttpResponse:
    """The next version of a proposal; findings follow their words to it."""
    of = proposal_or_404(membership, proposal)
    form = VersionForm(request.POST if request.method == "POST" else None)
    refused = ""
    if request.method == "POST" and form.is_valid():
        read = form.cleaned_data["read_when_ready"] and not of.checks_only
        try:
            _add_version(request, membership, of, read)
            return redirect("desk", membership.workspace.slug, of.pk)
        except Refused as error:
            refused = error.message
    context = {
        "proposal": of,
        "newest": newest_version_or_404(of),
        "form": form,
        "refused": refused,
    }
    return render(request, "proposals/new_version.html", context, status=422 if refused else 200)


@require_POST
@in_workspace
def retry(request: HttpRequest, membership: Membership, proposal: int, number: int) -> HttpResponse:
    """Convert a version once more that could not be read."""
    of = proposal_or_404(membership, proposal)
    try:
        retry_conversion(by=membership, version=version_or_404(of, number))
    except MovedMeanwhile as error:
        messages.warning(request, error.message)
    return redirect("desk-version", membership.workspace.slug, of.pk, number)


def _add_version(
    request: HttpRequest, membership: Membership, proposal: Proposal, read: bool
) -> None:
    file = request.FILES.get("file")
    if file is None:
        raise Refused(_why_none(request))
    upload_version(by=membership, proposal=proposal, file=file, read_when_ready=read)


def _receive(request: HttpRequest, membership: Membership, form: UploadForm) -> list[Received]:
    files = request.FILES.getlist("file")
    refused = [Received(name, refused=_too_big(name)) for name in _dropped(request)]
    if not files and not refused:
        return [Received("", refused=NO_FILE)]
    if not form.is_valid():
        why = "Something in the form is not right, so nothing was uploaded: " + "; ".join(
            f"{name}: {' '.join(map(str, errors))}" for name, errors in form.errors.items()
        )
        return [Received("", refused=why)]
    said: dict[str, Any] = dict(form.cleaned_data)
    if len(files) + len(refused) > 1:
        said["title"] = ""
    said["read_when_ready"] = said["read_when_ready"] and not said["checks_only"]
    return [_keep(membership, file, said) for file in files] + refused


def _keep(membership: Membership, file: Any, said: dict[str, Any]) -> Received:
    try:
        version = upload_proposal(by=membership, file=file, **said)
    except Refused as error:
        return Received(file.name, refused=error.message)
    return Received(file.name, version)


def _results(request: HttpRequest, received: list[Received]) -> HttpResponse:
    shown = [(one, conversion_standing(one.version) if one.version else None) for one in received]
    refused = any(one.version is None for one in received)
    return render(
        request, "proposals/_results.html", {"results": shown}, status=422 if refused else 200
    )


def _tell(request: HttpRequest, received: list[Received]) -> None:
    for one in received:
        if one.version:
            messages.success(request, f"“{one.name}” was uploaded and is being converted.")
        else:
            messages.error(request, one.refused)


def _dropped(request: HttpRequest) -> list[str]:
    return getattr(request, "too_big", [])


def _too_big(name: str) -> str:
    return (
        f"“{name}” is larger than {settings.MAX_UPLOAD_MB} MB, so it was not kept. "
        "Make its pictures smaller or split it, then upload it again."
    )


def _why_none(request: HttpRequest) -> str:
    dropped = _dropped(request)
    return _too_big(dropped[0]) if dropped else NO_FILE

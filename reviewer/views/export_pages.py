"""What left: the list, one export's progress, its files, and whether a file is one of ours."""

import hashlib
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from reviewer.forms import CheckForm
from reviewer.models import Export, Membership
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.exports import exports_with_hash, request_export
from reviewer.views.access import (
    export_or_404,
    exports_of,
    in_workspace,
    proposal_or_404,
    version_or_404,
)
from reviewer.views.answering import page_or_part
from reviewer.views.files import stored_file
from reviewer.views.gate_lines import gate_context
from reviewer.views.paging import page_of


@require_POST
@in_workspace
def export_version(
    request: HttpRequest, membership: Membership, proposal: int, number: int
) -> HttpResponse:
    """Let this version leave, if what the page showed is what is there now."""
    version = version_or_404(proposal_or_404(membership, proposal), number)
    keeps = [each for each in request.POST.getlist("keeps") if each]
    try:
        export = request_export(
            by=membership, version=version, seal=request.POST.get("seal", ""), keeps=keeps
        )
    except (Refused, MovedMeanwhile) as error:
        version = version_or_404(proposal_or_404(membership, proposal), number)
        context = gate_context(membership, version) | {"alarm": error.message}
        status = 409 if isinstance(error, MovedMeanwhile) else 422
        return render(request, "gate/gate.html", context, status=status)
    return redirect("export", membership.workspace.slug, export.number)


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def exports(request: HttpRequest, membership: Membership) -> HttpResponse:
    """The list; posting a file or a hash tells which export it is of."""
    asked = (request.POST, request.FILES) if request.method == "POST" else (None, None)
    form = CheckForm(*asked)
    found: list[Export] | None = None
    if form.is_bound and form.is_valid():
        try:
            found = exports_with_hash(membership, _digest(form))
        except Refused as error:
            form.add_error(None, error.message)
    context = {
        "page": page_of(request, exports_of(membership)),
        "form": form,
        "found": found,
        "is_checked": found is not None,
    }
    return render(request, "exports/exports.html", context, status=422 if form.errors else 200)


@require_safe
@in_workspace
def export(request: HttpRequest, membership: Membership, number: int) -> HttpResponse:
    """One export; while it is made the page asks for itself."""
    one = export_or_404(membership, number)
    return page_or_part(request, "exports/export.html", "exports/_export.html", {"export": one})


@require_safe
@in_workspace
def export_file(
    request: HttpRequest, membership: Membership, number: int, which: str
) -> HttpResponseBase:
    """One of the two files, once both are made."""
    one = export_or_404(membership, number)
    if one.status != Export.Status.READY or which not in {"client", "record"}:
        raise Http404
    is_client = which == "client"
    return stored_file(
        request,
        one.client_file if is_client else one.record_file,
        etag=one.client_sha256 if is_client else one.record_sha256,
        content_type="application/pdf",
        save_as=one.client_name if is_client else one.record_name,
    )


def _digest(form: CheckForm) -> str:
    file: Any = form.cleaned_data.get("file")
    if not file:
        return str(form.cleaned_data["hash"])
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    return digest.hexdigest()

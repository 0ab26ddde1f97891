"""Stored files, to members only: pictures to be shown, documents to be saved.

A file that somebody uploaded is never opened as a page of this site: it is sent to be
saved, with a type that is not guessed and a sandbox around it. Nothing here changes once
it exists, so a browser may keep what it got.

The upload and its PDF are working copies of the team: they did not pass the gate, and the
pages that link to them say so. What may go to a client is an export alone.
"""

from pathlib import PurePosixPath
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from reviewer.models import Membership, Version
from reviewer.views.access import in_workspace, sheet_or_404, version_by_pk_or_404

A_DAY = 86_400
SANDBOX = "default-src 'none'; sandbox"
PICTURES = {".png": "image/png", ".webp": "image/webp", ".jpg": "image/jpeg"}


@require_safe
@in_workspace
def sheet_image(request: HttpRequest, membership: Membership, pk: int) -> HttpResponseBase:
    sheet = sheet_or_404(membership, pk)
    return picture(request, sheet.image, sheet.version, f"sheet-{sheet.number}")


@require_safe
@in_workspace
def sheet_thumb(request: HttpRequest, membership: Membership, pk: int) -> HttpResponseBase:
    """The small picture, or the large one where no small one was made."""
    sheet = sheet_or_404(membership, pk)
    return picture(request, sheet.thumb or sheet.image, sheet.version, f"thumb-{sheet.number}")


@require_safe
@in_workspace
def original(request: HttpRequest, membership: Membership, pk: int) -> HttpResponseBase:
    """The upload byte for byte, under the name it came with."""
    version = version_by_pk_or_404(membership, pk)
    return _file(
        request,
        version.original,
        etag=version.sha256,
        content_type="application/octet-stream",
        save_as=version.original_name,
    )


@require_safe
@in_workspace
def pdf(request: HttpRequest, membership: Membership, pk: int) -> HttpResponseBase:
    """The document as it was rendered, once it was."""
    version = version_by_pk_or_404(membership, pk)
    return _file(
        request,
        version.pdf,
        etag=_etag(version, "pdf"),
        content_type="application/pdf",
        save_as=f"{PurePosixPath(version.original_name).stem} v{version.number}.pdf",
    )


def picture(request: HttpRequest, file: Any, version: Version, part: str) -> HttpResponseBase:
    """A stored picture of a version, `part` naming which, kept by the browser that gets it."""
    kind = PICTURES.get(PurePosixPath(file.name or "").suffix, "application/octet-stream")
    return _file(request, file, etag=_etag(version, part), content_type=kind)


def _etag(version: Version, part: str) -> str:
    """What is rendered depends on the bytes that came and on the conversion that was made."""
    made = version.finished_at.timestamp() if version.finished_at else 0
    return f"{version.sha256[:32]}-{made:.0f}-{part}"


def _file(
    request: HttpRequest, file: Any, *, etag: str, content_type: str, save_as: str = ""
) -> HttpResponseBase:
    quoted = quote_etag(etag)
    response: Any = get_conditional_response(request, etag=quoted)
    if response is None:
        response = _opened(file, content_type, save_as)
    response["ETag"] = quoted
    response["Cache-Control"] = f"private, max-age={A_DAY}, immutable"
    response["Content-Security-Policy"] = SANDBOX
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    found: HttpResponse = response
    return found


def stored_file(
    request: HttpRequest, file: Any, *, etag: str, content_type: str, save_as: str
) -> HttpResponseBase:
    """A file that is kept and never changes, to be saved under the name given."""
    return _file(request, file, etag=etag, content_type=content_type, save_as=save_as)


def _opened(file: Any, content_type: str, save_as: str) -> FileResponse:
    if not file:
        raise Http404
    try:
        stored = file.open("rb")
    except FileNotFoundError as error:
        raise Http404 from error
    return FileResponse(
        stored, as_attachment=bool(save_as), filename=save_as, content_type=content_type
    )

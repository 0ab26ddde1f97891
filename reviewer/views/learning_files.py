"""The learnings of a workspace as a file, out and in."""

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from reviewer.core.wording import counted
from reviewer.learning_forms import LearningsFileForm
from reviewer.models import Membership
from reviewer.services.errors import Refused
from reviewer.services.learnings_file import BadFile, Imported, export_yaml, import_yaml
from reviewer.views.access import in_workspace, managers_only

AT_MOST = 4 * 1024 * 1024
"""Bytes of a file that is read; 2,000 learnings are about 1 MB."""
NO_TEXT = "This is no text in UTF-8. Export a file here to see the form. Nothing was imported."
TOO_LARGE = "This file is larger than 4 MB. Import it in parts. Nothing was imported."


@require_safe
@in_workspace
def learnings_export(request: HttpRequest, membership: Membership) -> HttpResponse:
    name = f"learnings-{membership.workspace.slug}-{timezone.localdate().isoformat()}.yaml"
    return HttpResponse(
        export_yaml(membership.workspace),
        content_type="application/yaml; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def learnings_import(request: HttpRequest, membership: Membership) -> HttpResponse:
    """A file in, all of it or nothing; what is wrong is shown with its line."""
    managers_only(membership)
    form = LearningsFileForm(*((request.POST, request.FILES) if request.method == "POST" else ()))
    context: dict[str, object] = {"form": form}
    if not form.is_bound or not form.is_valid():
        status = 422 if form.errors else 200
        return render(request, "learnings/import.html", context, status=status)
    try:
        done = import_yaml(
            workspace=membership.workspace, actor=membership, text=_text(form.cleaned_data["file"])
        )
    except Refused as error:
        problems = error.problems if isinstance(error, BadFile) else []
        more = {"refused": error.message, "problems": problems}
        return render(request, "learnings/import.html", context | more, status=422)
    messages.success(request, _said(done))
    return redirect("learnings", membership.workspace.slug)


def _text(file: UploadedFile) -> str:
    if (file.size or 0) > AT_MOST:
        raise Refused(TOO_LARGE)
    try:
        return bytes(file.read()).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(NO_TEXT) from error


def _said(done: Imported) -> str:
    told = (
        f"{counted(len(done.added), 'learning')} added, {len(done.changed)} worded anew, "
        f"{len(done.unchanged)} as they were."
    )
    return f"{told} {len(done.waiting)} wait for approval." if done.waiting else told

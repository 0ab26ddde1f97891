"""The desk: the sheets of one version, and beside them what was found."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe
from django_htmx.http import trigger_client_event

from reviewer.models import Membership, Version
from reviewer.views.access import in_workspace, proposal_or_404
from reviewer.views.answering import page_or_part, wants_part
from reviewer.views.desk_lines import Asked
from reviewer.views.desk_page import desk_context, version_shown
from reviewer.views.desk_zoom import keep_zoom, zoom_of

UNDO = "undo"
"""Marks a message of what the person can take back at once."""


@require_safe
@in_workspace
def desk(
    request: HttpRequest, membership: Membership, proposal: int, number: int | None = None
) -> HttpResponse:
    """One version, the newest where none is named; `?tab=`, `?order=` and `?q=` choose."""
    of = proposal_or_404(membership, proposal)
    return _answer(request, membership, version_shown(of, number), {})


def act_answer(
    request: HttpRequest,
    membership: Membership,
    version: Version,
    said: str,
    *,
    at: int | None = None,
    can_undo: bool = False,
    status: int = 200,
) -> HttpResponse:
    """What follows an act: the sentence `said`, and the desk as it stands now.

    For htmx all that changed, with `at` as the finding to select; for a plain form a way back
    to the desk, at finding `at` where one is named, in the tab where that now stands.
    """
    if not wants_part(request):
        tell = messages.success if status == 200 else messages.warning
        tell(request, said, extra_tags=UNDO if can_undo else "")
        return redirect(_way_back(request, membership, version, at))
    more = {"said": said, "went_wrong": status != 200, "can_undo": can_undo}
    response = _answer(request, membership, version, more, status=status)
    trigger_client_event(response, "desk:stale", after="settle")
    if at is not None:
        trigger_client_event(response, "desk:select", {"number": at}, after="settle")
    return response


def desk_url(request: HttpRequest, membership: Membership, version: Version) -> str:
    """The desk of a version, with the tab, order and filter of the request at hand."""
    return _address(membership, version) + Asked.of(request.GET).query()


def _way_back(
    request: HttpRequest, membership: Membership, version: Version, at: int | None
) -> str:
    """Opens the right tab at once: a page that loads twice has lost what was said of the act."""
    if at is None:
        return desk_url(request, membership, version) + "#findings"
    asked = replace(Asked.of(request.GET), finding=at)
    query = desk_context(membership, version, asked)["query"]
    return f"{_address(membership, version)}{query}#finding-{at}"


def _address(membership: Membership, version: Version) -> str:
    at = (membership.workspace.slug, version.proposal_id, version.number)
    return reverse("desk-version", args=at)


def _said(request: HttpRequest) -> dict[str, Any]:
    """What was said on the way here, for the one place of the desk where that stands."""
    told = list(messages.get_messages(request))
    return {
        "said": " ".join(str(message) for message in told),
        "went_wrong": any(message.level > messages.SUCCESS for message in told),
        "can_undo": any(UNDO in message.tags.split() for message in told),
        "messages": [],
    }


def _answer(
    request: HttpRequest,
    membership: Membership,
    version: Version,
    more: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    asked = Asked.of(request.GET)
    context = desk_context(membership, version, asked, zoom_of(request)) | dict(more)
    if version.status == Version.Status.READY:
        if not wants_part(request):
            context |= _said(request)
        page, part = "desk/desk.html", "desk/_changes.html"
    else:
        page, part = "desk/waiting.html", "desk/_converting.html"
    return keep_zoom(request, page_or_part(request, page, part, context, status=status))

"""The way in: to the workspace used last, or to a page that says there is none."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from reviewer.views.access import LAST_WORKSPACE, memberships_of


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """To the proposals of the workspace used last, else of the first one by name."""
    slugs = [one.workspace.slug for one in memberships_of(request.user)]
    if not slugs:
        return render(request, "members/no_workspace.html")
    last = request.session.get(LAST_WORKSPACE)
    return redirect("proposals", last if last in slugs else slugs[0])

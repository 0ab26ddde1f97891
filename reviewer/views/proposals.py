"""The list of proposals: search, kinds, archive, and how each stands at a glance."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from reviewer.forms import SearchForm, UploadForm
from reviewer.models import Membership
from reviewer.views.access import in_workspace, list_rows, proposals_of
from reviewer.views.answering import page_or_part
from reviewer.views.paging import page_of


@require_safe
@in_workspace
def proposals(request: HttpRequest, membership: Membership) -> HttpResponse:
    """The page, or its table for htmx; the table asks for itself again while one is busy."""
    search = SearchForm(request.GET)
    words, kind, archived = search.wanted()
    wanted = proposals_of(membership).on_list(words=words, kind=kind, archived=archived)
    page = page_of(request, wanted)
    rows = list_rows(membership, list(page))
    kept = {"q": words, "kind": kind, "archived": "on" if archived else ""}
    context = {
        "search": search,
        "searched": bool(words or kind),
        "words": words,
        "archived": archived,
        "rows": rows,
        "page": page,
        "busy": any(row.is_busy for row in rows),
        "query": urlencode({name: value for name, value in kept.items() if value}),
        "upload": UploadForm(),
    }
    response = page_or_part(request, "proposals/list.html", "proposals/_list.html", context)
    if request.headers.get("HX-Trigger") == "search":
        response["HX-Replace-Url"] = f"{request.path}?{context['query']}".rstrip("?")
    return response

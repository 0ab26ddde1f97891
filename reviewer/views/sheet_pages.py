"""One sheet on its own: its words, to be read, selected and copied, and its image, larger.

What is sent depends on the bytes that were uploaded and on how they were converted, and
never changes once it exists; a browser may keep it for the person who got it.
"""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from reviewer.models import Membership
from reviewer.services.closer import closer_image
from reviewer.views.access import in_workspace, sheet_or_404, sheet_with_text_or_404
from reviewer.views.answering import page_or_part, wants_part
from reviewer.views.desk_words import text_lines
from reviewer.views.files import A_DAY, picture


@require_safe
@in_workspace
def sheet_text(request: HttpRequest, membership: Membership, pk: int) -> HttpResponse:
    """The words over the sheet's image; as a page of its own, its text in reading order."""
    sheet = sheet_with_text_or_404(membership, pk)
    context = {"section": "proposals", "sheet": sheet, "version": sheet.version}
    if wants_part(request):
        context["lines"] = text_lines(sheet)
    response = page_or_part(request, "desk/text.html", "desk/_words.html", context)
    if wants_part(request):
        patch_cache_control(response, private=True, max_age=A_DAY)
    return response


@require_safe
@in_workspace
def sheet_closer(request: HttpRequest, membership: Membership, pk: int) -> HttpResponseBase:
    """The sheet's image at twice the size, drawn when it is first asked for."""
    sheet = sheet_or_404(membership, pk)
    return picture(request, closer_image(sheet), sheet.version, f"closer-{sheet.number}")

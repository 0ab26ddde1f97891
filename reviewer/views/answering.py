"""One URL answers with its page, or with the part of it that htmx asked for."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def wants_part(request: HttpRequest) -> bool:
    """True for a request of htmx that is not a whole page in disguise (boosted)."""
    htmx: Any = getattr(request, "htmx", None)
    return bool(htmx) and not htmx.boosted


def page_or_part(
    request: HttpRequest,
    page: str,
    part: str,
    context: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    """Render the template `part` for htmx and `page` for everybody else; both say they vary."""
    template = part if wants_part(request) else page
    response = render(request, template, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response

"""Lists come in pages; a page that does not exist is the nearest that does."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest

A_PAGE = 50


def page_of(request: HttpRequest, rows: Any) -> "Page[Any]":
    """The page that `?page=` names, of `rows` in their order."""
    return Paginator(rows, A_PAGE).get_page(request.GET.get("page"))

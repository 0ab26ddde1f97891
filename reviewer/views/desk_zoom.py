"""How large sheets are shown. Chosen by a link, kept in a cookie of this browser alone."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from reviewer.models import Sheet
from reviewer.services.closer import closer_width

COOKIE = "zoom"
A_YEAR = 365 * 86_400
PIXELS_A_POINT = 96 / 72
"""Of a browser at the size of the paper."""

ZOOMS: dict[str, str] = {"fit": "fit", "100": "100 %", "150": "150 %", "200": "200 %"}


def zoom_of(request: HttpRequest) -> str:
    """The zoom that the address names, else the one this browser keeps, else fit."""
    for named in (request.GET.get("zoom"), request.COOKIES.get(COOKIE)):
        if named in ZOOMS:
            return str(named)
    return "fit"


def keep_zoom(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Have the browser keep a zoom that the address names."""
    if request.GET.get("zoom") in ZOOMS:
        response.set_cookie(
            COOKIE,
            request.GET["zoom"],
            max_age=A_YEAR,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
    return response


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of a sheet's image on the page, in its pixels, and how wide the larger
    picture of it is."""

    width: int
    height: int
    closer: int


def size_of(sheet: Sheet, zoom: str) -> Size:
    """At the size of the paper where it is to fit: only its proportions count then."""
    times = PIXELS_A_POINT * (1 if zoom == "fit" else int(zoom) / 100)
    return Size(
        max(1, round(sheet.width * times)), max(1, round(sheet.height * times)), closer_width(sheet)
    )


def zoom_links(zoom: str, query: str) -> list[tuple[str, str, str]]:
    """`(zoom, name, query string)` of each, beside the query string of the view at hand."""
    start = f"{query}&" if query else "?"
    return [(key, name, f"{start}zoom={key}") for key, name in ZOOMS.items()]

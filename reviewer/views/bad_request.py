"""What a person is told whose request could not be read at all.

It arrives before anybody is known and before any form exists: too many files at once, a
form that is too long, an address under which this installation does not answer. So the
page asks nothing of the request, which is what Django's own cannot promise: its guard
against forgery reads the form that could not be read.
"""

from django.conf import settings
from django.core.exceptions import (
    DisallowedHost,
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

NOT_READ = (
    "What your browser sent could not be read, so nothing was kept or changed. Go back, load "
    "the page again, and send it once more."
)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400, or 413 where there was too much, with what happened and what to do."""
    too_much = isinstance(exception, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent)
    context = {"sentence": _sentence(exception)}
    return render(None, "400.html", context, status=413 if too_much else 400)


def _sentence(exception: Exception) -> str:
    match exception:
        case TooManyFilesSent():
            most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
            return (
                f"More than {most} files were sent at once, so none of them was kept. "
                f"Upload them in parts of {most} or fewer."
            )
        case RequestDataTooBig() | TooManyFieldsSent():
            return (
                "The form holds more text than this installation takes at once, so nothing "
                "was kept or changed. Go back and shorten it; a long text goes up as a file."
            )
        case DisallowedHost():
            return (
                "Reviewer does not answer under this address. Use the one that you were given; "
                "who runs the server sets the others (ALLOWED_HOSTS)."
            )
        case _:
            return NOT_READ

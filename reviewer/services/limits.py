"""The limits of a conversion, as this installation sets them."""

from django.conf import settings

from reviewer.documents.limits import Limits


def conversion_limits() -> Limits:
    """Limits for the child process that converts a file, from the settings."""
    return Limits(
        max_bytes=settings.MAX_UPLOAD_MB * 1024 * 1024,
        max_sheets=settings.MAX_SHEETS,
        seconds=settings.CONVERSION_SECONDS,
    )

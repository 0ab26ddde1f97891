"""Stored files of a proposal, found by the rows that name them."""

import logging

from django.core.files.storage import default_storage

from reviewer.models import Proposal, Sheet, Source, Version

log = logging.getLogger(__name__)


def files_of(proposal: Proposal) -> list[str]:
    """The storage names of every file that belongs to `proposal`."""
    versions = Version.objects.filter(proposal=proposal).values_list("original", "pdf")
    sheets = Sheet.objects.filter(version__proposal=proposal).values_list("image", "thumb")
    sources = Source.objects.filter(proposal=proposal).values_list("original")
    return [name for row in (*versions, *sheets, *sources) for name in row if name]


def forget_files(names: list[str]) -> None:
    """Remove files from storage. One that cannot be removed is logged, and the rest go."""
    for name in names:
        try:
            default_storage.delete(name)
        except OSError as error:
            log.warning("The file %s could not be removed: %s", name, error)

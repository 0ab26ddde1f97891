"""Stored files of a proposal: named by its rows, or left by a worker that died."""

import contextlib
import errno
import logging
from collections.abc import Iterator

from django.core.files.storage import default_storage

from reviewer.models import Proposal, Sheet, Source, Version
from reviewer.services.errors import Refused
from reviewer.services.storable import storable

log = logging.getLogger(__name__)


def folder_of(version: Version) -> str:
    """The storage folder of what belongs to one version."""
    return f"proposals/{version.proposal_id}/v{version.number}"


def files_of(proposal: Proposal) -> list[str]:
    """The storage names of every file that belongs to `proposal`, named by a row or left."""
    versions = Version.objects.filter(proposal=proposal).values_list("original", "pdf")
    sheets = Sheet.objects.filter(version__proposal=proposal).values_list("image", "thumb")
    sources = Source.objects.filter(proposal=proposal).values_list("original")
    named = [name for row in (*versions, *sheets, *sources) for name in row if name]
    return list(dict.fromkeys([*named, *_under(f"proposals/{proposal.pk}")]))


def made_files(version: Version) -> list[str]:
    """The storage names of what conversions of a version made: all but the original."""
    return [name for name in _under(folder_of(version)) if name != version.original.name]


def _under(folder: str) -> list[str]:
    try:
        folders, names = default_storage.listdir(folder)
    except FileNotFoundError:
        return []
    return [
        *(f"{folder}/{name}" for name in names),
        *(name for inner in folders for name in _under(f"{folder}/{inner}")),
    ]


@contextlib.contextmanager
def kept_whole(path: str, name: str) -> Iterator[None]:
    """Around the storing of one file at `path`: where there is no room, or the store of files
    cannot be reached, the person is told.

    Raises Refused with the file's name, as given, and removes what was written of it, which
    no row names. Anything that stood there before stays.
    """
    folder = path.rpartition("/")[0]
    try:
        before = set(_under(folder))
        yield
    except ConnectionError as error:
        log.exception("The store of files cannot be reached")
        raise Refused(
            f"The store of files cannot be reached, so “{name}” was not kept. What was stored "
            "before is still there. Upload it again in a few minutes; if it stays so, tell whoever "
            "runs the server."
        ) from error
    except OSError as error:
        now = [one for one in _under(folder) if one.startswith(path)]
        forget_files([one for one in now if one not in before])
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        log.exception("The disk is full")
        raise Refused(
            f"The server has no room left, so “{name}” was not kept. What was stored before is "
            "still there. Tell whoever runs the server, and upload it again later."
        ) from error


def storable_name(name: str) -> str:
    """A file's name as given, but for what no database can hold, and at most 255 characters.

    It is shown, and never becomes part of a path.
    """
    return storable(name)[:255]


def forget_files(names: list[str]) -> None:
    """Remove files from storage. One that cannot be removed is logged, and the rest go."""
    for name in names:
        try:
            default_storage.delete(name)
        except OSError as error:
            log.warning("The file %s could not be removed: %s", name, error)

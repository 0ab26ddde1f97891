"""The client's PDF of an export: the version's own, rewritten in a child process."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from reviewer.core.legible import legible
from reviewer.documents.errors import unreadable
from reviewer.documents.leaving import Rewritten, rewrite_pdf
from reviewer.models import Export
from reviewer.services.approvals import RECIPE
from reviewer.services.limits import conversion_limits, room_to_convert

Progress = Callable[[str, int, int], None]
SECONDS = 300


def make_client_pdf(export: Export, target: Path, on_progress: Progress) -> Rewritten:
    """Write the PDF that leaves. Raises `UnreadableFile` where it cannot be vouched for.

    What is read is what the export is bound to, byte for byte.
    """
    source = target.with_name("read.pdf")
    digest = hashlib.sha256()
    with export.version.pdf.open("rb") as stored, source.open("wb") as copy:
        for chunk in stored.chunks():
            digest.update(chunk)
            copy.write(chunk)
    if export.bytes_hash != f"b1-{RECIPE}-{digest.hexdigest()}":
        raise unreadable("differs", sheet=0)
    limits = conversion_limits()
    with room_to_convert():
        made = rewrite_pdf(
            source,
            target,
            title=legible(export.facts["title"]),
            keep=export.keeps,
            limits=replace(limits, seconds=max(SECONDS, limits.seconds)),
            on_progress=on_progress,
        )
    source.unlink()
    if made.pages != export.version.sheet_count:
        raise unreadable("differs", sheet=0)
    return made

"""The text of a source: whatever a proposal may be, a source may be too."""

import tempfile
from pathlib import Path

from django.conf import settings

from reviewer.documents.errors import UnreadableFile
from reviewer.documents.intake import read_file
from reviewer.services.errors import Refused
from reviewer.services.limits import conversion_limits, room_to_convert

BUSY = "“{}” was not added: many other files are being read. Add it again in a minute."


def text_of(data: bytes, name: str) -> str:
    """The text of `data`, or Refused with the sentence that says why there is none.

    Blocks for at most CONVERSION_SECONDS and a little, and as long again where others are being
    read; no database connection is held meanwhile.
    """
    limit = settings.MAX_UPLOAD_MB * 1024 * 1024
    if not data or len(data) > limit:
        raise Refused(
            f"“{name}” is empty or larger than {settings.MAX_UPLOAD_MB} MB. Nothing was added."
        )
    with tempfile.TemporaryDirectory(prefix="reviewer-source-") as folder:
        path = Path(folder) / "source"
        path.write_bytes(data)
        limits = conversion_limits()
        try:
            with room_to_convert(patience=limits.seconds):
                read = read_file(path, Path(folder) / "out", name=name, limits=limits)
        except TimeoutError as error:
            raise Refused(BUSY.format(name)) from error
        except UnreadableFile as error:
            raise Refused(f"“{name}” was not added. {error.message}") from error
    text = "\n\n".join(sheet.text for sheet in read.sheets).strip()
    if not text:
        raise Refused(f"“{name}” has no text to read, so it was not added.")
    return text

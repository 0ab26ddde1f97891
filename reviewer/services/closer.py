"""A sheet drawn larger than its page image, for a closer look: made once, when first asked for.

Nothing is drawn for sheets that nobody looks at so closely, and a sheet that cannot be drawn
larger is shown as it is.
"""

import dataclasses
import logging
import shutil
import tempfile
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models.fields.files import FieldFile

from reviewer.documents.errors import UnreadableFile
from reviewer.documents.intake import draw_sheet
from reviewer.documents.pages import SCALE, scale_for
from reviewer.models import Sheet
from reviewer.services.files import folder_of, forget_files
from reviewer.services.limits import conversion_limits, room_to_convert

log = logging.getLogger(__name__)

CLOSER = 2 * SCALE
"""Pixels a point: sharp at twice the size of the paper."""
LONGEST_SECONDS = 20
"""Somebody waits for it, and has the page image meanwhile."""


def closer_width(sheet: Sheet) -> int:
    """How many pixels wide the larger image is, or will be."""
    return round(sheet.width * scale_for(sheet.width, sheet.height, CLOSER))


def closer_image(sheet: Sheet) -> FieldFile:
    """The larger image, drawn now where it was not; the page image where that cannot be done.

    `sheet` comes with its version. Blocks for as long as drawing one page takes, and at most
    LONGEST_SECONDS before where other files are being read.
    """
    version = sheet.version
    name = f"{folder_of(version)}/closer/{sheet.number}.png"
    if default_storage.exists(name):
        return _stored(sheet, name)
    with tempfile.TemporaryDirectory(prefix="reviewer-closer-") as folder:
        pdf, drawn = Path(folder) / "document.pdf", Path(folder) / "sheet.png"
        try:
            with version.pdf.open("rb") as stored, pdf.open("wb") as copy:
                shutil.copyfileobj(stored, copy)
            limits = dataclasses.replace(conversion_limits(), seconds=LONGEST_SECONDS)
            with room_to_convert(patience=limits.seconds):
                draw_sheet(pdf, sheet.number, drawn, scale=CLOSER, limits=limits)
        except (OSError, ValueError, UnreadableFile) as error:
            # A version may have lost its PDF, or have none; the page image is still there.
            log.warning("Sheet %s was not drawn larger: %s", sheet.pk, error)
            return _stored(sheet, str(sheet.image.name))
        kept = default_storage.save(name, ContentFile(drawn.read_bytes()))
    if kept != name:  # somebody else looked closer at the same moment
        forget_files([kept])
    return _stored(sheet, name)


def _stored(sheet: Sheet, name: str) -> FieldFile:
    return FieldFile(sheet, Sheet._meta.get_field("image"), name)

"""Files read into sheets as the product reads them, once a session."""

import tempfile
from functools import cache
from pathlib import Path

from reviewer.core.checks import CheckedSheet
from reviewer.documents.intake import read_file


@cache
def sheets_of(path: Path) -> tuple[CheckedSheet, ...]:
    """The sheets of a file, with words, boxes and paragraphs."""
    with tempfile.TemporaryDirectory() as folder:
        read = read_file(path, Path(folder) / "read", name=path.name)
        return tuple(
            CheckedSheet(
                number=sheet.number,
                label=sheet.label,
                text=sheet.text,
                words=tuple(tuple(word) for word in sheet.words),
                paragraphs=tuple(paragraph.text for paragraph in sheet.paragraphs),
            )
            for sheet in read.sheets
        )

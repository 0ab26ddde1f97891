"""`manage.py sheets FILE`: what a file becomes, for scripts. Stores nothing, needs no database."""

import json
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from reviewer.documents.errors import UnreadableFile
from reviewer.documents.intake import read_file
from reviewer.documents.sheets import DocumentRead

UNREADABLE = 3


class Command(BaseCommand):
    help = (
        "Read one file as sheets and print them as JSON; points count from the top left. "
        f"Ends with {UNREADABLE} and a sentence on standard error where it cannot be read."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", choices=["json"], default="json")

    def handle(self, *, file: Path, **options: Any) -> None:
        with tempfile.TemporaryDirectory(prefix="sheets-") as folder:
            try:
                document = read_file(file, Path(folder), name=file.name)
            except UnreadableFile as error:
                self.stderr.write(error.message)
                sys.exit(UNREADABLE)
        self.stdout.write(json.dumps(as_json(document), ensure_ascii=False))


def as_json(document: DocumentRead) -> dict[str, Any]:
    """The form that scripts rely on."""
    return {
        "fit": [
            {"code": fault.code, "sheet": fault.sheet, "message": fault.message}
            for fault in document.fit
        ],
        "sheets": [
            {
                "number": sheet.number,
                "label": sheet.label,
                "text": sheet.text,
                "width": sheet.width,
                "height": sheet.height,
                "words": [list(word) for word in sheet.words],
            }
            for sheet in document.sheets
        ],
    }

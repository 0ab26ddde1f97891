"""Review one file from the command line, keeping nothing unless a workspace is named."""

import json
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviewer.documents.errors import UnreadableFile
from reviewer.management.sarif import as_sarif
from reviewer.models import Kind
from reviewer.services.connection import connection
from reviewer.services.errors import Refused, ServiceError
from reviewer.services.file_receipt import receipt_of_file
from reviewer.services.oneoff import Asked, OneOff, review_file
from reviewer.services.source_text import text_of
from reviewer.services.stored_review import review_in_workspace

UNREADABLE, HOLDS, NOT_FULLY_READ, CLEAR = 3, 1, 2, 0
ASKED_WRONG = 64
"""As sysexits.h has it: nothing was reviewed, so none of the others may be read into it."""


class Command(BaseCommand):
    help = (
        "Review FILE. Exit status: 3 the file cannot be read, else 1 something holds it, else "
        "2 it was not fully read (always so with --offline), else 0. 64: nothing was reviewed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--client", default="", help="for whom it is written")
        parser.add_argument("--kind", default="proposal", choices=Kind.values)
        parser.add_argument("--source", type=Path, action="append", default=[], dest="sources")
        parser.add_argument("--passes", type=int, default=settings.PASSES)
        parser.add_argument("--model", default="", help="another model than the one set up")
        parser.add_argument("--offline", action="store_true", help="built-in checks alone")
        parser.add_argument("--workspace", default="", help="keep it in this workspace")
        parser.add_argument("--format", choices=["receipt", "json", "sarif"], default="receipt")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["passes"] < 1:
            raise CommandError("--passes must be 1 or more.", returncode=ASKED_WRONG)
        path: Path = options["file"]
        if not path.is_file():
            self.stderr.write(f"{path} is not a file. Nothing was reviewed.")
            sys.exit(UNREADABLE)
        try:
            result = self._review(path, options)
        except UnreadableFile as error:
            self.stderr.write(error.message)
            sys.exit(UNREADABLE)
        except ServiceError as error:
            raise CommandError(error.message, returncode=ASKED_WRONG) from error
        self.stdout.write(_formatted(result, path, options["format"]), ending="")
        sys.exit(status_of(result))

    def _review(self, path: Path, options: dict[str, Any]) -> OneOff:
        model = None if options["offline"] else connection()
        asked = Asked(
            path=path,
            name=path.name,
            client=options["client"],
            kind=options["kind"],
            sources=tuple(_source(source) for source in options["sources"]),
            passes=options["passes"],
            model=options["model"] or (model.model if model else ""),
            provider=model.provider(stored=False) if model else None,
        )
        if options["workspace"]:
            return review_in_workspace(slug=options["workspace"], asked=asked)
        return review_file(asked)


def _source(path: Path) -> tuple[str, str]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refused(f"The source {path} cannot be opened. Nothing was reviewed.") from error
    return path.name, text_of(data, path.name)


def status_of(result: OneOff) -> int:
    """The exit status: what holds it counts before what was not read."""
    if any(reason.findings or reason.kind == "fit" for reason in result.gate.reasons):
        return HOLDS
    return CLEAR if result.fully_read and result.gate.is_open else NOT_FULLY_READ


def _formatted(result: OneOff, path: Path, form: str) -> str:
    if form == "json":
        return json.dumps(result.as_dict(), ensure_ascii=False, indent=1) + "\n"
    if form == "sarif":
        return json.dumps(as_sarif(result, path.name), ensure_ascii=False, indent=1) + "\n"
    return receipt_of_file(path.name, result)

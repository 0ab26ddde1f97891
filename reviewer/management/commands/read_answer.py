"""`manage.py read_answer`: what today's reader makes of a stored answer. Stores nothing."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reviewer.core.answers import read_answer
from reviewer.core.calls import read_call
from reviewer.core.raw import RawAnswer
from reviewer.core.schema import TOOL_NAME
from reviewer.documents.errors import UnreadableFile
from reviewer.management.stored import (
    document_of,
    members_of,
    raw_answer,
    schema_of,
    sheets_of,
    string_of,
)


@dataclass(frozen=True)
class Asked:
    """What an answer is read against; `sheets` is None where they are not known."""

    document: str | None = None
    sheets: dict[int, str] | None = None
    schema: dict[str, Any] | None = None
    function: str = TOOL_NAME


class Command(BaseCommand):
    help = (
        "Read a stored answer (a message of the Messages API as JSON, or raw text) and print its "
        "findings as JSON. With --schema and --function, read a call of that tool instead. With "
        '--lines, each line is {"text" or "response", "document"?, "schema"?, "function"?} and '
        "each line of output is its reading."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", default="-", help="a file, or - for standard input")
        parser.add_argument("--document", type=Path, help="the document that the answer is about")
        parser.add_argument("--schema", type=Path, help="a JSON schema of the tool's input")
        parser.add_argument("--function", default=TOOL_NAME, help="the tool's name")
        parser.add_argument("--lines", action="store_true", help="one answer a line")

    def handle(self, **options: Any) -> None:
        asked = _asked(options)
        for text in _answers(options["file"], lines=options["lines"]):
            of_line = options["lines"] or "response" in (members_of(text) or {})
            reading = _line(text, asked) if of_line else _reading(raw_answer(text), asked)
            self.stdout.write(json.dumps(reading, ensure_ascii=False))


def _asked(options: dict[str, Any]) -> Asked:
    """What the options say; raises `CommandError` with what to do."""
    schema = document = sheets = None
    if options["schema"]:
        schema = schema_of(_file_text(options["schema"]))
        if schema is None:
            raise CommandError(f"{options['schema']} is not a JSON schema. Nothing was read.")
    if options["document"]:
        try:
            if schema is None:
                document, sheets = document_of(options["document"])
            else:
                document = _file_text(options["document"])
        except UnreadableFile as error:
            raise CommandError(f"{error.message} Nothing was read.") from error
    return Asked(document, sheets, schema, options["function"])


def _file_text(path: Path) -> str:
    try:
        return _decoded(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path} cannot be read. Nothing was read.") from error


def _answers(name: str, *, lines: bool) -> Iterator[str]:
    """The text of the file, or of each of its lines that is not blank."""
    if not lines:
        yield _file_text(Path(name)) if name != "-" else _decoded(sys.stdin.buffer.read())
        return
    source = sys.stdin.buffer if name == "-" else _file_text(Path(name)).encode().split(b"\n")
    yield from (text for line in source if (text := _decoded(line)).strip())


def _decoded(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")


def _line(line: str, asked: Asked) -> dict[str, Any]:
    members = members_of(line)
    if members is None or not {"text", "response"} & set(members):
        return {"error": 'This line is not a JSON object with "text" or "response".'}
    if "document" in members:
        document = string_of(members["document"])
        asked = Asked(document, sheets_of(document), asked.schema, asked.function)
    if "schema" in members:
        asked = Asked(asked.document, asked.sheets, schema_of(members["schema"]), asked.function)
    if "function" in members:
        function = string_of(members["function"])
        asked = Asked(asked.document, asked.sheets, asked.schema, function)
    if "response" in members:
        return _reading(raw_answer(string_of(members["response"])), asked)
    return _reading(RawAnswer(text=string_of(members["text"])), asked)


def _reading(raw: RawAnswer, asked: Asked) -> dict[str, Any]:
    if asked.schema is None:
        return read_answer(
            raw, sheets=asked.sheets, document=asked.document, function=asked.function
        ).as_dict()
    return read_call(
        raw, schema=asked.schema, function=asked.function, document=asked.document
    ).as_dict()

"""The learnings of a workspace as a file, out and in, so that a house can keep them in git."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from reviewer.services.errors import ServiceError
from reviewer.services.learnings_file import BadFile, Imported, export_yaml, import_yaml
from reviewer.services.system import system_member


class Command(BaseCommand):
    help = (
        "Write a workspace's learnings to a file as YAML, or bring such a file in, whole or not "
        "at all. FILE may be - for standard output or input. Exit status 1 where it cannot be."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["export", "import"])
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--workspace", required=True, metavar="SLUG")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            actor = system_member(options["workspace"])
            if options["act"] == "export":
                self._export(export_yaml(actor.workspace), options["file"])
                return
            text = _read(options["file"])
            done = import_yaml(workspace=actor.workspace, actor=actor, text=text, restore=True)
        except BadFile as error:
            for line, why in error.problems:
                self.stderr.write(f"{options['file']}:{line}: {why}.")
            self._stop("Nothing was imported.")
        except ServiceError as error:
            self._stop(error.message)
        except OSError as error:
            self._stop(f"{options['file']}: {error.strerror}. Nothing was changed.")
        except UnicodeDecodeError:
            self._stop(f"{options['file']} is no text in UTF-8. Nothing was imported.")
        else:
            self.stdout.write(_told(done))

    def _export(self, text: str, file: str) -> None:
        if file == "-":
            self.stdout.write(text, ending="")
            return
        Path(file).write_text(text, encoding="utf-8")

    def _stop(self, why: str) -> None:
        self.stderr.write(why)
        sys.exit(1)


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    return Path(file).read_bytes().decode("utf-8-sig")


def _told(done: Imported) -> str:
    counts = (
        f"{len(done.added)} added, {len(done.changed)} changed, {len(done.unchanged)} as they were"
    )
    waiting = f"; {len(done.waiting)} wait for approval" if done.waiting else ""
    return f"{counts}{waiting}."

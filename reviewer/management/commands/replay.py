"""Read every stored answer again with today's reader, and show what changes."""

from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviewer.services.replay import Told, removed_answers, replay


class Command(BaseCommand):
    help = "Read stored answers again; with --apply, add what is recovered to its reviews."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", default="", help="only answers of this model")
        parser.add_argument("--since", default="", help="only answers since YYYY-MM-DD")
        parser.add_argument("--apply", action="store_true", help="store what is recovered")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            since = date.fromisoformat(options["since"]) if options["since"] else None
        except ValueError as error:
            raise CommandError("--since takes a date as YYYY-MM-DD.") from error
        asked = {"model": options["model"], "since": since}
        told = Told(removed=removed_answers(**asked))
        for result in replay(**asked, apply=options["apply"]):
            if result.changed and not told.changed:
                self.stdout.write(_row("reading", "model", "then", "now", "kept", "keeps", ""))
            told.count(result)
            if result.changed:
                self.stdout.write(
                    _row(
                        str(result.reading.pk),
                        result.reading.model[:28],
                        result.before,
                        result.after,
                        str(result.kept_before),
                        str(result.kept_after),
                        "still running" if result.running else "",
                    )
                )
        done = "Stored." if options["apply"] else "Not stored; say --apply to store what is new."
        self.stdout.write(f"{told.sentences()} {done}")


def _row(*cells: str) -> str:
    widths = (8, 28, 18, 18, 5, 5, 13)
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()

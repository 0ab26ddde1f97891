"""Read every stored answer again with today's reader, and show what changes."""

from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviewer.services.replay import replay


class Command(BaseCommand):
    help = "Read stored answers again; with --apply, add recovered findings to their reviews."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", default="", help="only answers of this model")
        parser.add_argument("--since", default="", help="only answers since YYYY-MM-DD")
        parser.add_argument("--apply", action="store_true", help="store what is recovered")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            since = date.fromisoformat(options["since"]) if options["since"] else None
        except ValueError as error:
            raise CommandError("--since takes a date as YYYY-MM-DD.") from error
        read = changed = recovered = 0
        for result in replay(model=options["model"], since=since, apply=options["apply"]):
            read += 1
            if not result.changed:
                continue
            if not changed:
                self.stdout.write(_row("reading", "model", "then", "now", "kept", "keeps"))
            changed += 1
            recovered += result.recovered
            self.stdout.write(
                _row(
                    str(result.reading.pk),
                    result.reading.model[:28],
                    result.before,
                    result.after,
                    str(result.kept_before),
                    str(result.kept_after),
                )
            )
        done = "stored" if options["apply"] else "not stored; say --apply to store them"
        self.stdout.write(
            f"{read} answers read again, {changed} read differently, "
            f"{recovered} findings recovered ({done})."
        )


def _row(*cells: str) -> str:
    widths = (8, 28, 18, 18, 5, 5)
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()

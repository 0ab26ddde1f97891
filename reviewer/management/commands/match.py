"""`manage.py match FILE`: merge sightings into findings, by the code that reviews use."""

import json
import re
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reviewer.core.matching import Sighting, merge

_SHEET = re.compile(r"^--- Sheet (\d+) ---$\n?", re.MULTILINE)


class Command(BaseCommand):
    """Read sightings from a JSON file, print `{"groups": [[id, …], …]}`."""

    help = (
        "Merge sightings into findings. The file is JSON: 'sightings' with id, pass, sheet, "
        "severity, rule, quote, finding and also; 'document', if given, holds the text with "
        "a line '--- Sheet N ---' before each sheet."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file."""
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the groups, ids sorted within each, in the order of the document."""
        stored = read_json(options["file"])
        try:
            sightings = [_sighting(entry) for entry in stored["sightings"]]
            groups = merge(sightings, texts=_sheets(stored.get("document") or ""))
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            raise CommandError(
                f"{options['file']} does not hold sightings in the expected form: {fault!r}. "
                "Nothing was merged. See `manage.py match --help` for the form."
            ) from fault
        self.stdout.write(json.dumps({"groups": [list(group.ids) for group in groups]}))


def read_json(path: Path) -> dict[str, Any]:
    """The object that a JSON file holds, or a CommandError that says what to do."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise CommandError(f"{path} cannot be opened: {fault.strerror}.") from fault
    except ValueError as fault:
        raise CommandError(f"{path} is not JSON: {fault}") from fault
    if not isinstance(stored, dict):
        raise CommandError(f"{path} holds no JSON object.")
    return stored


def _sighting(entry: dict[str, Any]) -> Sighting:
    return Sighting(
        id=entry["id"],
        reading=str(entry["pass"]),
        sheet=int(entry["sheet"]),
        severity=entry["severity"],
        rule=entry["rule"],
        quote=entry.get("quote") or "",
        finding=entry["finding"],
        also=tuple((int(place["sheet"]), place["quote"]) for place in entry.get("also") or ()),
    )


def _sheets(document: str) -> dict[int, str]:
    parts = _SHEET.split(document)
    return {int(number): text for number, text in zip(parts[1::2], parts[2::2], strict=True)}

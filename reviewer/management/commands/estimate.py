"""`manage.py estimate FILE`: how many findings are likely, from what each pass named."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reviewer.core.estimate import from_passes
from reviewer.management.commands.match import read_json


class Command(BaseCommand):
    """Read `{"passes": [[id, …], …]}`, print the estimate as JSON."""

    help = "Estimate how many findings there are, from the ids that each blind pass named."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file."""
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        """Print seen, chao2, low, high, coverage and passes."""
        passes = read_json(options["file"]).get("passes")
        if not isinstance(passes, list) or not all(isinstance(named, list) for named in passes):
            raise CommandError(f"{options['file']} needs 'passes', a list of lists of ids.")
        try:
            estimate = from_passes([[str(id) for id in named] for named in passes])
        except ValueError as fault:
            raise CommandError(f"No estimate from {options['file']}: {fault}.") from fault
        self.stdout.write(json.dumps(asdict(estimate)))

"""`manage.py simulate`: our policy of review against the loops that teams run by hand."""

import json
import math
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from reviewer.core.simulation.comparison import as_table, compare
from reviewer.core.simulation.policies import Policy
from reviewer.core.simulation.world import Settings


class Command(BaseCommand):
    """Run every policy over the same simulated documents and print one row for each."""

    help = "Compare policies of review on simulated documents whose faults are known."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the world's numbers, and how much our policy reads."""
        world = Settings()
        whole, amount, chance = _number(int, 1), _number(float, 0, 20), _number(float, 0, 1)
        parser.add_argument("--documents", type=whole, default=world.documents)
        parser.add_argument("--seed", type=int, default=world.seed)
        parser.add_argument("--findings", type=whole, default=world.findings)
        parser.add_argument("--cap", type=whole, default=world.cap)
        parser.add_argument("--spread", type=amount, default=world.spread)
        parser.add_argument("--false", type=amount, default=world.false)
        parser.add_argument("--cure", type=chance, default=world.cure)
        parser.add_argument("--break", dest="break_", type=chance, default=world.break_)
        parser.add_argument("--reflow", action="store_true", help="an edit moves what follows it")
        parser.add_argument("--passes", type=whole, default=Policy().passes)
        parser.add_argument("--sweeps", type=_number(int, 0), default=Policy().sweeps)
        parser.add_argument(
            "--variants", action="store_true", help="also what was tried beside ours"
        )
        parser.add_argument("--format", choices=("table", "json"), default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the rows as a Markdown table, or as JSON with the settings."""
        settings = Settings(**{name: options[name] for name in Settings.__slots__})
        policy = Policy(passes=options["passes"], sweeps=options["sweeps"])
        rows = compare(settings, policy, variants=options["variants"])
        if options["format"] == "table":
            self.stdout.write(as_table(rows))
            return
        stated = {name.rstrip("_"): value for name, value in asdict(settings).items()}
        self.stdout.write(
            json.dumps({"settings": stated, "policies": [row.as_json() for row in rows]})
        )


def _number(
    kind: type[int] | type[float], least: float, most: float | None = None
) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError as fault:
            raise ArgumentTypeError(f"{text!r} is not a number") from fault
        if not least <= value <= (math.inf if most is None else most):
            bounds = f"at least {least}" if most is None else f"from {least} to {most}"
            raise ArgumentTypeError(f"{text} is not {bounds}")
        return value

    return read

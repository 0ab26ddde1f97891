"""Try a model with one small real reading: how it takes to be asked, and what came back."""

import json
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from reviewer.providers.address import NO_ADDRESS, is_address
from reviewer.services.connection import server_name
from reviewer.services.trial import tried


class Command(BaseCommand):
    help = "One small reading of a made page. Exit status 0 where its answers can be used, else 1."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--base-url", default=settings.MODEL_BASE_URL)
        parser.add_argument("--model", default=settings.MODEL_NAME)
        parser.add_argument("--format", choices=["text", "json"], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        base_url = options["base_url"]
        # The key of the environment goes to the server of the environment and to no other.
        key = settings.MODEL_API_KEY if base_url == settings.MODEL_BASE_URL else ""
        if not key and not base_url:
            self.stderr.write(
                "No model is connected. Set ANTHROPIC_API_KEY, or name a server with --base-url."
            )
            sys.exit(1)
        if base_url and not is_address(base_url):
            self.stderr.write(f"{NO_ADDRESS} Nothing was asked.")
            sys.exit(1)
        result = tried(options["model"], key, base_url, server_name(base_url))
        if options["format"] == "json":
            self.stdout.write(json.dumps(result.trial.as_dict(), ensure_ascii=False, indent=1))
        else:
            self.stdout.write("\n".join(result.sentences))
        sys.exit(0 if result.trial.works else 1)

"""Web server and worker in one terminal, stopped together."""

import shlex
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from honcho.manager import Manager

from reviewer.providers.address import is_address

WEB = "{python} -m gunicorn reviewer.wsgi --bind {bind} --worker-class gthread --threads {threads} --timeout 120 --graceful-timeout 5 --log-level warning"
WORKER = "{python} -m celery --quiet -A reviewer.celery worker --pool threads --concurrency {workers} --beat --loglevel WARNING --without-gossip --without-mingle --without-heartbeat"


class Command(BaseCommand):
    help = "Start the web server and a worker with its clock; Ctrl-C stops both."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000", help="HOST:PORT for the web server")
        parser.add_argument("--threads", type=int, default=8, help="threads of the web server")
        parser.add_argument("--workers", type=int, default=8, help="readings at once")

    def handle(self, *args: Any, **options: Any) -> None:
        if not is_address(f"http://{options['bind']}"):
            raise CommandError("--bind takes a host and a port, as in 127.0.0.1:8000.")
        for name in ("threads", "workers"):
            if options[name] < 1:
                raise CommandError(f"--{name} must be 1 or more.")
        values = {
            "python": shlex.quote(sys.executable),
            "bind": options["bind"],
            "threads": options["threads"],
            "workers": options["workers"],
        }
        manager = Manager()
        manager.add_process("web", WEB.format(**values))
        manager.add_process("worker", WORKER.format(**values))
        self.stdout.write(f"Reviewer is at http://{options['bind']}  (Ctrl-C stops it)")
        self.stdout.flush()
        manager.loop()
        sys.exit(manager.returncode or 0)

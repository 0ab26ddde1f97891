"""Web server and worker in one terminal, stopped together."""

import errno
import os
import shlex
import signal
import socket
import sys
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

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
        _refuse_taken(options["bind"])
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
        if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # nohup asks to outlive a terminal
            signal.signal(signal.SIGHUP, _hung_up)
        manager.loop()
        sys.exit(manager.returncode or 0)


def _refuse_taken(bind: str) -> None:
    """Say in one sentence what the web server would say in ten lines, after five seconds."""
    parts = urlsplit(f"http://{bind}")
    at = (parts.hostname, parts.port or 8000)
    try:
        found = socket.getaddrinfo(*at, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in found[:1]:
            with socket.socket(family, kind, protocol) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(
                f"Port {at[1]} is taken, by another program or by a Reviewer that still runs. "
                f"Stop that one, or choose another port: make run PORT={at[1] + 1}"
            ) from None
        raise CommandError(f"Nothing can listen at {bind}: {error.strerror or error}.") from None


def _hung_up(_number: int, _frame: FrameType | None) -> None:
    """A terminal that is closed stops both: they are in sessions of their own and hear nothing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for said in (1, 2):  # what the stopping says would fail on the closed terminal
        os.dup2(nowhere, said)
    os.close(nowhere)
    os.kill(os.getpid(), signal.SIGTERM)

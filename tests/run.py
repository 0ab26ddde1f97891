"""Run every test that can run on this machine, and say what cannot.

    python -m tests.run

First the whole suite on SQLite, its tables made from the models; then what touches data and
tasks again on PostgreSQL, its tables made by the migrations, with Redis as the broker, where
they can be reached. With CI=true a missing browser or service
is a failure, not a skip.
"""

import os
import shutil
import socket
import subprocess
import sys
from urllib.parse import urlsplit

from tests.chromium import CHROMIUM, MISSING

POSTGRES = os.environ.get("TEST_DATABASE_URL", "postgres://root@127.0.0.1:5432/test")
REDIS = os.environ.get("TEST_BROKER_URL", "redis://127.0.0.1:6379/15")
DATA_TESTS = [
    "tests/models",
    "tests/services",
    "tests/views/test_every_url.py",
    "tests/views/test_proposals.py",
]
"""What touches data and tasks; through the addresses, every query that a page makes."""
IN_CI = os.environ.get("CI") == "true"


def main() -> int:
    services = _reachable(POSTGRES) and _reachable(REDIS)
    missing = [] if CHROMIUM else [f"Chromium: the browser tests ({MISSING})"]
    if not shutil.which("soffice"):
        missing.append("LibreOffice: the tests of Word and PowerPoint files laid out by it")
    if sys.platform == "linux" and not shutil.which("strace"):
        missing.append("strace: the tests that watch what reading a file touches")
    if not services:
        missing.append("PostgreSQL and Redis: the data and task tests on them")
    for what in missing:
        print(f"{'MISSING' if IN_CI else 'SKIPPED, NOT ON THIS MACHINE'}: {what}", flush=True)
    if missing and IN_CI:
        return 1
    # More than there are processors: browsers, servers and workers are waited for. One test at
    # a time to each, in the order of conftest, the longest first, so that all end together.
    workers = ["-n", str(min(os.cpu_count() or 1, 4) + 1)]
    workers += ["--dist", "loadgroup", "--no-loadscope-reorder"]
    status = _pytest(["tests", *workers, *([] if CHROMIUM else ["--ignore=tests/browser"])])
    if services and not status:
        print("Again on PostgreSQL, with Redis as the broker:", flush=True)
        status = _pytest(
            [*DATA_TESTS, *workers, "--migrations", "-m", "not sqlite_only"],
            DATABASE_URL=POSTGRES,
            TEST_BROKER_URL=REDIS,
            REVIEWER_TEST_SERVICES="1",
        )
    return status


def _pytest(arguments: list[str], **environment: str) -> int:
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    # A suite starts hundreds of processes; each would compile what it imports anew.
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(command, env={**kept, **environment}).returncode


def _reachable(url: str) -> bool:
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 0), 1):
            return True
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())

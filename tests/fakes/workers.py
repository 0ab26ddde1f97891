"""A real worker process, and a review for it: to be killed, and to be seen finishing all the same.

The worker has the database, the queue and the server of whoever started it, so that both
look at the same rows.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from reviewer.models import Answer, Finding, Reading, Review, Sighting, Version
from tests.fakes.messages_server import Seen
from tests.fakes.replies import Reply, finding, finds, judges

ROOT = Path(__file__).resolve().parents[2]
SHEETS = 12
TEXTS = tuple(
    f"Sheet {number} promises {10 + number} percent less delay. "
    f"Its price is {number},000 dollars and whatever else is needed."
    for number in range(1, SHEETS + 1)
)
QUICK_LEASES = {
    "REVIEWER_LEASE_SECONDS": "3",
    "REVIEWER_RESCUE_EVERY_SECONDS": "1",
    "REVIEWER_RESEND_SECONDS": "3",
}


def two_faults_a_sheet(seen: Seen, **how: Any) -> Reply:
    """The same two findings for a sheet whenever it is read; every check upholds all."""
    listed = re.findall(r'<finding[^>]* number="(\d+)"', seen.task)
    if "Give one verdict" in seen.task:
        verdicts = [{"number": int(n), "why": "Looked.", "verdict": "holds"} for n in listed]
        return judges(verdicts, **how)
    read = re.search(r"^Read sheet (\d+) with", seen.task, re.MULTILINE)
    return finds(faults_on(int(read[1])) if read else (), **how)


def faults_on(sheet: int) -> list[dict[str, Any]]:
    """What is wrong with a sheet of `TEXTS`."""
    return [
        finding(
            sheet=sheet,
            quote=f"promises {10 + sheet} percent less delay",
            finding=f"Nothing backs the {10 + sheet} percent.",
        ),
        finding(
            sheet=sheet,
            rule="unambiguous_scope",
            severity="block",
            quote="whatever else is needed",
            finding=f"The scope of sheet {sheet} has no end.",
        ),
    ]


class Worker:
    """`celery worker` with its clock, in a process group of its own."""

    def __init__(self, base_url: str, *, threads: int = 4, **environment: str) -> None:
        self._command = [sys.executable, "-m", "celery", "-A", "reviewer.celery", "worker"]
        self._command += ["--pool", "threads", "--concurrency", str(threads), "--beat"]
        self._command += ["--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
        self._environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "reviewer.settings",
            "DATABASE_URL": _database_url(),
            "BROKER_URL": settings.BROKER_URL,
            "REVIEWER_VAR": str(settings.VAR),
            "ANTHROPIC_BASE_URL": base_url,
            **QUICK_LEASES,
            **environment,
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it says nothing unless something is wrong."""
        self._process = subprocess.Popen(
            self._command, cwd=ROOT, env=self._environment, start_new_session=True
        )

    def processor_seconds(self) -> float:
        """Processor time that the worker has spent so far; Linux alone tells it."""
        assert self._process is not None
        said = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(said[11]) + int(said[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """End it at once, with no chance to tidy up."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


def _database_url() -> str:
    given: Mapping[str, Any] = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{given['NAME']}"
    where = f"{given['HOST'] or '127.0.0.1'}:{given['PORT'] or 5432}"
    secret = f":{given['PASSWORD']}" if given["PASSWORD"] else ""
    return f"postgres://{given['USER']}{secret}@{where}/{given['NAME']}"


def forget_messages() -> None:
    """Empty the queue's folder of what earlier work left in it."""
    if settings.BROKER_URL.startswith("filesystem:"):
        for message in (Path(settings.VAR) / "queue").rglob("*"):
            if message.is_file():
                message.unlink()


def wait_until_over(review: Review, *, seconds: float) -> float:
    """Wait until the review has ended; returns how long that took. Raises TimeoutError."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        review.refresh_from_db()
        if not review.is_running:
            return time.monotonic() - began
        time.sleep(0.1)
    left = list(review.readings.exclude(status="done").values("pk", "kind", "status", "attempts"))
    raise TimeoutError(f"the review still runs after {seconds} seconds; left: {left}")


def faults_of(review: Review) -> list[str]:
    """What is wrong with a review over `TEXTS` that came to its end; empty where nothing is."""
    wrong: list[str] = []
    for reading in review.readings.all():
        if (reading.status, reading.outcome) != ("done", "read"):
            wrong.append(f"reading {reading.pk}: {reading.status} {reading.outcome}")
        answers = Answer.objects.filter(reading=reading).count()
        if answers != 1:
            wrong.append(f"reading {reading.pk} has {answers} answers")
        sightings = Sighting.objects.filter(reading=reading).count()
        if reading.kind in Reading.Kind.of_findings() and sightings != reading.kept:
            wrong.append(f"reading {reading.pk} kept {reading.kept}, stored {sightings}")
    passes = review.readings.filter(kind=Reading.Kind.PASS).values_list("pass_number", "sheet")
    if sorted(passes) != [
        (n, s) for n in range(1, review.passes + 1) for s in range(1, SHEETS + 1)
    ]:
        wrong.append(f"passes: {sorted(passes)}")
    wrong += _faults_of_findings(review.version, review.passes)
    if review.status != Review.Status.FINISHED:
        wrong.append(f"the review is {review.status}")
    return wrong


def _faults_of_findings(version: Version, passes: int) -> list[str]:
    findings = Finding.objects.filter(proposal=version.proposal_id)
    texts = sorted(finding.text for finding in findings)
    expected = sorted(fault["finding"] for s in range(1, SHEETS + 1) for fault in faults_on(s))
    wrong = [] if texts == expected else [f"findings: {texts}"]
    return wrong + [
        f"{one} has {one.votes} of {one.passes} votes"
        for one in findings
        if (one.votes, one.passes) != (passes, passes)
    ]

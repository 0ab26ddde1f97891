"""How near 200 queued readings come to the ideal, on a provider that takes a second for each.

    python tests/bench/bench_queue.py [passes|standard|quick] [--threads 16] [--processes 1]

Real worker processes with so many threads between them, SQLite and the queue in a folder, the
real SDK against a server that answers after 1 s. `passes` are the 200 readings of five reviews
of ten sheets in four passes, all of them laid out and queued at the start. The others are
whole reviews, whose steps wait for each other: `standard` is 4 reviews
of 12 sheets with three passes, checks and a sweep, `quick` is 200 reviews of one reading, each
settled by itself. The time runs from the first request to the end of the last answer; ideal is
ceil(readings / threads) times 1 s. What starting costs, from the workers' start to the first
request, is said beside it. Ends with 1 where a ratio is above 1.25 or a reading was lost.
"""

import argparse
import math
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

READINGS, SECONDS_A_CALL = 200, 1.0
KINDS: dict[str, tuple[int, int, dict[str, Any]]] = {
    "passes": (5, 10, {"passes": 4}),
    "standard": (4, 12, {"depth": "standard"}),
    "quick": (200, 12, {"depth": "quick"}),
}
"""Reviews, sheets of each, and how they are read."""
AT_MOST = 1.25
GIVEN_UP_AFTER = 90.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", nargs="?", choices=KINDS)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    if asked.kind is None:
        # Each on a fresh database, so that one is not read with the rows of the other.
        command = [sys.executable, __file__, "--threads", str(asked.threads)]
        command += ["--processes", str(asked.processes)]
        return max(os.spawnv(os.P_WAIT, command[0], [*command, kind]) for kind in KINDS)
    with tempfile.TemporaryDirectory(prefix="reviewer-bench-") as folder:
        os.environ.update(REVIEWER_VAR=folder, DJANGO_SETTINGS_MODULE="reviewer.settings")
        import django

        django.setup()
        return _measure(asked.kind, asked.threads, asked.processes)


def _measure(kind: str, threads: int, processes: int) -> int:
    from tests.fakes.messages_server import MessagesServer
    from tests.fakes.workers import Worker

    with MessagesServer(answers(kind)) as server:
        reviews = _queue(kind, threads, server.url)
        calm = {"REVIEWER_RESCUE_EVERY_SECONDS": "20", "REVIEWER_RESEND_SECONDS": "120"}
        each = {"threads": threads // processes, **calm, "REVIEWER_LEASE_SECONDS": "90"}
        workers = [Worker(server.url, **each) for _ in range(processes)]
        began = time.monotonic()
        for worker in workers:
            worker.start()
        try:
            _wait_until_over(kind, reviews)
            spent = sum(worker.processor_seconds() for worker in workers)
        finally:
            for worker in workers:
                worker.kill()
        first = server.requests[0].began + server.started - began
        seen = sorted(server.requests, key=lambda one: one.began)
        return _say(kind, threads, seen[:READINGS], spent, first, _faults(kind, reviews))


def answers(kind: str, seconds: float = SECONDS_A_CALL) -> Any:
    """Three findings in a quick look, two a sheet in a pass; every check upholds all."""
    from tests.fakes.replies import finds
    from tests.fakes.workers import faults_on, two_faults_a_sheet

    if kind == "quick":
        return finds([faults_on(sheet)[0] for sheet in (1, 2, 3)], latency=seconds)
    return lambda seen: two_faults_a_sheet(seen, latency=seconds)


def _queue(kind: str, threads: int, url: str) -> list[Any]:
    """Reviews that wait for a worker; between them they make 200 readings."""
    from django.conf import settings
    from django.core.management import call_command

    from reviewer.models import ModelSettings
    from reviewer.services.reviews import start_review
    from tests.factories import make_cast, make_proposal

    call_command("migrate", verbosity=0)
    settings.MODEL_BASE_URL = url
    cast = make_cast()
    ModelSettings.objects.create(workspace=cast.workspace, calls_at_once=threads)
    count, sheets, how = KINDS[kind]
    proposals = [make_proposal(cast.workspace, owner=cast.wen) for _ in range(count)]
    versions = [_version(one, sheets) for one in proposals]
    return [start_review(by=cast.wen, version=version, **how) for version in versions]


def _version(proposal: Any, count: int) -> Any:
    """So many sheets of a page of text each, in few writes: there may be 200 such versions."""
    from reviewer.models import Paragraph, Sheet
    from tests.factories import laid_out, make_version
    from tests.fakes.workers import TEXTS

    version = make_version(proposal, texts=(), sheet_count=count, content=b"%d" % proposal.pk)
    # Each its own: what was asked of equal words before is not asked again.
    texts = [f"{text} For plan {proposal.pk}. {_FILLER * 12}" for text in TEXTS[:count]]
    sheets = Sheet.objects.bulk_create(
        Sheet(
            version=version,
            number=number,
            text=text,
            words=laid_out(text),
            label=f"Sheet {number}",
            width=612,
            height=792,
            image_width=816,
            image_height=1056,
        )
        for number, text in enumerate(texts, start=1)
    )
    Paragraph.objects.bulk_create(
        Paragraph(
            sheet=sheet,
            position=0,
            text=sheet.text,
            hash=f"sha256:{sheet.number}",
            first_word=0,
            last_word=len(sheet.words) - 1,
        )
        for sheet in sheets
    )
    return version


_FILLER = "The team on the second site keeps its own list, and copies it by hand each evening. "


def _judged(kind: str, reviews: list[Any]) -> Any:
    """The readings whose time is taken: of `passes` these alone, else all."""
    from reviewer.models import Reading

    of = Reading.objects.filter(review__in=reviews)
    return of.filter(kind=Reading.Kind.PASS) if kind == "passes" else of


def _wait_until_over(kind: str, reviews: list[Any]) -> None:
    from reviewer.models import Review

    running = Review.objects.running().filter(pk__in=[review.pk for review in reviews])
    until = time.monotonic() + GIVEN_UP_AFTER
    while running.exists() and time.monotonic() < until:
        if kind == "passes" and not _judged(kind, reviews).exclude(status="done").exists():
            break
        time.sleep(0.5)


def _faults(kind: str, reviews: list[Any]) -> list[str]:
    of = _judged(kind, reviews)
    lost = of.exclude(status="done", outcome="read").count()
    twice = of.filter(attempts__gt=1).count()
    return [
        *([f"{lost} readings were not read"] if lost else []),
        *([f"{twice} readings were begun twice"] if twice else []),
    ]


def _say(
    kind: str, threads: int, seen: list[Any], spent: float, start: float, wrong: list[str]
) -> int:
    took = max(one.ended or 0.0 for one in seen) - min(one.began for one in seen)
    ideal = math.ceil(len(seen) / threads) * SECONDS_A_CALL
    ratio = took / ideal
    print(
        f"{kind}: {len(seen)} readings on {threads} threads took {took:.2f} s, ideal {ideal:.0f} s: "
        f"{ratio:.3f} (at most {AT_MOST}); {spent:.1f} s of "
        f"processor time in the workers; {start:.1f} s from their start to the first request",
        *wrong,
    )
    return int(ratio > AT_MOST or bool(wrong) or len(seen) != READINGS)


if __name__ == "__main__":
    sys.exit(main())

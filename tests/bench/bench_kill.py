"""Kill a worker with SIGKILL at random points of a review of 12 sheets, again and again.

    python tests/bench/bench_kill.py [--kills 10] [--seed N]

Prints, for each kill, after how many calls it came and how long the review took from then;
ends with 1 where anything was lost or recorded twice. It runs on a database and a queue of
its own, in a temporary folder, or on DATABASE_URL and BROKER_URL where they are set.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="reviewer-bench-") as folder:
        os.environ.update(REVIEWER_VAR=folder, DJANGO_SETTINGS_MODULE="reviewer.settings")
        import django

        django.setup()
        return _kill_often(asked.kills, random.Random(asked.seed))


def _kill_often(kills: int, order: random.Random) -> int:
    from django.core.management import call_command

    from tests.factories import make_cast

    call_command("migrate", verbosity=0)
    cast = make_cast()
    bad = 0
    took: list[float] = []
    for number in range(1, kills + 1):
        calls, seconds, wrong = _kill_once(cast, order.randint(1, 40))
        took.append(seconds)
        bad += bool(wrong)
        print(f"kill {number:3}: after {calls:2} calls, {seconds:5.1f} s to the end", *wrong)
    print(f"{kills} kills, {bad} with something lost or doubled, longest {max(took):.1f} s")
    return 1 if bad else 0


def _kill_once(cast, calls: int) -> tuple[int, float, list[str]]:
    from django.conf import settings

    from reviewer.services.reviews import start_review
    from tests.factories import make_proposal, make_version
    from tests.fakes.messages_server import MessagesServer
    from tests.fakes.workers import (
        TEXTS,
        Worker,
        faults_of,
        two_faults_a_sheet,
        wait_until_over,
    )

    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=TEXTS)
    with MessagesServer(lambda seen: two_faults_a_sheet(seen, latency=0.1)) as server:
        settings.MODEL_BASE_URL = server.url
        worker = Worker(server.url)
        review = start_review(by=cast.wen, version=version)
        worker.start()
        try:
            while len(server.requests) < calls and review.is_running:
                time.sleep(0.02)
                review.refresh_from_db()
            worker.kill()
            killed_after = len(server.requests)
            worker.start()
            return killed_after, wait_until_over(review, seconds=60), faults_of(review)
        finally:
            worker.kill()


if __name__ == "__main__":
    sys.exit(main())

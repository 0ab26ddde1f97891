"""A broker that is stopped and comes back, with a real worker; and messages delivered twice."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.models import Answer, Reading
from reviewer.services.progress import reading_progress
from reviewer.services.queue import send_reading
from reviewer.services.reviews import start_review
from tests.factories import make_proposal, make_version
from tests.fakes.messages_server import MessagesServer
from tests.fakes.workers import TEXTS, Worker, forget_messages, two_faults_a_sheet, wait_until_over


@pytest.mark.django_db(transaction=True)
def test_a_review_waits_for_a_broker_that_is_away_and_what_comes_twice_is_read_once(cast, settings):
    if not settings.BROKER_URL.startswith("filesystem:"):
        pytest.skip("BROKER IN USE BY OTHERS: only the queue in a folder can be taken away here")
    forget_messages()
    messages = Path(settings.VAR) / "queue" / "messages"
    shutil.rmtree(messages)
    messages.touch()
    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=TEXTS[:3])
    with MessagesServer(lambda seen: two_faults_a_sheet(seen, latency=0.1)) as server:
        settings.MODEL_BASE_URL = server.url
        worker = Worker(server.url)
        try:
            review = start_review(by=cast.wen, version=version, passes=2)
            assert not review.readings.exclude(sent_at=None).exists()
            assert reading_progress(version).sentence.startswith("Queued")
            messages.unlink()
            worker.start()
            _wait(lambda: bool(server.requests))
            for pk in review.readings.values_list("pk", flat=True):
                send_reading(pk)
            wait_until_over(review, seconds=60)
        finally:
            worker.kill()
            if messages.is_file():
                messages.unlink()
            messages.mkdir(exist_ok=True)
    assert set(review.readings.values_list("status", "outcome", "attempts")) == {
        ("done", "read", 1)
    }
    assert Answer.objects.filter(reading__review=review).count() == review.readings.count()
    assert review.readings.filter(kind=Reading.Kind.PASS).count() == 6
    assert len(server.requests) == review.readings.count()


def _wait(until: Callable[[], bool], *, seconds: float = 60) -> None:
    began = time.monotonic()
    while not until():
        if time.monotonic() - began > seconds:
            raise TimeoutError(f"nothing was asked for in {seconds} seconds")
        time.sleep(0.05)

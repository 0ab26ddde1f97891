"""A worker that is killed loses nothing and doubles nothing."""

import random
import time

import pytest

from reviewer.services.reviews import start_review
from tests.factories import make_proposal, make_version
from tests.fakes.messages_server import MessagesServer
from tests.fakes.workers import (
    TEXTS,
    Worker,
    faults_of,
    forget_messages,
    two_faults_a_sheet,
    wait_until_over,
)


@pytest.mark.django_db(transaction=True)
def test_a_review_ends_as_if_its_worker_had_never_been_killed(cast, settings):
    settings.PASSES = 3
    forget_messages()
    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=TEXTS)
    with MessagesServer(lambda seen: two_faults_a_sheet(seen, latency=0.1)) as server:
        settings.MODEL_BASE_URL = server.url
        worker = Worker(server.url)
        review = start_review(by=cast.wen, version=version)
        worker.start()
        try:
            _wait_for(server, requests=random.randint(2, 30))
            worker.kill()
            review.refresh_from_db()
            assert review.is_running
            worker.start()
            wait_until_over(review, seconds=120)
        finally:
            worker.kill()
    assert faults_of(review) == []


def _wait_for(server: MessagesServer, *, requests: int) -> None:
    for _ in range(2_400):
        if len(server.requests) >= requests:
            return
        time.sleep(0.05)
    raise TimeoutError(f"the worker asked {len(server.requests)} times in two minutes")

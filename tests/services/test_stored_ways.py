"""Ways of asking that one worker learned are known to every other."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviewer.core.raw import Way
from reviewer.models import ModelWay
from reviewer.services import ways
from reviewer.services.ways import LOOK_AGAIN_SECONDS, StoredWays
from tests.fakes.replies import finds
from tests.providers.asks import NEWEST, OLDER, a_request

pytestmark = pytest.mark.django_db


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands until a test moves it."""

    class Clock:
        now = 1000.0

        def monotonic(self) -> float:
            return self.now

    clock = Clock()
    monkeypatch.setattr(ways, "time", clock)
    return clock


def test_what_one_worker_learned_another_knows():
    StoredWays("models.example").remember("m", Way.TEXT)
    assert StoredWays("models.example").way_of("m") == Way.TEXT
    assert StoredWays("elsewhere.example").way_of("m") is None
    assert StoredWays("models.example").way_of("other") is None


def test_a_way_that_is_learned_again_takes_the_place_of_the_first():
    store = StoredWays("models.example")
    store.remember("m", Way.STRICT_TOOL)
    store.remember("m", Way.TEXT)
    assert ModelWay.objects.get().way == "text"


def test_it_is_looked_up_once_a_minute_and_then_anew(clock):
    here, there = StoredWays("s"), StoredWays("s")
    assert here.way_of("m") is None
    there.remember("m", Way.TEXT)
    with CaptureQueriesContext(connection) as asked:
        assert here.way_of("m") is None
    assert len(asked) == 0
    clock.now += LOOK_AGAIN_SECONDS
    assert here.way_of("m") == Way.TEXT


def test_a_refusal_over_http_is_stored_and_the_next_process_begins_with_the_way_that_works(
    start_server,
):
    from reviewer.providers.messages import MessagesProvider

    server = start_server(finds(), does_not_take=["forced_tool", "strict"])
    for expected in ([OLDER] * 3, [OLDER]):
        before = len(server.requests)
        provider = MessagesProvider(
            api_key="k", base_url=server.url, max_retries=0, ways=StoredWays("s")
        )
        answer = provider.ask(a_request(OLDER))
        provider.close()
        assert answer.fault is None
        assert answer.way == Way.OUTPUT_FORMAT
        assert [seen.model for seen in server.requests[before:]] == expected
    assert not ModelWay.objects.filter(model=NEWEST).exists()

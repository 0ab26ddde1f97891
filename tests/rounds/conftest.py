"""The house of rounds: its built-in checks are off, so that a test's faults are all there are."""

from collections.abc import Iterator

import pytest

from reviewer.core.checks import CHECKS
from tests.fakes.fixtures import start_server
from tests.fakes.messages_server import MessagesServer
from tests.rounds.house import House, Reader
from tests.services.conftest import published, quick_reader

__all__ = ["published", "quick_reader", "start_server"]


@pytest.fixture
def silent_checks(cast) -> None:
    """No built-in check runs in the cast's workspace."""
    cast.workspace.policy["checks"] = {
        check.code: {"on": False, "severity": check.severity.value} for check in CHECKS
    }
    cast.workspace.save()


@pytest.fixture
def bare_house(cast, settings, quick_reader) -> Iterator[House]:
    """A house with built-in checks, whose model is not calibrated."""
    reader = Reader()
    with MessagesServer(reader) as server:
        settings.MODEL_BASE_URL, settings.MODEL_RETRIES = server.url, 0
        settings.MODEL_NAME, settings.PASSES = "reader-1", 3
        yield House(cast, server, reader)


@pytest.fixture
def house(bare_house, silent_checks) -> House:
    """A house whose model is calibrated, and whose reader finds nothing until it is told."""
    bare_house.calibrate()
    return bare_house

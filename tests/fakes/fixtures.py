"""Fixtures for the servers we run. Load with `pytest_plugins = ["tests.fakes.fixtures"]`."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.fakes.messages_server import MessagesServer, Script

StartServer = Callable[..., MessagesServer]


@pytest.fixture
def messages_server() -> Iterator[MessagesServer]:
    """A server of the Messages API that finds nothing until its `script` is set."""
    with MessagesServer() as server:
        yield server


@pytest.fixture
def start_server() -> Iterator[StartServer]:
    """Starts servers with a script and rules of their own, and stops them after the test."""
    started: list[MessagesServer] = []

    def start(script: Script | None = None, **rules: Any) -> MessagesServer:
        started.append(MessagesServer(script, **rules).start())
        return started[-1]

    yield start
    for server in started:
        server.stop()

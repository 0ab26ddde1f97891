"""The servers that the tests of this folder run."""

from tests.fakes.fixtures import messages_server, start_server

__all__ = ["messages_server", "start_server"]

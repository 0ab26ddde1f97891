"""The servers that the tests of this folder run."""

import pytest

from tests.fakes.fixtures import messages_server, start_server

__all__ = ["messages_server", "start_server"]


@pytest.fixture(scope="session", autouse=True)
def _sdk_loaded() -> None:
    """The SDK takes long to load; loaded before, it is in no test's measured time."""
    import anthropic  # noqa: F401

"""Servers and folders for the commands."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fakes.fixtures import messages_server, start_server

__all__ = ["messages_server", "start_server"]


@pytest.fixture
def kept_files(settings) -> Callable[[], list[str]]:
    """Names of all files in storage, from its root."""
    root = Path(settings.MEDIA_ROOT)
    return lambda: sorted(str(f.relative_to(root)) for f in root.rglob("*") if f.is_file())


@pytest.fixture
def kept_nothing(kept_files) -> Iterator[None]:
    """After the test no file is in storage."""
    yield
    assert kept_files() == []

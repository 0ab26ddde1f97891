"""What every test stands on: the cast, and browsers signed in as them.

The network is blocked but for this machine, by options in pyproject.toml.
"""

from collections.abc import Callable

import pytest
from django.test import Client
from hypothesis import HealthCheck
from hypothesis import settings as examples

from reviewer.models import Membership
from tests.factories import Cast, make_cast

# How fast examples are made is a measure of the machine, and the first of a process is slow.
examples.register_profile("house", suppress_health_check=[HealthCheck.too_slow], deadline=None)
examples.load_profile("house")


LONG = (
    "browser/test_whole_path",
    "commands/test_serve",
    "browser/test_two_rounds",
    "documents/test_cases",
    "browser/test_approval",
    "services/test_killed_worker",
    "browser/test_learnings",
    "services/test_merging",
    "services/test_broker_away",
    "browser/test_first_finding",
)
"""Modules with tests of many seconds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests come first: begun last, they would run when all others are over."""
    order = {name: place for place, name in enumerate(LONG)}

    def place(item: pytest.Item) -> int:
        return order.get("/".join(item.path.with_suffix("").parts[-2:]), len(LONG))

    items.sort(key=place)


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path_factory) -> None:
    """Stored files of one test are not met by the next."""
    settings.MEDIA_ROOT = str(tmp_path_factory.mktemp("files"))


@pytest.fixture
def cast(db) -> Cast:
    """Wen the writer, Rae the reviewer and Max the manager of one workspace; Ola is outside."""
    return make_cast()


@pytest.fixture
def client_of() -> Callable[[Membership], Client]:
    """`client_of(cast.wen)` is a browser in which Wen is signed in; each call is a new one."""

    def signed_in(person: Membership) -> Client:
        client = Client()
        client.force_login(person.user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    return signed_in

"""Each numbered check of the installation: when it speaks, and that it says what to do."""

import pytest
from django.core.checks import Error, Warning, run_checks

from reviewer import checks
from reviewer.documents.sandbox import Guards

ALL = {
    "reviewer.E001": checks.system_libraries,
    "reviewer.W001": checks.own_secret,
    "reviewer.W002": checks.shared_database,
    "reviewer.W003": checks.confinement,
    "reviewer.W004": checks.https,
    "reviewer.W005": checks.own_fonts,
    "reviewer.W006": checks.shared_files,
}


def _said(id: str) -> list[Error | Warning]:
    found = list(ALL[id](app_configs=None))
    assert all(message.id == id for message in found)
    return found


@pytest.fixture
def faulty(settings, monkeypatch):
    """An installation on which every check has something to say."""
    monkeypatch.setattr(checks.ctypes.util, "find_library", lambda name: None)
    monkeypatch.setattr(checks.sandbox, "available", lambda: Guards(network=False, files=False))
    monkeypatch.setattr(checks.fonts, "has_family", lambda name: False)
    settings.SECRET_KEY_IS_GIVEN = False
    settings.HTTPS = False
    settings.BROKER_URL = "redis://127.0.0.1/0"
    engine = "django.db.backends.sqlite3"
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", engine)


@pytest.fixture
def sound(settings, monkeypatch):
    """An installation on which none has."""
    monkeypatch.setattr(checks.ctypes.util, "find_library", lambda name: f"lib{name}.so")
    monkeypatch.setattr(checks.sandbox, "available", lambda: Guards(network=True, files=True))
    monkeypatch.setattr(checks.fonts, "has_family", lambda name: True)
    settings.SECRET_KEY_IS_GIVEN = True
    settings.HTTPS = True
    settings.BROKER_URL = "filesystem://localhost"


@pytest.mark.parametrize("id", sorted(ALL))
def test_a_fault_of_the_installation_is_told_with_what_to_do(faulty, id):
    (message,) = _said(id)
    assert message.msg.endswith(".")
    assert message.hint.endswith(".")


@pytest.mark.parametrize("id", sorted(ALL))
def test_a_sound_installation_hears_nothing(sound, id):
    assert _said(id) == []


def test_what_is_missing_is_named(faulty):
    (message,) = _said("reviewer.E001")
    assert all(name in message.msg for name in checks.PANGO)
    assert "apt install" in message.hint
    (message,) = _said("reviewer.W003")
    assert "a closed network and without a closed file system" in message.msg


def test_several_hosts_are_well_served_by_another_database(sound, settings, monkeypatch):
    settings.BROKER_URL = "redis://127.0.0.1/0"
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", "django.db.backends.postgresql")
    assert _said("reviewer.W002") == []
    settings.STORAGES = {"default": {"BACKEND": "reviewer.storage.BucketStorage"}}
    assert _said("reviewer.W006") == []


def test_the_checks_run_with_the_others_and_those_of_a_deployment_when_asked(faulty):
    plain = {message.id for message in run_checks() if message.id.startswith("reviewer.")}
    assert plain == {"reviewer.E001", "reviewer.W003", "reviewer.W005"}
    deploy = run_checks(include_deployment_checks=True)
    assert {m.id for m in deploy if m.id.startswith("reviewer.")} == set(ALL)


def test_the_documentation_of_the_checks_names_every_one():
    assert all(id.removeprefix("reviewer.") in checks.__doc__ for id in ALL)

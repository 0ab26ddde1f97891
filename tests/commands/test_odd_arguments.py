"""What cannot be used is said in a sentence on standard error, without a stack."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).resolve().parents[2]


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`manage.py` as people start it, on an installation in which nothing was made yet."""
    given = {"PATH": os.environ["PATH"], "REVIEWER_VAR": str(folder), "ANTHROPIC_API_KEY": ""}
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=given | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "environment", "status", "sentence"),
    [
        (["replay"], {}, 69, "The database could not be used: no such table"),
        (["replay"], {"DATABASE_URL": "postgres://127.0.0.1:1/x"}, 69, "Is it there"),
        (["check"], {"ANTHROPIC_BASE_URL": "http://[::1"}, 78, "ANTHROPIC_BASE_URL is not an"),
        (["check"], {"REVIEWER_PASSES": "0"}, 78, "REVIEWER_PASSES must be 1 or more"),
    ],
)
def test_what_the_installation_lacks_is_said_in_a_sentence(
    words: list[str],
    environment: dict[str, str],
    status: int,
    sentence: str,
    tmp_path: Path,
) -> None:
    ended = run(tmp_path, *words, **environment)
    assert ended.returncode == status
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize("what", ["folder", "pipe", "missing", "a name\0with NUL"])
def test_sheets_of_what_is_no_file_are_refused(what: str, tmp_path: Path, capsys) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    said = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("sheets", str(tmp_path / what), stderr=said)
    assert ended.value.code == 3
    assert "could not be opened" in said.getvalue()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("address", ["http://[::1", "nonsense", "file:///etc/passwd", "http://"])
def test_no_model_is_asked_at_what_is_no_address(address: str) -> None:
    said = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("probe", base_url=address, stderr=said)
    assert ended.value.code == 1
    assert "Nothing was asked." in said.getvalue()


@pytest.mark.parametrize(
    "options",
    [
        {"bind": "nonsense port"},
        {"bind": "127.0.0.1:99999"},
        {"bind": ""},
        {"threads": 0},
        {"workers": -1},
    ],
)
def test_nothing_is_served_at_what_is_no_address(options: dict[str, object]) -> None:
    with pytest.raises(CommandError, match=r"takes a host and a port|must be 1 or more"):
        call_command("serve", **options)

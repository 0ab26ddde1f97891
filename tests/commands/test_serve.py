"""`manage.py serve`: web server and worker in one terminal, stopped together."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).resolve().parents[2]


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _answers(url: str, *, seconds: float) -> bool:
    for _ in range(int(seconds * 10)):
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                return answer.status == 200
        except OSError:
            time.sleep(0.1)
    return False


def _of_session(leader: int) -> set[int]:
    """Processes that still run whose ancestors include `leader`."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(status.parent.name)] = int(fields[1])
    found, wave = set(), {leader}
    while wave:
        wave = {pid for pid, parent in parents.items() if parent in wave}
        found |= wave
    return found


def _gone(processes: set[int], *, seconds: float) -> bool:
    for _ in range(int(seconds * 10)):
        if not any(Path(f"/proc/{pid}").exists() for pid in processes):
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> dict[str, Any]:
    """How a command of an installation of its own, with its tables, is started."""
    home = tmp_path_factory.mktemp("installation")
    environment = {
        "PATH": os.environ["PATH"],
        "REVIEWER_VAR": str(home),
        "SECRET_KEY": "only-for-this-test",
        "ANTHROPIC_API_KEY": "",
    }
    run = {"cwd": ROOT, "env": environment}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], check=True, **run)
    (home / "static").mkdir(exist_ok=True)
    return run


def _with_a_terminal() -> None:
    """Tests that were started by nohup hand on that a closed terminal is nothing to them."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGHUP], ids=["Ctrl-C", "closed terminal"])
def test_it_serves_pages_and_work_until_it_is_stopped_and_leaves_nothing_running(how, run):
    address = f"127.0.0.1:{_free_port()}"
    processes: set[int] = set()
    served = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--bind", address, "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=_with_a_terminal,
        **run,
    )
    try:
        assert _answers(f"http://{address}/healthz", seconds=30)
        processes = _of_session(served.pid)
        assert len(processes) >= 3
        os.kill(served.pid, how)
        told, _ = served.communicate(timeout=20)
    finally:
        if served.poll() is None:
            for left in (processes | _of_session(served.pid)) | {served.pid}:
                os.kill(left, signal.SIGKILL)
    assert f"http://{address}" in told.decode()
    assert "Traceback" not in told.decode()
    assert _gone(processes, seconds=15)


def test_a_port_that_is_taken_is_said_before_anything_starts():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} is taken.*PORT={port + 1}"):
            call_command("serve", bind=f"127.0.0.1:{port}")


def test_an_address_that_is_not_of_this_machine_is_said_before_anything_starts():
    with pytest.raises(CommandError, match=r"Nothing can listen at 192\.0\.2\.1:8000"):
        call_command("serve", bind="192.0.2.1:8000")

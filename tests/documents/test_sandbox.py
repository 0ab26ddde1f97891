"""A confined process reads the system, writes in its folder, and reaches nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reviewer.documents import sandbox
from tests.shared_cases import ROOT

guards = sandbox.available()
needs_files = pytest.mark.skipif(not guards.files, reason="LANDLOCK ABSENT on this kernel")
needs_network = pytest.mark.skipif(not guards.network, reason="NO GUARD of the network here")


def confined(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a process that has confined itself to `folder`."""
    start = (
        "import sys, os, socket, pathlib\n"
        "from reviewer.documents.sandbox import confine\n"
        "from reviewer.documents.limits import Limits\n"
        f"confine(pathlib.Path({str(folder)!r}), Limits(seconds=20))\n"
    )
    return subprocess.run(
        [sys.executable, "-P", "-B", "-c", start + code],
        env={"PYTHONPATH": str(ROOT), "PATH": os.defpath},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def outcome(code: str, folder: Path) -> str:
    """'done', or the name of the error that the code met."""
    wrapped = (
        f"try:\n    {code}\n    print('done')\nexcept OSError as e:\n    print(type(e).__name__)"
    )
    ended = confined(wrapped, folder)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


@needs_files
def test_files_of_its_own_can_be_read_and_written_and_others_cannot(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (own / "a").write_text("mine")
    (other / "secret").write_text("4711")
    assert outcome(f"open({str(own / 'a')!r}).read()", own) == "done"
    assert outcome(f"open({str(own / 'b')!r}, 'w').write('x')", own) == "done"
    assert outcome(f"open({str(other / 'secret')!r}).read()", own) == "PermissionError"
    assert outcome(f"open({str(other / 'new')!r}, 'w')", own) == "PermissionError"
    assert outcome(f"os.listdir({str(other)!r})", own) == "PermissionError"
    assert outcome(f"os.unlink({str(other / 'secret')!r})", own) == "PermissionError"
    assert outcome(f"open({str(ROOT / 'pyproject.toml')!r}).read()", own) == "PermissionError"
    assert outcome("open('/etc/shadow').read()", own) == "PermissionError"
    assert outcome("open('/etc/hostname').read()", own) == "PermissionError"
    assert (other / "secret").read_text() == "4711"


@needs_network
@pytest.mark.parametrize(
    "code",
    [
        "socket.socket()",
        "socket.socket(socket.AF_INET6)",
        "socket.socket(socket.AF_UNIX)",
        "socket.create_connection(('127.0.0.1', 80), 1)",
        "socket.getaddrinfo('example.com', 80)",
    ],
)
def test_no_socket_can_be_made(code: str, tmp_path: Path) -> None:
    assert outcome(code, tmp_path) in {"PermissionError", "gaierror"}


@needs_network
@pytest.mark.parametrize(
    "code",
    [
        "os.chmod({other!r}, 0o777)",
        "os.fchmod(os.open({own!r}, os.O_RDONLY), 0o777)",
        "os.chown({other!r}, os.getuid(), os.getgid())",
        "os.lchown({other!r}, os.getuid(), os.getgid())",
        "os.utime({other!r}, (0, 0))",
        "os.setxattr({other!r}, 'user.mark', b'1')",
    ],
)
def test_rights_times_and_marks_of_no_file_can_be_changed(code: str, tmp_path: Path) -> None:
    # Landlock allows these on every file that can be named; the worker's own secret is one.
    own, other = tmp_path / "own", tmp_path / "secret"
    own.mkdir()
    (own / "a").touch()
    other.write_text("4711")
    before = other.stat()
    said = code.format(own=str(own / "a"), other=str(other))
    assert outcome(said, own) == "PermissionError"
    assert (other.stat().st_mode, other.stat().st_mtime) == (before.st_mode, before.st_mtime)


@needs_network
@pytest.mark.parametrize(
    "code",
    [
        "resource.prlimit({pid}, resource.RLIMIT_NOFILE, (3, 3))",
        "os.setpriority(os.PRIO_PROCESS, {pid}, 19)",
        "os.sched_setaffinity({pid}, {{0}})",
        "os.sched_setscheduler({pid}, os.SCHED_IDLE, os.sched_param(0))",
    ],
)
def test_limits_of_another_process_cannot_be_changed(code: str, tmp_path: Path) -> None:
    said = "import resource; " + code.format(pid=os.getpid())
    assert outcome(said, tmp_path) == "PermissionError"


@needs_network
def test_its_own_limits_can_still_be_read(tmp_path: Path) -> None:
    assert (
        outcome("import resource; resource.getrlimit(resource.RLIMIT_NOFILE)", tmp_path) == "done"
    )


@needs_network
@pytest.mark.parametrize("leave", ["os.setsid()", "os.setpgid(0, 0)"])
def test_nothing_that_it_starts_can_leave_the_group_that_is_ended(
    leave: str, tmp_path: Path
) -> None:
    code = f"import os\ntry:\n    {leave}\nexcept OSError as e:\n    print(type(e).__name__)"
    start = f"import subprocess; subprocess.run([sys.executable, '-c', {code!r}], check=True)"
    ended = confined(start, tmp_path)
    assert ended.stdout.strip() == "PermissionError", ended.stderr


@needs_network
@pytest.mark.parametrize(
    "call",
    [
        "unshare(0x10000000)",
        "shmget(0x4711, 4096, 0o1600)",
        "msgget(0x4711, 0o1600)",
        "semget(0x4711, 1, 0o1600)",
        "ptrace(16, os.getppid(), 0, 0)",
        "mount(b'none', b'.', b'tmpfs', 0, None)",
    ],
)
def test_nothing_outlasts_it_and_no_door_into_the_kernel_is_open(call: str, tmp_path: Path) -> None:
    code = f"import ctypes; libc = ctypes.CDLL(None, use_errno=True); print(libc.{call}, ctypes.get_errno())"
    assert confined(code, tmp_path).stdout.split() in (["-1", "13"], ["-1", "1"])


@needs_network
def test_what_it_starts_is_confined_too(tmp_path: Path) -> None:
    inner = "import socket; socket.socket()"
    code = f"import subprocess; subprocess.run([sys.executable, '-c', {inner!r}], check=True)"
    ended = confined(code, tmp_path)
    assert "PermissionError" in ended.stderr


def test_memory_is_bounded(tmp_path: Path) -> None:
    assert "MemoryError" in confined("x = bytearray(2 << 30)", tmp_path).stderr


def test_what_holds_is_said_for_the_system_check() -> None:
    assert sandbox.available() is sandbox.available()
    assert isinstance(guards.network, bool)
    assert isinstance(guards.files, bool)

"""What a child process that reads a file is kept from: the network, and files not its own.

Three guards of the Linux kernel, each applied where it is allowed: a network namespace of
its own (which holds no interface), a filter that refuses to make sockets and what else no
reading needs (`calls`), and Landlock, which limits files to a list. All are inherited by
what the child starts and cannot be undone. `available()` tries them in a process and says which hold, for a system check.

Refused: pretending. Where a guard is not to be had, reading goes on without it, and
`available()` says so.
"""

import ctypes
import functools
import json
import os
import platform
import resource
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from reviewer.documents.calls import PRLIMIT, REFUSED, SOCKET
from reviewer.documents.limits import Limits

_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SIGKILL = 9

# Landlock: the three system calls have these numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read files, read folders
_WRITE = sum(1 << bit for bit in (1, 4, 5, 7, 8, 9, 10, 12))
_FOR_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_BITS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}

# Where programs, libraries, fonts and their settings are, to be read by anyone.
_SYSTEM = (
    "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt/libreoffice", "/etc/fonts",
    "/etc/ld.so.cache", "/etc/localtime", "/etc/libreoffice", "/etc/alternatives",
    "/etc/mime.types", "/var/lib/libreoffice",
    "/var/spool/libreoffice", "/etc/ssl/openssl.cnf", "/var/cache/fontconfig", "/dev/urandom",
    "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/sys/vm", "/sys/devices/system/cpu",
)  # fmt: skip

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000


@dataclass(frozen=True, slots=True)
class Guards:
    """Which guards hold in the child."""

    network: bool
    files: bool


def confine(folder: Path, limits: Limits) -> Guards:
    """Confine this process for good, to read the system and to write in `folder` alone.

    Call it once, before anything of the file is read, while there is one thread.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    namespace = _own_network(libc)
    end_with_parent()  # again: other rights than the parent's can undo it
    _limit(limits)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    files = _own_files(libc, folder)
    sockets = _filter_calls(libc)
    return Guards(network=namespace or sockets, files=files)


def end_with_parent() -> None:
    """Have the kernel kill this process when the one that made it ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)


@functools.cache
def available() -> Guards:
    """Which guards hold on this machine, found by trying them in a process."""
    root = Path(__file__).resolve().parents[2]
    try:
        tried = subprocess.run(
            [sys.executable, "-P", "-s", "-B", "-m", "reviewer.documents.sandbox"],
            env={"PYTHONPATH": str(root), "PATH": os.defpath},
            capture_output=True,
            timeout=30,
            check=True,
        )
        return Guards(**json.loads(tried.stdout))
    except (OSError, ValueError, TypeError, subprocess.SubprocessError):
        return Guards(network=False, files=False)


def _limit(limits: Limits) -> None:
    for what, value in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, limits.seconds),
        (resource.RLIMIT_FSIZE, limits.output_bytes),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(what, (bound, bound))


def _own_network(libc: ctypes.CDLL) -> bool:
    """Move to a network namespace of our own, without any interface."""
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    except OSError:
        pass  # the process then has no name for itself, which it does not need
    return True


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _own_files(libc: ctypes.CDLL, folder: Path) -> bool:
    """Landlock: read the system, write in `folder`, nothing else."""
    abi = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if abi < 1:
        return False
    handled = (1 << _BITS_BY_ABI.get(abi, 16)) - 1
    net = 0b11 if abi >= 4 else 0
    scoped = 0b11 if abi >= 6 else 0
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = libc.syscall(
        _CREATE_RULESET, ctypes.byref(_Ruleset(handled, net, scoped)), ctypes.c_size_t(size), 0
    )
    if ruleset < 0:
        return False
    try:
        _allow(libc, ruleset, _readable(), _READ & handled)
        _allow(libc, ruleset, ["/dev/null"], (_READ | 1 << 1 | 1 << 14) & handled)
        _allow(libc, ruleset, [str(folder)], (_READ | _WRITE | 1 << 13 | 1 << 14) & handled)
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _readable() -> Iterable[str]:
    ours = Path(__file__).resolve().parent
    python = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    package = [str(ours), str(ours.parent / "__init__.py")]
    return [*_SYSTEM, *sorted(python), *package]


def _allow(libc: ctypes.CDLL, ruleset: int, paths: Iterable[str], rights: int) -> None:
    for path in paths:
        try:
            beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            allowed = rights if Path(path).is_dir() else rights & _FOR_FILES
            rule = _Beneath(allowed, beneath)
            libc.syscall(_ADD_RULE, ruleset, 1, ctypes.byref(rule), 0)
        finally:
            os.close(beneath)


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("true", ctypes.c_uint8),
        ("false", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_Instruction)))


def _filter_calls(libc: ctypes.CDLL) -> bool:
    """A filter on system calls: making a socket, and what else no reading needs, fails as for
    want of permission. Whether it holds."""
    machine = platform.machine()
    if machine not in _AUDIT_ARCH:
        return False
    load, equal, at_least, give = 0x20, 0x15, 0x35, 0x06
    allow, refuse, kill = 0x7FFF0000, 0x00050000 | 13, 0x80000000
    steps = [
        (load, 0, 0, 4),  # the architecture
        (equal, 1, 0, _AUDIT_ARCH[machine]),
        (give, 0, 0, kill),
        (load, 0, 0, 0),  # the number of the call
        (at_least, 0, 1, _X32),
        (give, 0, 0, refuse),
    ]
    for number in (SOCKET[machine], *sorted(REFUSED[machine].values())):
        steps += [(equal, 0, 1, number), (give, 0, 0, refuse)]
    steps += [
        (equal, 0, 3, PRLIMIT[machine]),
        (load, 0, 0, 16),  # its first argument: whose limits, 0 for one's own
        (equal, 1, 0, 0),
        (give, 0, 0, refuse),
        (give, 0, 0, allow),
    ]
    instructions = (_Instruction * len(steps))(*(_Instruction(*step) for step in steps))
    program = _Program(len(steps), instructions)
    return bool(libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0) == 0)


if __name__ == "__main__":
    print(json.dumps(asdict(confine(Path("/nonexistent"), Limits()))))  # noqa: T201

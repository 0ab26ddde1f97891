"""What the kernel sees of a reading: no socket, and no file written outside its own folder."""

import re
import shutil
from pathlib import Path

import pytest

from reviewer.documents import readers, watching
from reviewer.documents.errors import UnreadableFile
from reviewer.documents.intake import read_file
from reviewer.documents.readers import Readers
from tests.reads import LIMITS
from tests.shared_cases import case, needs_cases

WATCHED = [
    "hard/operator_list_cycle.pdf",
    "hard/poppler-742-0-fuzzed.pdf",
    "hard/ext-rels.pptx",
    "proposals/rconsortium_isc-proposal.html",
    "proposals/18F_Posted_InstructionsforOralPresentations.md",
]
TRACER = shutil.which("strace")
SOCKETS = "socket,connect,bind,listen,accept,accept4,sendto,sendmsg"
CHANGES = "openat,open,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat"
WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
CALL = re.compile(r"^\d+ +(?P<name>\w+)\((?P<what>.*)\) += (?P<result>-?\d+|\?)")
HARMLESS = ("/dev/null", "/proc/self/")


@needs_cases
@pytest.mark.skipif(TRACER is None, reason="STRACE ABSENT: install it to watch what reading does")
@pytest.mark.parametrize("path", WATCHED)
def test_no_socket_is_opened_and_nothing_is_written_outside(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    watch = [
        TRACER,
        "-f",
        "--seccomp-bpf",
        "-qq",
        "-o",
        str(log),
        "-e",
        f"trace=setsid,{SOCKETS},{CHANGES}",
    ]
    traced = Readers([*watch, *readers.COMMAND])
    monkeypatch.setattr(watching, "readers", traced)
    into = tmp_path / "into"
    assert outcome(path, into) in {"", "damaged", "needs_libreoffice"}
    traced.close()
    outside = [call for call in calls(log) if not harmless(*call, str(into))]
    assert outside == []


def outcome(path: str, into: Path) -> str:
    """The code of the reason why there are no sheets; empty where there are."""
    try:
        read_file(case("documents", path), into, name=Path(path).name, limits=LIMITS)
    except UnreadableFile as reason:
        return reason.code
    return ""


def calls(log: Path) -> list[tuple[str, str]]:
    """The calls that succeeded since a reader was forked: sockets, and changes to files."""
    found = []
    _, forked, since = log.read_text(errors="replace").partition("setsid(")
    assert forked
    for line in since.splitlines():
        call = CALL.match(line.replace("<unfinished ...>", ") = 0"))
        if call and not call["result"].startswith("-"):
            opened = call["name"] in {"open", "openat"}
            if not opened or WRITING.search(call["what"]):
                found.append((call["name"], call["what"]))
    assert found
    return found


def harmless(name: str, what: str, own: str) -> bool:
    if name in SOCKETS.split(","):
        return False
    paths = re.findall(r'"([^"]*)"', what)
    return all(path.startswith((own, *HARMLESS)) or not path.startswith("/") for path in paths)

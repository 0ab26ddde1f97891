"""Reading in a child process: everything or nothing, within limits, and what the person is told."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image

from reviewer.documents import watching
from reviewer.documents.errors import UnreadableFile
from reviewer.documents.intake import draw_sheet, read_file
from reviewer.documents.limits import Limits, in_words
from reviewer.documents.readers import ReaderGone, Readers
from reviewer.documents.returned import read_result
from tests.documents.conftest import Read
from tests.documents.making import HandPdf, lines_of, text_at
from tests.shared_cases import ROOT


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    pages = [lines_of(f"This is sheet {n}.") for n in (1, 2, 3)]
    return HandPdf(pages).write(tmp_path / "three.pdf")


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_a_file_becomes_sheets_with_images_and_nothing_else_is_left(
    pdf: Path, tmp_path: Path
) -> None:
    into = tmp_path / "into"
    document = read_file(pdf, into, name="three.pdf")
    assert [sheet.text for sheet in document.sheets] == [f"This is sheet {n}." for n in (1, 2, 3)]
    assert (document.kind, document.converter, document.layout_approximate) == (
        "pdf",
        "none",
        False,
    )
    assert document.pdf.read_bytes() == pdf.read_bytes()
    for sheet in document.sheets:
        with Image.open(sheet.image) as image:
            assert image.size == (sheet.image_width, sheet.image_height) == (1190, 1684)
        with Image.open(sheet.thumbnail) as small:
            assert 200 <= small.width <= 260
    assert files_in(into) == sorted(
        ["document.pdf"]
        + [f"sheet-000{n}.png" for n in (1, 2, 3)]
        + [f"thumb-000{n}.jpg" for n in (1, 2, 3)]
    )


def test_progress_says_what_is_done_and_of_how_much(pdf: Path, tmp_path: Path) -> None:
    said: list[tuple[str, int, int]] = []
    read_file(pdf, tmp_path / "into", name="a.pdf", on_progress=lambda *step: said.append(step))
    assert said[0] == ("opening", 0, 1)
    assert said[1:] == [("sheets", 1, 3), ("sheets", 2, 3), ("sheets", 3, 3)]


@pytest.mark.parametrize(
    ("limits", "code", "says"),
    [
        (Limits(max_bytes=100), "too_large", "the limit is 1 KB"),
        (Limits(max_sheets=2), "too_many_sheets", "more than 2 sheets"),
        (Limits(output_bytes=5_000), "too_much_output", "more room than is allowed"),
    ],
)
def test_beyond_a_limit_nothing_is_kept_and_the_limit_is_said(
    limits: Limits, code: str, says: str, pdf: Path, tmp_path: Path
) -> None:
    into = tmp_path / "into"
    with pytest.raises(UnreadableFile) as caught:
        read_file(pdf, into, name="a.pdf", limits=limits)
    assert caught.value.code == code
    assert says in caught.value.message
    assert not into.exists()


def test_a_folder_that_was_there_stays_and_stays_empty(tmp_path: Path) -> None:
    into = tmp_path / "into"
    into.mkdir()
    broken = tmp_path / "a.pdf"
    broken.write_bytes(b"%PDF-1.7 and nothing more")
    with pytest.raises(UnreadableFile, match="damaged or incomplete"):
        read_file(broken, into, name="a.pdf")
    assert files_in(into) == []


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="Upload it again"):
        read_file(tmp_path / "gone.pdf", tmp_path / "into", name="gone.pdf")


@pytest.fixture
def reading_with(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Readers]]:
    """`reading_with(code)` has files read by code of our own, with `folder` to work in."""
    made: list[Readers] = []

    def replaced(code: str) -> Readers:
        lines = "".join(f"    {line}\n" for line in code.splitlines())
        served = "import os, signal, subprocess, sys, time\n"
        served += f"def read(folder):\n{lines}"
        served += "from reviewer.documents.forkserver import serve\nserve(read)\n"
        made.append(Readers([sys.executable, "-P", "-B", "-c", served]))
        monkeypatch.setattr(watching, "readers", made[-1])
        return made[-1]

    yield replaced
    for readers in made:
        readers.close()


def test_a_reader_that_hangs_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading_with: Callable[[str], Readers]
) -> None:
    """The stand-in starts a process of its own, says its number, and never ends."""
    reading_with(f"""
started = subprocess.Popen(["sleep", "600"])
open({str(tmp_path / "started")!r}, "w").write(str(started.pid))
started.wait()""")
    monkeypatch.setattr(watching, "_GRACE", 0)
    given = tmp_path / "a.pdf"
    given.write_bytes(b"%PDF-1.7")
    begun = time.monotonic()
    with pytest.raises(UnreadableFile) as caught:
        read_file(given, tmp_path / "into", name="a.pdf", limits=Limits(seconds=1))
    assert caught.value.code == "too_slow"
    assert "longer than 1 seconds" in caught.value.message
    assert time.monotonic() - begun < 10
    assert not (tmp_path / "into").exists()
    assert not alive(int((tmp_path / "started").read_text()))


def test_files_are_read_at_the_same_time_and_each_by_a_process_of_its_own(
    tmp_path: Path, reading_with: Callable[[str], Readers]
) -> None:
    readers = reading_with("while not (folder / 'go').exists(): time.sleep(0.01)")
    folders = [tmp_path / str(number) for number in range(8)]
    for folder in folders:
        folder.mkdir()
    running = [readers.read(folder) for folder in folders]
    for folder, reader in zip(reversed(folders), reversed(running), strict=True):
        (folder / "go").touch()
        assert reader.ended().code == 0
    for reader in running:
        reader.let_go()


def test_a_reader_that_is_let_go_is_gone_and_the_others_go_on(
    tmp_path: Path, reading_with: Callable[[str], Readers]
) -> None:
    readers = reading_with("print(os.getpid(), flush=True)\ntime.sleep(600)")
    first, second = readers.read(tmp_path), readers.read(tmp_path)
    one, other = (int(os.read(reader.progress, 20)) for reader in (first, second))
    first.let_go()
    assert not alive(one)
    os.kill(other, 0)
    readers.close()
    second.let_go()
    assert not alive(other)


def test_a_fork_server_that_ended_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reading_with: Callable[[str], Readers]
) -> None:
    """As one does to which nobody spoke for a while."""
    readers = reading_with("pass")
    for _ in range(2):
        reader = readers.read(tmp_path)
        assert reader.ended().code == 0
        reader.let_go()
        assert readers._server is not None
        readers._server.kill()
        readers._server.wait()


def test_a_fork_server_that_is_gone_costs_no_descriptor(
    tmp_path: Path, reading_with: Callable[[str], Readers]
) -> None:
    readers = reading_with("pass")
    held = set()
    for _ in range(4):
        reader = readers.read(tmp_path)
        assert readers._server is not None
        readers._server.kill()
        readers._server.wait()
        with suppress(ReaderGone):
            reader.ended()
        reader.let_go()
        held.add(len(list(Path("/proc/self/fd").iterdir())))
    assert len(held) == 1


def test_a_fork_server_with_nothing_to_do_ends() -> None:
    code = (
        "from reviewer.documents import forkserver\nforkserver.IDLE = 0.1\nforkserver.serve(print)"
    )
    readers = Readers([sys.executable, "-P", "-B", "-c", code])
    readers._started()
    assert readers._server is not None
    assert readers._server.wait(30) == 0
    readers.close()


def test_a_fork_server_that_cannot_start_leaves_the_file_unread(
    pdf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "readers", Readers(["false"]))
    with pytest.raises(UnreadableFile) as caught:
        read_file(pdf, tmp_path / "into", name="a.pdf")
    assert caught.value.code == "crashed"
    assert not (tmp_path / "into").exists()


def test_the_readers_of_a_process_that_is_killed_end_with_all_they_started(
    tmp_path: Path,
) -> None:
    """As a worker is killed in the middle of a file."""
    read = """
import os, subprocess, sys, time
from pathlib import Path
from reviewer.documents.forkserver import serve
def read(folder):
    started = subprocess.Popen(["sleep", "600"]).pid
    Path(folder, "part").write_text(f"{started} {os.getpid()} {os.getppid()}")
    Path(folder, "part").rename(folder / "processes")
    time.sleep(600)
serve(read)"""
    worker = f"""
import sys, time
from pathlib import Path
from reviewer.documents.readers import ReaderGone, Readers
readers = Readers([sys.executable, "-P", "-B", "-c", {read!r}])
reader = readers.read(Path({str(tmp_path)!r}))
time.sleep(600)"""
    killed = subprocess.Popen([sys.executable, "-c", worker], env={"PYTHONPATH": str(ROOT)})
    told = tmp_path / "processes"
    while not told.exists():
        assert killed.poll() is None
        time.sleep(0.02)
    killed.kill()
    killed.wait()
    for process in map(int, told.read_text().split()):
        assert not alive(process)


def alive(process: int) -> bool:
    for _ in range(50):
        try:
            os.kill(process, 0)
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            return False
        if state == "Z":
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed"),
        ("raise MemoryError", "too_much_memory"),
        ("os.kill(os.getpid(), signal.SIGXCPU)", "too_slow"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "too_much_memory"),
        ("pass", "crashed"),
        ("sys.exit(0)", "crashed"),
        ("os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)", "crashed"),
    ],
)
def test_a_reader_that_ends_badly_gives_a_reason_and_leaves_nothing(
    ending: str, code: str, tmp_path: Path, reading_with: Callable[[str], Readers]
) -> None:
    reading_with(ending)
    given = tmp_path / "a.pdf"
    given.write_bytes(b"%PDF-1.7")
    for _ in range(2):  # the second file meets what the first left behind
        with pytest.raises(UnreadableFile) as caught:
            read_file(given, tmp_path / "into", name="a.pdf")
        assert caught.value.code == code
        assert not (tmp_path / "into").exists()


def test_our_settings_and_our_files_do_not_reach_the_child(
    pdf: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reading_with: Callable[[str], Readers],
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    told = tmp_path / "told"
    reading_with(f"""
import json, tempfile
held = [os.readlink(f"/proc/self/fd/{{n}}") for n in range(100) if os.path.lexists(f"/proc/self/fd/{{n}}")]
says = [dict(os.environ), held, tempfile.gettempdir(), os.getcwd(), os.getpgrp() == os.getpid()]
open({str(told)!r}, "w").write(json.dumps([*says, str(folder)]))""")
    with pytest.raises(UnreadableFile):
        read_file(pdf, tmp_path / "into", name="a.pdf")
    seen, held, temporary, where, leads, folder = json.loads(told.read_text())
    assert "sk-secret" not in seen.values()
    assert set(seen) <= {"PATH", "PYTHONPATH", "PYTHONHASHSEED", "HOME", "TMPDIR", "LANG",
                         "LC_ALL", "TZ", "PILLOW_BLOCKS_MAX", "MALLOC_MMAP_THRESHOLD_",
                         "MALLOC_TRIM_THRESHOLD_"}  # fmt: skip
    assert (seen["HOME"], where, temporary) == (folder, folder, f"{folder}/tmp")
    assert leads
    assert [name.partition(":")[0] for name in held] == ["/dev/null", "pipe", f"{folder}/errors"]


def written(folder: Path, result: object, rows: list[object]) -> None:
    (folder / "result.json").write_text(json.dumps(result))
    (folder / "sheets.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("document.pdf", "sheet-0001.png", "thumb-0001.jpg"):
        (folder / name).write_bytes(b"x")


def told(**other: list[object]) -> dict[str, list[object]]:
    return {"leftovers": [], "tables": [], "headings": [], **other}


RESULT = {
    "kind": "pdf",
    "converter": "none",
    "layout_approximate": False,
    "notes": [],
    "fit": [],
    "sheets": 1,
    "source": told(),
}
ROW = {
    "number": 1,
    "label": "1",
    "text": "a",
    "width": 1,
    "height": 1,
    "words": [["a", 0, 0, 1, 1]],
    "image_width": 1,
    "image_height": 1,
    "unread": "",
    "paragraphs": [["a", "sha256:0", 0, 0]],
}


def test_what_the_child_says_is_taken_when_it_has_the_right_form(tmp_path: Path) -> None:
    folder, into = tmp_path / "child", tmp_path / "into"
    folder.mkdir()
    into.mkdir()
    written(folder, RESULT, [ROW])
    assert read_result(folder, into, Limits()).sheets[0].text == "a"


@pytest.mark.parametrize(
    ("result", "rows"),
    [
        (RESULT | {"kind": "exe"}, [ROW]),
        (RESULT | {"fit": [["a", "x", "b"]]}, [ROW]),
        (RESULT | {"notes": [{"not": "text"}]}, [ROW]),
        (RESULT | {"source": {}}, [ROW]),
        (RESULT | {"source": told(leftovers=[["virus", 1, "a", "b", "c"]])}, [ROW]),
        (RESULT | {"source": told(tables=[[["a", 1]]])}, [ROW]),
        (RESULT | {"source": told(headings=[["first", "a"]])}, [ROW]),
        ([], [ROW]),
        (RESULT, []),
        (RESULT, [ROW | {"number": 7}]),
        (RESULT, [ROW | {"words": [["a", 0, 0]]}]),
        (RESULT, [ROW | {"unread": "whatever"}]),
        (RESULT, [{"number": 1}]),
    ],
)
def test_what_the_child_says_in_another_form_is_refused(
    result: object, rows: list[object], tmp_path: Path
) -> None:
    folder, into = tmp_path / "child", tmp_path / "into"
    folder.mkdir()
    into.mkdir()
    written(folder, result, rows)
    with pytest.raises(UnreadableFile) as caught:
        read_result(folder, into, Limits())
    assert caught.value.code == "crashed"
    assert files_in(into) == []


def test_a_link_that_the_child_left_is_not_followed(tmp_path: Path) -> None:
    folder, into = tmp_path / "child", tmp_path / "into"
    folder.mkdir()
    into.mkdir()
    written(folder, RESULT, [ROW])
    secret = tmp_path / "secret"
    secret.write_text("4711")
    (folder / "sheet-0001.png").unlink()
    (folder / "sheet-0001.png").symlink_to(secret)
    with pytest.raises(UnreadableFile):
        read_result(folder, into, Limits())
    assert files_in(into) == []


def test_one_sheet_can_be_drawn_larger(pdf: Path, tmp_path: Path) -> None:
    into = tmp_path / "zoom" / "2.png"
    width, height = draw_sheet(pdf, 2, into, scale=4)
    with Image.open(into) as image:
        assert image.size == (width, height) == (2380, 3368)
    assert files_in(into.parent) == ["2.png"]
    with pytest.raises(UnreadableFile):
        draw_sheet(pdf, 4, tmp_path / "none" / "4.png", scale=4)
    assert not (tmp_path / "none").exists()


def test_a_count_of_pages_is_not_believed(read: Read, tmp_path: Path) -> None:
    made = HandPdf([text_at(60, 700, "The only page")]).write(tmp_path / "many.pdf")
    raw = made.read_bytes()
    assert raw.count(b"/Count 1") == 1
    made.write_bytes(raw.replace(b"/Count 1", b"/Count 9"))
    document = read(made)
    assert [sheet.text for sheet in document.sheets] == ["The only page"]
    assert any("does not have" in note for note in document.notes)


def test_a_locked_pdf_says_what_to_do_and_one_that_opens_without_is_read(
    read: Read, pdf: Path, tmp_path: Path
) -> None:
    import pikepdf

    for user in ("abc", ""):
        with pikepdf.open(pdf) as opened:
            opened.save(tmp_path / "p.pdf", encryption=pikepdf.Encryption(owner="o", user=user))
        if user:
            with pytest.raises(UnreadableFile) as caught:
                read(tmp_path / "p.pdf")
            assert (
                caught.value.message == "This PDF is locked with a password. Upload it without one."
            )
        else:
            assert len(read(tmp_path / "p.pdf").sheets) == 3


def test_sizes_are_said_as_people_say_them() -> None:
    assert in_words(25 * 1024 * 1024) == "25 MB"
    assert in_words(1_600_000) == "1.5 MB"
    assert in_words(100) == "1 KB"
    assert in_words(640 * 1024) == "640 KB"

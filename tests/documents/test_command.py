"""`manage.py sheets`: JSON on standard output and nothing else, 3 where a file cannot be read."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.documents.making import HandPdf, text_at
from tests.shared_cases import ROOT


def test_sheets_prints_fit_and_sheets_with_words_in_points_from_the_top_left(
    tmp_path: Path,
) -> None:
    path = HandPdf([text_at(60, 742, "Fee: 642,000")]).write(tmp_path / "a.pdf")
    out = StringIO()
    call_command("sheets", path, format="json", stdout=out)
    printed = json.loads(out.getvalue())
    assert set(printed) == {"fit", "sheets"}
    assert {fault["code"] for fault in printed["fit"]} == {"fonts_not_embedded"}
    assert all(set(fault) == {"code", "sheet", "message"} for fault in printed["fit"])
    (sheet,) = printed["sheets"]
    assert set(sheet) == {"number", "label", "text", "width", "height", "words"}
    assert (sheet["number"], sheet["label"], sheet["text"]) == (1, "1", "Fee: 642,000")
    assert (sheet["width"], sheet["height"]) == (595, 842)
    text, x0, y0, x1, y1 = sheet["words"][0]
    assert text == "Fee:"
    assert x0 == pytest.approx(60, abs=2)
    assert y1 == pytest.approx(100, abs=2)
    assert 60 <= x0 < x1
    assert 85 < y0 < y1


def test_a_file_that_cannot_be_read_ends_with_3_and_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.doc"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"))
    err = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("sheets", path, stderr=err)
    assert ended.value.code == 3
    assert err.getvalue() == (
        "This is a Word 97 document (.doc), an older format that cannot be read here. "
        "Save it as .docx or PDF, and upload that.\n"
    )
    assert capsys.readouterr().out == ""


def test_the_command_runs_without_a_database(tmp_path: Path) -> None:
    path = HandPdf([text_at(60, 742, "Hello")]).write(tmp_path / "a.pdf")
    ended = subprocess.run(
        [sys.executable, "manage.py", "sheets", str(path), "--format", "json"],
        cwd=ROOT,
        env={
            "PATH": "/usr/bin:/bin",
            "DJANGO_SETTINGS_MODULE": "reviewer.settings",
            "REVIEWER_VAR": str(tmp_path / "var"),
            "DATABASE_URL": "postgres://nobody:x@127.0.0.1:1/none",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["sheets"][0]["text"] == "Hello"

"""The house keeps its order: what is loaded where, and how large a module may be."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "reviewer"
HEAVY = ("anthropic", "weasyprint", "pypdfium2", "mammoth", "lxml", "PIL", "markdown_it")
LINES_AT_MOST = 400


def _modules(*folders: str) -> list[str]:
    """Names of the modules below these folders of the package, as they are imported."""
    return sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for folder in folders
        for path in (PACKAGE / folder).rglob("*.py")
    )


def _loaded_after(program: str, tmp_path: Path) -> set[str]:
    """The top-level packages that a fresh process has loaded at the end of `program`."""
    ran = subprocess.run(
        [
            *(sys.executable, "-W", "error::ImportWarning", "-c"),
            f"{program}\nimport sys\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))",
        ],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "REVIEWER_VAR": str(tmp_path), "SECRET_KEY": "a test"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return set(ran.stdout.split())


def test_the_judgement_and_the_documents_load_no_framework(tmp_path):
    program = "\n".join(f"import {name}" for name in _modules("core", "documents"))
    loaded = _loaded_after(program, tmp_path)
    assert "reviewer" in loaded
    assert loaded.isdisjoint({"django", "celery", "kombu"})


def test_the_judgement_and_the_documents_load_nothing_heavy_until_it_is_used(tmp_path):
    program = "\n".join(f"import {name}" for name in _modules("core", "documents"))
    assert _loaded_after(program, tmp_path).isdisjoint({"weasyprint", "pypdfium2", "mammoth"})


def test_a_web_process_loads_nothing_heavy(tmp_path):
    program = """
import warnings
warnings.filterwarnings("ignore", "No directory at")
import reviewer.wsgi
from django.urls import get_resolver
assert len(get_resolver().reverse_dict) > 20
"""
    loaded = _loaded_after(program, tmp_path)
    assert {"django", "reviewer"} <= loaded
    assert loaded.isdisjoint(HEAVY)


def test_a_web_process_knows_the_tasks_it_sends(tmp_path):
    program = """
import warnings
warnings.filterwarnings("ignore", "No directory at")
import reviewer.wsgi
from celery import current_app
for name in ("convert_version", "perform_reading", "rescue"):
    assert f"reviewer.tasks.{name}" in current_app.tasks
"""
    assert "reviewer" in _loaded_after(program, tmp_path)


def test_no_module_is_too_long_to_be_read_at_once():
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for path in PACKAGE.rglob("*.py")
        if "migrations" not in path.parts
    }
    assert len(lengths) > 20
    assert {name: lines for name, lines in lengths.items() if lines > LINES_AT_MOST} == {}


def test_no_module_is_a_drawer_for_whatever_is_left():
    drawers = {"utils", "util", "helpers", "helper", "common", "misc"}
    looked_at = [*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    assert len(looked_at) > 100
    assert [path for path in looked_at if path.stem in drawers] == []


def test_every_module_says_what_it_promises():
    silent = [
        str(path.relative_to(ROOT))
        for path in PACKAGE.rglob("*.py")
        if "migrations" not in path.parts
        and path.read_text().strip()
        and not path.read_text().startswith('"""')
    ]
    assert silent == []

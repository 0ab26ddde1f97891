"""Where the shared cases are: inputs with right values, kept beside the project.

A user's machine does not have them; tests that need them skip and say so.
"""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _cases() -> Path | None:
    named = os.environ.get("REVIEWER_CASES")
    folder = Path(named) if named else ROOT.parent / "shared" / "cases"
    return folder if folder.is_dir() else None


CASES: Path | None = _cases()

needs_cases = pytest.mark.skipif(
    CASES is None,
    reason="SHARED CASES ABSENT: set REVIEWER_CASES to the folder of cases to run this test",
)


def case(*parts: str) -> Path:
    """The path of one shared case; call only in tests marked `needs_cases`."""
    assert CASES is not None
    return CASES.joinpath(*parts)

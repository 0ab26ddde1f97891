"""Texts compared with files that people have read.

To write them again run the test with `UPDATE_RECEIPTS=1`, and look at what changed.
"""

import os
from pathlib import Path

RECEIPTS = Path(__file__).parent / "cases" / "receipts"


def as_it_was(text: str, golden: Path) -> bool:
    """Whether `text` is what stands in `golden`, with the difference shown by the assertion."""
    if os.environ.get("UPDATE_RECEIPTS") == "1":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    return True

"""The record of a 200-sheet proposal in bounded memory, and how it grows with the sheets.

    python -m tests.bench.bench_record [SHEETS]

Lays out records of a quarter of the sheets and of all of them, from the same facts, and prints
seconds, pages, size and the most memory that the child held. Memory is to stay nearly flat.
"""

import os
import resource
import sys
import tempfile
import time
import zipfile
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from reviewer.documents.leaving import Rewritten, print_bundle  # noqa: E402
from reviewer.services.record_pdf import LIMITS, on_paper, parts_of  # noqa: E402
from tests.factories import picture  # noqa: E402

FINDINGS_A_SHEET = 5


def facts(sheets: int) -> dict:
    """A record's facts with so many sheets, five findings on each."""
    finding = {
        "severity": "fix", "rule": "Grounding", "quote": "cut detention costs by 30%",
        "text": "There is no source for this figure. " * 3, "edit": "Name the source.",
        "raised": "a model, in 3 of 3 passes", "verdict": "holds", "state": "dismissed",
        "is_late": False, "by": "Rae", "at": "1 November 2026", "reason": "The client gave it.",
    }  # fmt: skip
    return on_paper(
        {
            "number": 1, "workspace": "Field Systems", "title": "Tower", "client": "Northwind",
            "kind": "proposal", "is_gated": True, "version": 1, "made_by": "Wen",
            "made_at": "1 November 2026", "approval": None, "residual": "No estimate.",
            "held": [], "hashes": {}, "receipt": "Receipt", "reviews": [], "unread": [],
            "fit": [], "exceptions": [], "keeps": [], "layout_approximate": False,
            "running": "Review record 1", "last_rubric": "",
            "sheets": [
                {"number": n, "width": 612, "height": 792, "image": ""}
                for n in range(1, sheets + 1)
            ],
            "findings": [
                {**finding, "number": n, "sheet": 1 + n % sheets,
                 "places": [{"sheet": 1 + n % sheets, "boxes": [[72, 72, 300, 84]]}]}
                for n in range(FINDINGS_A_SHEET * sheets)
            ],
        }
    )  # fmt: skip


def measured(sheets: int) -> tuple[float, int, int]:
    """Seconds, pages and bytes of one record."""
    told = facts(sheets)
    with tempfile.TemporaryDirectory() as folder:
        bundle, target = Path(folder) / "bundle.zip", Path(folder) / "record.pdf"
        with zipfile.ZipFile(bundle, "w") as packed:
            for number, html in enumerate(parts_of(told, Rewritten((), (), sheets), "0"), start=1):
                packed.writestr(f"part-{number:04}.html", html)
            for sheet in told["sheets"]:
                packed.writestr(f"sheet-{sheet['number']}.image", picture(1224, 1584))
        began = time.perf_counter()
        pages = print_bundle(bundle, target, title="T", identifier="0", limits=LIMITS)
        return time.perf_counter() - began, pages, target.stat().st_size


def main() -> int:
    sheets = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for count in (max(1, sheets // 4), sheets):
        seconds, pages, size = measured(count)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"{count:4} sheets: {seconds:6.1f} s, {pages:4} pages, {size / 1e6:5.1f} MB, "
              f"child at most {most} MB")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""How fast the checks are, against reading the text layer that they read, and that they stay linear.

Run it by itself, or with `make bench`. Prints ratios, and fails where one misses what it
has to reach. Both are measured here, on one core, in turns, and the best of each is taken.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.checks import CheckedDocument, CheckedSheet, examine  # noqa: E402
from reviewer.documents.intake import read_file  # noqa: E402
from reviewer.documents.letters import read_letters  # noqa: E402
from reviewer.documents.lines import read_lines  # noqa: E402
from reviewer.documents.pages import load_page, open_pdf  # noqa: E402
from reviewer.documents.paragraphs import read_paragraphs  # noqa: E402

SAMPLE = ROOT / "reviewer" / "samples" / "harbor-claims-12-sheets.md"
TIMES = 8
TURNS = 5
SPEED_AT_LEAST = 1.0
GROWTH_AT_MOST = 1.4


def copies(sheets: tuple[CheckedSheet, ...], times: int) -> CheckedDocument:
    """A document `times` as long, of new sheets, so that nothing worked out before is kept."""
    return CheckedDocument(
        sheets=tuple(
            CheckedSheet(
                n * len(sheets) + sheet.number,
                sheet.label,
                # One word differs from copy to copy: repeated sheets would be one finding's worth.
                f"{sheet.text} Copy{n}",
                sheet.words,
                sheet.paragraphs,
            )
            for n in range(times)
            for sheet in sheets
        ),
        client="Harbor Mutual",
        other_clients=("Coastal Mutual", "Northgate Clinics"),
        today=date(2026, 11, 30),
    )


def read_text_layer(pdf: Path) -> int:
    """Letters, words, lines and paragraphs of every page, as the product reads them."""
    sheets = 0
    with open_pdf(pdf) as document:
        for index in range(len(document)):
            page = load_page(document, index)
            assert page is not None
            read_paragraphs(read_lines(read_letters(page.helper.get_textpage(), page.shown)), set())
            page.helper.close()
            sheets += 1
    return sheets


def best(measured: Callable[[], object]) -> float:
    """The shortest of several runs, in seconds of the processor."""
    seconds = []
    for _ in range(TURNS):
        started = time.process_time()
        measured()
        seconds.append(time.process_time() - started)
    return min(seconds)


def main() -> int:
    """Print every figure; 1 where one misses what it has to reach."""
    with tempfile.TemporaryDirectory() as folder:
        read = read_file(SAMPLE, Path(folder) / "read", name=SAMPLE.name)
        sheets = tuple(
            CheckedSheet(s.number, s.label, s.text, tuple(map(tuple, s.words))) for s in read.sheets
        )
        layer = best(lambda: read_text_layer(read.pdf)) / len(sheets)
    once = best(lambda: examine(copies(sheets, 1))) / len(sheets)
    often = best(lambda: examine(copies(sheets, TIMES))) / (len(sheets) * TIMES)
    speed, growth = layer / once, often / once
    print(f"{SAMPLE.name}: {len(sheets)} sheets; checks {1 / once:.0f} sheets a second")
    print(
        f"checks / reading the text layer, sheets a second: {speed:.2f} (at least {SPEED_AT_LEAST})"
    )
    print(
        f"time a sheet in a document {TIMES} times as long / in one: {growth:.2f} "
        f"(at most {GROWTH_AT_MOST})"
    )
    return int(speed < SPEED_AT_LEAST or growth > GROWTH_AT_MOST)


if __name__ == "__main__":
    raise SystemExit(main())

"""How fast a file becomes sheets, and that memory does not grow with the number of sheets.

    python tests/bench/bench_documents.py

Compares, in processor time on one core and in turns, best of each:

- the product: file to stored sheets (text, words, paragraphs, fit, page image, thumbnail),
  with its reader, which is forked from a process that was there before;
- a bare loop of pdfium render and the same image encoding: PNG at the lowest level of
  compression, in RGB, 144 dots an inch;
- `pdftoppm -png -r 144`, where it is installed.

Prints ratios of sheets a second, and ends with 1 where one misses what it has to reach.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import docx  # noqa: E402
import pikepdf  # noqa: E402

from reviewer.documents import office  # noqa: E402
from reviewer.documents.images import save_page  # noqa: E402
from reviewer.documents.intake import read_file  # noqa: E402
from reviewer.documents.limits import Limits  # noqa: E402
from reviewer.documents.pages import load_page, open_pdf, raster, scale_for  # noqa: E402
from reviewer.documents.readers import readers  # noqa: E402
from tests.reads import told_of_readers  # noqa: E402
from tests.shared_cases import CASES  # noqa: E402

SAMPLE = ROOT / "reviewer" / "samples" / "harbor-claims-12-sheets.md"
SHEETS = 120
FEW = 40
MANY = 400
TURNS = 3
AGAINST_BARE = 0.7
AGAINST_PDFTOPPM = 3.0
GROWTH_AT_MOST = 1.25
LATER_AT_MOST = 0.25
WORD_AT_MOST = 0.6
LIMITS = Limits(max_sheets=MANY, seconds=600, output_bytes=4 << 30)


def repeated(sources: list[Path], pages: int, to: Path) -> Path:
    """A PDF of `pages` pages, those of the sources over and over."""
    with pikepdf.new() as made:
        opened = [pikepdf.open(source) for source in sources]
        every = [page for pdf in opened for page in pdf.pages]
        for number in range(pages):
            made.pages.append(every[number % len(every)])
        made.save(to)
        for pdf in opened:
            pdf.close()
    return to


def product(pdf: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        read_file(pdf, Path(folder) / "sheets", name=pdf.name, limits=LIMITS)


def bare(pdf: Path) -> None:
    with tempfile.TemporaryDirectory() as folder, open_pdf(pdf) as document:
        for index in range(len(document)):
            page = load_page(document, index)
            assert page is not None
            drawn = raster(page, scale_for(page.width, page.height))
            save_page(drawn.image, Path(folder) / f"{index}.png")
            drawn.close()
            page.helper.close()


def pdftoppm(pdf: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = ["pdftoppm", "-png", "-r", "144", str(pdf), f"{folder}/page"]
        subprocess.run(command, check=True, capture_output=True)


def processor_seconds(work: Callable[[Path], None], pdf: Path) -> float:
    """Of this process, of all it waited for, and of the reader of the file."""

    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    with told_of_readers() as told:
        begun = used()
        work(pdf)
        return used() - begun + told.ended.processor


def most_memory(pdf: Path) -> int:
    """Bytes that the reader had at most."""
    with told_of_readers() as told:
        product(pdf)
        return told.ended.memory


def memory(folder: Path, sources: list[Path]) -> bool:
    """Whether the child's memory for many sheets is that for few."""
    few = most_memory(repeated(sources, FEW, folder / "few.pdf"))
    many = most_memory(repeated(sources, MANY, folder / "many.pdf"))
    print(f"memory: {few >> 20} MB for {FEW} sheets, {many >> 20} MB for {MANY}")
    print(f"  {MANY} against {FEW}: {many / few:.2f} (at most {GROWTH_AT_MOST})")
    return many / few <= GROWTH_AT_MOST


def speed(name: str, pdf: Path) -> bool:
    """Whether the product is quick enough against the bare loop and pdftoppm."""
    ways: list[Callable[[Path], None]] = [product, bare]
    if shutil.which("pdftoppm"):
        ways.append(pdftoppm)
    best = {way: float("inf") for way in ways}
    for _ in range(TURNS):
        for way in ways:
            best[way] = min(best[way], processor_seconds(way, pdf))
    against_bare = best[bare] / best[product]
    print(f"{name}: {SHEETS / best[product]:.1f} sheets a processor second")
    print(f"  against the bare loop: {against_bare:.2f} (at least {AGAINST_BARE})")
    if pdftoppm not in best:
        print("  pdftoppm is not installed, and not compared")
        return against_bare >= AGAINST_BARE
    against_pdftoppm = best[pdftoppm] / best[product]
    print(f"  against pdftoppm: {against_pdftoppm:.2f} (at least {AGAINST_PDFTOPPM})")
    return against_bare >= AGAINST_BARE and against_pdftoppm >= AGAINST_PDFTOPPM


def one_after_another(folder: Path) -> bool:
    """Whether a short text takes a part of the time that the first one takes, by the clock."""
    text = folder / "short.md"
    text.write_text("# Short\n\nA few words.\n", encoding="utf-8")
    readers.close()
    seconds = []
    for _ in range(9):
        begun = time.perf_counter()
        product(text)
        seconds.append(time.perf_counter() - begun)
    first, later = seconds[0], sorted(seconds[1:])[4]
    print(f"a short text: {first * 1000:.0f} ms the first, {later * 1000:.0f} ms each that follows")
    print(f"  later against first: {later / first:.2f} (at most {LATER_AT_MOST})")
    return later / first <= LATER_AT_MOST


def words(folder: Path) -> bool:
    """Whether a short Word file takes a part of the processor time that it takes LibreOffice
    with a profile that says nothing of its version."""
    source = folder / "short.docx"
    document = docx.Document()
    document.add_paragraph("A few words.")
    document.save(str(source))
    taken = []
    for number, profile in enumerate([office._PROFILE, office._PROFILE.replace("99.9", "0.0")]):
        place = folder / f"office-{number}"
        place.mkdir()
        with patch.object(office, "_PROFILE", profile):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert office.convert_with_libreoffice(source, place / "short.pdf", place)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"a short Word file: {taken[0]:.2f} s of processor, {taken[1]:.2f} with a plain profile")
    print(f"  against a plain profile: {taken[0] / taken[1]:.2f} (at most {WORD_AT_MOST})")
    return taken[0] / taken[1] <= WORD_AT_MOST


def main() -> int:
    print("page images: PNG, RGB, lowest compression, 144 dots an inch")
    with tempfile.TemporaryDirectory(prefix="reviewer-bench-") as temporary:
        folder = Path(temporary)
        sample = read_file(SAMPLE, folder / "sample", name=SAMPLE.name).pdf
        good = [one_after_another(folder), memory(folder, [sample])]
        if office.installed():
            good.append(words(folder))
        good.append(speed("the sample", repeated([sample], SHEETS, folder / "sample.pdf")))
        if CASES is not None:
            real = sorted((CASES / "documents" / "proposals").glob("*.pdf"))
            mixed = repeated(real, SHEETS, folder / "real.pdf")
            good.append(speed("real proposals", mixed))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())

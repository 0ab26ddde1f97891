"""What leaves is made from what is kept: the trusted side. Nothing of a file is parsed here.

The client's PDF is rewritten, and the review record laid out, by child processes with the
limits and the guards of reading. Either the result is at its place afterwards, or nothing is.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path

from reviewer.documents.limits import Limits
from reviewer.documents.returned import read_made
from reviewer.documents.watching import Progress, run_child, silent, working_in


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What was taken out, a sentence each, and the descriptions of pictures that stay."""

    removed: tuple[str, ...]
    described: tuple[str, ...]
    pages: int


def rewrite_pdf(
    pdf: Path,
    target: Path,
    *,
    title: str,
    keep: Collection[str] = (),
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    on_progress: Progress | None = None,
) -> Rewritten:
    """Rewrite `pdf` as `target` for a client; see `outgoing.rewrite`.

    Raises `UnreadableFile`; then `target` is not written.
    """
    job = {
        "outgoing": {"title": title[:400], "keep": sorted(keep)},
        "limits": asdict(limits),
    }
    with working_in(target.parent) as folder:
        run_child(pdf, folder, job, limits, on_progress or silent)
        pages, told = read_made(folder, "outgoing.pdf", target, limits)
        return Rewritten(
            tuple(str(each)[:300] for each in told["removed"]),
            tuple(str(each)[:300] for each in told["described"]),
            pages,
        )


def print_bundle(
    bundle: Path,
    target: Path,
    *,
    title: str,
    identifier: str,
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    on_progress: Progress | None = None,
) -> int:
    """Lay a bundle out as `target`; see `paper.print_record`. Returns the number of pages.

    Raises `UnreadableFile`; then `target` is not written.
    """
    job = {"paper": {"title": title[:400], "identifier": identifier}, "limits": asdict(limits)}
    with working_in(target.parent) as folder:
        run_child(bundle, folder, job, limits, on_progress or silent)
        return read_made(folder, "record.pdf", target, limits)[0]

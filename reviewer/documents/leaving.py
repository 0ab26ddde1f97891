"""What leaves is made from what is kept: the trusted side. Nothing of a file is parsed here.

The client's PDF is rewritten, and the review record laid out, by child processes with the
limits and the guards of reading. Either the result is at its place afterwards, or nothing is.
"""

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reviewer.documents.errors import unreadable
from reviewer.documents.intake import _run, _silent, _working_in
from reviewer.documents.limits import Limits
from reviewer.documents.returned import _check, _result

Progress = Callable[[str, int, int], None]


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
    with _working_in(target.parent) as folder:
        _run(pdf, folder, job, limits, on_progress or _silent)
        result = _made(folder, "outgoing.pdf", target, limits)
        return Rewritten(
            tuple(str(each)[:300] for each in result["removed"]),
            tuple(str(each)[:300] for each in result["described"]),
            int(result["pages"]),
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
    with _working_in(target.parent) as folder:
        _run(bundle, folder, job, limits, on_progress or _silent)
        return int(_made(folder, "record.pdf", target, limits)["pages"])


def _made(folder: Path, name: str, target: Path, limits: Limits) -> dict[str, Any]:
    """What the child says of the file it made, which is moved to `target`."""
    try:
        result = _result(folder)
        _check(folder / name, limits.output_bytes)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise unreadable("crashed") from error
    (folder / name).replace(target)
    return result

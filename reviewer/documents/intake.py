"""A file becomes sheets: the side that is trusted. Nothing of the file is parsed here.

The reading is done by a child process with limits on time, memory and output, without the
network and without files but its own. This side copies the file in, watches, ends what runs
over, checks what came back and moves it to its place. Either everything is in `workdir`
afterwards or nothing is.

Refused: believing the child. What it wrote is checked for its form and size; links are not
followed.
"""

import os
from dataclasses import asdict
from pathlib import Path

from reviewer.documents.errors import unreadable
from reviewer.documents.limits import Limits, in_words
from reviewer.documents.returned import read_drawing, read_result
from reviewer.documents.sheets import DocumentRead
from reviewer.documents.watching import Progress, run_child, silent, working_in


def read_file(
    path: Path,
    workdir: Path,
    *,
    name: str,
    limits: Limits = Limits(),  # noqa: B008  (frozen)
    on_progress: Progress | None = None,
) -> DocumentRead:
    """Read `path` into `workdir`, which need not exist; `name` is the file's name as given.

    Raises `UnreadableFile` with a sentence for the person; then nothing is left in
    `workdir`. Blocks for at most `limits.seconds` and a little.
    """
    try:
        size = path.stat().st_size
        is_file = path.is_file() and os.access(path, os.R_OK)
    except (OSError, ValueError) as error:
        raise unreadable("gone") from error
    if not is_file:
        raise unreadable("gone")
    if size > limits.max_bytes:
        raise unreadable("too_large", size=in_words(size), limit=in_words(limits.max_bytes))
    if size == 0:
        raise unreadable("empty")
    with working_in(workdir) as folder:
        job = {"name": name[-200:], "limits": asdict(limits)}
        run_child(path, folder, job, limits, on_progress or silent)
        return read_result(folder, workdir, limits)


def draw_sheet(
    pdf: Path,
    number: int,
    image: Path,
    *,
    scale: float,
    limits: Limits = Limits(),  # noqa: B008  (frozen)
) -> tuple[int, int]:
    """Draw one sheet of a PDF that `read_file` made, at `scale` pixels a point, as PNG.

    For a closer look than the page image gives; a sheet too large for that is drawn smaller.
    Returns width and height in pixels. Raises `UnreadableFile`; then `image` is not written.
    """
    with working_in(image.parent) as folder:
        job = {"draw": number, "scale": scale, "limits": asdict(limits)}
        run_child(pdf, folder, job, limits, silent)
        return read_drawing(folder, image, limits)

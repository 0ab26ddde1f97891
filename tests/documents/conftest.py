"""Reading files in tests: through the child process, as the product does."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.documents.intake import read_file
from reviewer.documents.limits import Limits
from reviewer.documents.office import installed
from reviewer.documents.sheets import DocumentRead
from tests.reads import LIMITS, reading_of
from tests.shared_cases import CASES

Read = Callable[..., DocumentRead]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a file, or text or bytes as a file of the name given.

    A shared case, and a text, is read once for all tests. What a test made is another file
    each time, and is read into a folder of its own.
    """
    count = 0

    def reading(
        source: Path | str | bytes, name: str = "", limits: Limits = LIMITS
    ) -> DocumentRead:
        nonlocal count
        count += 1
        if not isinstance(source, Path):
            again = isinstance(source, str)
            raw = source.encode() if isinstance(source, str) else source
            source = tmp_path / f"given-{count}"
            source.write_bytes(raw)
        else:
            again = source.suffix == ".html" or (CASES is not None and source.is_relative_to(CASES))
        if again:
            return reading_of(source, name, limits).result()
        into = tmp_path / f"read-{count}"
        return read_file(source, into, name=name or source.name, limits=limits)

    return reading


needs_libreoffice = pytest.mark.skipif(
    installed() is None,
    reason="LIBREOFFICE ABSENT: install libreoffice-writer-nogui and libreoffice-impress-nogui",
)

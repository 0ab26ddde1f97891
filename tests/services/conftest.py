"""Documents and readers that the tests of services share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from reviewer.documents.intake import read_file
from reviewer.documents.sheets import DocumentRead
from reviewer.models import Membership, Proposal, Version
from reviewer.services.conversion import convert_version
from reviewer.services.uploads import upload_proposal, upload_version
from tests.fakes.fixtures import start_server
from tests.services.documents import plain_document

__all__ = ["start_server"]


@pytest.fixture(scope="session")
def read_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], DocumentRead]:
    """What the real reader makes of a Markdown text; each text is read once a session."""
    kept: dict[str, DocumentRead] = {}

    def read(text: str) -> DocumentRead:
        if text not in kept:
            folder = tmp_path_factory.mktemp("read")
            (folder / "original.md").write_text(text)
            kept[text] = read_file(folder / "original.md", folder / "out", name="original.md")
        return kept[text]

    return read


@pytest.fixture
def quick_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conversion without the process that reads files: see `plain_document`."""

    def read(path: Path, workdir: Path, **options: object) -> DocumentRead:
        return plain_document(path.read_text(), workdir)

    monkeypatch.setattr("reviewer.services.conversion.read_file", read)


@pytest.fixture
def ready(quick_reader: None, cast) -> Callable[..., Version]:
    """`ready("# A proposal")` uploads and converts a Markdown text; `of` gives a next version."""

    def convert(text: str, *, of: Proposal | None = None, by: Membership | None = None) -> Version:
        by = by or cast.wen
        file = SimpleUploadedFile("proposal.md", text.encode())
        if of is None:
            version = upload_proposal(by=by, file=file, client="Northwind Logistics")
        else:
            version = upload_version(by=by, proposal=of, file=file)
        done = convert_version(version.pk)
        assert done is not None
        assert done.status == Version.Status.READY, done.reason
        return done

    return convert


@pytest.fixture
def kept_files(settings) -> Callable[[], list[str]]:
    """Names of all files in storage, from its root."""

    def names() -> list[str]:
        root = Path(settings.MEDIA_ROOT)
        return sorted(str(f.relative_to(root)) for f in root.rglob("*") if f.is_file())

    return names


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Messages as the broker gets them: (task, id) in their order; nothing is delivered."""
    sent: list[tuple[str, int]] = []

    def publish(task: object, *args: int, **kwargs: object) -> None:
        sent.append((task.name.rsplit(".", 1)[-1], *args[0]))  # type: ignore[attr-defined]

    monkeypatch.setattr("celery.app.task.Task.apply_async", publish)
    return sent

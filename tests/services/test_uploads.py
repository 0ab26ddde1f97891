"""A file arrives: kept byte for byte, named as given, and on its way to becoming sheets."""

import errno
import hashlib
import threading
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage, default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection
from django.utils import timezone

from reviewer.models import Event, Proposal, Version
from reviewer.services import uploads
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.proposals import add_source
from reviewer.services.uploads import retry_conversion, upload_proposal, upload_version
from tests.factories import make_proposal, make_version

BYTES = bytes(range(256)) * 9


def _file(name: str = "Control tower.md", data: bytes = BYTES) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def test_the_original_is_kept_byte_for_byte(cast):
    version = upload_proposal(by=cast.wen, file=_file())
    with version.original.open("rb") as kept:
        assert kept.read() == BYTES
    assert version.sha256 == hashlib.sha256(BYTES).hexdigest()
    assert version.size == len(BYTES)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_said_and_nothing_half_written_stays(cast, monkeypatch, number):
    proposal = make_proposal(cast.workspace)
    kept = make_version(proposal).original.name

    def write_some(storage, name, content):
        half = Path(storage.path(name))
        half.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(b"half")
        raise OSError(number, "No space left on device")

    monkeypatch.setattr(FileSystemStorage, "_save", write_some)
    for upload in (
        lambda: upload_proposal(by=cast.wen, file=_file()),
        lambda: upload_version(by=cast.wen, proposal=proposal, file=_file()),
        lambda: add_source(by=cast.wen, proposal=proposal, file=_file("prices.txt", b"A price.")),
    ):
        with pytest.raises(Refused, match=r"no room left, so “.*” was not kept"):
            upload()
    assert Proposal.objects.get() == proposal
    assert proposal.versions.count() == 1
    assert not proposal.sources.exists()
    root = Path(default_storage.location)
    files = {str(one.relative_to(root)) for one in root.rglob("*") if one.is_file()}
    assert files - {proposal.versions.get().pdf.name} >= {kept}
    assert not [name for name in files if "v2" in name or "sources" in name]
    assert all(name.startswith(f"proposals/{proposal.pk}/") for name in files)


def test_a_fault_of_the_disk_that_is_no_want_of_room_is_not_called_so(cast, monkeypatch):
    def broken(storage, name, content):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(FileSystemStorage, "_save", broken)
    with pytest.raises(OSError, match="Input/output"):
        upload_proposal(by=cast.wen, file=_file())
    assert not Proposal.objects.exists()


def test_a_proposal_is_made_with_its_first_version(cast):
    version = upload_proposal(
        by=cast.wen, file=_file(), title=" A title ", client=" Northwind ", kind="scope"
    )
    proposal = version.proposal
    assert (proposal.title, proposal.client, proposal.kind) == ("A title", "Northwind", "scope")
    assert (proposal.workspace, proposal.owner) == (cast.workspace, cast.wen.user)
    assert (version.number, version.status) == (1, Version.Status.WAITING)
    assert [event.verb for event in Event.objects.order_by("id")] == ["created", "uploaded"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Control_tower-v2.final.md", "Control tower v2.final"),
        ("angebot für müller.pdf", "angebot für müller"),
        ("提案書.docx", "提案書"),
        ("---.md", "Untitled proposal"),
        ("x" * 300, "x" * 200),
    ],
)
def test_without_a_title_the_name_of_the_file_is_one(cast, name, title):
    assert upload_proposal(by=cast.wen, file=_file(name)).proposal.title == title


@pytest.mark.parametrize(
    "name",
    [
        "proposal.pdf",
        "<img src=x onerror=alert(1)>.md",
        "a name; rm -rf $(HOME) `id`.md",
        "\u202etxt.exe",
        "🧾 Angebot «neu».md",
        "two\nlines.md",
        ".hidden",
        "no ending",
        "CON.md",
        "%2e%2e%2fetc%2fpasswd",
    ],
)
def test_a_name_is_shown_as_given_and_is_never_a_path(cast, name, kept_files):
    version = upload_proposal(by=cast.wen, file=_file(name))
    version.refresh_from_db()
    assert version.original_name == name
    assert kept_files() == [f"proposals/{version.proposal_id}/v1/original"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../passwd"])
def test_folders_in_a_name_lead_nowhere(cast, name, kept_files):
    version = upload_proposal(by=cast.wen, file=_file(name))
    assert version.original_name == "passwd"
    assert kept_files() == [f"proposals/{version.proposal_id}/v1/original"]


def test_a_name_that_no_database_can_hold_is_still_shown(cast):
    version = upload_proposal(by=cast.wen, file=_file("caf\udce9\0.md"))
    version.refresh_from_db()
    assert version.original_name == "caf\ufffd\ufffd.md"
    assert version.proposal.title == "caf\ufffd\ufffd"


def test_an_unknown_kind_is_a_proposal(cast):
    assert upload_proposal(by=cast.wen, file=_file(), kind="novel").proposal.kind == "proposal"


def test_an_empty_file_is_refused_and_nothing_is_kept(cast, kept_files):
    with pytest.raises(Refused, match=r"“Control tower.md” is empty"):
        upload_proposal(by=cast.wen, file=_file(data=b""))
    assert not Proposal.objects.exists()
    assert kept_files() == []


def test_a_file_over_the_limit_is_refused_with_its_size_and_the_limit(cast, settings, kept_files):
    settings.MAX_UPLOAD_MB = 1
    upload_proposal(by=cast.wen, file=_file(data=b"x" * 1024 * 1024))
    with pytest.raises(Refused, match=r"has 1\.5 MB; the limit is 1 MB"):
        upload_proposal(by=cast.wen, file=_file(data=b"x" * 1536 * 1024))
    assert Proposal.objects.count() == 1
    assert len(kept_files()) == 1


def test_a_next_version_is_numbered_on_and_moves_the_proposal_up(cast):
    proposal = make_proposal(cast.workspace, owner=cast.wen)
    make_version(proposal)
    Proposal.objects.update(touched_at=timezone.now() - timezone.timedelta(days=3))
    version = upload_version(by=cast.rae, proposal=proposal, file=_file(), read_when_ready=True)
    assert (version.number, version.uploaded_by) == (2, cast.rae.user)
    assert version.read_when_ready
    proposal.refresh_from_db()
    assert timezone.now() - proposal.touched_at < timezone.timedelta(minutes=1)


def test_an_archived_proposal_takes_no_version(cast, kept_files):
    proposal = make_proposal(cast.workspace)
    Proposal.objects.update(archived_at=timezone.now())
    with pytest.raises(Refused, match="archived"):
        upload_version(by=cast.wen, proposal=proposal, file=_file())
    assert not proposal.versions.exists()
    assert kept_files() == []


def test_where_a_version_cannot_be_stored_its_file_is_not_kept_either(
    cast, kept_files, monkeypatch
):
    def broken(**event: object) -> None:
        raise DatabaseError("disk full")

    proposal = make_proposal(cast.workspace)
    monkeypatch.setattr(uploads, "record", broken)
    with pytest.raises(DatabaseError):
        upload_version(by=cast.wen, proposal=proposal, file=_file())
    assert not proposal.versions.exists()
    assert kept_files() == []


def test_the_worker_is_told_once_the_row_is_there(
    cast, published, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        version = upload_proposal(by=cast.wen, file=_file())
        assert published == []
    assert published == [("convert_version", version.pk)]
    version.refresh_from_db()
    assert version.sent_at is not None


@pytest.mark.django_db(transaction=True)
def test_of_two_versions_at_once_both_are_kept(cast, published, kept_files):
    proposal = make_proposal(cast.workspace)
    both_there, refused = threading.Barrier(2), []

    def upload(name: str) -> None:
        try:
            both_there.wait(5)
            upload_version(by=cast.wen, proposal=proposal, file=_file(name, name.encode()))
        except Exception as error:
            refused.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=upload, args=(name,)) for name in ("one.md", "two.md")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == []
    versions = list(proposal.versions.order_by("number"))
    assert [version.number for version in versions] == [1, 2]
    for version in versions:
        with version.original.open("rb") as kept:
            assert kept.read().decode() == version.original_name
    assert len(kept_files()) == 2


def test_a_file_that_could_not_be_read_is_tried_again_from_the_start(
    cast, published, django_capture_on_commit_callbacks
):
    version = make_version(
        make_proposal(cast.workspace), status=Version.Status.UNREADABLE, attempts=3
    )
    with django_capture_on_commit_callbacks(execute=True):
        retry_conversion(by=cast.wen, version=version)
    version.refresh_from_db()
    assert (version.status, version.attempts) == (Version.Status.WAITING, 0)
    assert published == [("convert_version", version.pk)]


def test_a_version_with_sheets_is_not_converted_again(cast):
    version = make_version(make_proposal(cast.workspace))
    with pytest.raises(MovedMeanwhile, match="ready"):
        retry_conversion(by=cast.wen, version=version)

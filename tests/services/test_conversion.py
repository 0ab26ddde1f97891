"""A version becomes sheets: by one worker, whole or not at all, and never without an end."""

import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone

from reviewer.documents.errors import UnreadableFile
from reviewer.models import Event, Finding, Paragraph, Review, Sheet, Version
from reviewer.services import conversion
from reviewer.services.conversion import MAX_ATTEMPTS, OUR_FAULT, convert_version, waiting_versions
from reviewer.services.uploads import retry_conversion, upload_proposal, upload_version
from tests.factories import make_proposal, make_version
from tests.services.documents import plain_document

TEXT = """# A control tower for Northwind

The pilot runs for 12 weeks at two sites.

---

## What it costs

Discovery $18,000. Build $54,000.
"""
ONE_SHEET = "# A control tower\n\nThe pilot runs for 12 weeks."


def _upload(cast, data: bytes | str = TEXT, name: str = "proposal.md", **options) -> Version:
    content = data.encode() if isinstance(data, str) else data
    return upload_proposal(by=cast.wen, file=SimpleUploadedFile(name, content), **options)


def _claimed(version: Version, **fields) -> Version:
    """As a worker left it that took it and was not heard of again."""
    fields.setdefault("leased_until", timezone.now() - timedelta(seconds=1))
    Version.objects.filter(pk=version.pk).update(
        status=Version.Status.CONVERTING, token="of a dead worker", attempts=1, **fields
    )
    version.refresh_from_db()
    return version


# How many at once ----------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("places", "most"), [(1, 1), (2, 2)])
def test_no_more_are_converted_at_once_than_the_process_has_room_for(
    cast, published, settings, monkeypatch, places, most
):
    settings.CONVERSIONS_AT_ONCE = places
    versions = [_upload(cast, ONE_SHEET) for _ in range(4)]
    under_way, seen, lock = [0], [0], threading.Lock()

    def read(path, workdir, **options):
        with lock:
            under_way[0] += 1
            seen[0] = max(seen[0], under_way[0])
        time.sleep(0.1)
        with lock:
            under_way[0] -= 1
        return plain_document(path.read_text(), workdir)

    def work(pk: int) -> None:
        convert_version(pk)
        connection.close()

    monkeypatch.setattr(conversion, "read_file", read)
    threads = [threading.Thread(target=work, args=(version.pk,)) for version in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert seen == [most]
    assert set(Version.objects.values_list("status", flat=True)) == {Version.Status.READY}


# Real documents ------------------------------------------------------------------------


def test_markdown_becomes_sheets_with_words_paragraphs_and_images(cast):
    version = convert_version(_upload(cast).pk)
    assert version.status == Version.Status.READY
    assert (version.sheet_count, version.file_kind, version.reason) == (2, "markdown", "")
    first, second = version.sheets.order_by("number")
    assert first.text.split()[:5] == ["A", "control", "tower", "for", "Northwind"]
    assert [word[0] for word in second.words] == second.text.split()
    assert Paragraph.objects.filter(sheet__version=version).count() == 4
    for stored in (version.pdf, first.image, first.thumb, second.image):
        assert default_storage.exists(stored.name)
    with version.pdf.open("rb") as pdf:
        assert pdf.read(5) == b"%PDF-"
    assert (version.doing, version.leased_until) == ("", None)


def test_a_file_that_is_no_document_ends_with_a_sentence_for_its_uploader(cast, kept_files):
    version = convert_version(_upload(cast, b"\x7fELF" + bytes(200), "proposal.pdf").pk)
    version.refresh_from_db()
    assert version.status == Version.Status.UNREADABLE
    assert "cannot be read here" in version.reason
    assert "Upload" in version.reason
    assert not version.sheets.exists()
    assert kept_files() == [version.original.name]
    moved = Event.objects.filter(subject="version", verb="moved").get()
    assert (moved.to_state, moved.why) == ("unreadable", version.reason)


def test_an_upload_is_checked_when_it_becomes_sheets(cast):
    version = convert_version(_upload(cast, "# An offer\n\nDear [CLIENT NAME],\n\nwelcome.").pk)
    version.refresh_from_db()
    assert version.checked_at is not None
    finding = Finding.objects.get(rule="honest_placeholders")
    assert finding.raised == Finding.Raised.CHECK
    assert finding.places.filter(version=version).exists()


# One worker, whole or not at all ------------------------------------------------------------


def test_nothing_is_converted_twice(cast, ready):
    version = ready(TEXT)
    assert convert_version(version.pk) is None
    assert version.sheets.count() == 2


def test_what_a_living_worker_has_is_left_to_it(cast, quick_reader):
    version = _claimed(_upload(cast), leased_until=timezone.now() + timedelta(minutes=1))
    assert convert_version(version.pk) is None
    assert waiting_versions() == []


def test_what_a_dead_worker_left_is_taken_up(cast, quick_reader):
    version = _claimed(_upload(cast))
    assert waiting_versions() == [version.pk]
    assert convert_version(version.pk).status == Version.Status.READY


def test_files_that_a_dead_worker_left_are_forgotten(cast, quick_reader, kept_files):
    version = _claimed(_upload(cast))
    left = f"proposals/{version.proposal_id}/v1/sheets/1.png"
    assert default_storage.save(left, ContentFile(b"half")) == left
    done = convert_version(version.pk)
    named = {done.original.name, done.pdf.name}
    for sheet in done.sheets.all():
        named |= {sheet.image.name, sheet.thumb.name}
    assert set(kept_files()) == named


def test_a_file_that_takes_three_workers_with_it_gets_no_fourth(cast, quick_reader):
    version = _upload(cast)
    for _ in range(MAX_ATTEMPTS):
        Version.objects.filter(pk=version.pk).update(
            status=Version.Status.CONVERTING, leased_until=timezone.now() - timedelta(seconds=1)
        )
        assert conversion._claim(version.pk).attempts <= MAX_ATTEMPTS
    Version.objects.filter(pk=version.pk).update(leased_until=timezone.now() - timedelta(1))
    convert_version(version.pk)
    version.refresh_from_db()
    assert (version.status, version.reason) == (Version.Status.UNREADABLE, OUR_FAULT)
    assert convert_version(version.pk) is None


def test_after_three_dead_workers_a_person_may_try_again(cast, quick_reader):
    version = _claimed(_upload(cast))
    Version.objects.update(attempts=MAX_ATTEMPTS)
    convert_version(version.pk)
    version.refresh_from_db()
    retry_conversion(by=cast.wen, version=version)
    assert convert_version(version.pk).status == Version.Status.READY


@pytest.mark.parametrize("ends", ["ready", "unreadable", "our fault"])
def test_what_another_worker_took_meanwhile_is_left_to_it(cast, monkeypatch, kept_files, ends):
    version = _upload(cast)

    def read(path: Path, workdir: Path, **options: object):
        Version.objects.filter(pk=version.pk).update(token="of another worker")
        if ends == "unreadable":
            raise UnreadableFile("damaged", "This file is damaged.")
        if ends == "our fault":
            raise RuntimeError("out of luck")
        return plain_document(path.read_text(), workdir)

    monkeypatch.setattr(conversion, "read_file", read)
    assert convert_version(version.pk) is None
    version.refresh_from_db()
    assert (version.status, version.token) == ("converting", "of another worker")
    assert not Sheet.objects.exists()
    assert kept_files() == [version.original.name]


def test_a_fault_of_ours_is_said_and_the_file_is_kept(cast, monkeypatch, kept_files, caplog):
    def broken(*args: object, **options: object):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(conversion, "read_file", broken)
    version = convert_version(_upload(cast).pk)
    assert (version.status, version.reason) == (Version.Status.UNREADABLE, OUR_FAULT)
    assert "out of luck" not in version.reason
    assert "out of luck" in caplog.text
    assert kept_files() == [version.original.name]


def test_where_storing_fails_nothing_half_made_is_left(cast, quick_reader, monkeypatch, kept_files):
    def broken(version: Version) -> None:
        raise RuntimeError("disk full")

    version = _upload(cast)
    monkeypatch.setattr(conversion, "touch", broken)
    with pytest.raises(RuntimeError):
        convert_version(version.pk)
    assert not Sheet.objects.exists()
    assert kept_files() == [version.original.name]
    version.refresh_from_db()
    assert version.status != Version.Status.READY


def test_a_proposal_deleted_meanwhile_leaves_nothing_behind(cast, monkeypatch):
    version = _upload(cast)

    def read(path: Path, workdir: Path, **options: object):
        version.proposal.delete()
        return plain_document(path.read_text(), workdir)

    monkeypatch.setattr(conversion, "read_file", read)
    assert convert_version(version.pk) is None
    assert not Sheet.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_lease_is_renewed_and_no_connection_held_while_a_file_is_read(
    cast, published, settings, monkeypatch
):
    settings.LEASE_SECONDS = 1
    version = _upload(cast, ONE_SHEET)
    seen: dict[str, object] = {}

    def read(path: Path, workdir: Path, *, on_progress, **options: object):
        seen["connection"] = connection.connection
        on_progress("sheets", 3, 12)
        seen["after progress"] = connection.connection
        threading.Event().wait(1.3)
        now = Version.objects.get(pk=version.pk)
        seen["lease"] = now.leased_until > timezone.now()
        seen["told"] = (now.doing, now.done, now.total)
        return plain_document(path.read_text(), workdir)

    monkeypatch.setattr(conversion, "read_file", read)
    assert convert_version(version.pk).status == Version.Status.READY
    assert seen == {
        "connection": None,
        "after progress": None,
        "lease": True,
        "told": ("Drawing the sheets", 3, 12),
    }


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_with_one_message_one_converts(cast, published, monkeypatch):
    version, reads, done = _upload(cast, ONE_SHEET), [], []

    def read(path: Path, workdir: Path, **options: object):
        reads.append(path)
        return plain_document(path.read_text(), workdir)

    def work() -> None:
        done.append(convert_version(version.pk))
        connection.close()

    monkeypatch.setattr(conversion, "read_file", read)
    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(reads) == 1
    assert sorted(d.status if d else "" for d in done) == ["", "ready"]
    assert Sheet.objects.count() == 1


# What is known is carried ------------------------------------------------------------------


def test_a_next_version_carries_findings_and_is_checked(cast, ready):
    first = ready("# An offer\n\nDear [CLIENT NAME],\n\nwelcome.")
    second = ready("# An offer\n\nDear Ms Ode,\n\nwelcome.", of=first.proposal)
    finding = Finding.objects.get(rule="honest_placeholders")
    assert finding.shown_state == "fixed"
    assert finding.checked_version == second


def test_a_version_ready_after_a_newer_one_takes_nothing_back(cast, quick_reader):
    first = _upload(cast, "# An offer\n\nDear [CLIENT NAME],\n\nwelcome.")
    proposal = first.proposal
    convert_version(first.pk)
    late, newest = (
        upload_version(
            by=cast.wen, proposal=proposal, file=SimpleUploadedFile("p.md", text.encode())
        )
        for text in (
            "# An offer\n\nDear [CLIENT NAME],\n\nwelcome back.",
            "# An offer\n\nDear Ms Ode,\n\nwelcome.",
        )
    )
    convert_version(newest.pk)
    finding = Finding.objects.get(rule="honest_placeholders")
    assert finding.shown_state == "fixed"
    convert_version(late.pk)
    finding.refresh_from_db()
    assert finding.shown_state == "fixed"
    assert finding.checked_version == newest
    assert finding.places.filter(version=late).exists()


# Reading on arrival ------------------------------------------------------------------------


def test_a_version_is_read_when_ready_if_its_uploader_asked(cast, quick_reader, settings):
    settings.MODEL_BASE_URL = "http://127.0.0.1:9"
    version = convert_version(_upload(cast, read_when_ready=True).pk)
    review = Review.objects.get(version=version)
    assert review.started_by == cast.wen.user


@pytest.mark.parametrize("why_not", ["no model", "checks only", "not asked", "left the workspace"])
def test_a_version_is_not_read_where_that_is_not_wanted(cast, quick_reader, settings, why_not):
    settings.MODEL_BASE_URL = "" if why_not == "no model" else "http://127.0.0.1:9"
    version = _upload(
        cast, read_when_ready=why_not != "not asked", checks_only=why_not == "checks only"
    )
    if why_not == "left the workspace":
        cast.wen.delete()
    assert convert_version(version.pk).status == Version.Status.READY
    assert not Review.objects.exists()


# What the rescue sends again ------------------------------------------------------------------


def test_a_version_waits_for_its_message_before_it_is_sent_again(cast, settings):
    settings.RESEND_SECONDS = 60
    proposal = make_proposal(cast.workspace)
    never, lately, long_ago = (
        make_version(proposal, status=Version.Status.WAITING, sent_at=sent)
        for sent in (
            None,
            timezone.now() - timedelta(seconds=50),
            timezone.now() - timedelta(seconds=70),
        )
    )
    assert set(waiting_versions()) == {never.pk, long_ago.pk}
    assert lately.pk not in waiting_versions()

"""Messages to workers, and a broker that is away."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from kombu.exceptions import OperationalError

from reviewer.models import Reading, Version
from reviewer.services.queue import send, send_reading, send_version
from reviewer.services.rescue import send_again
from reviewer.services.reviews import start_review
from reviewer.services.uploads import upload_proposal
from tests.factories import make_proposal, make_version


@pytest.fixture
def broker_away(monkeypatch):
    """A broker that raises; `come_back()` lets it take messages again."""
    taken: list[tuple[str, int]] = []
    away = [True]

    def publish(task, args, *more, **options):
        if away[0]:
            raise OperationalError("[Errno 111] Connection refused")
        taken.append((task.name.rsplit(".", 1)[-1], args[0]))

    def come_back() -> list[tuple[str, int]]:
        away[0] = False
        return taken

    monkeypatch.setattr("celery.app.task.Task.apply_async", publish)
    return come_back


def test_what_is_sent_leaves_once_the_change_is_committed(
    cast, published, django_capture_on_commit_callbacks
):
    version = make_version(make_proposal(cast.workspace), status="waiting")
    with django_capture_on_commit_callbacks(execute=True):
        send_version(version.pk)
        send_reading(12)
        send("forget_answers", 3)
        assert published == []
    assert published == [
        ("convert_version", version.pk),
        ("perform_reading", 12),
        ("forget_answers", 3),
    ]


def test_nothing_is_sent_for_a_change_that_was_taken_back(
    published, db, django_capture_on_commit_callbacks
):
    def change() -> None:
        with transaction.atomic():
            send_version(1)
            raise RuntimeError("no room on the disk")

    with django_capture_on_commit_callbacks(execute=True), pytest.raises(RuntimeError):
        change()
    assert published == []


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_costs_the_person_nothing_and_is_made_good(
    cast, settings, broker_away, caplog
):
    settings.MODEL_BASE_URL = "http://127.0.0.1:9"
    waits = upload_proposal(by=cast.wen, file=SimpleUploadedFile("a.md", b"# A"))
    review = start_review(by=cast.wen, version=make_version(make_proposal(cast.workspace)))
    assert caplog.text.count("did not take") == 2
    assert Version.objects.get(pk=waits.pk).sent_at is None
    assert not Reading.objects.exclude(sent_at=None).exists()
    taken = broker_away()
    send_again()
    first = review.readings.order_by("pk").first()
    assert taken == [("convert_version", waits.pk), ("perform_reading", first.pk)]
    assert Version.objects.get(pk=waits.pk).sent_at is not None


@pytest.mark.django_db(transaction=True)
def test_a_queue_folder_that_cannot_be_written_is_a_broker_that_is_away(
    cast, settings, monkeypatch, tmp_path, caplog
):
    """With the real transport: its folder is a file."""
    if not settings.BROKER_URL.startswith("filesystem:"):
        pytest.skip("the queue is no folder here")
    no_folder = tmp_path / "messages"
    no_folder.write_text("not a folder")
    monkeypatch.setattr(
        "reviewer.folder_queue.Channel.data_folder_out", property(lambda self: str(no_folder))
    )
    version = upload_proposal(by=cast.wen, file=SimpleUploadedFile("a.md", b"# A"))
    version.refresh_from_db()
    assert version.sent_at is None
    assert "could not be put" in caplog.text
    assert Path(no_folder).read_text() == "not a folder"

"""Which readings are sent now: as many as may run, each once."""

from django.db import transaction

from reviewer.models import ModelSettings, Reading
from reviewer.services import dispatch
from reviewer.services.dispatch import send_next
from tests.services.scenes import first_reading


def _begun(cast, *, at_once: int) -> list[int]:
    """The readings that wait, in a review whose first is over."""
    ModelSettings.objects.create(workspace=cast.workspace, calls_at_once=at_once)
    first = first_reading(cast, sheets=6, status="done", outcome="read")
    return list(first.review.readings.exclude(pk=first.pk).order_by("pk").values_list(flat=True))


def _sent() -> list[int]:
    sent = Reading.objects.filter(sent_at__isnull=False)
    return list(sent.order_by("pk").values_list("pk", flat=True))


def test_as_many_are_sent_as_may_run_at_once(cast):
    waiting = _begun(cast, at_once=2)
    assert send_next(cast.workspace.pk) == 2
    assert send_next(cast.workspace.pk) == 0
    assert _sent() == waiting[:2]


def test_who_comes_second_sends_the_next(cast, monkeypatch):
    waiting = _begun(cast, at_once=3)
    assert send_next(cast.workspace.pk, at_once=1) == 1
    real = dispatch.take_unsent_reading

    def take(pk: int) -> bool:
        """Another worker, which looked at the same moment, was faster with the next."""
        return pk != waiting[1] and real(pk)

    monkeypatch.setattr(dispatch, "take_unsent_reading", take)
    assert send_next(cast.workspace.pk) == 2
    assert _sent() == [waiting[0], *waiting[2:4]]


def test_a_message_leaves_once_its_reading_is_noted_as_sent(
    cast, published, django_capture_on_commit_callbacks
):
    waiting = _begun(cast, at_once=1)
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        assert send_next(cast.workspace.pk) == 1
        assert published == []
    assert published == [("perform_reading", waiting[0])]

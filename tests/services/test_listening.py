"""Findings are stored as they come, before the answer ends; the answer read whole decides."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.db import OperationalError, transaction
from django.utils import timezone

from reviewer.core.raw import RawAnswer
from reviewer.models import Answer, Finding, Proposal, Reading, Review, Sighting
from reviewer.services import listening
from reviewer.services.findings import mark_fixed
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import cancel_review
from tests.fakes.replies import finding
from tests.services.readers import Reader, found
from tests.services.scenes import LAPSED, ON_SHEET, OTHER, first_reading, taken_by_another

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("published")]


def until(holds: Callable[[], object]) -> None:
    """Wait until this holds, which another thread brings about."""
    patience = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < patience
        time.sleep(0.005)


def are_stored(count: int) -> Callable[[object], None]:
    """Waits, in the middle of an answer, until so many findings are stored."""
    return lambda request: until(lambda: Sighting.objects.count() == count)


class Heard(Reader):
    """Says these findings, waits until they are stored, and answers with others; dies, as its
    worker would, where there is no answer."""

    def __init__(self, *says: Mapping[str, Any], whole: RawAnswer | None = None) -> None:
        super().__init__()
        self._says, self._whole = says, whole

    def ask(self, request, *, on_fragment=None, should_stop=None):
        on_fragment(found(*self._says).calls[0].raw_input)
        are_stored(len(self._says))(request)
        if self._whole is None:
            raise KeyboardInterrupt
        return self._whole


def dies_having_said(*says: Mapping[str, Any], reading: Reading) -> None:
    """A worker stores these findings of the reading, and dies; its lease lapses."""
    with pytest.raises(KeyboardInterrupt):
        perform_reading(reading.pk, provider=Heard(*says))
    Reading.objects.filter(pk=reading.pk).update(leased_until=timezone.now() + LAPSED)


def test_findings_are_stored_while_the_answer_is_still_on_its_way(cast):
    reading = first_reading(cast)
    reader = Reader({1: [ON_SHEET, OTHER]}, during=are_stored(1))
    perform_reading(reading.pk, provider=reader)
    assert Finding.objects.count() == Sighting.objects.count() == 2


def test_what_was_heard_and_is_not_in_the_whole_answer_does_not_count(cast):
    reader = Heard(ON_SHEET, OTHER, whole=found(ON_SHEET))
    reading = perform_reading(first_reading(cast).pk, provider=reader)
    assert reading.kept == 1
    assert [s.text for s in Sighting.objects.all()] == [ON_SHEET["finding"]]
    assert Finding.objects.count() == 1


@pytest.mark.django_db
def test_within_a_transaction_findings_come_with_the_whole_answer(cast):
    seen: list[int] = []
    reader = Reader(
        {1: [ON_SHEET, OTHER]}, during=lambda request: seen.append(Finding.objects.count())
    )
    with transaction.atomic():
        reading = perform_reading(first_reading(cast).pk, provider=reader)
    assert seen == [0]
    assert Finding.objects.count() == reading.kept == 2


def test_what_a_dead_worker_had_heard_is_forgotten_with_what_it_raised(cast):
    reading = first_reading(cast)
    dies_having_said(ON_SHEET, OTHER, reading=reading)
    assert Finding.objects.count() == 2
    perform_reading(reading.pk, provider=Reader({1: [OTHER]}))
    assert [f.text for f in Finding.objects.all()] == [OTHER["finding"]]
    assert Sighting.objects.count() == 1


def test_what_a_person_decided_meanwhile_is_not_forgotten(cast):
    reading = first_reading(cast)
    dies_having_said(ON_SHEET, reading=reading)
    raised = Finding.objects.get()
    mark_fixed(by=cast.wen, finding=raised, version=reading.review.version)
    perform_reading(reading.pk, provider=Reader({1: [OTHER]}))
    assert Finding.objects.get(pk=raised.pk).status == Finding.Status.FIX_CLAIMED


def test_a_number_that_was_shown_never_names_another_finding(cast):
    reading = first_reading(cast)
    dies_having_said(ON_SHEET, reading=reading)
    assert Finding.objects.get().number == 1
    perform_reading(reading.pk, provider=Reader({1: [OTHER]}))
    assert Finding.objects.get().number == 2


def test_an_answer_whose_reading_another_worker_took_is_not_counted(cast):
    reading = first_reading(cast)

    def take(request: object) -> None:
        are_stored(1)(request)
        taken_by_another(reading)

    reader = Reader({1: [ON_SHEET, OTHER]}, during=take)
    assert perform_reading(reading.pk, provider=reader) is None
    reading.refresh_from_db()
    assert (reading.status, reading.token) == ("claimed", "of another worker")
    assert not Answer.objects.exists()
    # The first was heard while it was still this worker's; the one who has it now forgets it.
    assert Sighting.objects.count() == 1
    perform_reading(reading.pk, provider=Reader({1: [OTHER]}))
    assert [s.text for s in Sighting.objects.all()] == [OTHER["finding"]]


def test_a_finding_that_cannot_be_stored_as_it_comes_is_stored_at_the_end(
    cast, monkeypatch, caplog
):
    calls = []

    def busy(*args: object) -> None:
        calls.append(args)
        raise OperationalError("database is locked")

    monkeypatch.setattr(listening, "record_sightings", busy)
    reader = Reader({1: [ON_SHEET, OTHER]}, during=lambda request: until(lambda: calls))
    reading = perform_reading(first_reading(cast).pk, provider=reader)
    assert reading.sightings.count() == reading.kept == 2
    assert "database is locked" in caplog.text


def test_a_database_that_stores_and_then_fails_costs_no_answer(cast, monkeypatch):
    real, stored = listening.record_sightings, []

    def fails_after(*args: object) -> None:
        stored.append(real(*args))
        raise OperationalError("the connection was lost")

    monkeypatch.setattr(listening, "record_sightings", fails_after)
    reader = Reader({1: [ON_SHEET, OTHER]}, during=lambda request: until(lambda: stored))
    reading = perform_reading(first_reading(cast).pk, provider=reader)
    assert reading.sightings.count() == reading.kept == 2
    assert Answer.objects.count() == 1


def test_what_was_deleted_when_its_findings_were_stored_is_let_go(cast):
    def delete(request: object) -> None:
        are_stored(1)(request)
        Proposal.objects.all().delete()

    reader = Reader({1: [ON_SHEET]}, during=delete)
    assert perform_reading(first_reading(cast).pk, provider=reader) is None
    assert not Sighting.objects.exists()


def test_what_closed_before_a_cancel_is_kept_and_the_answer_is_cut_there(cast, monkeypatch):
    monkeypatch.setattr(listening, "LOOK_FOR_CANCEL_SECONDS", 0)
    reading = first_reading(cast)

    def cancel(request: object) -> None:
        are_stored(1)(request)
        cancel_review(by=cast.wen, review=Review.objects.get())

    many = [finding(quote="", finding=f"Something else is missing, number {n}.") for n in range(20)]
    reader = Reader({1: [ON_SHEET, *many]}, during=cancel)
    perform_reading(reading.pk, provider=reader)
    reading.refresh_from_db()
    assert (reading.status, reading.kept) == ("done", 1)
    review = Review.objects.get()
    assert review.status == Review.Status.CANCELLED
    assert set(review.readings.exclude(pk=reading.pk).values_list("status", flat=True)) == {
        "cancelled"
    }
    raised = Finding.objects.get(text=ON_SHEET["finding"])
    assert raised.votes == 1

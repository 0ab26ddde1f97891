"""Messages to workers: the name of a task and an id, sent after the row is committed.

A broker that cannot be reached is no fault of the person who acted: the row is there,
and the rescue sends it again when the broker is back.
"""

import logging

from celery import current_app
from django.db import transaction
from django.utils import timezone

from reviewer.models import Calibration, Export, Reading, Replay, Version

log = logging.getLogger(__name__)


def send_version(pk: int) -> None:
    """Send a version to a worker once the running transaction has committed."""
    transaction.on_commit(lambda: _publish(Version, "convert_version", pk))


def send_reading(pk: int) -> None:
    """Send a reading to a worker once the running transaction has committed."""
    transaction.on_commit(lambda: _publish(Reading, "perform_reading", pk))


def take_unsent_reading(pk: int) -> bool:
    """Note that a reading which waits is sent, where nobody did; who is told so sends it."""
    waiting = Reading.objects.filter(pk=pk, status=Reading.Status.WAITING, sent_at=None)
    return waiting.update(sent_at=timezone.now()) == 1


def send_taken_reading(pk: int) -> None:
    """Send a reading that was taken once the running transaction, if any, has committed."""
    transaction.on_commit(lambda: _deliver(Reading, "perform_reading", pk))


def send_export(pk: int) -> None:
    """Send an export to a worker once the running transaction has committed."""
    transaction.on_commit(lambda: _publish(Export, "make_export", pk))


def send_calibration(pk: int) -> None:
    """Send a calibration to a worker once the running transaction has committed."""
    transaction.on_commit(lambda: _publish(Calibration, "run_calibration", pk))


def send_replay(pk: int) -> None:
    """Send a replay to a worker once the running transaction has committed."""
    transaction.on_commit(lambda: _publish(Replay, "replay_answers", pk))


def send(task: str, pk: int) -> None:
    """Send what no row waits for: where the broker does not take it, it is said and lost."""
    transaction.on_commit(lambda: _took(task, pk))


Rows = type[Reading] | type[Version] | type[Export] | type[Calibration] | type[Replay]


def _publish(rows: Rows, task: str, pk: int) -> None:
    # Noted first: with a fast worker the work may be over before this returns.
    rows.objects.filter(pk=pk).update(sent_at=timezone.now())
    _deliver(rows, task, pk)


def _deliver(rows: Rows, task: str, pk: int) -> None:
    if not _took(task, pk):
        rows.objects.filter(pk=pk).update(sent_at=None)


def _took(task: str, pk: int) -> bool:
    """Publish the message; whether the broker took it."""
    message = current_app.tasks[f"reviewer.tasks.{task}"]
    try:
        message.delay(pk)
    except Exception as error:  # noqa: BLE001  each broker's client has errors of its own
        log.warning("The broker did not take %s(%s): %s", task, pk, error)
        return False
    return True

"""Messages to workers: the name of a task and an id, sent after the row is committed.

A broker that cannot be reached is no fault of the person who acted: the row is there,
and the rescue sends it again when the broker is back.
"""

import logging

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from reviewer.models import Reading

log = logging.getLogger(__name__)


def send(task: str, pk: int) -> None:
    """Send `reviewer.tasks.<task>(pk)` once the running transaction has committed."""
    transaction.on_commit(lambda: _publish(task, pk))


def send_reading(pk: int) -> None:
    """Send a reading to a worker, and note when the broker took it."""
    transaction.on_commit(lambda: _publish_reading(pk))


def _publish_reading(pk: int) -> None:
    # Noted first: with a fast worker the reading may be over before this returns.
    Reading.objects.filter(pk=pk).update(sent_at=timezone.now())
    if not _publish("perform_reading", pk):
        Reading.objects.filter(pk=pk).update(sent_at=None)


def _publish(task: str, pk: int) -> bool:
    try:
        current_app.tasks[f"reviewer.tasks.{task}"].delay(pk)
    except (OperationalError, OSError) as error:
        log.warning("The broker did not take %s(%s): %s. The rescue sends it.", task, pk, error)
        return False
    return True

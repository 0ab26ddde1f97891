"""Messages to workers: the name of a task and an id, sent after the row is committed.

A broker that cannot be reached is no fault of the person who acted: the row is there,
and the rescue sends it again when the broker is back.
"""

import logging

from celery import current_app
from django.db import transaction
from django.utils import timezone

from reviewer.models import Reading, Version

log = logging.getLogger(__name__)


def send_version(pk: int) -> None:
    """Send a version to a worker once the running transaction has committed."""
    transaction.on_commit(lambda: _publish(Version, "convert_version", pk))


def send_reading(pk: int) -> None:
    """Send a reading to a worker once the running transaction has committed."""
    transaction.on_commit(lambda: _publish(Reading, "perform_reading", pk))


def _publish(rows: type[Reading] | type[Version], task: str, pk: int) -> None:
    """Publish, and note on the row when its message was given to the broker."""
    message = current_app.tasks[f"reviewer.tasks.{task}"]
    # Noted first: with a fast worker the work may be over before this returns.
    rows.objects.filter(pk=pk).update(sent_at=timezone.now())
    try:
        message.delay(pk)
    except Exception as error:  # noqa: BLE001  each broker's client has errors of its own
        log.warning("The broker did not take %s(%s): %s. The rescue sends it.", task, pk, error)
        rows.objects.filter(pk=pk).update(sent_at=None)

"""The Celery application. Messages carry ids only; the database is the truth."""

import gc
import os
import sys

from celery import Celery
from celery.signals import worker_init
from kombu.transport import TRANSPORT_ALIASES

TRANSPORT_ALIASES["filesystem"] = "reviewer.folder_queue:Transport"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reviewer.settings")

app = Celery("reviewer")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["reviewer"])


@worker_init.connect
def _prepare(**_: object) -> None:
    """Make ready for many readings at once, before the first message is taken.

    The SDK takes a second to load, and the first readings would stand still for it together.
    Threads that ask a database let go of Python's lock at each question; with its usual
    patience of 5 ms they would wait longer to have it back than the answer takes. And what is
    loaded by now stays to the end, so looking for garbage among it is of no use.
    """
    from reviewer.providers.messages import load_sdk

    load_sdk()
    sys.setswitchinterval(0.0005)
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)

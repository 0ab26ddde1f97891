"""The Celery application. Messages carry ids only; the database is the truth."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

TRANSPORT_ALIASES["filesystem"] = "reviewer.folder_queue:Transport"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reviewer.settings")

app = Celery("reviewer")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["reviewer"])

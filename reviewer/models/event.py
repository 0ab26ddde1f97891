"""What happened: who, from, to, why. Written in the transaction of the change itself."""

from django.conf import settings
from django.db import models

from reviewer.models.workspace import Workspace


class Event(models.Model):
    """One change of state. `actor` is empty where the house itself acted."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="events")
    subject = models.CharField(max_length=40)
    """The kind of thing, as its model is named in lower case."""
    subject_id = models.BigIntegerField()
    proposal_id = models.BigIntegerField(null=True, blank=True)
    verb = models.CharField(max_length=40)
    from_state = models.CharField(max_length=40, blank=True)
    to_state = models.CharField(max_length=40, blank=True)
    why = models.TextField(blank=True)
    review_id = models.BigIntegerField(null=True, blank=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["subject", "subject_id"]),
            models.Index(fields=["workspace", "proposal_id"]),
        ]

"""What a worker makes beside reviews, once: whose turn it is, and how it ended."""

from django.db import models


class Run(models.Model):
    """A run of a workspace, held by a lease while a worker is at it; see `services.runs`."""

    class Status(models.TextChoices):
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "could not be run"

    MOVES = {
        Status.RUNNING: {Status.DONE, Status.FAILED},
        Status.DONE: set(),
        Status.FAILED: set(),
    }

    status = models.CharField(max_length=10, choices=Status.choices, default=Status.RUNNING)
    at = models.DateTimeField(auto_now_add=True)
    token = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    """Empty until a worker has begun with it."""
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    """When its message was last given to the broker."""

    class Meta:
        abstract = True
        ordering = ["-at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=["running", "done", "failed"]),
                name="%(class)s_status_is_known",
            )
        ]

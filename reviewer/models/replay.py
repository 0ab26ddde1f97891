"""A reading again of a workspace's stored answers, as a manager asked for it."""

from django.db import models

from reviewer.models.workspace import Workspace


class Replay(models.Model):
    """One replay. What it came to is told by an event; here stands whose turn it is."""

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
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="replays")
    at = models.DateTimeField(auto_now_add=True)
    token = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    """Empty until a worker has begun with it."""
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    """When its message was last given to the broker."""

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=["running", "done", "failed"]),
                name="replay_status_is_known",
            ),
            models.UniqueConstraint(
                fields=["workspace"],
                condition=models.Q(status="running"),
                name="replay_one_running_a_workspace",
            ),
        ]

    def __str__(self) -> str:
        return f"replay {self.pk}"

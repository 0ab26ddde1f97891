"""A reading again of a workspace's stored answers, as a manager asked for it."""

from django.db import models

from reviewer.models.run import Run
from reviewer.models.workspace import Workspace


class Replay(Run):
    """One replay. What it came to is told by an event; here stands whose turn it is."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="replays")

    class Meta(Run.Meta):
        constraints = [
            *Run.Meta.constraints,
            models.UniqueConstraint(
                fields=["workspace"],
                condition=models.Q(status="running"),
                name="replay_one_running_a_workspace",
            ),
        ]

    def __str__(self) -> str:
        return f"replay {self.pk}"

"""A workspace's rubric: what it adds to the ten rules. A version is written once, never changed."""

from typing import Any

from django.conf import settings
from django.db import models

from reviewer.models.workspace import Workspace


class Rubric(models.Model):
    """One version of the house's rules. Where a workspace has none, the ten rules stand alone."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="rubrics")
    number = models.PositiveIntegerField()
    """Counts from 1 in each workspace; the ten rules alone are 0 and have no row."""
    house_rules = models.JSONField(default=list, blank=True)
    """`[{"code", "title", "text"}, …]`, read after the ten."""
    banned = models.JSONField(default=list, blank=True)
    """`[{"phrase", "instead"}, …]`; code enforces these, no prompt names them."""
    note = models.TextField(blank=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["workspace_id", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "number"], name="rubric_number_once_a_workspace"
            ),
            models.CheckConstraint(condition=models.Q(number__gt=0), name="rubric_number_from_one"),
        ]

    def __str__(self) -> str:
        return f"rubric {self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Refuse to change what reviews may have read by; a change is a new version."""
        if not self._state.adding:
            raise TypeError("a version of a rubric is never changed; make the next one")
        super().save(*args, **kwargs)

"""Whether a model, under a prompt, finds planted faults: only then it clears text for a gate."""

from django.conf import settings
from django.db import models

from reviewer.core.rounds import is_calibrated
from reviewer.models.run import Run
from reviewer.models.workspace import Workspace


class Calibration(Run):
    """One run over the planted sample. The newest that ended, of a model and prompt, counts."""

    reason = models.TextField(blank=True)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="calibrations")
    server = models.CharField(max_length=200)
    model = models.CharField(max_length=120)
    """As its server names it, once it has answered."""
    asked = models.CharField(max_length=120, blank=True)
    """The name by which it was asked for."""
    recipe = models.CharField(max_length=80)
    """Hash of the prompt files and tools it was made with."""
    found = models.PositiveSmallIntegerField(default=0)
    planted = models.PositiveSmallIntegerField(default=0)
    missed = models.JSONField(default=list)
    """What it did not find, a sentence each."""
    run_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    answers = models.JSONField(default=dict, blank=True)
    """While it runs, the answers there are, by sheet: who takes it up does not ask for them again."""

    class Meta(Run.Meta):
        indexes = [models.Index(fields=["workspace", "model", "recipe"])]
        constraints = [
            *Run.Meta.constraints,
            models.CheckConstraint(
                condition=models.Q(found__lte=models.F("planted")),
                name="calibration_found_within_planted",
            ),
            models.UniqueConstraint(
                fields=["workspace", "model"],
                condition=models.Q(status="running"),
                name="calibration_one_running_a_model",
            ),
        ]

    @property
    def passed(self) -> bool:
        """Whether it found enough of what was planted to clear text for a gate."""
        return self.status == self.Status.DONE and is_calibrated(self.found, self.planted)

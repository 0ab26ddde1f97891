"""What a workspace paid beside its reviews, so that the month's limit counts it too."""

from django.db import models
from django.utils import timezone

from reviewer.models.workspace import Workspace


class Expense(models.Model):
    """Tokens that no reading stands for: trials, calibrations, and readings since deleted."""

    class What(models.TextChoices):
        TRIAL = "trial", "a trial of a model"
        CALIBRATION = "calibration", "a calibration"
        DELETED = "deleted", "readings of a deleted proposal"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="expenses")
    what = models.CharField(max_length=12, choices=What.choices)
    model = models.CharField(max_length=120, blank=True)
    """As its server names it; empty for readings of several."""
    input_tokens = models.PositiveBigIntegerField(default=0)
    """With those that were read from the cache or written to it."""
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    """US dollars; None where no price is known."""
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["workspace", "at"])]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(what__in=["trial", "calibration", "deleted"]),
                name="expense_what_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(cost__isnull=True) | models.Q(cost__gte=0),
                name="expense_cost_not_negative",
            ),
        ]

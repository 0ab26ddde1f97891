"""What a manager signed for in place of a finding: a fault of layout, a sheet, a review."""

from django.conf import settings
from django.db import models

from reviewer.models.version import Version


class Waiver(models.Model):
    """One signature with its reason and its end. Only its taking back changes the row."""

    class Kind(models.TextChoices):
        FIT = "fit", "a fault of layout"
        UNREAD = "unread", "a sheet that was not read"
        NOT_CLEARED = "not_cleared", "a review that is not complete"

    version = models.ForeignKey(Version, models.CASCADE, related_name="waivers")
    """The version that was looked at."""
    kind = models.CharField(max_length=12, choices=Kind.choices)
    code = models.CharField(max_length=40, blank=True)
    """Of the fault of layout."""
    sheet = models.PositiveIntegerField(default=0)
    """0 for the document."""
    says = models.TextField()
    """What was signed for, as the page said it."""
    seen = models.JSONField(default=dict, blank=True)
    """What it covers: on a later version it counts only for the same."""
    reason = models.TextField()
    until_version = models.PositiveIntegerField(null=True, blank=True)
    """Number of the last version for which it counts; empty where a day is its only end."""
    until_date = models.DateField(null=True, blank=True)
    """The last day on which it counts."""
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    taken_back_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=["fit", "unread", "not_cleared"]),
                name="waiver_kind_is_known",
            ),
            models.CheckConstraint(condition=~models.Q(reason=""), name="waiver_has_a_reason"),
            models.CheckConstraint(
                condition=models.Q(until_version__isnull=False)
                | models.Q(until_date__isnull=False),
                name="waiver_has_an_end",
            ),
            models.CheckConstraint(
                condition=~models.Q(kind="not_cleared") | models.Q(until_version__isnull=False),
                name="waiver_of_a_review_is_for_one_version",
            ),
            models.CheckConstraint(
                condition=models.Q(taken_back_by__isnull=True, taken_back_at__isnull=True)
                | models.Q(taken_back_by__isnull=False, taken_back_at__isnull=False),
                name="waiver_taken_back_by_somebody",
            ),
        ]

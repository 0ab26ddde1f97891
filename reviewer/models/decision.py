"""What a person did to a finding, with a reason. Rows are added, never changed."""

from django.conf import settings
from django.db import models

from reviewer.models.finding import Finding
from reviewer.models.version import Version


class Decision(models.Model):
    """One act of one person on one finding, and what it replaced, so that it can be undone."""

    class Act(models.TextChoices):
        MARK_FIXED = "mark_fixed", "marked fixed"
        DISMISS = "dismiss", "dismissed"
        ACCEPT = "accept", "accepted"
        REOPEN = "reopen", "reopened"
        UNDO = "undo", "took back"
        UPHOLD = "uphold", "signed that it stands"
        CLOSE = "close", "signed that it is fixed"
        CHANGE_SEVERITY = "severity", "changed its severity"
        MERGE = "merge", "merged into another"
        SPLIT = "split", "took apart"
        RAISE = "raise", "raised"
        LAPSE = "lapse", "lapsed"
        CHECK_OFF = "check_off", "ended with its check"

    finding = models.ForeignKey(Finding, models.CASCADE, related_name="decisions")
    version = models.ForeignKey(Version, models.CASCADE, related_name="+")
    act = models.CharField(max_length=12, choices=Act.choices)
    reason = models.TextField(blank=True)
    status_before = models.CharField(max_length=12, choices=Finding.Status.choices)
    status_after = models.CharField(max_length=12, choices=Finding.Status.choices)
    reason_before = models.TextField(blank=True)
    details = models.JSONField(default=dict, blank=True)
    """What the act was about beside the state: severities, the other finding, an end."""
    batch = models.CharField(max_length=32, blank=True)
    """Decisions that were made as one, and are taken back as one."""
    undoes = models.OneToOneField(
        "self", models.CASCADE, null=True, blank=True, related_name="undone_by"
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    """Empty only where a decision lapsed by itself, or a finding ended with its check."""
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["finding_id", "id"]
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(act__in=["dismiss", "accept"]) | ~models.Q(reason=""),
                name="decision_dismissal_has_a_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(act="undo", undoes__isnull=False)
                | (~models.Q(act="undo") & models.Q(undoes__isnull=True)),
                name="decision_undo_names_what_it_undoes",
            ),
            models.CheckConstraint(
                condition=models.Q(actor__isnull=False) | models.Q(act__in=["lapse", "check_off"]),
                name="decision_has_an_actor",
            ),
        ]

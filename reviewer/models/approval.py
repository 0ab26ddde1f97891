"""A manager's answer to whether a version may leave: asked for, given, refused, fallen."""

from django.conf import settings
from django.db import models

from reviewer.models.version import Version
from reviewer.models.workspace import Membership


class ApprovalQuerySet(models.QuerySet["Approval"]):
    def visible_to(self, membership: Membership) -> "ApprovalQuerySet":
        return self.filter(version__proposal__workspace=membership.workspace)

    def asked(self) -> "ApprovalQuerySet":
        """Those that wait for a manager, oldest first."""
        return self.filter(status=Approval.Status.ASKED).order_by("asked_at", "pk")

    def given(self) -> "ApprovalQuerySet":
        """Those given and not known to have fallen; whether one stands is asked of the gate."""
        return self.filter(status=Approval.Status.GIVEN)


class Approval(models.Model):
    """One question and its answer. A yes is bound to the bytes, the gate and the policy."""

    class Status(models.TextChoices):
        ASKED = "asked", "asked for"
        GIVEN = "given", "approved"
        REFUSED = "refused", "not approved"
        FALLEN = "fallen", "fallen"

    MOVES = {
        Status.ASKED: {Status.GIVEN, Status.REFUSED, Status.FALLEN},
        Status.GIVEN: {Status.FALLEN, Status.REFUSED},
        Status.REFUSED: set(),
        Status.FALLEN: set(),
    }

    version = models.ForeignKey(Version, models.CASCADE, related_name="approvals")
    status = models.CharField(max_length=10, choices=Status.choices)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    asked_at = models.DateTimeField(null=True, blank=True)
    note = models.TextField(blank=True)
    asked_under = models.CharField(max_length=300, blank=True)
    """The address under which the person reached this installation, for the mail to managers,
    which may be sent long after."""
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)
    """Of a no; of a yes, what was said beside it."""
    due = models.JSONField(default=list, blank=True)
    """Numbers of the findings that a no leaves due."""
    residual = models.TextField(blank=True)
    """What was probably left, as the page said it beside the yes."""
    bytes_hash = models.CharField(max_length=80, blank=True)
    gate_key = models.CharField(max_length=80, blank=True)
    policy_key = models.CharField(max_length=80, blank=True)
    fallen_at = models.DateTimeField(null=True, blank=True)
    why_fallen = models.TextField(blank=True)

    objects = ApprovalQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=["asked", "given", "refused", "fallen"]),
                name="approval_status_is_known",
            ),
            models.UniqueConstraint(
                fields=["version"],
                condition=models.Q(status="asked"),
                name="approval_asked_once_a_version",
            ),
            models.UniqueConstraint(
                fields=["version"],
                condition=models.Q(status="given"),
                name="approval_given_once_a_version",
            ),
            models.CheckConstraint(
                condition=~models.Q(status__in=["given", "refused"])
                | models.Q(decided_by__isnull=False, decided_at__isnull=False),
                name="approval_answer_has_who_and_when",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="given")
                | ~(models.Q(bytes_hash="") | models.Q(gate_key="") | models.Q(policy_key="")),
                name="approval_yes_is_bound",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="refused") | ~models.Q(reason=""),
                name="approval_no_has_a_reason",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="fallen")
                | (models.Q(fallen_at__isnull=False) & ~models.Q(why_fallen="")),
                name="approval_fallen_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"approval {self.pk}"

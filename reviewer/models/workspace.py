"""A team's space and who is in it. Everything belongs to one workspace; nothing crosses."""

from django.conf import settings
from django.db import models


class Role(models.TextChoices):
    WRITER = "writer", "writer"
    REVIEWER = "reviewer", "reviewer"
    MANAGER = "manager", "manager"


class Workspace(models.Model):
    """A team's space: members with a role, proposals, policy."""

    name = models.CharField(max_length=120)
    slug = models.SlugField(max_length=60, unique=True)
    language = models.CharField(max_length=12, default="en")
    policy = models.JSONField(default=dict, blank=True)
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class MembershipQuerySet(models.QuerySet["Membership"]):
    def of(self, user: object) -> "MembershipQuerySet":
        """The memberships of a signed-in person, in name order; workspaces loaded, and what they
        say of their models."""
        return (
            self.filter(user=user)
            .select_related("workspace__model_settings", "user")
            .order_by("workspace__name")
        )


class Membership(models.Model):
    """One person's role in one workspace."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        ordering = ["workspace_id", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "user"], name="membership_once_a_person_and_workspace"
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="membership_role_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"

    @property
    def is_manager(self) -> bool:
        return self.role == Role.MANAGER

    @property
    def may_triage(self) -> bool:
        """Reviewers and managers decide what writers may only propose."""
        return self.role in {Role.REVIEWER, Role.MANAGER}

"""What is written for one client, and what the seller actually knows about it."""

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Q, Subquery

from reviewer.models.workspace import Membership, Workspace


class Kind(models.TextChoices):
    PROPOSAL = "proposal", "proposal"
    SCOPE = "scope", "scope of work"
    PARTNERSHIP = "partnership", "partnership"
    UPDATE = "update", "update"


class ProposalQuerySet(models.QuerySet["Proposal"]):
    def visible_to(self, membership: Membership) -> "ProposalQuerySet":
        """The proposals of the member's workspace, archived ones too."""
        return self.filter(workspace=membership.workspace)

    def matching(self, words: str) -> "ProposalQuerySet":
        """Those whose title or client contains every one of `words`."""
        found = self
        for word in words.split():
            found = found.filter(Q(title__icontains=word) | Q(client__icontains=word))
        return found

    def on_list(self, *, words: str, kind: str, archived: bool) -> "ProposalQuerySet":
        """What the list shows for a search; the archive is apart from what is worked on."""
        found = self.matching(words).filter(archived_at__isnull=not archived)
        return (found.filter(kind=kind) if kind else found).for_list()

    def for_list(self) -> "ProposalQuerySet":
        """In the order of the list, with the owner and the id of the newest version."""
        from reviewer.models.version import Version

        newest = Version.objects.filter(proposal=OuterRef("pk")).order_by("-number")
        return (
            self.select_related("owner")
            .annotate(newest_id=Subquery(newest.values("pk")[:1]))
            .order_by("-touched_at", "-pk")
        )


class Proposal(models.Model):
    """What is written for one client. `touched_at` orders the list: uploads and readings move it."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="proposals")
    title = models.CharField(max_length=200)
    client = models.CharField(max_length=120, blank=True)
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.PROPOSAL)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="proposals"
    )
    checks_only = models.BooleanField(default=False)
    archived_at = models.DateTimeField(null=True, blank=True)
    last_number = models.PositiveIntegerField(default=0)
    """The highest number a finding of it ever had: a number is never given twice."""
    created_at = models.DateTimeField(auto_now_add=True)
    touched_at = models.DateTimeField(auto_now_add=True)

    objects = ProposalQuerySet.as_manager()

    class Meta:
        ordering = ["-touched_at", "-id"]
        indexes = [models.Index(fields=["workspace", "archived_at", "-touched_at"])]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=Kind.values), name="proposal_kind_is_known"
            ),
            models.CheckConstraint(condition=~models.Q(title=""), name="proposal_has_a_title"),
        ]

    def __str__(self) -> str:
        return self.title


def _source_path(source: "Source", name: str) -> str:
    return f"proposals/{source.proposal_id}/sources/{source.sha256[:24]}"


class Source(models.Model):
    """What the seller knows: notes, the RFP, a price list. "Unsourced" is judged against it."""

    proposal = models.ForeignKey(Proposal, models.CASCADE, related_name="sources")
    name = models.CharField(max_length=255)
    text = models.TextField()
    original = models.FileField(upload_to=_source_path, blank=True, max_length=200)
    sha256 = models.CharField(max_length=64)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["proposal", "sha256"], name="source_once_a_proposal_and_text"
            )
        ]

    def __str__(self) -> str:
        return self.name

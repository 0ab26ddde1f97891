"""One immutable upload of a proposal, on its way from a file to sheets."""

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, JSONObject, NullIf

from reviewer.models.proposal import Proposal
from reviewer.models.workspace import Membership


def _original_path(version: "Version", name: str) -> str:
    # The uploaded name is shown as given, and never becomes part of a path.
    return f"proposals/{version.proposal_id}/v{version.number}/original"


def _pdf_path(version: "Version", name: str) -> str:
    return f"proposals/{version.proposal_id}/v{version.number}/rendered.pdf"


class VersionQuerySet(models.QuerySet["Version"]):
    def visible_to(self, membership: Membership) -> "VersionQuerySet":
        return self.filter(proposal__workspace=membership.workspace)

    def with_answers(self) -> "VersionQuerySet":
        """With the newest question to a manager and what was answered, and when it last left.

        `answer` is None, or `{"status", "who", "why"}` of an `Approval`, `who` by the name that a
        team uses; `left_at` is the time of the newest export.
        """
        from reviewer.models.approval import Approval
        from reviewer.models.export import Export

        who = Coalesce(NullIf("decided_by__first_name", Value("")), "decided_by__username")
        asked = Approval.objects.filter(version=OuterRef("pk")).order_by("-pk")
        made = Export.objects.filter(version=OuterRef("pk"), status=Export.Status.READY)
        return self.annotate(
            answer=Subquery(
                asked.values(told=JSONObject(status="status", who=who, why="reason"))[:1]
            ),
            left_at=Subquery(made.order_by("-pk").values("finished_at")[:1]),
        )


class Version(models.Model):
    """One upload: the original byte for byte, the rendered PDF, and how the conversion stands."""

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting to be converted"
        CONVERTING = "converting", "being converted"
        READY = "ready", "ready"
        UNREADABLE = "unreadable", "could not be read"

    MOVES = {
        Status.WAITING: {Status.CONVERTING},
        Status.CONVERTING: {Status.READY, Status.UNREADABLE, Status.WAITING},
        Status.UNREADABLE: {Status.WAITING},
        Status.READY: set(),
    }

    proposal = models.ForeignKey(Proposal, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.WAITING)
    reason = models.TextField(blank=True)
    """Why it could not be read, in a sentence for the person who uploaded it."""

    original = models.FileField(upload_to=_original_path, max_length=200)
    original_name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    file_kind = models.CharField(max_length=12, blank=True)
    pdf = models.FileField(upload_to=_pdf_path, blank=True, max_length=200)
    layout_approximate = models.BooleanField(default=False)
    notes = models.JSONField(default=list)
    fit = models.JSONField(default=list)
    source_read = models.JSONField(default=dict)
    """What the file tells beside its sheets: leftovers, tables, headings."""
    sheet_count = models.PositiveIntegerField(default=0)

    doing = models.CharField(max_length=120, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    token = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    """When its message was last given to the broker."""
    read_when_ready = models.BooleanField(default=False)

    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    unchecked = models.JSONField(default=dict)
    """Codes of the checks that could say nothing of it, under language or broke."""
    checked_with = models.JSONField(default=list, blank=True)
    """`[[number, version], …]` of the *never say this* learnings that it was checked with."""

    KINDS_OF_TEXT = frozenset({"markdown", "text"})
    """Of `file_kind`: the file is its text."""
    MOST_TEXT = 2 * 1024 * 1024
    """Bytes of a file above which its text is neither checked nor edited as such."""

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ["proposal_id", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["proposal", "number"], name="version_number_once_a_proposal"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    status__in=["waiting", "converting", "ready", "unreadable"],
                ),
                name="version_status_is_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="unreadable") | ~models.Q(reason=""),
                name="version_unreadable_has_a_reason",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="ready") | models.Q(sheet_count__gt=0),
                name="version_ready_has_sheets",
            ),
        ]

    def __str__(self) -> str:
        return f"v{self.number}"

    @property
    def notes_shown(self) -> list[str]:
        """How the file was read, and which checks could say nothing of it."""
        notes = [*self.notes]
        if mute := self.unchecked.get("language"):
            notes.append(
                f"This text does not read as English. {len(mute)} checks read English wording "
                "and did not run; those of numbers, names and structure did."
            )
        if broke := self.unchecked.get("broke"):
            notes.append(f"{len(broke)} checks broke on this document. The others ran.")
        return notes

    @property
    def is_edited_as_text(self) -> bool:
        """Whether its file is a text that can be edited in a page."""
        return self.file_kind in self.KINDS_OF_TEXT and self.size <= self.MOST_TEXT

    @property
    def is_settled(self) -> bool:
        """No worker has anything left to do to turn it into sheets."""
        return self.status in {self.Status.READY, self.Status.UNREADABLE}

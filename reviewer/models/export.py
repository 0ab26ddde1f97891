"""What left: the client's PDF and the review record, with their hashes, who and when."""

from django.conf import settings
from django.db import models

from reviewer.models.approval import Approval
from reviewer.models.version import Version
from reviewer.models.workspace import Membership, Workspace


def _client_path(export: "Export", name: str) -> str:
    return f"{export.folder}/client.pdf"


def _record_path(export: "Export", name: str) -> str:
    return f"{export.folder}/record.pdf"


class ExportNumber(models.Model):
    """The highest export number that a workspace gave; a number is never given twice."""

    workspace = models.OneToOneField(Workspace, models.CASCADE, related_name="+")
    last = models.PositiveIntegerField(default=0)


class ExportQuerySet(models.QuerySet["Export"]):
    def visible_to(self, membership: Membership) -> "ExportQuerySet":
        return self.filter(workspace=membership.workspace)

    def for_list(self) -> "ExportQuerySet":
        """Newest first, with what a row names and without what the record is made from."""
        return (
            self.defer("facts")
            .select_related("version__proposal", "made_by", "approval__decided_by")
            .order_by("-number")
        )


class Export(models.Model):
    """One export. `facts` are taken at the click, so that the record tells that moment."""

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting to be made"
        MAKING = "making", "being made"
        READY = "ready", "ready"
        FAILED = "failed", "not made"

    MOVES = {
        Status.WAITING: {Status.MAKING, Status.FAILED},
        Status.MAKING: {Status.READY, Status.FAILED},
        Status.READY: set(),
        Status.FAILED: set(),
    }

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="exports")
    number = models.PositiveIntegerField()
    """Counts from 1 in each workspace."""
    version = models.ForeignKey(Version, models.CASCADE, related_name="exports")
    approval = models.ForeignKey(
        Approval, models.CASCADE, null=True, blank=True, related_name="exports"
    )
    is_gated = models.BooleanField()
    """Whether the kind of document was gated when it left."""
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WAITING)
    reason = models.TextField(blank=True)
    """Why it was not made, in a sentence for people."""
    facts = models.JSONField(default=dict)
    """All that the record says, so that the same record can be made again."""
    bytes_hash = models.CharField(max_length=80)
    keeps = models.JSONField(default=list, blank=True)
    """What a manager chose to leave in the PDF."""

    client_file = models.FileField(upload_to=_client_path, blank=True, max_length=200)
    client_name = models.CharField(max_length=200)
    client_sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    record_file = models.FileField(upload_to=_record_path, blank=True, max_length=200)
    record_name = models.CharField(max_length=200)
    record_sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    removed = models.JSONField(default=list, blank=True)
    """What the rewriting took out, a sentence each."""

    doing = models.CharField(max_length=120, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    token = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    """When its message was last given to the broker."""

    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ExportQuerySet.as_manager()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "number"], name="export_number_once_a_workspace"
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["waiting", "making", "ready", "failed"]),
                name="export_status_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(is_gated=False) | models.Q(approval__isnull=False),
                name="export_gated_has_an_approval",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="ready")
                | ~(
                    models.Q(client_sha256="")
                    | models.Q(record_sha256="")
                    | models.Q(client_file="")
                    | models.Q(record_file="")
                ),
                name="export_ready_has_files_and_hashes",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="failed") | ~models.Q(reason=""),
                name="export_failed_says_why",
            ),
        ]

    def __str__(self) -> str:
        return f"export {self.number}"

    @property
    def is_running(self) -> bool:
        return self.status in {self.Status.WAITING, self.Status.MAKING}

    @property
    def folder(self) -> str:
        """The storage folder of its files; they go with the proposal when that is deleted."""
        return f"proposals/{self.version.proposal_id}/exports/{self.pk}"

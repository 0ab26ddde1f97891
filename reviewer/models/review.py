"""One run over a version, made of readings."""

from collections.abc import Iterable

from django.conf import settings
from django.db import models
from django.db.models import Count, Max, Q

from reviewer.models.model_settings import Depth
from reviewer.models.version import Version
from reviewer.models.workspace import Membership


class ReviewQuerySet(models.QuerySet["Review"]):
    def visible_to(self, membership: Membership) -> "ReviewQuerySet":
        return self.filter(version__proposal__workspace=membership.workspace)

    def running(self) -> "ReviewQuerySet":
        return self.filter(status__in=Review.Status.running())

    def newest_of(self, proposals: Iterable[int]) -> "ReviewQuerySet":
        """The newest review of each proposal (by id), version loaded, readings counted.

        Readings of single sheets from their pictures are left out: they read no text.

        `readings_read` counts answers of which something could be read, or that said
        nothing was found; `readings_done` also those that were lost.
        """
        newest = (
            Review.objects.filter(version__proposal__in=proposals)
            .exclude(purpose=Purpose.PICTURE)
            .values("version__proposal")
            .annotate(newest=Max("pk"))
            .values("newest")
        )
        return (
            self.filter(pk__in=newest)
            .select_related("version")
            .annotate(
                readings_all=Count("readings"),
                readings_done=Count("readings", filter=Q(readings__status="done")),
                readings_read=Count(
                    "readings", filter=Q(readings__outcome__in=["read", "partly_read"])
                ),
            )
        )


class Purpose(models.TextChoices):
    DISCOVERY = "discovery", "first reading"
    VERIFICATION = "verification", "reading of what changed"
    WIDENING = "widening", "more passes over the same text"
    REREADING = "rereading", "reading anew under what changed since"
    PICTURE = "picture", "reading of a sheet from its picture"


class Review(models.Model):
    """One run. What it reads with (model, server, rubric, prompt) is pinned when it starts."""

    class Status(models.TextChoices):
        QUEUED = "queued", "queued"
        READING = "reading", "reading"
        FINISHED = "finished", "finished"
        CANCELLED = "cancelled", "cancelled"

        @classmethod
        def running(cls) -> list[str]:
            return [cls.QUEUED, cls.READING]

    class Provenance(models.TextChoices):
        LIVE = "live", "read by a model"
        RECORDED = "recorded", "recorded answers"

    MOVES = {
        Status.QUEUED: {Status.READING, Status.FINISHED, Status.CANCELLED},
        Status.READING: {Status.FINISHED, Status.CANCELLED},
        Status.FINISHED: set(),
        Status.CANCELLED: set(),
    }

    version = models.ForeignKey(Version, models.CASCADE, related_name="reviews")
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)
    provenance = models.CharField(
        max_length=12, choices=Provenance.choices, default=Provenance.LIVE
    )
    passes = models.PositiveSmallIntegerField()
    model = models.CharField(max_length=120)
    server = models.CharField(max_length=200)
    """Host to which the text goes, as the page says it."""
    rubric_hash = models.CharField(max_length=80)
    second_model = models.CharField(max_length=120, blank=True)
    depth = models.CharField(max_length=10, choices=Depth.choices, default=Depth.STANDARD)
    purpose = models.CharField(max_length=12, choices=Purpose.choices, default=Purpose.DISCOVERY)
    step = models.PositiveSmallIntegerField(default=0)
    """How often the review went on to what its readings led to; each step is taken once."""
    context = models.JSONField(default=dict, blank=True)
    """What its readings are given beside the text: client, sources, rubric, prompt, as hashes."""
    sweeps = models.PositiveSmallIntegerField(default=0)
    """How many sweeps are still to be made."""
    keeps = models.JSONField(default=list)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ReviewQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["version"],
                condition=models.Q(status__in=["queued", "reading"]),
                name="review_one_running_a_version",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["queued", "reading", "finished", "cancelled"]),
                name="review_status_is_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(status__in=["finished", "cancelled"])
                | models.Q(finished_at__isnull=False),
                name="review_ended_has_a_time",
            ),
            models.CheckConstraint(condition=models.Q(passes__gt=0), name="review_has_passes"),
        ]

    def __str__(self) -> str:
        return f"review {self.pk}"

    @property
    def is_running(self) -> bool:
        return self.status in self.Status.running()

"""One unit of model work: the row that a worker claims, and the answer it brought back."""

from django.db import models
from django.utils import timezone

from reviewer.models.review import Review


class ReadingQuerySet(models.QuerySet["Reading"]):
    def claimable(self) -> "ReadingQuerySet":
        """Waiting, or claimed by a worker whose lease has run out, in a running review."""
        lapsed = models.Q(status=Reading.Status.CLAIMED, leased_until__lt=timezone.now())
        return self.filter(
            models.Q(status=Reading.Status.WAITING) | lapsed,
            review__status__in=Review.Status.running(),
        )


class Reading(models.Model):
    """One unit of model work. Recorded once, however often its message is delivered."""

    class Kind(models.TextChoices):
        PASS = "pass", "a pass over a sheet"
        DOCUMENT = "document", "a reading of the document as a whole"
        CHECK = "check", "a check of candidate findings"
        RECHECK = "recheck", "a check whether findings are gone"
        SWEEP = "sweep", "a sweep for what is left"
        PICTURE = "picture", "a reading of a sheet from its picture"

        @classmethod
        def of_findings(cls) -> list[str]:
            """The kinds that report findings on text."""
            return [cls.PASS, cls.DOCUMENT, cls.SWEEP]

        @classmethod
        def reporting(cls) -> list[str]:
            """All kinds that report findings; the others give verdicts."""
            return [*cls.of_findings(), cls.PICTURE]

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting"
        CLAIMED = "claimed", "being read"
        DONE = "done", "done"
        CANCELLED = "cancelled", "cancelled"

    MOVES = {
        Status.WAITING: {Status.CLAIMED, Status.CANCELLED},
        Status.CLAIMED: {Status.CLAIMED, Status.WAITING, Status.DONE, Status.CANCELLED},
        Status.DONE: set(),
        Status.CANCELLED: set(),
    }

    review = models.ForeignKey(Review, models.CASCADE, related_name="readings")
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.PASS)
    pass_number = models.PositiveSmallIntegerField()
    sheet = models.PositiveIntegerField()
    """0 is the document as a whole."""
    part = models.CharField(max_length=24, blank=True)
    """Tells readings of one sheet and pass apart: halves of the rubric, batches of checks."""
    rules = models.JSONField(default=list, blank=True)
    """The codes it is limited to; empty is the whole rubric."""
    candidates = models.JSONField(default=list, blank=True)
    """Numbers of the findings that it gives verdicts on; of those that a sweep is told of."""
    learnings = models.JSONField(default=list, blank=True)
    """`[[number, version], …]` of the learnings it was given, in their order."""
    verdicts = models.JSONField(default=list, blank=True)
    """`[{"number", "verdict", "severity", "why"}, …]`, of a check, as it was answered."""
    follows = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="followed_by"
    )
    """The reading whose rest it asks for."""
    is_censored = models.BooleanField(default=False)
    """It returned as many findings as it was allowed, so it may hide some."""
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.WAITING)

    token = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    """When its message was last given to the broker."""

    outcome = models.CharField(max_length=20, blank=True)
    way_asked = models.CharField(max_length=20, blank=True)
    way_read = models.CharField(max_length=20, blank=True)
    reason = models.TextField(blank=True)
    fault = models.CharField(max_length=20, blank=True)
    retry_after = models.FloatField(null=True, blank=True)
    refusal_category = models.CharField(max_length=60, blank=True)
    model = models.CharField(max_length=120, blank=True)
    prompt_hash = models.CharField(max_length=80, blank=True)
    question = models.CharField(max_length=80, blank=True, db_index=True)
    """Hash of all that was asked, and whom, but for the day."""
    answered_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="answers_too"
    )
    """The reading of another proposal that was asked the same, and whose answer this is."""
    kept = models.PositiveIntegerField(default=0)
    dropped = models.JSONField(default=list)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cache_read_tokens = models.PositiveIntegerField(default=0)
    cache_write_tokens = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    first_finding_seconds = models.FloatField(null=True, blank=True)

    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ReadingQuerySet.as_manager()

    class Meta:
        ordering = ["review_id", "pass_number", "sheet"]
        indexes = [models.Index(fields=["status", "leased_until"])]
        constraints = [
            models.UniqueConstraint(
                fields=["review", "kind", "pass_number", "sheet", "part"],
                name="reading_once_a_review_pass_and_sheet",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["waiting", "claimed", "done", "cancelled"]),
                name="reading_status_is_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="done") | ~models.Q(outcome=""),
                name="reading_done_has_an_outcome",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="claimed") | models.Q(leased_until__isnull=False),
                name="reading_claimed_has_a_lease",
            ),
        ]


class Answer(models.Model):
    """The raw response of one reading, kept so that a later reader can read it again."""

    reading = models.OneToOneField(Reading, models.CASCADE, related_name="answer")
    raw = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

"""A rule that a house has learned: its wording, who stands for it, where it came from.

What is given to readings is `current` alone, and only while the learning is in force: a wording
that waits for approval is `pending` and reaches nobody. Versions are written once.
"""

from datetime import date
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from reviewer.models.finding import Finding
from reviewer.models.proposal import Kind as ProposalKind
from reviewer.models.proposal import Proposal
from reviewer.models.reading import Reading
from reviewer.models.workspace import Membership, Workspace


class LearningQuerySet(models.QuerySet["Learning"]):
    def visible_to(self, membership: Membership) -> "LearningQuerySet":
        return self.filter(workspace=membership.workspace)

    def for_list(self) -> "LearningQuerySet":
        """With wording and people, by number; provenance prefetched."""
        return (
            self.select_related("current", "pending", "author", "approved_by", "superseded_by")
            .prefetch_related("sources")
            .order_by("number")
        )

    def given_on(self, day: date) -> "LearningQuerySet":
        """What may be used on `day`: approved, not ended, not expired."""
        return self.filter(status="in_force", current__isnull=False).filter(
            Q(expires_on=None) | Q(expires_on__gte=day)
        )


class Learning(models.Model):
    """One rule. `number` is what a finding names it by, and is never given twice."""

    class Kind(models.TextChoices):
        LOOK_FOR = "look_for", "look for this"
        NEVER_SAY = "never_say", "never say this"
        DO_NOT_RAISE = "do_not_raise", "do not raise this"

    class Status(models.TextChoices):
        PROPOSED = "proposed", "proposed"
        IN_FORCE = "in_force", "in force"
        DECLINED = "declined", "declined"
        RETIRED = "retired", "retired"
        SUPERSEDED = "superseded", "superseded"

    MOVES = {
        Status.PROPOSED: {Status.IN_FORCE, Status.DECLINED},
        Status.IN_FORCE: {Status.RETIRED, Status.SUPERSEDED},
        Status.DECLINED: set(),
        Status.RETIRED: set(),
        Status.SUPERSEDED: set(),
    }

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="learnings")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=Kind.choices)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.PROPOSED)
    rule = models.CharField(max_length=40, blank=True)
    """Code of the rule of the rubric it belongs to; empty where it belongs to none."""
    client = models.CharField(max_length=120, blank=True)
    """The client it is for; empty is every client."""
    proposal_kind = models.CharField(max_length=20, blank=True, choices=ProposalKind.choices)
    """The kind of document it is for; empty is every kind."""
    current = models.ForeignKey(
        "LearningVersion", models.RESTRICT, null=True, blank=True, related_name="+"
    )
    """The wording that is given to readings; None until one is approved."""
    pending = models.ForeignKey(
        "LearningVersion", models.RESTRICT, null=True, blank=True, related_name="+"
    )
    """The wording that waits for approval; None where nothing waits."""
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    """Who worded what is in force or, before that, what is proposed."""
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    approved_at = models.DateTimeField(null=True, blank=True)
    pending_from = models.DateTimeField(null=True, blank=True)
    """When the waiting time of what is pending ends; None where a person must approve it."""
    in_force_from = models.DateTimeField(null=True, blank=True)
    """When the waiting time of its wording of today ended; None where a person approved it."""
    in_force_at = models.DateTimeField(null=True, blank=True)
    """When its wording of today came into force."""
    expires_on = models.DateField(null=True, blank=True)
    """The last day on which it is given."""
    superseded_by = models.ForeignKey(
        "self", models.RESTRICT, null=True, blank=True, related_name="supersedes"
    )
    """What took its place."""
    replaces = models.ForeignKey(
        "self", models.RESTRICT, null=True, blank=True, related_name="proposed_successors"
    )
    """The learning that it supersedes once it comes into force."""
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    """Who declined, retired or superseded it."""
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_why = models.TextField(blank=True)
    proposed_on = models.DateField(default=timezone.localdate)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LearningQuerySet.as_manager()

    class Meta:
        ordering = ["workspace_id", "number"]
        indexes = [models.Index(fields=["workspace", "status"])]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "number"], name="learning_number_once_a_workspace"
            ),
            models.CheckConstraint(condition=Q(number__gt=0), name="learning_number_from_one"),
            models.CheckConstraint(
                condition=Q(kind__in=["look_for", "never_say", "do_not_raise"]),
                name="learning_kind_is_known",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=["proposed", "in_force", "declined", "retired", "superseded"]
                ),
                name="learning_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(proposal_kind__in=["", *ProposalKind.values]),
                name="learning_proposal_kind_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(status="in_force")
                | (
                    Q(current__isnull=False, in_force_at__isnull=False)
                    & (
                        Q(approved_by__isnull=False)
                        | Q(in_force_from__isnull=False, in_force_from__lte=models.F("in_force_at"))
                    )
                ),
                name="learning_in_force_is_approved_or_has_waited",
            ),
            models.CheckConstraint(
                condition=Q(pending_from__isnull=True) | Q(pending__isnull=False),
                name="learning_only_what_is_pending_waits",
            ),
            models.CheckConstraint(
                condition=Q(approved_by__isnull=True) | ~Q(approved_by=models.F("author")),
                name="learning_approver_is_not_its_author",
            ),
            models.CheckConstraint(
                condition=Q(approved_by__isnull=True, approved_at__isnull=True)
                | Q(approved_by__isnull=False, approved_at__isnull=False),
                name="learning_approved_by_somebody",
            ),
            models.CheckConstraint(
                condition=~Q(status="proposed") | Q(current__isnull=True),
                name="learning_proposed_is_not_given",
            ),
            models.CheckConstraint(
                condition=Q(expires_on__isnull=True) | Q(expires_on__gt=models.F("proposed_on")),
                name="learning_expires_after_it_was_proposed",
            ),
            models.CheckConstraint(
                condition=Q(status="superseded", superseded_by__isnull=False)
                | (~Q(status="superseded") & Q(superseded_by__isnull=True)),
                name="learning_superseded_names_by_what",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=["declined", "retired"])
                | (~Q(ended_why="") & Q(ended_at__isnull=False)),
                name="learning_ended_has_a_reason_and_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"learning {self.number}"

    @property
    def worded(self) -> "LearningVersion":
        """The wording to show: what is in force, else what waits."""
        version = self.current or self.pending
        if version is None:
            raise LearningVersion.DoesNotExist(f"{self} has no wording yet")
        return version

    @property
    def newest(self) -> "LearningVersion":
        """The wording that whoever changes or judges it must have seen: what waits, else `worded`."""
        return self.pending or self.worded

    @property
    def text(self) -> str:
        """The wording to show, as words."""
        return self.worded.text

    @property
    def has_expired(self) -> bool:
        """Whether the last day on which it is given has passed."""
        return self.expires_on is not None and self.expires_on < timezone.localdate()

    @property
    def is_given(self) -> bool:
        """Whether readings of its scope that start today are given it."""
        return self.status == self.Status.IN_FORCE and not self.has_expired


class _WrittenOnce(models.Model):
    """A row that is added and never changed."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Refuse to change what readings may have been given."""
        if not self._state.adding:
            raise TypeError(f"a {self._meta.verbose_name} is never changed")
        super().save(*args, **kwargs)


class LearningVersion(_WrittenOnce):
    """One wording. A change is the next one."""

    learning = models.ForeignKey(Learning, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=Learning.Kind.choices)
    """As the learning's own, which never changes; here so that the database can judge the rest."""
    text = models.TextField()
    phrase = models.CharField(max_length=120, blank=True)
    """What is never to be said, in one of its forms; only for that kind."""
    instead = models.CharField(max_length=200, blank=True)
    """What to say in its place, if anything."""
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["learning_id", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["learning", "number"], name="learning_version_number_once_a_learning"
            ),
            models.CheckConstraint(
                condition=Q(number__gt=0), name="learning_version_number_from_one"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="learning_version_has_words"),
            models.CheckConstraint(
                condition=(Q(kind="never_say") & ~Q(phrase=""))
                | (~Q(kind="never_say") & Q(phrase="", instead="")),
                name="learning_version_phrase_is_for_never_say",
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.number}"


class LearningSource(models.Model):
    """A finding that a learning came from. Its words stay when the finding is deleted."""

    learning = models.ForeignKey(Learning, models.CASCADE, related_name="sources")
    finding = models.ForeignKey(
        Finding, models.SET_NULL, null=True, blank=True, related_name="learned_from"
    )
    proposal = models.ForeignKey(Proposal, models.SET_NULL, null=True, blank=True, related_name="+")
    proposal_title = models.CharField(max_length=200, blank=True)
    client = models.CharField(max_length=120, blank=True)
    finding_number = models.PositiveIntegerField(default=0)
    sheet = models.PositiveIntegerField(default=0)
    severity = models.CharField(max_length=10, blank=True)
    rule = models.CharField(max_length=40, blank=True)
    quote = models.TextField(blank=True)
    text = models.TextField()
    why = models.TextField(blank=True)
    """Why it counts: what a person said of it, or the reason for which it was dismissed."""
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    """One that came after a wording was written is no part of what that wording holds back."""

    class Meta:
        ordering = ["learning_id", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["learning", "finding"], name="learning_source_once_a_finding"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="learning_source_keeps_the_words"),
        ]


class Likeness(models.Model):
    """What a person said of two findings of different proposals: the same fault, or not."""

    first = models.ForeignKey(Finding, models.CASCADE, related_name="+")
    second = models.ForeignKey(Finding, models.CASCADE, related_name="+")
    is_same = models.BooleanField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="likeness_once_a_pair"),
            models.CheckConstraint(
                condition=Q(first__lt=models.F("second")), name="likeness_pair_in_order"
            ),
        ]


class HeldBack(_WrittenOnce):
    """An entry of an answer that a *do not raise* learning kept from becoming a finding."""

    reading = models.ForeignKey(Reading, models.CASCADE, related_name="held_back")
    index = models.PositiveIntegerField()
    """Its place in the answer, from 0."""
    by = models.ForeignKey(LearningVersion, models.CASCADE, related_name="held_back")
    sheet = models.PositiveIntegerField()
    severity = models.CharField(max_length=10)
    rule = models.CharField(max_length=40)
    quote = models.TextField(blank=True)
    text = models.TextField()
    edit = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["reading_id", "index"]
        verbose_name_plural = "held back"
        constraints = [
            models.UniqueConstraint(
                fields=["reading", "index"], name="held_back_once_an_answer_and_index"
            ),
            models.CheckConstraint(
                condition=Q(severity__in=["fix", "consider"]), name="held_back_is_never_a_block"
            ),
        ]

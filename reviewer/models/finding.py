"""What sightings are merged into: keeps its identity across passes and versions."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from django.db import models
from django.db.models import Count, OuterRef, Prefetch, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from reviewer.core import state
from reviewer.core.schema import Severity
from reviewer.models.proposal import Proposal
from reviewer.models.reading import Reading
from reviewer.models.version import Version
from reviewer.models.workspace import Membership

STATE_FIELDS = (
    "severity",
    "raised",
    "evidence",
    "recheck",
    "other_changed",
    "gone_by",
    "seen_again",
    "times_still_there",
    "is_closed_by_reviewer",
    "status",
    "accepted_until",
)
"""All that the state shown of a finding depends on; two that agree in these look the same."""

DUE = frozenset({state.Shown.OPEN, state.Shown.STILL_THERE})
"""The states in which somebody has something to do."""


def _named(severity: Severity) -> Coalesce:
    """How many readings gave a finding this severity, as part of a query for findings."""
    seen = Sighting.objects.filter(finding=OuterRef("pk"), severity=severity.value)
    by_reading = seen.order_by().values(one=models.Value(1))
    return Coalesce(Subquery(by_reading.annotate(n=Count("reading", distinct=True)).values("n")), 0)


class FindingQuerySet(models.QuerySet["Finding"]):
    def visible_to(self, membership: Membership) -> "FindingQuerySet":
        return self.filter(proposal__workspace=membership.workspace)

    def shown(self) -> "FindingQuerySet":
        """Those that stand for themselves, not merged into another."""
        return self.filter(merged_into=None)

    def due_of(self, proposals: Iterable[int]) -> dict[int, Counter[str]]:
        """How many findings of each severity are still to be done, by proposal id; one query.

        Findings that look the same are counted by the database and judged once.
        """
        due: dict[int, Counter[str]] = defaultdict(Counter)
        alike = (
            self.shown()
            .filter(proposal__in=proposals)
            .order_by()
            .values("proposal_id", *STATE_FIELDS)
            .annotate(how_many=Count("pk"))
        )
        for group in alike:
            how_many = group.pop("how_many")
            if Finding(**group).shown_state in DUE:
                due[group["proposal_id"]][group["severity"]] += how_many
        return due

    def for_desk(self, version: Version) -> "FindingQuerySet":
        """With their places on `version` and the last decision's author, in reading order.

        `comment_count` are the comments on it, and on what was merged into it; `named_block`,
        `named_fix` and `named_consider` are how many readings gave it that severity.
        """
        from reviewer.models.comment import Comment

        said = Comment.objects.order_by().values(one=models.Value(1)).annotate(n=Count("pk"))
        mine = Subquery(said.filter(finding=OuterRef("pk")).values("n"))
        merged = Subquery(said.filter(finding__merged_into=OuterRef("pk")).values("n"))
        places = FindingPlace.objects.filter(version=version).order_by("position")
        return (
            self.shown()
            .filter(proposal_id=version.proposal_id)
            .select_related("decided_by", "decided_version", "first_version", "checked_version")
            .prefetch_related(Prefetch("places", queryset=places, to_attr="here"))
            .annotate(
                comment_count=Coalesce(mine, 0) + Coalesce(merged, 0),
                **{f"named_{one.value}": _named(one) for one in Severity},
            )
            .order_by("sheet", "number")
        )


class Finding(models.Model):
    """One fault. What the machine saw and what people decided are kept apart, never mixed."""

    class Status(models.TextChoices):
        """What people decided."""

        OPEN = "open", "open"
        FIX_CLAIMED = "fix_claimed", "fix claimed"
        DISMISSED = "dismissed", "dismissed"
        ACCEPTED = "accepted", "accepted"

    DECIDED = frozenset({Status.DISMISSED, Status.ACCEPTED})
    """What a person has decided, until it lapses."""

    MOVES = {
        Status.OPEN: {Status.FIX_CLAIMED, Status.DISMISSED, Status.ACCEPTED},
        # Claimed again: a check found that the first claim was wrong.
        Status.FIX_CLAIMED: {
            Status.OPEN,
            Status.FIX_CLAIMED,
            Status.DISMISSED,
            Status.ACCEPTED,
        },
        Status.DISMISSED: {Status.OPEN},
        Status.ACCEPTED: {Status.OPEN, Status.FIX_CLAIMED, Status.DISMISSED},
    }

    class Evidence(models.TextChoices):
        """What became of its words in the newest version that was looked at."""

        PRESENT = "present", "the words stand"
        CHANGED = "changed", "the words changed"
        GONE = "gone", "the words are gone"

    class Verdict(models.TextChoices):
        """What a fresh check, or the built-in check itself, says."""

        NONE = "none", "not checked"
        HOLDS = "holds", "holds"
        DOES_NOT_HOLD = "does_not_hold", "does not hold"
        UNSURE = "unsure", "unsure"

    class Raised(models.TextChoices):
        MODEL = "model", "a model"
        CHECK = "check", "a built-in check"
        PERSON = "person", "a person"

    proposal = models.ForeignKey(Proposal, models.CASCADE, related_name="findings")
    number = models.PositiveIntegerField()
    severity = models.CharField(max_length=10, choices=[(s.value, s.value) for s in Severity])
    rule = models.CharField(max_length=40)
    rule_as_written = models.CharField(max_length=200, blank=True)
    sheet = models.PositiveIntegerField()
    """Where it was last placed; 0 is the whole document."""
    quote = models.TextField(blank=True)
    text = models.TextField()
    edit = models.TextField(blank=True)
    also = models.JSONField(default=list)
    raised = models.CharField(max_length=10, choices=Raised.choices)
    check_code = models.CharField(max_length=60, blank=True)
    learning = models.ForeignKey(
        "Learning", models.SET_NULL, null=True, blank=True, related_name="findings"
    )
    """The learning under which it was raised."""
    merged_into = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="merged"
    )

    votes = models.PositiveSmallIntegerField(default=0)
    passes = models.PositiveSmallIntegerField(default=0)
    """Of so many passes that covered its words as they were raised, `votes` saw it."""
    is_agreed = models.BooleanField(default=False)
    """Every pass of one round saw it, from two passes up; later passes do not undo this."""
    swept = models.PositiveSmallIntegerField(default=0)
    """How many sweeps named it without having been told of it."""
    evidence = models.CharField(max_length=10, choices=Evidence.choices, default=Evidence.PRESENT)
    verdict = models.CharField(max_length=16, choices=Verdict.choices, default=Verdict.NONE)
    """Of the fresh check that tried to refute it when it was raised."""
    recheck = models.CharField(max_length=16, choices=Verdict.choices, default=Verdict.NONE)
    """Of the newest check since a fix was claimed or its words changed."""
    severity_by_check = models.CharField(max_length=10, blank=True)
    """What the fresh check would make of it, where only a minority said block."""
    severity_by_person = models.BooleanField(default=False)
    """A person set its severity; readings do not change it any more."""
    other_changed = models.BooleanField(default=False)
    """Another of its places changed, or, for what is missing, anything new came."""
    gone_by = models.JSONField(default=list, blank=True)
    """The models that said it no longer holds, since its words changed."""
    touched_in = models.PositiveIntegerField(null=True, blank=True)
    """Number of the version in which one of its places changed last."""
    seen_again = models.PositiveSmallIntegerField(default=0)
    """How many blind readings named it again since then."""
    times_still_there = models.PositiveSmallIntegerField(default=0)
    is_late = models.BooleanField(default=False)
    """It was first seen on text that had been cleared before."""
    is_upheld = models.BooleanField(default=False)
    """A person looked at it and signed that it stands."""
    is_closed_by_reviewer = models.BooleanField(default=False)
    """A reviewer looked at the changed text and signed that it is fixed."""
    is_on_sheet = models.BooleanField(default=True)
    is_from_picture = models.BooleanField(default=False)
    """It was read from the picture of a sheet without text, so no words can be marked."""

    status = models.CharField(max_length=12, choices=Status.choices, default=Status.OPEN)
    decided_by = models.ForeignKey(
        "auth.User", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.TextField(blank=True)
    accepted_until = models.DateField(null=True, blank=True)
    """The last day on which an acceptance counts, where it ends by date."""
    accepted_until_version = models.PositiveIntegerField(null=True, blank=True)
    """The last version for which it counts, where it ends by version."""
    decided_version = models.ForeignKey(
        Version, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    first_version = models.ForeignKey(Version, models.CASCADE, related_name="+")
    checked_version = models.ForeignKey(
        Version, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    """The newest version in which something looked for it."""
    created_at = models.DateTimeField(auto_now_add=True)

    objects = FindingQuerySet.as_manager()

    class Meta:
        ordering = ["proposal_id", "number"]
        indexes = [models.Index(fields=["proposal", "status", "severity"])]
        constraints = [
            models.UniqueConstraint(
                fields=["proposal", "number"], name="finding_number_once_a_proposal"
            ),
            models.CheckConstraint(
                condition=models.Q(severity__in=[s.value for s in Severity]),
                name="finding_severity_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["open", "fix_claimed", "dismissed", "accepted"]),
                name="finding_status_is_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(status__in=["dismissed", "accepted"])
                | ~models.Q(decision_reason=""),
                name="finding_dismissed_has_a_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(votes__lte=models.F("passes")),
                name="finding_votes_within_passes",
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.number}"

    def record(self) -> state.Record:
        """The finding as the rules of the house see it."""
        return state.Record(
            id=str(self.number),
            severity=self.severity,
            machine=state.Machine(
                raised=state.Raised(self.raised),
                votes=self.votes,
                passes=self.passes,
                swept=self.swept,
                agreed=self.is_agreed,
                evidence=state.Evidence(self.evidence),
                verdict=state.Verdict(self.verdict),
                recheck=state.Verdict(self.recheck),
                other_changed=self.other_changed,
                gone_by=frozenset(self.gone_by),
                seen_again=self.seen_again,
                times_still_there=self.times_still_there,
                on_sheet=self.is_on_sheet,
                from_picture=self.is_from_picture,
                late=self.is_late,
            ),
            people=state.People(
                decided=state.Decided(self.status),
                lapsed=self.has_ended,
                upheld=self.is_upheld,
                closed_by_reviewer=self.is_closed_by_reviewer,
            ),
            sheet=self.sheet,
        )

    @property
    def has_ended(self) -> bool:
        """Whether the last day of its acceptance has passed."""
        return state.acceptance_lapsed(
            until_date=self.accepted_until,
            until_version=None,
            today=timezone.localdate(),
            version=0,
        )

    @property
    def shown_state(self) -> str:
        """What is shown: a pure function of what was seen and what people decided."""
        return state.shown(self.record()).value

    @property
    def is_lost(self) -> bool:
        """Its words are gone, and nothing has confirmed that the fault went with them."""
        return state.Mark.LOST_ITS_PLACE in state.marks(self.record())


class FindingPlace(models.Model):
    """Where the words of a finding stand on one version; position 0 is its own quote."""

    finding = models.ForeignKey(Finding, models.CASCADE, related_name="places")
    version = models.ForeignKey(Version, models.CASCADE, related_name="finding_places")
    position = models.PositiveSmallIntegerField(default=0)
    sheet = models.PositiveIntegerField()
    first_word = models.PositiveIntegerField()
    last_word = models.PositiveIntegerField()
    boxes = models.JSONField(default=list)
    """`[[x0, y0, x1, y1], …]`, one a line, points from the top left of the page as shown."""

    class Meta:
        ordering = ["finding_id", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["finding", "version", "position"],
                name="finding_place_once_a_version_and_position",
            ),
            models.CheckConstraint(
                condition=models.Q(first_word__lte=models.F("last_word")),
                name="finding_place_words_in_order",
            ),
        ]


class Sighting(models.Model):
    """One finding as one answer reported it."""

    reading = models.ForeignKey(Reading, models.CASCADE, related_name="sightings")
    index = models.PositiveIntegerField()
    finding = models.ForeignKey(Finding, models.CASCADE, related_name="sightings")
    sheet = models.PositiveIntegerField()
    severity = models.CharField(max_length=10)
    rule = models.CharField(max_length=40)
    rule_as_written = models.CharField(max_length=200, blank=True)
    quote = models.TextField(blank=True)
    text = models.TextField()
    edit = models.TextField(blank=True)
    also = models.JSONField(default=list)
    learning = models.ForeignKey(
        "Learning", models.SET_NULL, null=True, blank=True, related_name="sightings"
    )
    """The learning that the answer named, where the reading had been given it."""
    learning_as_written = models.CharField(max_length=60, blank=True)
    """What the answer named as one, where the reading had not been given it."""
    first_char = models.PositiveIntegerField(null=True, blank=True)
    last_char = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["reading_id", "index"]
        constraints = [
            models.UniqueConstraint(
                fields=["reading", "index"], name="sighting_once_an_answer_and_index"
            )
        ]


class Apart(models.Model):
    """Two findings that a person took apart: nothing merges them again by itself."""

    first = models.ForeignKey(Finding, models.CASCADE, related_name="+")
    second = models.ForeignKey(Finding, models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="apart_once_a_pair"),
            models.CheckConstraint(
                condition=models.Q(first__lt=models.F("second")), name="apart_pair_in_order"
            ),
        ]

"""What was asked of each model, what came back and what was lost. Reads only."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from statistics import median

from django.core.cache import cache
from django.utils import timezone

from reviewer.core.outcomes import LOST, Outcome, WayRead
from reviewer.core.proportions import Follows, losses_follow
from reviewer.models import Reading, Review, Workspace
from reviewer.services.model_settings import alarm_key, settings_of

WINDOWS = (7, 30)
LEAST_FOR_AN_ALARM = 20
ALARM_SECONDS = 60


@dataclass
class ModelLine:
    """One model, asked in one way, over some days."""

    model: str
    way: str
    answers: int = 0
    whole: int = 0
    in_part: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    not_answered: Counter[str] = field(default_factory=Counter)
    """Readings that brought no answer at all: faults of the provider, refusals."""
    kept: int = 0
    dropped: int = 0
    written: int = 0
    """Answers that came as text, in the form of a call or of JSON."""
    written_read: int = 0
    """Those of them that were read, whole or in part."""
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cost: Decimal | None = None
    first_finding: float | None = None
    """Median seconds until the first finding was there."""
    days: list[tuple[date, int, int]] = field(default_factory=list)
    """Day, answers and lost answers, oldest first, days without answers left out."""

    @property
    def lost_answers(self) -> int:
        return sum(self.lost.values())

    @property
    def cache_share(self) -> float | None:
        """The share of input tokens that came from the cache, 0 to 1; None without tokens."""
        total = self.input_tokens + self.cache_read_tokens
        return self.cache_read_tokens / total if total else None


@dataclass(frozen=True)
class Effort:
    """What some readings took: tokens as their server billed them, and dollars."""

    readings: int
    """How many were asked and brought tokens."""
    input_tokens: int
    """Those that did not come from the cache."""
    cache_read_tokens: int
    output_tokens: int
    cost: Decimal | None
    """Of those whose price is known; None where none is."""
    unpriced: int
    """How many have no known price."""
    reused: int = 0
    """How many took up the answer that another proposal had been given."""

    @property
    def cache_share(self) -> float | None:
        """The share of input tokens that came from the cache, 0 to 1; None without tokens."""
        total = self.input_tokens + self.cache_read_tokens
        return self.cache_read_tokens / total if total else None


@dataclass(frozen=True)
class ModelStats:
    """All models of a workspace over the last `days` days."""

    days: int
    lines: tuple[ModelLine, ...]
    follows: tuple[Follows, ...]
    answers: int
    lost: int
    alarm_percent: int

    @property
    def is_alarming(self) -> bool:
        """Whether more answers are lost than the workspace puts up with."""
        return (
            self.answers >= LEAST_FOR_AN_ALARM
            and 100 * self.lost > self.alarm_percent * self.answers
        )


def model_stats(workspace: Workspace, *, days: int = 30) -> ModelStats:
    """Counted from the readings; two queries whatever their number."""
    since = timezone.now() - timedelta(days=days)
    readings = Reading.objects.filter(
        review__version__proposal__workspace=workspace,
        review__provenance=Review.Provenance.LIVE,
        status=Reading.Status.DONE,
        finished_at__gte=since,
    ).only(*_FIELDS)
    groups: dict[tuple[str, str], list[Reading]] = defaultdict(list)
    for reading in readings:
        if reading.outcome != Outcome.NOT_RUN:
            groups[(reading.model, reading.way_asked)].append(reading)
    lines = tuple(_line(*key, group) for key, group in sorted(groups.items()))
    counts: dict[str, tuple[int, int]] = {}
    for line in lines:
        lost, answers = counts.get(line.model, (0, 0))
        counts[line.model] = (lost + line.lost_answers, answers + line.answers)
    return ModelStats(
        days=days,
        lines=lines,
        follows=tuple(losses_follow(counts)),
        answers=sum(line.answers for line in lines),
        lost=sum(line.lost_answers for line in lines),
        alarm_percent=settings_of(workspace).lost_alarm_percent,
    )


def effort_of(readings: Iterable[Reading]) -> Effort:
    """What these readings took together, for a review or a page; no query."""
    readings = list(readings)
    asked = [one for one in readings if one.input_tokens or one.output_tokens]
    costs = [one.cost for one in asked if one.cost is not None]
    return Effort(
        readings=len(asked),
        input_tokens=sum(one.input_tokens + one.cache_write_tokens for one in asked),
        cache_read_tokens=sum(one.cache_read_tokens for one in asked),
        output_tokens=sum(one.output_tokens for one in asked),
        cost=sum(costs, Decimal(0)) if costs else None,
        unpriced=len(asked) - len(costs),
        reused=sum(one.answered_by_id is not None for one in readings),
    )


def lost_alarm(workspace: Workspace) -> str:
    """The sentence for managers where too many answers are lost, else an empty one.

    Counted at most once a minute and process: it is asked for on every page.
    """
    key = alarm_key(workspace.pk)
    known = cache.get(key)
    if known is None:
        stats = model_stats(workspace)
        known = ""
        if stats.is_alarming:
            percent = round(100 * stats.lost / stats.answers)
            known = (
                f"{percent} % of the answers of the last {stats.days} days were lost: "
                f"{stats.lost} of {stats.answers}."
            )
        cache.set(key, known, ALARM_SECONDS)
    return str(known)


_AS_TEXT = frozenset({WayRead.TEXT_CALL, WayRead.JSON_TEXT})
_FIELDS = (
    "model",
    "way_asked",
    "way_read",
    "outcome",
    "fault",
    "kept",
    "dropped",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cost",
    "first_finding_seconds",
    "finished_at",
)


def _line(model: str, way: str, readings: list[Reading]) -> ModelLine:
    line = ModelLine(model, way)
    days: dict[date, list[int]] = defaultdict(lambda: [0, 0])
    for reading in readings:
        outcome = Outcome(reading.outcome)
        if outcome in {Outcome.PROVIDER_ERROR, Outcome.REFUSAL}:
            line.not_answered[reading.fault or outcome.value] += 1
        else:
            line.answers += 1
            line.whole += outcome == Outcome.READ
            line.in_part += outcome == Outcome.PARTLY_READ
            if outcome in LOST:
                line.lost[outcome.value] += 1
            if reading.way_read in _AS_TEXT:
                line.written += 1
                line.written_read += outcome not in LOST
            day = days[timezone.localdate(reading.finished_at)]
            day[0] += 1
            day[1] += outcome in LOST
        line.kept += reading.kept
        line.dropped += len(reading.dropped)
        line.input_tokens += reading.input_tokens + reading.cache_write_tokens
        line.output_tokens += reading.output_tokens
        line.cache_read_tokens += reading.cache_read_tokens
        if reading.cost is not None:
            line.cost = (line.cost or Decimal(0)) + reading.cost
    waits = [r.first_finding_seconds for r in readings if r.first_finding_seconds is not None]
    line.first_finding = median(waits) if waits else None
    line.days = [(day, *counts) for day, counts in sorted(days.items())]  # type: ignore[misc]
    return line

"""How far a conversion or a review is: counts of rows, never the state of a queue.

Reads only. The sentences are for the person who waits.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Case, Q, When
from django.utils import timezone

from reviewer.core.wording import counted
from reviewer.models import Finding, Reading, Review, Version
from reviewer.models.review import Purpose
from reviewer.services.model_stats import Effort, effort_of
from reviewer.services.rests import made_good, not_made_good
from reviewer.services.telling import Stored, stored_answers, what_happened

Kind = Reading.Kind


@dataclass(frozen=True)
class Failure:
    """Readings that ended in the same way without being read whole."""

    count: int
    outcome: str
    sheets: tuple[int, ...]
    sentence: str
    next_move: str
    answers: tuple[Stored, ...] = ()
    """The raw answers that are still kept, for reviewers to look at."""


@dataclass(frozen=True)
class ReadingProgress:
    """How the newest review of a version stands. `state` is a Review status, or "never"."""

    state: str
    running: bool = False
    sentence: str = ""
    done: int = 0
    total: int = 0
    started_at: datetime | None = None
    seconds: float | None = None
    found: int = 0
    review: Review | None = None
    failures: list[Failure] = field(default_factory=list)
    made_good: tuple[str, ...] = ()
    """What was not read whole at first and is now, a sentence each."""
    provenance: str = ""
    passes_done: int = 0
    passes: int = 0
    effort: Effort | None = None
    """Tokens and dollars so far."""


@dataclass(frozen=True)
class ConversionProgress:
    """How the conversion of a version stands."""

    running: bool
    sentence: str
    done: int
    total: int
    seconds: float | None


def reading_progress(version: Version) -> ReadingProgress:
    """Three queries whatever the size: the review, its readings, its findings."""
    review = _review_shown(version)
    if review is None:
        return ReadingProgress(state="never")
    rows = review.readings.select_related("answer").defer("answer__raw")
    readings = list(rows.order_by("pass_number", "sheet"))
    over = [reading for reading in readings if reading.status == Reading.Status.DONE]
    left = Counter(
        reading.pass_number
        for reading in readings
        if reading.kind == Kind.PASS
        and reading.status in {Reading.Status.WAITING, Reading.Status.CLAIMED}
    )
    started = review.started_at or review.created_at
    found = Finding.objects.filter(sightings__reading__review=review).distinct().count()
    return ReadingProgress(
        state=review.status,
        running=review.is_running,
        sentence=_what_happens(review, readings, len(over), version.sheet_count),
        done=len(over),
        total=len(readings),
        started_at=started,
        seconds=_seconds(started, review.finished_at),
        found=found,
        review=review,
        failures=_failures(not_made_good(over)),
        made_good=made_good(over),
        provenance=review.provenance,
        passes_done=sum(not left[number] for number in range(1, review.passes + 1)),
        passes=review.passes,
        effort=effort_of(readings),
    )


def _review_shown(version: Version) -> Review | None:
    """The newest review; one of a picture only while it runs, or where there is no other."""
    is_over = Q(purpose=Purpose.PICTURE) & ~Q(status__in=Review.Status.running())
    last = Case(When(is_over, then=1), default=0)
    found: Review | None = version.reviews.order_by(last, "-pk").first()
    return found


def conversion_progress(version: Version) -> ConversionProgress:
    """How far the file is on its way to sheets; no query."""
    started = version.started_at or version.created_at
    sentences = {
        Version.Status.WAITING: "Waits for a worker to convert it",
        Version.Status.CONVERTING: version.doing or "Being converted",
        Version.Status.READY: f"{counted(version.sheet_count, 'sheet is', 'sheets are')} ready",
        Version.Status.UNREADABLE: version.reason,
    }
    return ConversionProgress(
        running=not version.is_settled,
        sentence=sentences[Version.Status(version.status)],
        done=version.done,
        total=version.total,
        seconds=_seconds(started, version.finished_at),
    )


def _what_happens(review: Review, readings: list[Reading], done: int, sheets: int) -> str:
    match review.status:
        case Review.Status.QUEUED:
            return "Queued: it starts as soon as a worker is free"
        case Review.Status.CANCELLED:
            return f"Cancelled after {done} of {len(readings)} readings; what was read stays"
        case Review.Status.FINISHED:
            return _what_was_read(review, readings)
    now = next((r for r in readings if r.status == Reading.Status.CLAIMED), None)
    if now is None:
        return f"{done} of {len(readings)} readings done; the next one waits for a worker"
    match now.kind:
        case Kind.DOCUMENT:
            return "Reading the document as a whole"
        case Kind.PICTURE:
            return f"Reading sheet {now.sheet} from its picture"
        case Kind.SWEEP:
            return f"Looking for what is left{_where(now)}"
        case Kind.CHECK:
            return f"Trying to refute what was found{_where(now)}"
        case Kind.RECHECK:
            return f"Looking whether what changed is fixed{_where(now)}"
    return f"Pass {now.pass_number} of {review.passes}: reading sheet {now.sheet} of {sheets}"


def _what_was_read(review: Review, readings: list[Reading]) -> str:
    sheets = {reading.sheet for reading in readings if reading.kind == Kind.PASS}
    if review.purpose == Purpose.PICTURE:
        looked = ", ".join(str(sheet) for sheet in sorted({one.sheet for one in readings}))
        return f"Sheet {looked} was read from its picture, and nothing else was read"
    if not sheets:
        return f"{counted(len(readings), 'reading', 'readings')} of what changed"
    passes = counted(review.passes, "pass", "passes")
    return f"{passes} over {counted(len(sheets), 'sheet', 'sheets')}"


def _where(reading: Reading) -> str:
    return f" on sheet {reading.sheet}" if reading.sheet else ""


def _seconds(started: datetime, ended: datetime | None) -> float:
    """Never below 0, though two hosts' clocks may differ."""
    return max(0.0, ((ended or timezone.now()) - started).total_seconds())


def _failures(lacking: list[Reading]) -> list[Failure]:
    groups: dict[tuple[str, str, str], list[Reading]] = {}
    for reading in lacking:
        key = (reading.outcome, reading.fault, reading.refusal_category)
        groups.setdefault(key, []).append(reading)
    return [_failure(group) for _, group in sorted(groups.items())]


def _failure(readings: list[Reading]) -> Failure:
    said, move = what_happened(readings[0])
    return Failure(
        count=len(readings),
        outcome=readings[0].outcome,
        sheets=tuple(sorted({reading.sheet for reading in readings})),
        sentence=said,
        next_move=move,
        answers=stored_answers(readings),
    )

"""Every stored answer read again by today's reader; what is recovered goes where it belongs.

Nothing is taken away: where today's reader reads less of an answer, that is shown and the
review keeps what it has. Answers that were removed are counted, and a review that runs is left
alone. Verdicts are stored only for findings that have none.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from reviewer.core.answers import AnswerRead, read_answer
from reviewer.core.outcomes import Outcome
from reviewer.core.raw import RawAnswer
from reviewer.core.rounds import is_censored
from reviewer.core.verdicts import VerdictsRead, read_verdict_answer
from reviewer.core.wording import counted
from reviewer.models import (
    Answer,
    Event,
    Finding,
    Membership,
    Reading,
    Replay,
    Review,
)
from reviewer.models.review import Purpose
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.ground import Ground
from reviewer.services.late import mark_late
from reviewer.services.lease import kept_lease
from reviewer.services.merging import record_sightings, settle_review
from reviewer.services.placing import carry_late_findings, touch
from reviewer.services.queue import send_replay
from reviewer.services.readings import CAPPED
from reviewer.services.runs import GAVE_UP, MAX_ATTEMPTS, claim_run, end_run
from reviewer.services.setting import pinned_of
from reviewer.services.storable import storable, storable_json
from reviewer.services.verdicts import apply_verdicts

STARTED, ENDED = "replay started", "replay ended"


@dataclass(frozen=True)
class Reread:
    """One answer, as it was read then and as it is read today.

    `kept_before` and `kept_after` are findings, or verdicts of a check. `running` says that its
    review is not over, so that nothing is stored however it is read.
    """

    reading: Reading
    before: str
    after: str
    kept_before: int
    kept_after: int
    running: bool = False

    @property
    def changed(self) -> bool:
        """Whether anything is read otherwise than then."""
        return (self.before, self.kept_before) != (self.after, self.kept_after)

    @property
    def recovered(self) -> int:
        """How many findings or verdicts are read now beyond those that were kept."""
        return max(0, self.kept_after - self.kept_before)


@dataclass
class Told:
    """What a replay came to, counted as it goes."""

    read: int = 0
    changed: int = 0
    recovered: int = 0
    running: int = 0
    """Read differently, and left alone since their review is not over."""
    removed: int = 0
    """Answers that are no longer kept, so that they cannot be read again."""

    def count(self, result: Reread) -> None:
        """Add one answer."""
        self.read += 1
        self.changed += result.changed
        self.recovered += 0 if result.running else result.recovered
        self.running += result.changed and result.running

    def sentences(self) -> str:
        """All of it, for a person."""
        parts = [
            f"{counted(self.read, 'answer')} read again, {self.changed} read differently, "
            f"{counted(self.recovered, 'finding')} or "
            f"{'verdict' if self.recovered == 1 else 'verdicts'} recovered."
        ]
        if self.running:
            parts.append(
                f"{counted(self.running, 'answer')} of reviews that still run left alone; read again when "
                "they are over."
            )
        if self.removed:
            them = "it" if self.removed == 1 else "them"
            parts.append(
                f"{counted(self.removed, 'answer')} could not be read again: the time for which the "
                f"workspace keeps {them} is over. What was found in {them} stays."
            )
        return " ".join(parts)


def replay(
    *,
    model: str = "",
    since: date | None = None,
    apply: bool = False,
    workspace_id: int | None = None,
) -> Iterator[Reread]:
    """Read the stored answers again, oldest first.

    With `apply`, what is read now and was not then is added to its review, and the reading's
    outcome is corrected, with an event. A review that still runs is left alone.
    """
    answers = Answer.objects.filter(
        reading__in=_readings(model, since, workspace_id)
    ).select_related("reading__review__version__proposal")
    documents = _Documents()
    for answer in answers.order_by("pk").iterator(chunk_size=100):
        raw = RawAnswer.from_json(answer.raw)
        if raw.calls or raw.text or raw.fault is not None or raw.stop_reason is not None:
            yield _reread(answer.reading, raw, documents, apply=apply)


def removed_answers(
    *, model: str = "", since: date | None = None, workspace_id: int | None = None
) -> int:
    """How many readings were answered and have no stored answer any more."""
    asked = _readings(model, since, workspace_id).exclude(outcome=Outcome.NOT_RUN)
    return asked.filter(answer=None).count()


def _readings(model: str, since: date | None, workspace_id: int | None) -> QuerySet[Reading]:
    readings = Reading.objects.filter(status=Reading.Status.DONE)
    if model:
        readings = readings.filter(model=model)
    if workspace_id is not None:
        readings = readings.filter(review__version__proposal__workspace=workspace_id)
    if since:
        readings = readings.filter(finished_at__date__gte=since)
    return readings


def start_replay(*, by: Membership) -> Replay:
    """Queue a reading of the workspace's stored answers; its result is told by an event.

    Raises Refused where one is under way.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can have the stored answers read again.")
    with transaction.atomic():
        try:
            with transaction.atomic():
                asked = Replay.objects.create(workspace=by.workspace)
        except IntegrityError as error:
            raise Refused("The stored answers are being read again already.") from error
        record(workspace=by.workspace, subject=by.workspace, verb=STARTED, by=by)
        send_replay(asked.pk)
    return asked


def run_replay(replay_id: int) -> Told | None:
    """Read the workspace's answers again, store what is recovered, and tell it by an event.

    None where it is over or somebody else has it. What a worker that died had stored is kept:
    who takes it up reads all answers again and adds what is still missing.
    """
    run = claim_run(Replay, replay_id)
    if run is None:
        return None
    if run.attempts > MAX_ATTEMPTS:
        _end(run, Replay.Status.FAILED, f"{GAVE_UP} What was recovered until then stays.")
        return None
    told = Told(removed=removed_answers(workspace_id=run.workspace_id))
    with kept_lease(run):
        for result in replay(apply=True, workspace_id=run.workspace_id):
            told.count(result)
    return told if _end(run, Replay.Status.DONE, told.sentences()) else None


def _end(run: Replay, status: str, why: str) -> bool:
    with transaction.atomic():
        ended = end_run(run, status)
        if ended:
            record(workspace=run.workspace, subject=run.workspace, verb=ENDED, by=None, why=why)
    return ended


def last_replay(workspace_id: int) -> Event | None:
    """The event that the newest replay started or ended; None before one."""
    events = Event.objects.filter(
        workspace=workspace_id, subject="workspace", verb__in=[STARTED, ENDED]
    )
    return events.order_by("-pk").first()


class _Documents:
    """The text that readings were given; that of the last review is kept, as its answers come
    in a row."""

    def __init__(self) -> None:
        self._version: int | None = None
        self._review: int | None = None

    def of(self, review: Review) -> tuple[Ground, str]:
        """The sheets of its version, and all their text with that of the sources it reads with.

        Not of those that are there today: an answer is refused for call markup in what its
        model was given.
        """
        if self._version != review.version_id:
            self._ground = Ground(review.version)
            self._version = review.version_id
        if self._review != review.pk:
            sources = [text for _, text in pinned_of(review).sources]
            self._text = "\n".join([*self._ground.texts.values(), *sources])
            self._review = review.pk
        return self._ground, self._text


def _reread(reading: Reading, raw: RawAnswer, documents: _Documents, *, apply: bool) -> Reread:
    ground, text = documents.of(reading.review)
    read: AnswerRead | VerdictsRead
    if reading.kind in Reading.Kind.reporting():
        given = {number for number, _ in reading.learnings}
        read = read_answer(raw, sheets=ground.texts, document=text, learnings=given)
        kept = len(read.findings)
    else:
        read = read_verdict_answer(raw, reading.candidates, document=text)
        kept = len(read.verdicts)
    running = reading.review.is_running
    result = Reread(reading, reading.outcome, read.outcome.value, reading.kept, kept, running)
    if apply and result.changed and kept >= reading.kept and not running:
        if isinstance(read, AnswerRead):
            _store(
                reading, read, lambda: _add_findings(reading, read, ground), _fields(reading, read)
            )
        else:
            _store(reading, read, lambda: _add_verdicts(reading, read), {})
    return result


def _fields(reading: Reading, read: AnswerRead) -> dict[str, object]:
    returned = len(read.findings) + len(read.dropped)
    return {
        "way_read": read.way.value if read.way else "",
        "is_censored": reading.kind in CAPPED and is_censored(returned),
    }


def _store(
    reading: Reading,
    read: AnswerRead | VerdictsRead,
    add: Callable[[], str],
    fields: dict[str, object],
) -> None:
    """Correct the reading, add what it brought, and tell of both, or do nothing at all."""
    review = reading.review
    as_loaded = Reading.objects.filter(pk=reading.pk, outcome=reading.outcome, kept=reading.kept)
    with transaction.atomic():
        # Of two replays at once, the one that comes second has nothing to correct.
        corrected = as_loaded.update(
            outcome=read.outcome.value,
            reason=storable(read.reason),
            kept=len(read.findings if isinstance(read, AnswerRead) else read.verdicts),
            dropped=storable_json([{"index": d.index, "why": d.why} for d in read.dropped]),
            **fields,
        )
        if corrected != 1:
            return
        record(
            workspace=review.version.proposal.workspace_id,
            subject=reading,
            verb="read again",
            by=None,
            from_state=reading.outcome,
            to_state=read.outcome.value,
            why=add(),
            proposal_id=review.version.proposal_id,
            review_id=review.pk,
        )


def _add_findings(reading: Reading, read: AnswerRead, ground: Ground) -> str:
    added = record_sightings(reading, read.findings, ground)
    if added:
        settle_review(reading.review)
        if reading.review.purpose != Purpose.DISCOVERY:
            mark_late(reading.review)
        # Newer versions have taken over the findings of this one already.
        carry_late_findings(reading.review)
        touch(reading.review.version)
    return f"{counted(len(added), 'finding')} recovered"


def _add_verdicts(reading: Reading, read: VerdictsRead) -> str:
    """Store the verdicts of a check on findings that have none; later checks know better."""
    if reading.kind != Reading.Kind.CHECK or reading.review.status == Review.Status.CANCELLED:
        return "0 verdicts recovered"
    without = Finding.objects.filter(
        proposal=reading.review.version.proposal_id, verdict=Finding.Verdict.NONE
    ).values_list("number", flat=True)
    due = {number: said for number, said in read.verdicts.items() if number in set(without)}
    apply_verdicts(reading, due)
    return f"{counted(len(due), 'verdict')} recovered"

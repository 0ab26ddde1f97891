"""Every stored answer read again by today's reader; what is recovered goes where it belongs.

Nothing is taken away: where today's reader reads less of an answer, that is shown and the
review keeps what it has. Verdicts are stored only for findings that have none.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.db import transaction
from django.utils import timezone

from reviewer.core.answers import AnswerRead, read_answer
from reviewer.core.raw import RawAnswer
from reviewer.core.rounds import is_censored
from reviewer.core.verdicts import VerdictsRead, read_verdict_answer
from reviewer.models import (
    Answer,
    Finding,
    Membership,
    ModelSettings,
    Reading,
    Review,
    Version,
    Workspace,
)
from reviewer.services.errors import NotAllowed
from reviewer.services.events import record
from reviewer.services.ground import Ground
from reviewer.services.merging import record_sightings, settle_review
from reviewer.services.placing import carry_late_findings
from reviewer.services.queue import send
from reviewer.services.storable import storable, storable_json
from reviewer.services.verdicts import apply_verdicts


@dataclass(frozen=True)
class Reread:
    """One answer, as it was read then and as it is read today.

    `recovered` is how many findings or verdicts are read now beyond those that were kept.
    """

    reading: Reading
    before: str
    after: str
    kept_before: int
    kept_after: int

    @property
    def changed(self) -> bool:
        return (self.before, self.kept_before) != (self.after, self.kept_after)

    @property
    def recovered(self) -> int:
        return max(0, self.kept_after - self.kept_before)


def replay(
    *,
    model: str = "",
    since: date | None = None,
    apply: bool = False,
    workspace_id: int | None = None,
) -> Iterator[Reread]:
    """Read the stored answers again, oldest first.

    With `apply`, what is read now and was not then is added to its review, and the reading's
    outcome is corrected, with an event.
    """
    answers = Answer.objects.filter(reading__status=Reading.Status.DONE).select_related(
        "reading__review__version__proposal"
    )
    if model:
        answers = answers.filter(reading__model=model)
    if workspace_id is not None:
        answers = answers.filter(reading__review__version__proposal__workspace=workspace_id)
    if since:
        answers = answers.filter(created_at__date__gte=since)
    documents = _Documents()
    for answer in answers.order_by("pk").iterator(chunk_size=100):
        raw = RawAnswer.from_json(answer.raw)
        if raw.calls or raw.text or raw.fault is not None or raw.stop_reason is not None:
            yield _reread(answer.reading, raw, documents, apply=apply)


def start_replay(*, by: Membership) -> None:
    """Queue a reading of the workspace's stored answers; its result is told by an event."""
    if not by.is_manager:
        raise NotAllowed("Only a manager can have the stored answers read again.")
    with transaction.atomic():
        record(workspace=by.workspace, subject=by.workspace, verb="replay started", by=by)
        send("replay_answers", by.workspace_id)


def replay_workspace(workspace_id: int) -> tuple[int, int, int]:
    """Read the workspace's answers again and store what is recovered.

    Returns how many were read, how many differently, and how much came back.
    """
    results = list(replay(apply=True, workspace_id=workspace_id))
    changed = sum(result.changed for result in results)
    recovered = sum(result.recovered for result in results)
    workspace = Workspace.objects.get(pk=workspace_id)
    record(
        workspace=workspace,
        subject=workspace,
        verb="replay ended",
        by=None,
        why=f"{len(results)} answers read again, {changed} read differently, "
        f"{recovered} findings recovered",
    )
    return len(results), changed, recovered


def forget_old_answers() -> int:
    """Delete raw answers older than each workspace keeps them; returns how many."""
    forgotten = 0
    default = ModelSettings().keep_answers_days
    own = dict(ModelSettings.objects.values_list("workspace", "keep_answers_days"))
    answers = Answer.objects.all()
    for workspace, days in own.items():
        old = timezone.now() - timedelta(days=days)
        forgotten += answers.filter(
            reading__review__version__proposal__workspace=workspace, created_at__lt=old
        ).delete()[0]
    old = timezone.now() - timedelta(days=default)
    others = answers.exclude(reading__review__version__proposal__workspace__in=own)
    return forgotten + others.filter(created_at__lt=old).delete()[0]


class _Documents:
    """The text that readings were given; the last version is kept, as its answers come in a row."""

    def __init__(self) -> None:
        self._version: int | None = None

    def of(self, version: Version) -> tuple[Ground, str]:
        """The sheets of `version`, and all its text with that of its sources."""
        if self._version != version.pk:
            self._ground = Ground(version)
            sources = version.proposal.sources.values_list("text", flat=True)
            self._text = "\n".join([*self._ground.texts.values(), *sources])
            self._version = version.pk
        return self._ground, self._text


def _reread(reading: Reading, raw: RawAnswer, documents: _Documents, *, apply: bool) -> Reread:
    ground, text = documents.of(reading.review.version)
    read: AnswerRead | VerdictsRead
    if reading.kind in Reading.Kind.of_findings():
        read = read_answer(raw, sheets=ground.texts, document=text)
        kept = len(read.findings)
    else:
        read = read_verdict_answer(raw, reading.candidates, document=text)
        kept = len(read.verdicts)
    result = Reread(reading, reading.outcome, read.outcome.value, reading.kept, kept)
    if apply and result.changed and kept >= reading.kept:
        if isinstance(read, AnswerRead):
            _store(reading, read, lambda: _add_findings(reading, read, ground), _fields(read))
        else:
            _store(reading, read, lambda: _add_verdicts(reading, read), {})
    return result


def _fields(read: AnswerRead) -> dict[str, object]:
    returned = len(read.findings) + len(read.dropped)
    return {"way_read": read.way.value if read.way else "", "is_censored": is_censored(returned)}


def _store(
    reading: Reading,
    read: AnswerRead | VerdictsRead,
    add: Callable[[], str],
    fields: dict[str, object],
) -> None:
    """Correct the reading, add what it brought, and tell of both, or do nothing at all."""
    review = reading.review
    if reading.kind != Reading.Kind.PASS:
        fields.pop("is_censored", None)
    with transaction.atomic():
        Reading.objects.filter(pk=reading.pk).update(
            outcome=read.outcome.value,
            reason=storable(read.reason),
            kept=len(read.findings if isinstance(read, AnswerRead) else read.verdicts),
            dropped=storable_json([{"index": d.index, "why": d.why} for d in read.dropped]),
            **fields,
        )
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
        if not reading.review.is_running:
            # Newer versions have taken over the findings of this one already.
            carry_late_findings(reading.review)
    return f"{len(added)} findings recovered"


def _add_verdicts(reading: Reading, read: VerdictsRead) -> str:
    """Store the verdicts of a check on findings that have none; later checks know better."""
    if reading.kind != Reading.Kind.CHECK or reading.review.status == Review.Status.CANCELLED:
        return "0 verdicts recovered"
    without = Finding.objects.filter(
        proposal=reading.review.version.proposal_id, verdict=Finding.Verdict.NONE
    ).values_list("number", flat=True)
    due = {number: said for number, said in read.verdicts.items() if number in set(without)}
    apply_verdicts(reading, due)
    return f"{len(due)} verdicts recovered"

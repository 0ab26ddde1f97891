"""Every stored answer read again by today's reader; what is recovered goes where it belongs."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.db import transaction
from django.utils import timezone

from reviewer.core.answers import AnswerRead, read_answer
from reviewer.core.raw import RawAnswer
from reviewer.models import Answer, Membership, ModelSettings, Reading, Review, Workspace
from reviewer.services.errors import NotAllowed
from reviewer.services.events import record
from reviewer.services.ground import Ground
from reviewer.services.merging import record_sighting, settle_review
from reviewer.services.queue import send


@dataclass(frozen=True)
class Reread:
    """One answer, as it was read then and as it is read today."""

    reading: Reading
    before: str
    after: str
    kept_before: int
    kept_after: int

    @property
    def changed(self) -> bool:
        return (self.before, self.kept_before) != (self.after, self.kept_after)


def replay(
    *,
    model: str = "",
    since: date | None = None,
    apply: bool = False,
    workspace_id: int | None = None,
) -> Iterator[Reread]:
    """Read the stored answers that report findings again, oldest first.

    With `apply`, findings that are read now and were not then are added to their reviews,
    and the reading's outcome is corrected, with an event; nothing is taken away.
    """
    answers = Answer.objects.filter(
        reading__kind__in=Reading.Kind.of_findings(), reading__status=Reading.Status.DONE
    ).select_related("reading__review__version__proposal")
    if model:
        answers = answers.filter(reading__model=model)
    if workspace_id is not None:
        answers = answers.filter(reading__review__version__proposal__workspace=workspace_id)
    if since:
        answers = answers.filter(created_at__date__gte=since)
    for answer in answers.order_by("pk").iterator(chunk_size=100):
        reading = answer.reading
        ground = Ground(reading.review.version)
        raw = RawAnswer.from_json(answer.raw)
        read = read_answer(raw, sheets=ground.texts, document=_told(reading, ground))
        if not raw.calls and not raw.text and raw.fault is None and raw.stop_reason is None:
            # Nobody was asked: there is nothing to read again.
            continue
        result = Reread(
            reading, reading.outcome, read.outcome.value, reading.kept, len(read.findings)
        )
        if apply and result.changed:
            _apply(reading, read, ground)
        yield result


def start_replay(*, by: Membership) -> None:
    """Queue a reading of the workspace's stored answers; its result is told by an event."""
    if not by.is_manager:
        raise NotAllowed("Only a manager can have the stored answers read again.")
    with transaction.atomic():
        record(workspace=by.workspace, subject=by.workspace, verb="replay started", by=by)
        send("replay_answers", by.workspace_id)


def replay_workspace(workspace_id: int) -> tuple[int, int, int]:
    """Read the workspace's answers again and store what is recovered.

    Returns how many were read, how many differently, and how many findings came back.
    """
    results = list(replay(apply=True, workspace_id=workspace_id))
    changed = [result for result in results if result.changed]
    recovered = sum(max(0, result.kept_after - result.kept_before) for result in changed)
    workspace = Workspace.objects.get(pk=workspace_id)
    record(
        workspace=workspace,
        subject=workspace,
        verb="replay ended",
        by=None,
        why=f"{len(results)} answers read again, {len(changed)} read differently, "
        f"{recovered} findings recovered",
    )
    return len(results), len(changed), recovered


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


def _told(reading: Reading, ground: Ground) -> str:
    sources = reading.review.version.proposal.sources.values_list("text", flat=True)
    return "\n".join([*ground.texts.values(), *sources])


def _apply(reading: Reading, read: AnswerRead, ground: Ground) -> None:
    review = reading.review
    with transaction.atomic():
        added = [found for found in read.findings if record_sighting(reading, found, ground)]
        Reading.objects.filter(pk=reading.pk).update(
            outcome=read.outcome.value,
            way_read=read.way.value if read.way else "",
            reason=read.reason,
            kept=len(read.findings),
            dropped=[{"index": drop.index, "why": drop.why} for drop in read.dropped],
        )
        record(
            workspace=review.version.proposal.workspace_id,
            subject=reading,
            verb="read again",
            by=None,
            from_state=reading.outcome,
            to_state=read.outcome.value,
            why=f"{len(added)} findings recovered",
            proposal_id=review.version.proposal_id,
            review_id=review.pk,
        )
        if added and review.status != Review.Status.CANCELLED:
            settle_review(review)

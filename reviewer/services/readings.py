"""One reading: claimed by a lease, asked without a database, recorded once.

Findings are stored as they close in the stream. The whole answer is read again at its
end by the same rules, and what the stream had not closed yet is added; raw answer,
outcome and usage are stored with it. A reading that a dead worker left is taken by
another, which starts it anew.
"""

import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, QuerySet
from django.utils import timezone

from reviewer.core.answers import AnswerRead, read_answer
from reviewer.core.outcomes import Outcome, WayRead
from reviewer.core.prompts import Prompt
from reviewer.core.raw import RawAnswer
from reviewer.core.rounds import is_censored
from reviewer.core.verdicts import VerdictsRead, read_verdict_answer
from reviewer.models import (
    Answer,
    Finding,
    ModelSettings,
    Proposal,
    Reading,
    Review,
    Sighting,
    Workspace,
)
from reviewer.providers.base import Provider, Request
from reviewer.services.asked_before import answered_before, question_of
from reviewer.services.asking import prompt_of
from reviewer.services.connection import connection_by, loaded_settings
from reviewer.services.dispatch import being_asked
from reviewer.services.errors import MovedMeanwhile
from reviewer.services.events import move
from reviewer.services.followups import rest_of
from reviewer.services.ground import Ground
from reviewer.services.learnings_given import Used, used_by
from reviewer.services.lease import kept_lease, lease_from, release_database
from reviewer.services.listening import Listener
from reviewer.services.locking import hold_row, one_at_a_time
from reviewer.services.merging import record_locked, settle_review
from reviewer.services.placing import carry_late_findings
from reviewer.services.prices import cost_by, prices_in
from reviewer.services.reviews import go_on
from reviewer.services.setting import pinned_of, setting_with
from reviewer.services.spending import over_limit
from reviewer.services.storable import storable, storable_json
from reviewer.services.verdicts import apply_verdicts
from reviewer.services.votes import passes_by_sheet

log = logging.getLogger(__name__)

Status = Reading.Status
CAPPED = frozenset({Reading.Kind.PASS, Reading.Kind.PICTURE})
"""The kinds of which an answer as long as allowed may hide findings."""
MAX_ATTEMPTS = 4
NO_LONGER_CONNECTED = "The model was disconnected before this sheet was read."
ANOTHER_SERVER = (
    "The workspace was connected to {} after this review had started with {}, so its text was "
    "sent to neither. Read again with the new one."
)
CANCELLED = "The review was cancelled before it had reported anything."
CHECKS_ONLY = "The proposal was kept to built-in checks before this was read."
GAVE_UP = "Its worker stopped four times while it was being read, so it was given up."
KEEPS_AT_MOST = 200


def perform_reading(reading_id: int, *, provider: Provider | None = None) -> Reading | None:
    """Ask for one reading and record its answer; None where somebody else has it.

    `provider` is for tests and recorded answers; otherwise the installation's connection.
    """
    reading = _claim(reading_id, live=provider is None)
    if reading is None:
        return None
    refused, provider = _whom_to_ask(reading, provider)
    if provider is None:
        return _not_asked(reading, refused)
    ground = Ground(reading.review.version)
    pinned = pinned_of(reading.review)
    used = used_by(reading.review, pinned)
    reading.learnings = used.given
    setting = setting_with(reading.review.version, pinned, ground, used.lines)
    prompt = prompt_of(reading, setting)
    listener = Listener(reading, ground)
    reading.question = question_of(reading, prompt, setting)
    known = answered_before(reading, reading.question)
    if known is not None:
        reading.answered_by, raw = known
    else:
        release_database()
        with kept_lease(reading):
            raw = _ask(reading, prompt, provider, listener)
    told = "\n".join([*ground.texts.values(), *(source.text for source in setting.sources)])
    if reading.kind in Reading.Kind.reporting():
        read = read_answer(raw, sheets=ground.texts, document=told, learnings=used.ids)
        if listener.was_cancelled and not read.findings:
            read = AnswerRead(Outcome.NOT_RUN, read.way, CANCELLED, keeps=read.keeps)
        return _finish(reading, prompt, raw, read, listener, used)
    check = read_verdict_answer(raw, reading.candidates, document=told)
    return _finish_check(reading, prompt, raw, check)


def _whom_to_ask(reading: Reading, given: Provider | None) -> tuple[str, Provider | None]:
    """Whoever answers this reading, or the sentence that says why nobody is asked."""
    proposal = reading.review.version.proposal
    if reading.attempts > MAX_ATTEMPTS:
        return GAVE_UP, None
    if given is not None:
        return "", given
    if proposal.checks_only:
        return CHECKS_ONLY, None
    own = loaded_settings(proposal.workspace)
    connected = connection_by(own)
    if connected is None:
        return NO_LONGER_CONNECTED, None
    spent = over_limit(proposal.workspace_id, own.monthly_limit if own else None)
    if spent:
        return spent, None
    if connected.server != reading.review.server:
        return ANOTHER_SERVER.format(connected.server, reading.review.server), None
    return "", connected.provider()


def _claim(reading_id: int, *, live: bool) -> Reading | None:
    token = secrets.token_hex(16)
    now = timezone.now()
    readings = Reading.objects.claimable()
    if live:
        # Recorded answers are read by whoever has them; a model is never asked in their place.
        readings = readings.filter(review__provenance=Review.Provenance.LIVE)
    reading = (
        readings.filter(pk=reading_id)
        .select_related(
            "review__version__proposal__workspace__model_settings", "review__pinned__rubric"
        )
        .first()
    )
    if reading is None:
        return None
    taken = {
        "status": Status.CLAIMED,
        "token": token,
        "leased_until": lease_from(now),
        "attempts": reading.attempts + 1,
        "started_at": now,
    }
    if not _take(reading, taken):
        return None
    if reading.attempts:
        _forget_half_made(reading)
    if reading.review.status == Review.Status.QUEUED:
        Review.objects.filter(pk=reading.review_id, status=Review.Status.QUEUED).update(
            status=Review.Status.READING, started_at=now
        )
    for name, value in taken.items():
        setattr(reading, name, value)
    return reading


def _take(reading: Reading, taken: dict[str, Any]) -> bool:
    """Whether this worker has it now. Not where another was first, nor where the workspace has
    as many calls under way as it allows: then the reading waits until it is sent again."""
    workspace = reading.review.version.proposal.workspace
    at_once = (loaded_settings(workspace) or ModelSettings()).calls_at_once
    last_place = being_asked(workspace.pk).exclude(pk=reading.pk)[at_once - 1 : at_once]
    # By columns of its own row: a database that locks rows looks at these again once another
    # worker has let go of it.
    free = Reading.objects.filter(pk=reading.pk, token=reading.token, status=reading.status)
    with one_at_a_time(Workspace, workspace.pk):
        if free.filter(~Exists(last_place)).update(**taken) == 1:
            return True
        free.filter(status=Status.WAITING).update(sent_at=None)
    return False


def _forget_half_made(reading: Reading) -> None:
    """What an answer that never ended had brought is brought again by the next one."""
    with transaction.atomic():
        hold_row(Proposal, reading.review.version.proposal_id)
        _forget(reading.sightings.all())
        reading.held_back.all().delete()


def _forget(sightings: QuerySet[Sighting]) -> None:
    """Delete sightings, and the findings that nothing else stands for and nobody decided."""
    findings = list(sightings.values_list("finding", flat=True))
    if not findings:
        return
    sightings.delete()
    Finding.objects.filter(
        pk__in=findings,
        raised=Finding.Raised.MODEL,
        sightings=None,
        decisions=None,
        comments=None,
    ).delete()


def _not_asked(reading: Reading, reason: str) -> Reading | None:
    """Record that nobody was asked, and why."""
    return _record(
        reading,
        None,
        RawAnswer(model=reading.model),
        lambda: None,
        outcome=Outcome.NOT_RUN.value,
        reason=reason,
    )


def _ask(reading: Reading, prompt: Prompt, provider: Provider, listener: Listener) -> RawAnswer:
    request = Request.of(
        prompt,
        model=reading.model or reading.review.model,
        timeout=float(settings.MODEL_TIMEOUT_SECONDS),
    )
    try:
        return provider.ask(request, on_fragment=listener.hear, should_stop=listener.is_cancelled)
    finally:
        listener.stop()


def _finish(
    reading: Reading,
    prompt: Prompt,
    raw: RawAnswer,
    read: AnswerRead,
    listener: Listener,
    used: Used,
) -> Reading | None:
    """Record an answer that reports findings, and lay out what asks for its rest."""
    returned = len(read.findings) + len(read.dropped)
    # Before the transaction, which others wait for: nobody but the holder of this reading,
    # who has stopped listening, stores sightings of it.
    recorded: set[int] = set()
    if listener.may_have_stored:
        recorded.update(reading.sightings.values_list("index", flat=True))
    listener.ground.load_words({one.sheet for one in read.findings})
    covering = passes_by_sheet(reading.review) if read.findings else {}

    def keep_findings() -> None:
        # The review before the proposal, in the order in which ending a review takes them.
        locked = Review.objects.select_for_update(no_key=True)
        review = locked.only("status", "keeps").get(pk=reading.review_id)
        keep(review, read.keeps)
        hold_row(Proposal, reading.review.version.proposal_id)
        # What was read as it streamed and is not in the answer read whole does not count.
        indexes = {one.index for one in read.findings}
        stale = recorded - indexes
        if stale:
            _forget(reading.sightings.filter(index__in=stale))
        if used.patterns:
            reading.held_back.exclude(index__in=indexes).delete()
        record_locked(
            reading,
            read.findings,
            listener.ground,
            recorded=recorded,
            used=used,
            covering=covering,
        )
        if review.is_running:
            Reading.objects.bulk_create(rest_of(reading, returned=returned))

    return _record(
        reading,
        prompt,
        raw,
        keep_findings,
        outcome=read.outcome.value,
        way_read=read.way.value if read.way else "",
        reason=read.reason,
        kept=len(read.findings),
        dropped=[{"index": drop.index, "why": drop.why} for drop in read.dropped],
        is_censored=reading.kind in CAPPED and is_censored(returned),
        first_finding_seconds=listener.first_finding_seconds,
    )


def _finish_check(
    reading: Reading, prompt: Prompt, raw: RawAnswer, read: VerdictsRead
) -> Reading | None:
    """Record an answer that gives verdicts."""
    return _record(
        reading,
        prompt,
        raw,
        lambda: apply_verdicts(reading, read.verdicts),
        outcome=read.outcome.value,
        way_read=WayRead.NATIVE.value if raw.calls else "",
        reason=read.reason,
        kept=len(read.verdicts),
        dropped=[{"index": drop.index, "why": drop.why} for drop in read.dropped],
    )


def _record(
    reading: Reading,
    prompt: Prompt | None,
    raw: RawAnswer,
    keep_what_it_says: Callable[[], None],
    **outcome: Any,
) -> Reading | None:
    review, usage = reading.review, raw.usage
    workspace = review.version.proposal.workspace
    own = loaded_settings(workspace)
    connected = connection_by(own)
    # All that can be made before the transaction is: others wait for it to end.
    answer, told = storable_json(raw.as_json()), storable_json(outcome)
    cost = cost_by(
        prices_in(own),
        usage,
        raw.model,
        reading.model,
        by_list=connected is None or connected.is_by_price_list,
    )
    try:
        with transaction.atomic():
            move(
                reading,
                Status.DONE,
                by=None,
                workspace_id=workspace.pk,
                proposal_id=review.version.proposal_id,
                review_id=review.pk,
                why=outcome["outcome"],
                guard={"token": reading.token},
                leased_until=None,
                way_asked=raw.way.value,
                fault=raw.fault.kind.value if raw.fault else "",
                retry_after=raw.fault.retry_after if raw.fault else None,
                refusal_category=storable(raw.refusal_category)[:60],
                model=storable(raw.model or reading.model)[:120],
                prompt_hash=prompt.recipe if prompt else "",
                learnings=reading.learnings if prompt else [],
                question=reading.question,
                answered_by=reading.answered_by,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cache_read_tokens=usage.cache_read_tokens,
                cache_write_tokens=usage.cache_write_tokens,
                cost=cost,
                seconds=round(raw.seconds, 3),
                finished_at=timezone.now(),
                **told,
            )
            Answer.objects.create(reading=reading, raw=answer)
            keep_what_it_says()
    except MovedMeanwhile:
        log.info("Reading %s was taken by another worker; this answer is not counted", reading.pk)
        return None
    if go_on(review) == Review.Status.CANCELLED:
        # It was cancelled while this answer was on its way; what was read stays.
        review.refresh_from_db(fields=["status"])
        settle_review(review)
        carry_late_findings(review)
    return reading


def keep(review: Review, keeps: Sequence[str]) -> None:
    """Add what a reading would keep to the locked review's list, each phrase once."""
    phrases = dict.fromkeys([*review.keeps, *(storable(phrase) for phrase in keeps if phrase)])
    if len(phrases) > len(review.keeps):
        review.keeps = list(phrases)[:KEEPS_AT_MOST]
        review.save(update_fields=["keeps"])

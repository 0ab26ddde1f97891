"""A review: started with a plan, carried on step by step, ended exactly once.

What is due is planned from what was read before, so a review of an unchanged version has
nothing to do. What the answers lead to (halves of a censored reading, checks of candidates,
sweeps) is laid out when they are there; each step is taken once, whoever finishes last.
"""

from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from reviewer.core.rounds import Plan
from reviewer.models import Membership, ModelSettings, Proposal, Reading, Review, Version
from reviewer.models.model_settings import Depth
from reviewer.models.review import Purpose
from reviewer.services.asked_mail import tell_managers
from reviewer.services.checking import check_again_where_learned
from reviewer.services.connection import (
    Connection,
    connection,
    loaded_settings,
    why_not_connected,
)
from reviewer.services.coverage import History
from reviewer.services.dispatch import OVER, send_next
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.events import move, record
from reviewer.services.followups import checks_due, next_due, unanswered
from reviewer.services.late import mark_late
from reviewer.services.laying_out import lay_out
from reviewer.services.merging import settle_review
from reviewer.services.placing import carry_late_findings, touch
from reviewer.services.setting import pin

NOTHING_NEW = (
    "Nothing has changed since this text was read, so there is nothing to read again and no "
    "call was made. To look for more in the same text, widen the sample."
)
NOTHING_NEW_UNPROVEN = (
    "Nothing has changed since this text was read, so no call was made. The model that read it "
    "is not calibrated, so it clears nothing: a manager can calibrate it under Models."
)
NOT_THE_NEWEST = (
    "A newer version of this proposal is there, so nothing was started. Read that one: what "
    "did not change is not read again."
)
NO_TEXT = (
    "No sheet of this version has text that can be read. Nothing was started. A reviewer can "
    "have a sheet read from its picture."
)
RUNNING = "A review of this version is running already."
WIDENED_BY_AT_MOST = 6
THOROUGH_PASSES = 4
SWEEPS = {Depth.QUICK: 0, Depth.STANDARD: 1, Depth.THOROUGH: 2}


def start_review(
    *,
    by: Membership,
    version: Version,
    passes: int | None = None,
    model: str = "",
    depth: str = "",
    widen: int = 0,
    anew: bool = False,
) -> Review:
    """Start what is due on `version`: round one in full, a later round what changed.

    `passes`, `model` and `depth` default to those that are set up. `widen` adds so many
    passes over everything; `anew` reads again what was read under other sources or another
    rubric than today's. Raises Refused where no model is connected, the proposal is kept to
    checks only, nothing can be read or nothing is due, or a review is running.
    """
    if by.workspace_id != version.proposal.workspace_id:
        raise NotAllowed("Only members of the workspace can have its proposals read.")
    connected = connection(by.workspace_id)
    if connected is None:
        raise Refused(why_not_connected(by.workspace_id))
    refuse_unready(version)
    if not version.sheets.filter(unread="").exists():
        raise Refused(NO_TEXT)
    if not 0 <= widen <= WIDENED_BY_AT_MOST:
        raise Refused(f"A sample is widened by 1 to {WIDENED_BY_AT_MOST} passes at once.")
    depth = depth or connected.depth
    wanted = passes or passes_for(depth)
    history = History(version)
    plan = due_now(history, connected, passes=wanted, model=model, widen=widen, anew=anew)
    if _nothing_to_do(history, plan, depth):
        proven = not history.plan(passes=wanted).passes
        raise Refused(NOTHING_NEW if proven else NOTHING_NEW_UNPROVEN)
    with transaction.atomic():
        review = _create(history, by, connected, model, depth, wanted, widen, anew=anew)
        pin(review)
        check_again_where_learned(version)
        lay_out(review, plan)
        if not review.readings.exists():
            # All that is due are checks that could not be made when they were.
            Reading.objects.bulk_create(checks_due(review))
        tell_started(by, review)
        touch(version)
        send_next(by.workspace_id)
    return review


def due_now(
    history: History,
    connected: Connection,
    *,
    passes: int,
    model: str = "",
    widen: int = 0,
    anew: bool = False,
) -> Plan:
    """What a review started now has to do.

    A model that is not calibrated clears nothing for the gate, but what it has read it does
    not read again: that would clear nothing either.
    """
    asked = [name for name in (model or connected.model, connected.second_model) if name]
    models = history.unproven(connected.server, asked)
    return history.plan(passes=passes, widen=widen, anew=anew, models=models)


def passes_for(depth: str) -> int:
    """How many blind passes a review of this depth makes."""
    if depth == Depth.THOROUGH:
        return max(THOROUGH_PASSES, settings.PASSES)
    return settings.PASSES


def cancel_review(*, by: Membership, review: Review) -> Review:
    """Stop a review. What was read stays; a call that is under way is left to end."""
    with transaction.atomic():
        _end(review, Review.Status.CANCELLED, by=by)
        settle_review(review)
        carry_late_findings(review)
        review.readings.filter(status=Reading.Status.WAITING).update(
            status=Reading.Status.CANCELLED, finished_at=timezone.now()
        )
        send_next(by.workspace_id)
    return review


def advance_review(review_id: int) -> Review:
    """Go on with what is due now, or end the review if nothing is. Safe to call twice."""
    review = Review.objects.select_related("version__proposal__workspace__model_settings").get(
        pk=review_id
    )
    while review.is_running and not review.readings.exclude(status__in=OVER).exists():
        try:
            with transaction.atomic():
                _step(review)
        except MovedMeanwhile:
            # Two workers finished the last two readings; the other one took this step.
            review.refresh_from_db()
            break
    _send_more(review)
    return review


def go_on(review: Review) -> str:
    """The same after one of its answers was recorded; returns the status that it had then.

    Most answers are not the last one, so that is asked first; others may run in their place.
    """
    unread = Reading.objects.filter(review=OuterRef("pk")).exclude(status__in=OVER)
    now = Review.objects.filter(pk=review.pk).annotate(is_open=Exists(unread))
    status, is_open = now.values_list("status", "is_open").get()
    if status in Review.Status.running() and not is_open:
        advance_review(review.pk)
    else:
        _send_more(review)
    return str(status)


def _send_more(review: Review) -> None:
    """Send what may run now in the workspace, which `review` is loaded with."""
    workspace = review.version.proposal.workspace
    own = loaded_settings(workspace) or ModelSettings()
    send_next(workspace.pk, at_once=own.calls_at_once)


def _step(review: Review) -> None:
    taken = Review.objects.filter(
        pk=review.pk, step=review.step, status__in=Review.Status.running()
    ).update(step=review.step + 1)
    if taken != 1:
        raise MovedMeanwhile("Another worker went on with this review.")
    review.step += 1
    settle_review(review)
    if review.purpose != Purpose.DISCOVERY:
        mark_late(review)
    due = next_due(review)
    if due:
        Reading.objects.bulk_create(due)
    else:
        _end(review, Review.Status.FINISHED, by=None)
        carry_late_findings(review)


def _nothing_to_do(history: History, plan: Plan, depth: str) -> bool:
    if depth == Depth.QUICK:
        return history.was_looked_over()
    return plan.is_clear and not unanswered(history.findings)


def refuse_unready(version: Version) -> None:
    """Raise Refused where no model may be asked about this version now."""
    # Asked anew: it may have been set since the version was loaded, while it was converted.
    if Proposal.objects.filter(pk=version.proposal_id, checks_only=True).exists():
        raise Refused(
            "This proposal is kept to built-in checks, so its text was sent nowhere. "
            "Change that under Details to have a model read it."
        )
    if version.status != Version.Status.READY:
        raise Refused("The sheets of this version are not ready, so nothing was started.")
    newer = Version.objects.filter(
        proposal=version.proposal_id, number__gt=version.number, status=Version.Status.READY
    )
    if newer.exists():
        raise Refused(NOT_THE_NEWEST)
    if version.reviews.running().exists():
        raise Refused(RUNNING)


def create_running(**fields: Any) -> Review:
    """A review that runs, of these fields. Raises Refused where one of its version does."""
    try:
        with transaction.atomic():
            return Review.objects.create(**fields)
    except IntegrityError as error:
        raise Refused(RUNNING) from error


def _create(
    history: History,
    by: Membership,
    connected: Connection,
    model: str,
    depth: str,
    passes: int,
    widen: int,
    *,
    anew: bool,
) -> Review:
    version, purpose = history.version, Purpose.VERIFICATION
    if not _was_discovered(version):
        purpose = Purpose.DISCOVERY
    elif widen:
        purpose = Purpose.WIDENING
    elif anew:
        purpose = Purpose.REREADING
    return create_running(
        version=version,
        passes=1 if depth == Depth.QUICK else passes,
        model=model or connected.model,
        second_model=connected.second_model,
        server=connected.server,
        depth=depth,
        purpose=purpose,
        context=asdict(history.now),
        rubric_hash=history.now.rubric,
        sweeps=SWEEPS[Depth(depth)] if purpose == Purpose.DISCOVERY else 0,
        started_by=by.user,
    )


def _was_discovered(version: Version) -> bool:
    """Whether a round one over this proposal came to its end; a quick look is none."""
    return (
        Review.objects.filter(
            version__proposal=version.proposal_id,
            provenance=Review.Provenance.LIVE,
            status=Review.Status.FINISHED,
        )
        .exclude(depth=Depth.QUICK)
        .exclude(purpose=Purpose.PICTURE)
        .exists()
    )


def tell_started(by: Membership, review: Review) -> None:
    """Append the event that `review` was started, by whom and for what."""
    record(
        workspace=by.workspace_id,
        subject=review,
        verb="started",
        by=by,
        to_state=review.status,
        why=f"{review.get_purpose_display()}, {review.depth}",
        proposal_id=review.version.proposal_id,
        review_id=review.pk,
    )


def _end(review: Review, status: str, *, by: Membership | None) -> None:
    proposal = review.version.proposal
    move(
        review,
        status,
        by=by,
        workspace_id=proposal.workspace_id,
        proposal_id=proposal.pk,
        review_id=review.pk,
        finished_at=timezone.now(),
    )
    touch(review.version)
    tell_managers(review.version)

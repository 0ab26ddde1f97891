"""A review: started with a plan, carried on step by step, ended exactly once.

What is due is planned from what was read before, so a review of an unchanged version has
nothing to do. What the answers lead to (halves of a censored reading, checks of candidates,
sweeps) is laid out when they are there; each step is taken once, whoever finishes last.
"""

from dataclasses import asdict

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from reviewer.models import Membership, Proposal, Reading, Review, Version
from reviewer.models.model_settings import Depth
from reviewer.models.review import Purpose
from reviewer.services.connection import Connection, connection
from reviewer.services.coverage import context_of, plan_for
from reviewer.services.dispatch import OVER, send_next
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.events import move, record
from reviewer.services.followups import next_due
from reviewer.services.late import mark_late
from reviewer.services.laying_out import lay_out
from reviewer.services.merging import settle_review
from reviewer.services.placing import carry_late_findings, touch
from reviewer.services.rubric import rubric_hash

NO_MODEL = (
    "No model is connected, so nothing was started; the built-in checks have run. To connect "
    "one, set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own, and restart."
)
NOTHING_NEW = (
    "Nothing has changed since this text was read, so there is nothing to read again and no "
    "call was made. To look for more in the same text, widen the sample."
)
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
) -> Review:
    """Start what is due on `version`: round one in full, a later round what changed.

    `passes`, `model` and `depth` default to those that are set up. `widen` adds so many
    passes over everything. Raises Refused where no model is connected, the proposal is kept
    to checks only, nothing can be read or nothing is due, or a review is running.
    """
    connected = connection(by.workspace_id)
    if connected is None:
        raise Refused(NO_MODEL)
    _refuse_unready(version)
    depth = depth or connected.depth
    wanted = passes or passes_for(depth)
    plan = plan_for(version, passes=wanted, widen=widen)
    if plan.is_clear and depth != Depth.QUICK:
        raise Refused(NOTHING_NEW)
    try:
        with transaction.atomic():
            review = _create(by, version, connected, model, depth, wanted, widen)
            lay_out(review, plan)
            _tell_started(by, review)
            touch(version)
            send_next(by.workspace_id)
    except IntegrityError as error:
        raise Refused("A review of this version is running already.") from error
    return review


def passes_for(depth: str) -> int:
    """How many blind passes a review of this depth makes."""
    if depth == Depth.THOROUGH:
        return max(THOROUGH_PASSES, settings.PASSES)
    return settings.PASSES


def cancel_review(*, by: Membership, review: Review) -> Review:
    """Stop a review. What was read stays; a call that is under way is left to end."""
    with transaction.atomic():
        _end(review, Review.Status.CANCELLED, by=by)
        review.readings.filter(status=Reading.Status.WAITING).update(
            status=Reading.Status.CANCELLED, finished_at=timezone.now()
        )
        send_next(by.workspace_id)
    return review


def advance_review(review_id: int) -> Review:
    """Go on with what is due now, or end the review if nothing is. Safe to call twice."""
    review = Review.objects.select_related("version__proposal").get(pk=review_id)
    while review.is_running and not review.readings.exclude(status__in=OVER).exists():
        try:
            with transaction.atomic():
                _step(review)
        except MovedMeanwhile:
            # Two workers finished the last two readings; the other one took this step.
            review.refresh_from_db()
            break
    with transaction.atomic():
        send_next(review.version.proposal.workspace_id)
    return review


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


def _refuse_unready(version: Version) -> None:
    # Asked anew: it may have been set since the version was loaded, while it was converted.
    if Proposal.objects.filter(pk=version.proposal_id, checks_only=True).exists():
        raise Refused(
            "This proposal is kept to built-in checks, so its text was sent nowhere. "
            "Change that under Details to have a model read it."
        )
    if version.status != Version.Status.READY:
        raise Refused("The sheets of this version are not ready, so nothing was started.")
    if not version.sheets.filter(unread="").exists():
        raise Refused("No sheet of this version has text that can be read. Nothing was started.")
    if version.reviews.running().exists():
        raise Refused("A review of this version is running already.")


def _create(
    by: Membership,
    version: Version,
    connected: Connection,
    model: str,
    depth: str,
    passes: int,
    widen: int,
) -> Review:
    first = not Review.objects.filter(
        version__proposal=version.proposal_id, provenance=Review.Provenance.LIVE
    ).exists()
    purpose = Purpose.DISCOVERY if first else Purpose.VERIFICATION
    return Review.objects.create(
        version=version,
        passes=1 if depth == Depth.QUICK else passes,
        model=model or connected.model,
        second_model=connected.second_model if depth == Depth.THOROUGH else "",
        server=connected.server,
        depth=depth,
        purpose=Purpose.WIDENING if widen else purpose,
        context=asdict(context_of(version)),
        rubric_hash=rubric_hash(),
        sweeps=SWEEPS[Depth(depth)] if first and not widen else 0,
        started_by=by.user,
    )


def _tell_started(by: Membership, review: Review) -> None:
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
    settle_review(review)
    carry_late_findings(review)
    touch(review.version)

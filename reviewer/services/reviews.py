"""A review: readings are laid out as rows, then sent; it ends exactly once.

The first reading of a review is sent alone, so that the rest meet a warm prompt cache.
"""

import hashlib
from collections.abc import Iterable

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from reviewer.core.rubric import RULES
from reviewer.models import Membership, Reading, Review, Version
from reviewer.services.connection import connection
from reviewer.services.dispatch import OVER, send_next
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.events import move, record
from reviewer.services.merging import settle_review
from reviewer.services.placing import touch

NO_MODEL = (
    "No model is connected, so nothing was started; the built-in checks have run. To connect "
    "one, set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own, and restart."
)


def start_review(
    *, by: Membership, version: Version, passes: int | None = None, model: str = ""
) -> Review:
    """Start blind passes over every sheet of `version` that has text.

    `passes` and `model` default to those of the installation.

    Raises Refused where no model is connected, the proposal is kept to checks only, the
    sheets are not ready or have no text, or a review of the version is running.
    """
    connected = connection(by.workspace_id)
    if connected is None:
        raise Refused(NO_MODEL)
    if version.proposal.checks_only:
        raise Refused(
            "This proposal is kept to built-in checks, so its text was sent nowhere. "
            "Change that under Details to have a model read it."
        )
    if version.status != Version.Status.READY:
        raise Refused("The sheets of this version are not ready, so nothing was started.")
    sheets = list(
        version.sheets.filter(unread="").order_by("number").values_list("number", flat=True)
    )
    if not sheets:
        raise Refused("No sheet of this version has text that can be read. Nothing was started.")
    try:
        with transaction.atomic():
            review = Review.objects.create(
                version=version,
                passes=passes or settings.PASSES,
                model=model or connected.model,
                server=connected.server,
                rubric_hash=rubric_hash(),
                started_by=by.user,
            )
            _lay_out(review, sheets)
            record(
                workspace=by.workspace_id,
                subject=review,
                verb="started",
                by=by,
                to_state=review.status,
                proposal_id=version.proposal_id,
                review_id=review.pk,
            )
            touch(version)
            send_next(by.workspace_id)
    except IntegrityError as error:
        raise Refused("A review of this version is running already.") from error
    return review


def cancel_review(*, by: Membership, review: Review) -> Review:
    """Stop a review. What was read stays; a call that is under way is left to end."""
    with transaction.atomic():
        _end(review, Review.Status.CANCELLED, by=by)
        review.readings.filter(status=Reading.Status.WAITING).update(
            status=Reading.Status.CANCELLED, finished_at=timezone.now()
        )
    return review


def advance_review(review_id: int) -> Review:
    """Send what is due now, or end the review if nothing is left. Safe to call twice."""
    review = Review.objects.select_related("version__proposal").get(pk=review_id)
    if not review.is_running:
        return review
    if review.readings.exclude(status__in=OVER).exists():
        send_next(review.version.proposal.workspace_id)
        return review
    try:
        with transaction.atomic():
            _end(review, Review.Status.FINISHED, by=None)
    except MovedMeanwhile:
        # Two workers finished the last two readings; the other one ended the review.
        review.refresh_from_db()
    # Its end makes room for what other reviews of the workspace wait for.
    send_next(review.version.proposal.workspace_id)
    return review


def rubric_hash() -> str:
    """A hash of the rules' codes and texts, prefixed by the algorithm."""
    text = "\n".join(f"{rule.code}\t{rule.text}" for rule in RULES)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def _lay_out(review: Review, sheets: Iterable[int]) -> None:
    Reading.objects.bulk_create(
        Reading(review=review, pass_number=number, sheet=sheet, model=review.model)
        for number in range(1, review.passes + 1)
        for sheet in sheets
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
    touch(review.version)


def keep(review: Review, keeps: Iterable[str]) -> None:
    """Add what a reading would keep to the review's list, each phrase once."""
    with transaction.atomic():
        row = Review.objects.select_for_update().get(pk=review.pk)
        new = [phrase for phrase in keeps if phrase and phrase not in row.keeps]
        if new:
            row.keeps = [*row.keeps, *new][:200]
            row.save(update_fields=["keeps"])

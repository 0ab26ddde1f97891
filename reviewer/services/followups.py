"""What answers lead to: the rest of one that was cut or full, checks, sweeps.

Each is asked once. What could not be made good is said, and never guessed.
"""

from collections.abc import Iterable

from reviewer.core.outcomes import Outcome
from reviewer.core.rounds import (
    SWEEPS_AT_MOST,
    halves,
    is_censored,
    is_told,
    needs_fresh_check,
)
from reviewer.core.schema import Severity
from reviewer.core.state import MODELS_TO_CLOSE_AGAIN, is_closed
from reviewer.models import Finding, Reading, Review
from reviewer.models.model_settings import Depth
from reviewer.models.review import Purpose
from reviewer.services.laying_out import SECOND, in_batches, reading, rechecks
from reviewer.services.setting import rule_codes_of

Kind = Reading.Kind
LONGEST_PART = 20
TOLD_AT_MOST = 200
"""How many known findings a sweep is told of; more would crowd out the document."""


def rest_of(done: Reading, *, returned: int) -> list[Reading]:
    """The readings that ask for the rest of one that has just been recorded.

    `returned` is how many entries it gave, usable or not. A full answer may hide findings,
    so it is asked again by halves of its rules; one that was cut or lost entries is followed
    by one sweep that is told what is known.
    """
    if done.review.provenance == Review.Provenance.RECORDED:
        return []
    if done.kind == Kind.PASS and is_censored(returned):
        both = halves(done.rules or rule_codes_of(done.review))
        if both is None or len(done.part) >= LONGEST_PART:
            return []
        return [
            reading(
                done.review,
                Kind.PASS,
                sheet=done.sheet,
                number=done.pass_number,
                part=done.part + name,
                rules=rules,
                follows=done,
            )
            for name, rules in zip("ab", both, strict=True)
        ]
    asks_for_rest = done.outcome in {Outcome.OUT_OF_ROOM, Outcome.PARTLY_READ}
    if done.kind in {Kind.PASS, Kind.DOCUMENT} and asks_for_rest:
        part = f"{done.kind[:1]}{done.pass_number}{done.part}"[:24]
        return [
            reading(
                done.review,
                Kind.SWEEP,
                sheet=done.sheet,
                part=part,
                candidates=_told(done.review, sheet=done.sheet),
                follows=done,
            )
        ]
    return []


def next_due(review: Review) -> list[Reading]:
    """What is due once all readings of the review are over; empty where it has come to its end.

    Recorded answers lead to nothing: nobody is there to be asked. Nor do readings of a picture:
    a check sees text alone, so what they bring is for people.
    """
    if review.provenance == Review.Provenance.RECORDED or review.purpose == Purpose.PICTURE:
        return []
    return [*checks_due(review), *second_opinions_due(review)] or sweep_due(review)


def checks_due(review: Review) -> list[Reading]:
    """Fresh checks of what was raised and nobody has checked, batched by sheet.

    What an earlier review left unchecked, because its check could not be made, is asked too.
    """
    if review.depth == Depth.QUICK:
        return []
    asked = _asked(review, Kind.CHECK)
    raised = (
        Finding.objects.shown()
        .filter(sightings__reading__review=review)
        .order_by("sheet", "number")
        .distinct()
    )
    wanted = [finding for finding in raised if is_worth_a_check(finding)]
    wanted += unanswered(Finding.objects.shown().filter(proposal=review.version.proposal_id))
    by_sheet: dict[int, list[int]] = {}
    for number, sheet in sorted({(finding.number, finding.sheet) for finding in wanted}):
        if number not in asked:
            by_sheet.setdefault(sheet, []).append(number)
    return in_batches(review, Kind.CHECK, by_sheet)


def is_worth_a_check(finding: Finding) -> bool:
    """Whether a fresh check is still to be asked and could matter: late ones hold as blocks only."""
    is_idle = finding.is_late and finding.severity != Severity.BLOCK
    return not is_idle and needs_fresh_check(finding.record())


def unanswered(findings: Iterable[Finding]) -> list[Finding]:
    """Open blocks and fixes that still wait for the check that tries to refute them."""
    return [
        finding
        for finding in findings
        if finding.severity != Severity.CONSIDER
        and is_worth_a_check(finding)
        and not is_closed(finding.record())
    ]


def second_opinions_due(review: Review) -> list[Reading]:
    """Blocks that one model says are gone and that were still there before, for the other one."""
    if not review.second_model or review.depth == Depth.QUICK:
        return []
    asked_twice = _asked(review, Kind.RECHECK, part__startswith=SECOND)
    contested = [
        finding.number
        for finding in Finding.objects.shown()
        .filter(
            proposal=review.version.proposal_id,
            number__in=_asked(review, Kind.RECHECK),
            severity=Severity.BLOCK,
            recheck=Finding.Verdict.DOES_NOT_HOLD,
            times_still_there__gt=0,
        )
        .order_by("number")
        if len(finding.gone_by) < MODELS_TO_CLOSE_AGAIN and finding.number not in asked_twice
    ]
    return rechecks(review, contested, model=review.second_model)


def sweep_due(review: Review) -> list[Reading]:
    """One sweep over the document, told what is known, while the review has any left."""
    made = review.readings.filter(kind=Kind.SWEEP, follows=None).count()
    if made >= min(review.sweeps, SWEEPS_AT_MOST):
        return []
    told = _told(review)
    return [reading(review, Kind.SWEEP, sheet=0, number=made + 1, candidates=told)]


def _asked(review: Review, kind: str, **more: str) -> set[int]:
    """The numbers of the findings that readings of this kind were asked about."""
    rows = review.readings.filter(kind=kind, **more).values_list("candidates", flat=True)
    return {number for numbers in rows for number in numbers}


def _told(review: Review, *, sheet: int = 0) -> list[int]:
    """The findings that a sweep is told of; what it names beside them it names unasked."""
    known = Finding.objects.shown().filter(proposal=review.version.proposal_id)
    if sheet:
        known = known.filter(sheet=sheet)
    told = [finding for finding in known.order_by("sheet", "number") if is_told(finding.record())]
    gravest = sorted(told, key=lambda finding: Severity(finding.severity).rank)[:TOLD_AT_MOST]
    return sorted(finding.number for finding in gravest)

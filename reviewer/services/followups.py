"""What answers lead to: the rest of one that was cut or full, checks, sweeps.

Each is asked once. What could not be made good is said, and never guessed.
"""

from reviewer.core.outcomes import Outcome
from reviewer.core.rounds import SWEEPS_AT_MOST, halves, is_censored, needs_fresh_check
from reviewer.core.rubric import RULE_CODES
from reviewer.models import Finding, Reading, Review
from reviewer.models.model_settings import Depth
from reviewer.services.laying_out import in_batches, reading

Kind = Reading.Kind
LONGEST_PART = 20


def rest_of(done: Reading, *, returned: int) -> list[Reading]:
    """The readings that ask for the rest of one that has just been recorded.

    `returned` is how many entries it gave, usable or not. A full answer may hide findings,
    so it is asked again by halves of its rules; one that was cut or lost entries is followed
    by one sweep that is told what is known.
    """
    if done.review.provenance == Review.Provenance.RECORDED:
        return []
    if done.kind == Kind.PASS and is_censored(returned):
        both = halves(done.rules or list(RULE_CODES))
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
        return [reading(done.review, Kind.SWEEP, sheet=done.sheet, part=part, follows=done)]
    return []


def next_due(review: Review) -> list[Reading]:
    """What is due once all readings of the review are over; empty where it has come to its end.

    Recorded answers lead to nothing: nobody is there to be asked.
    """
    if review.provenance == Review.Provenance.RECORDED:
        return []
    return checks_due(review) or sweep_due(review)


def checks_due(review: Review) -> list[Reading]:
    """Fresh checks of what this review raised and nobody has checked, batched by sheet."""
    if review.depth == Depth.QUICK:
        return []
    asked = {
        number
        for numbers in review.readings.filter(kind=Kind.CHECK).values_list("candidates", flat=True)
        for number in numbers
    }
    raised = (
        Finding.objects.shown()
        .filter(sightings__reading__review=review)
        .exclude(number__in=asked)
        .order_by("sheet", "number")
        .distinct()
    )
    by_sheet: dict[int, list[int]] = {}
    for finding in raised:
        if needs_fresh_check(finding.record()):
            by_sheet.setdefault(finding.sheet, []).append(finding.number)
    return in_batches(review, Kind.CHECK, by_sheet)


def sweep_due(review: Review) -> list[Reading]:
    """One sweep over the document, told what is known, while the review has any left."""
    made = review.readings.filter(kind=Kind.SWEEP, follows=None).count()
    if made >= min(review.sweeps, SWEEPS_AT_MOST):
        return []
    return [reading(review, Kind.SWEEP, sheet=0, number=made + 1)]

"""The readings with which a review starts, as rows, from its plan."""

from collections.abc import Iterable

from reviewer.core.rounds import Plan
from reviewer.models import Reading, Review
from reviewer.models.model_settings import Depth

Kind = Reading.Kind
CANDIDATES_A_CALL = 20
"""How many findings one check is asked about, so that its answer is never short of room."""
SECOND = "second."
"""How the part of a check begins that is asked of the second model."""


def lay_out(review: Review, plan: Plan) -> None:
    """Store the readings that `plan` names; passes first, in the order they are sent."""
    if review.depth == Depth.QUICK:
        # One look over the whole document, told of nothing; it clears nothing.
        Reading.objects.bulk_create([reading(review, Kind.SWEEP, sheet=0)])
        return
    begun = _passes_made(review)
    rows = [
        reading(review, Kind.PASS, sheet=sheet, number=begun + number)
        for number in range(1, max(plan.passes.values(), default=0) + 1)
        for sheet, due in plan.passes.items()
        if number <= due
    ]
    if plan.document:
        rows.append(reading(review, Kind.DOCUMENT, sheet=0))
    rows += rechecks(review, [int(number) for number in plan.checks])
    Reading.objects.bulk_create(rows)


def reading(
    review: Review,
    kind: str,
    *,
    sheet: int,
    number: int = 1,
    part: str = "",
    rules: Iterable[str] = (),
    candidates: Iterable[int] = (),
    follows: Reading | None = None,
    model: str = "",
) -> Reading:
    """An unsaved reading of `review`; the passes of a thorough one take turns between models."""
    models = [review.model]
    if review.second_model and review.depth == Depth.THOROUGH:
        models.append(review.second_model)
    return Reading(
        review=review,
        kind=kind,
        pass_number=number,
        sheet=sheet,
        part=part,
        rules=list(rules),
        candidates=list(candidates),
        follows=follows,
        model=model or models[(number - 1) % len(models)],
    )


def in_batches(review: Review, kind: str, by_sheet: dict[int, list[int]]) -> list[Reading]:
    """Checks of candidates, a sheet and at most CANDIDATES_A_CALL of them in one call."""
    step = f"{review.step}"
    return [
        reading(
            review,
            kind,
            sheet=sheet,
            part=f"{step}.{start // CANDIDATES_A_CALL}",
            candidates=numbers[start : start + CANDIDATES_A_CALL],
        )
        for sheet, numbers in sorted(by_sheet.items())
        for start in range(0, len(numbers), CANDIDATES_A_CALL)
    ]


def rechecks(review: Review, numbers: list[int], *, model: str = "") -> list[Reading]:
    """One targeted check of each finding, by whatever sheet: it reads the whole document."""
    part = SECOND if model else ""
    return [
        reading(
            review,
            Kind.RECHECK,
            sheet=0,
            part=f"{part}{review.step}.{start // CANDIDATES_A_CALL}",
            candidates=numbers[start : start + CANDIDATES_A_CALL],
            model=model,
        )
        for start in range(0, len(numbers), CANDIDATES_A_CALL)
    ]


def _passes_made(review: Review) -> int:
    """Each later round goes on counting, so that its passes look in orders not used yet."""
    made = Reading.objects.filter(
        kind=Kind.PASS, review__version__proposal=review.version.proposal_id
    )
    earlier = made.filter(review__provenance=Review.Provenance.LIVE).order_by("-pass_number")
    return earlier.values_list("pass_number", flat=True).first() or 0

"""The readings with which a review starts, as rows, from its plan."""

from collections.abc import Iterable

from reviewer.core.rounds import Plan
from reviewer.models import Reading, Review
from reviewer.models.model_settings import Depth
from reviewer.models.review import Purpose

Kind = Reading.Kind
CANDIDATES_A_CALL = 20
"""How many findings one check is asked about, so that its answer is never short of room."""


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
    rows += _rechecks(review, [int(number) for number in plan.checks])
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
) -> Reading:
    """An unsaved reading of `review`; passes take turns between its models."""
    models = [review.model] + ([review.second_model] if review.second_model else [])
    return Reading(
        review=review,
        kind=kind,
        pass_number=number,
        sheet=sheet,
        part=part,
        rules=list(rules),
        candidates=list(candidates),
        follows=follows,
        model=models[(number - 1) % len(models)],
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


def _rechecks(review: Review, numbers: list[int]) -> list[Reading]:
    if not numbers:
        return []
    findings = review.version.proposal.findings.filter(number__in=numbers)
    by_sheet: dict[int, list[int]] = {}
    for number, sheet in findings.order_by("sheet", "number").values_list("number", "sheet"):
        by_sheet.setdefault(sheet, []).append(number)
    return in_batches(review, Kind.RECHECK, by_sheet)


def _passes_made(review: Review) -> int:
    """Widening goes on counting, so that its passes look in orders that were not used yet."""
    if review.purpose != Purpose.WIDENING:
        return 0
    made = Reading.objects.filter(
        kind=Kind.PASS, review__version__proposal=review.version.proposal_id
    ).order_by("-pass_number")
    return made.values_list("pass_number", flat=True).first() or 0

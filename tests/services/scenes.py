"""What tests of readings begin with: a review that waits to be read, and what is found in it."""

from datetime import timedelta

from django.utils import timezone

from reviewer.models import Reading, Review
from tests.factories import Cast, make_proposal, make_reading, make_review, make_version
from tests.fakes.replies import finding

ON_SHEET = finding(quote="cut detention costs by 30%", finding="Thirty percent has no source.")
OTHER = finding(
    rule="structure", severity="consider", quote="12 weeks at two sites", finding="Name the sites."
)

LAPSED = timedelta(seconds=-1)


def first_reading(cast: Cast, *, sheets: int = 2, passes: int = 1, **fields) -> Reading:
    """The first reading of a running review over so many sheets."""
    version = make_version(
        make_proposal(cast.workspace, owner=cast.wen),
        texts=[
            "The pilot runs for 12 weeks at two sites. It will cut detention costs by 30%.",
            *(f"This is sheet {number}." for number in range(2, sheets + 1)),
        ],
    )
    review = make_review(version, status=Review.Status.READING, passes=passes)
    for number in range(1, passes + 1):
        for sheet in range(1, sheets + 1):
            make_reading(review, sheet=sheet, pass_number=number, status="waiting")
    first = review.readings.order_by("pass_number", "sheet").first()
    Reading.objects.filter(pk=first.pk).update(**fields)
    return Reading.objects.get(pk=first.pk)


def taken_by_another(reading: Reading, *, lease: timedelta = LAPSED, attempts: int = 1) -> None:
    """Another worker has it."""
    Reading.objects.filter(pk=reading.pk).update(
        status="claimed",
        token="of another worker",
        leased_until=timezone.now() + lease,
        attempts=attempts,
    )

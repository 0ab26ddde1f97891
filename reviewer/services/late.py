"""Findings met late: on text that had been cleared before the review that raised them.

They are shown and counted, and hold nothing but as the rules of rounds say.
"""

from reviewer.core.rounds import is_late
from reviewer.models import Finding, FindingPlace, Paragraph, Review, Sighting
from reviewer.services.coverage import cleared_before


def mark_late(review: Review) -> int:
    """Mark what this review raised first on text that was cleared; returns how many."""
    clear = cleared_before(review)
    if not clear:
        return 0
    earlier = Sighting.objects.exclude(reading__review=review).values("finding")
    raised = (
        Finding.objects.shown()
        .filter(sightings__reading__review=review, raised=Finding.Raised.MODEL)
        .exclude(pk__in=earlier)
        .distinct()
    )
    paragraphs = _paragraphs(review)
    late = [finding.pk for finding in raised if is_late(_places(finding, paragraphs), clear)]
    Finding.objects.filter(pk__in=late).update(is_late=True)
    return len(late)


Paragraphs = dict[int, list[Paragraph]]


def _paragraphs(review: Review) -> Paragraphs:
    found: Paragraphs = {}
    rows = Paragraph.objects.filter(sheet__version=review.version).select_related("sheet")
    for row in rows:
        found.setdefault(row.sheet.number, []).append(row)
    return found


def _places(finding: Finding, paragraphs: Paragraphs) -> list[tuple[str, str]]:
    """The paragraphs that the finding's quote and its other places touch."""
    return [
        (paragraph.hash, "")
        for place in FindingPlace.objects.filter(finding=finding)
        for paragraph in paragraphs.get(place.sheet, [])
        if paragraph.first_word <= place.last_word and place.first_word <= paragraph.last_word
    ]

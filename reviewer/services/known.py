"""The findings of a proposal as new sightings are compared with them."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from django.db.models import Exists, OuterRef, Prefetch, Q

from reviewer.core import matching
from reviewer.models import (
    Apart,
    Comment,
    Decision,
    Finding,
    FindingPlace,
    Reading,
    Review,
    Sighting,
)
from reviewer.services.ground import Ground

PERSON_OR_CHECK = "house"
"""The reading to which findings belong that no model raised: one that is never a pass."""
_COMPARED = ("sheet", "severity", "rule", "quote", "text", "also")
"""What of a finding is compared with sightings."""


def findings_known(
    proposal_id: int,
    *,
    without: Review | None = None,
    sheets: Collection[int] | None = None,
    unseen_by: Reading | None = None,
) -> list[Finding]:
    """The findings that exist, of these sheets where any are named.

    `without` leaves out findings that only its own sightings brought and nobody decided or
    commented on: they are what is being merged. `unseen_by` leaves out what this reading has reported
    itself: who reports two faults in one answer means two. Readings of several sheets in
    one pass may well name the same fault, and so do the halves of a censored one.
    """
    findings = Finding.objects.shown().filter(proposal_id=proposal_id)
    # What a check raised is gone exactly when its cause is; a model that names it still means
    # something else.
    findings = findings.exclude(raised=Finding.Raised.CHECK, recheck=Finding.Verdict.DOES_NOT_HOLD)
    if sheets is not None:
        findings = findings.filter(sheet__in=sheets)
    if unseen_by is not None:
        mine_too = Sighting.objects.filter(reading=unseen_by)
        findings = findings.exclude(pk__in=mine_too.values("finding"))
    if without is not None:
        mine = Sighting.objects.filter(finding=OuterRef("pk"), reading__review=without)
        others = Sighting.objects.filter(finding=OuterRef("pk")).exclude(reading__review=without)
        decided = Decision.objects.filter(finding=OuterRef("pk"))
        said = Comment.objects.filter(finding=OuterRef("pk"))
        findings = findings.filter(
            ~Q(raised=Finding.Raised.MODEL)
            | ~Exists(mine)
            | Exists(others)
            | Exists(decided)
            | Exists(said)
            | Exists(Apart.objects.filter(Q(first=OuterRef("pk")) | Q(second=OuterRef("pk"))))
            | Exists(Finding.objects.filter(merged_into=OuterRef("pk")))
        )
    merged = Prefetch("merged", Finding.objects.only(*_COMPARED, "merged_into"))
    return list(findings.prefetch_related(merged).order_by("number"))


def own_places(findings: Collection[Finding], ground: Ground) -> dict[int, FindingPlace]:
    """Where the proposal's findings stand on this version, by finding; none without findings."""
    if not findings:
        return {}
    rows = FindingPlace.objects.filter(version=ground.version, position=0)
    return {place.finding_id: place for place in rows}


def as_known(
    findings: Iterable[Finding], places: Mapping[int, FindingPlace], ground: Ground
) -> list[matching.Known]:
    """Each finding with the sighting that stands for it on this version."""
    return [
        matching.Known(
            str(finding.pk),
            tuple(_standing_for(one, places.get(one.pk), ground) for one in _family(finding)),
        )
        for finding in findings
    ]


def _family(finding: Finding) -> Iterator[Finding]:
    """A finding and all that people merged into it, however many times."""
    yield finding
    for merged in finding.merged.all():
        yield from _family(merged)


def _standing_for(
    finding: Finding, place: FindingPlace | None, ground: Ground
) -> matching.Sighting:
    sheet, quote, span = finding.sheet, finding.quote, None
    if place is not None:
        sheet = place.sheet
        span = ground.sheets[sheet].span(place.first_word, place.last_word)
        quote = ground.sheets[sheet].text[span[0] : span[1]]
    return matching.Sighting(
        id=f"known-{finding.pk}",
        reading=f"{PERSON_OR_CHECK}-{finding.pk}",
        sheet=sheet,
        severity=finding.severity,
        rule=finding.rule,
        quote=quote,
        finding=finding.text,
        also=tuple((other["sheet"], other["quote"]) for other in finding.also),
        span=span,
    )

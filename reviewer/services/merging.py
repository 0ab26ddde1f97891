"""Sightings become findings: one at a time as they stream in, and once more when all are there.

What a stream brings is attached to the finding it looks like, or raised as a new one, so
that people see it at once. When a review ends, all its sightings are merged anew, by the
same measure and in no order, so that the result does not depend on what came first.
Findings that existed before keep their identity, and so does each one a person decided.
"""

from collections import defaultdict
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from reviewer.core import matching
from reviewer.core.answers import ReadFinding
from reviewer.core.schema import Severity
from reviewer.core.state import severity_of
from reviewer.models import (
    Apart,
    Decision,
    Finding,
    FindingPlace,
    Proposal,
    Reading,
    Review,
    Sighting,
)
from reviewer.services.findings import next_number
from reviewer.services.ground import Ground
from reviewer.services.lapsing import lapse
from reviewer.services.placing import place_finding
from reviewer.services.storable import storable, storable_json

PERSON_OR_CHECK = "house"
"""The reading to which findings belong that no model raised: one that is never a pass."""


def record_sighting(reading: Reading, found: ReadFinding, ground: Ground) -> Sighting | None:
    """Store one finding of an answer, attached to the finding that it is.

    None where this answer's finding was recorded before: a stream and the whole answer
    that follows it, or a message delivered twice, record it once. None also where another
    worker has taken the reading since: what this one hears is not counted any more.
    """
    with transaction.atomic():
        proposal_id = reading.review.version.proposal_id
        mine = Reading.objects.select_for_update(no_key=True).filter(
            pk=reading.pk, token=reading.token
        )
        if not mine.values_list("pk", flat=True):
            return None
        Proposal.objects.select_for_update(no_key=True).get(pk=proposal_id)
        if Sighting.objects.filter(reading=reading, index=found.index).exists():
            return None
        span = ground.find(found.quote, found.sheet)
        fresh = Sighting(
            reading=reading,
            index=found.index,
            sheet=found.sheet,
            severity=found.severity.value,
            rule=found.rule,
            rule_as_written=storable(found.rule_as_written)[:200],
            quote=storable(found.quote),
            text=storable(found.finding),
            edit=storable(found.fix),
            also=storable_json([place.model_dump() for place in found.also]),
            first_char=span[0] if span else None,
            last_char=span[1] if span else None,
        )
        # While it streams, the findings of its own sheet are looked at; all of them are when
        # the review settles.
        known = _known(proposal_id, ground, sheet=found.sheet, unseen_by=reading)
        matched = matching.match_to_known([_as_sighting(fresh, "new")], known)
        number = matched[0].finding
        if number is None:
            finding = _raise(reading, fresh, ground)
        else:
            finding = Finding.objects.get(pk=int(number))
            _gravest(finding, fresh.severity, reading.review)
        fresh.finding = finding
        fresh.save()
        _count_votes([finding.pk], reading.review)
    return fresh


def settle_review(review: Review) -> int:
    """Merge all sightings of an ended review anew; returns how many findings they are."""
    ground = Ground(review.version)
    proposal_id = review.version.proposal_id
    with transaction.atomic():
        Proposal.objects.select_for_update(no_key=True).get(pk=proposal_id)
        rows = list(
            Sighting.objects.filter(reading__review=review).select_related("reading", "finding")
        )
        by_id = {str(row.pk): row for row in rows}
        known = _known(proposal_id, ground, without=review)
        matched = matching.match_to_known(
            [_as_sighting(row, str(row.pk)) for row in rows], known, texts=ground.texts
        )
        plan = _Plan(by_id, {int(entry.id) for entry in known})
        for match in sorted(matched, key=lambda match: min(map(int, match.group.ids))):
            plan.give(match)
        _apply(plan, review, ground)
    return len(matched)


@dataclass
class _Plan:
    """Which finding each sighting goes to. A finding takes one group; new ones are raised."""

    sightings: dict[str, Sighting]
    known: set[int]

    def __post_init__(self) -> None:
        self.of_sighting: dict[int, int] = {}
        self.to_raise: list[list[Sighting]] = []
        self._taken: set[int] = set()

    def give(self, match: matching.Matched) -> None:
        rows = [self.sightings[id] for id in match.group.ids]
        if match.finding is not None:
            target: int | None = int(match.finding)
        else:
            free = {row.finding_id for row in rows} - self._taken - self.known
            target = min(free, default=None)
        if target is None:
            self.to_raise.append(rows)
            return
        self._taken.add(target)
        for row in rows:
            self.of_sighting[row.pk] = target


def _apply(plan: _Plan, review: Review, ground: Ground) -> None:
    touched = {row.finding_id for row in plan.sightings.values()}
    for row in plan.sightings.values():
        target = plan.of_sighting.get(row.pk)
        if target is not None and target != row.finding_id:
            row.finding_id = target
            row.save(update_fields=["finding"])
            touched.add(target)
    for rows in plan.to_raise:
        finding = _raise(rows[0].reading, rows[0], ground)
        for row in rows:
            row.finding = finding
            row.save(update_fields=["finding"])
        touched.add(finding.pk)
    # What the stream raised, and no sighting stands for any more, was the same finding as
    # another; nobody has decided it, so nothing is lost with it.
    Finding.objects.filter(
        pk__in=touched - plan.known,
        raised=Finding.Raised.MODEL,
        sightings=None,
        decisions=None,
    ).delete()
    for finding in Finding.objects.filter(pk__in=touched).prefetch_related("sightings"):
        _weigh(finding, review)
    _count_votes(list(touched), review)


def _known(
    proposal_id: int,
    ground: Ground,
    *,
    without: Review | None = None,
    sheet: int | None = None,
    unseen_by: Reading | None = None,
) -> list[matching.Known]:
    """The findings that exist, each with the sighting that stands for it on this version.

    `without` leaves out findings that only its own sightings brought and nobody decided:
    they are what is being merged. `unseen_by` leaves out what this reading's pass has
    reported: who reports two faults means two.
    """
    places: dict[int, FindingPlace] = {
        place.finding_id: place
        for place in FindingPlace.objects.filter(version=ground.version, position=0)
    }
    findings = Finding.objects.shown().filter(proposal_id=proposal_id)
    if sheet is not None:
        findings = findings.filter(sheet=sheet)
    if unseen_by is not None:
        same_pass = Sighting.objects.filter(
            reading__review=unseen_by.review_id,
            reading__kind=unseen_by.kind,
            reading__pass_number=unseen_by.pass_number,
        )
        findings = findings.exclude(pk__in=same_pass.values("finding"))
    if without is not None:
        mine = Sighting.objects.filter(finding=OuterRef("pk"), reading__review=without)
        others = Sighting.objects.filter(finding=OuterRef("pk")).exclude(reading__review=without)
        decided = Decision.objects.filter(finding=OuterRef("pk"))
        findings = findings.filter(
            ~Q(raised=Finding.Raised.MODEL)
            | ~Exists(mine)
            | Exists(others)
            | Exists(decided)
            | Exists(Apart.objects.filter(Q(first=OuterRef("pk")) | Q(second=OuterRef("pk"))))
            | Exists(Finding.objects.filter(merged_into=OuterRef("pk")))
        )
    return [
        matching.Known(
            str(finding.pk),
            tuple(
                _standing_for(one, places.get(one.pk), ground)
                for one in (finding, *finding.merged.all())
            ),
        )
        for finding in findings.prefetch_related("merged").order_by("number")
    ]


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


def _as_sighting(row: Sighting, id: str) -> matching.Sighting:
    has_span = row.first_char is not None and row.last_char is not None
    return matching.Sighting(
        id=id,
        reading=f"{row.reading.kind}{row.reading.pass_number}",
        sheet=row.sheet,
        severity=row.severity,
        rule=row.rule,
        quote=row.quote,
        finding=row.text,
        also=tuple((other["sheet"], other["quote"]) for other in row.also),
        span=(row.first_char, row.last_char) if has_span else None,  # type: ignore[arg-type]
    )


def _raise(reading: Reading, seen: Sighting, ground: Ground) -> Finding:
    version = reading.review.version
    finding = Finding.objects.create(
        proposal_id=version.proposal_id,
        number=next_number(version.proposal_id),
        severity=seen.severity,
        rule=seen.rule,
        rule_as_written=seen.rule_as_written,
        sheet=seen.sheet,
        quote=seen.quote,
        text=seen.text,
        edit=seen.edit,
        also=seen.also,
        raised=Finding.Raised.MODEL,
        first_version=version,
        checked_version=version,
    )
    found = place_finding(finding, ground)
    if seen.quote and not found:
        finding.is_on_sheet = False
        finding.save(update_fields=["is_on_sheet"])
    return finding


def _weigh(finding: Finding, review: Review) -> None:
    """The highest severity sighted; where only a minority says block, the fresh check decides."""
    sighted = [sighting.severity for sighting in finding.sightings.all()]
    if finding.raised != Finding.Raised.MODEL:
        # A check or a person raised it at this severity, and that counts as a majority.
        sighted += [finding.severity] * (len(sighted) + 1)
    _set_severity(finding, severity_of(sighted, finding.severity_by_check or None), review)


def _gravest(finding: Finding, severity: str, review: Review) -> None:
    if Severity(severity).rank < Severity(finding.severity).rank:
        _set_severity(finding, severity, review)


def _set_severity(finding: Finding, severity: str, review: Review) -> None:
    """Store what readings make of it. What was decided of a lesser fault does not stand for a
    graver; what a person set stays."""
    before = finding.severity
    if severity == before or finding.severity_by_person:
        return
    finding.severity = severity
    finding.save(update_fields=["severity"])
    graver = Severity(severity).rank < Severity(before).rank
    if graver and finding.status in {Finding.Status.DISMISSED, Finding.Status.ACCEPTED}:
        why = f"it was decided as a {before} and is seen as a {severity} now"
        lapse(finding, review.version, why)


def _count_votes(finding_ids: list[int], review: Review) -> None:
    """Set votes and passes of model findings: in how many passes of this review each was seen.

    What a document reading or a sweep saw is real, but no vote. The passes that covered a
    finding are those over its sheet.
    """
    passes: dict[int, set[int]] = {pk: set() for pk in finding_ids}
    votes = Sighting.objects.filter(
        finding__in=finding_ids, reading__review=review, reading__kind=Reading.Kind.PASS
    )
    for finding_id, number in votes.values_list("finding", "reading__pass_number"):
        passes[finding_id].add(number)
    covering: dict[int, set[int]] = defaultdict(set)
    made = review.readings.filter(kind=Reading.Kind.PASS).exclude(status=Reading.Status.CANCELLED)
    for sheet, number in made.values_list("sheet", "pass_number"):
        covering[sheet].add(number)
    for finding in Finding.objects.filter(pk__in=finding_ids):
        seen = len(passes[finding.pk])
        if seen == 0 and finding.votes:
            # A later round that did not read its text takes nothing from what earlier ones saw.
            continue
        finding.votes = seen
        finding.passes = max(len(covering[finding.sheet]), seen)
        finding.checked_version = review.version
        finding.save(update_fields=["votes", "passes", "checked_version"])

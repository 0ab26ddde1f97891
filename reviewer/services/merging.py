"""Sightings become findings: one at a time as they stream in, and once more when all are there.

What a stream brings is attached to the finding it looks like, or raised as a new one, so
that people see it at once. When a review ends, all its sightings are merged anew, by the
same measure and in no order, so that the result does not depend on what came first.
Findings that existed before keep their identity, and so does each one a person decided.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from reviewer.core import matching
from reviewer.core.answers import ReadFinding
from reviewer.core.schema import Severity
from reviewer.models import (
    Finding,
    FindingPlace,
    Proposal,
    Reading,
    Review,
    Sighting,
)
from reviewer.services.as_sighted import fresh_sightings
from reviewer.services.dismissals import Dismissed
from reviewer.services.findings import next_number
from reviewer.services.ground import Ground
from reviewer.services.known import as_known, findings_known, own_places
from reviewer.services.lapsing import set_severity, weight_of
from reviewer.services.learnings_given import Used
from reviewer.services.locking import hold_row
from reviewer.services.placing import places_of
from reviewer.services.raised_under import name_learnings
from reviewer.services.votes import count_as_heard, passes_by_sheet, recount


def record_sightings(
    reading: Reading, found: Sequence[ReadFinding], ground: Ground
) -> list[Sighting]:
    """Store findings of an answer, each attached to the finding that it is; returns the new ones.

    What was recorded before is left: a stream and the whole answer that follows it, or a
    message delivered twice, record it once. Nothing is recorded where another worker has
    taken the reading since: what this one hears is not counted any more.
    """
    with transaction.atomic():
        proposal_id = reading.review.version.proposal_id
        mine = Reading.objects.select_for_update(no_key=True).filter(
            pk=reading.pk, token=reading.token
        )
        if not mine.values_list("pk", flat=True):
            return []
        hold_row(Proposal, proposal_id)
        return record_locked(reading, found, ground)


def record_locked(
    reading: Reading,
    found: Sequence[ReadFinding],
    ground: Ground,
    *,
    recorded: Collection[int] | None = None,
    used: Used | None = None,
    covering: Mapping[int, int] | None = None,
) -> list[Sighting]:
    """The same, for who has locked the proposal and knows that the reading is its own.

    `recorded` are the indexes of what was recorded before, `used` is what the review reads
    with and `covering` its `passes_by_sheet`, for who has looked them up.
    """
    fresh = fresh_sightings(reading, found, ground, recorded, used)
    if fresh:
        if covering is None:
            covering = passes_by_sheet(reading.review)
        met = _attach(reading, fresh, ground, covering, is_first=recorded == set())
        Sighting.objects.bulk_create(fresh)
        name_learnings({row.finding_id for row in fresh if row.learning_id})
        if met:
            count_as_heard(met, reading.review, covering)
    return fresh


def _attach(
    reading: Reading,
    fresh: list[Sighting],
    ground: Ground,
    covering: Mapping[int, int],
    *,
    is_first: bool,
) -> list[Finding]:
    """Give each sighting its finding, one that is known or a new one; returns the known ones.

    While an answer streams, the findings of a sighting's own sheet are looked at; all of them
    are when the review settles. `is_first` says that nothing of the reading is recorded yet.
    """
    known_as: dict[int, Finding] = {}
    sheets = {row.sheet for row in fresh}
    there = findings_known(
        reading.review.version.proposal_id, sheets=sheets, unseen_by=None if is_first else reading
    )
    by_id = {str(finding.pk): finding for finding in there}
    places = own_places(there, ground)
    for sheet in sheets & {finding.sheet for finding in there}:
        here = [row for row in fresh if row.sheet == sheet]
        known = as_known([f for f in there if f.sheet == sheet], places, ground)
        matched = matching.match_to_known([_as_sighting(r, str(r.index)) for r in here], known)
        for match in matched:
            if match.finding is not None:
                known_as |= {int(index): by_id[match.finding] for index in match.group.ids}
    dismissed = Dismissed(reading.review.version.proposal_id, ground)
    for row in fresh:
        before = dismissed.covering(row) if row.index not in known_as else None
        if before is not None:
            known_as[row.index] = by_id.get(str(before.pk), before)
    for row in fresh:
        if row.index in known_as:
            row.finding = known_as[row.index]
            _gravest(row.finding, row.severity, reading.review)
    _raise(reading, [row for row in fresh if row.index not in known_as], ground, covering)
    return list({finding.pk: finding for finding in known_as.values()}.values())


def settle_review(review: Review) -> int:
    """Merge all sightings of an ended review anew; returns how many findings they are."""
    ground = Ground(review.version)
    proposal_id = review.version.proposal_id
    with transaction.atomic():
        hold_row(Proposal, proposal_id)
        rows = list(
            Sighting.objects.filter(reading__review=review).select_related("reading", "finding")
        )
        by_id = {str(row.pk): row for row in rows}
        there = findings_known(proposal_id, without=review)
        known = as_known(there, own_places(there, ground), ground)
        matched = matching.match_to_known(
            [_as_sighting(row, str(row.pk)) for row in rows], known, texts=ground.texts
        )
        dismissed = Dismissed(proposal_id, ground)
        plan = _Plan(by_id, {int(entry.id) for entry in known}, dismissed)
        for match in sorted(matched, key=lambda match: min(map(int, match.group.ids))):
            plan.give(match)
        _apply(plan, review, ground)
    return len(matched)


@dataclass
class _Plan:
    """Which finding each sighting goes to. A finding takes one group; new ones are raised."""

    sightings: dict[str, Sighting]
    known: set[int]
    dismissed: Dismissed

    def __post_init__(self) -> None:
        self.of_sighting: dict[int, int] = {}
        self.to_raise: list[list[Sighting]] = []
        self._taken: set[int] = set()

    def give(self, match: matching.Matched) -> None:
        rows = [self.sightings[id] for id in match.group.ids]
        if match.finding is not None:
            target: int | None = int(match.finding)
        else:
            target = self._dismissed_already(rows)
        if target is None:
            free = {row.finding_id for row in rows} - self._taken - self.known
            target = min(free, default=None)
        if target is None:
            self.to_raise.append(rows)
            return
        self._taken.add(target)
        for row in rows:
            # What was seen as one that people merged stays with that one, in case it is
            # taken apart again.
            is_merged = row.finding.merged_into_id is not None
            self.of_sighting[row.pk] = row.finding_id if is_merged else target

    def _dismissed_already(self, rows: list[Sighting]) -> int | None:
        """The dismissed finding whose words all of these say again, if there is one."""
        covering = {None if f is None else f.pk for f in map(self.dismissed.covering, rows)}
        return covering.pop() if len(covering) == 1 else None


def _apply(plan: _Plan, review: Review, ground: Ground) -> None:
    touched = {row.finding_id for row in plan.sightings.values()}
    left: set[int] = set()
    for row in plan.sightings.values():
        target = plan.of_sighting.get(row.pk)
        if target is not None and target != row.finding_id:
            left.add(row.finding_id)
            row.finding_id = target
            row.save(update_fields=["finding"])
            touched.add(target)
    for rows in plan.to_raise:
        left |= {row.finding_id for row in rows}
        _raise(rows[0].reading, rows[:1], ground, passes_by_sheet(review))
        finding = rows[0].finding
        for row in rows:
            row.finding = finding
            row.save(update_fields=["finding"])
        touched.add(finding.pk)
    # What the stream raised, and no sighting stands for any more, was the same finding as
    # another; nobody has decided it, so nothing is lost with it.
    if left - plan.known:
        Finding.objects.filter(
            pk__in=left - plan.known,
            raised=Finding.Raised.MODEL,
            sightings=None,
            decisions=None,
            comments=None,
        ).delete()
    found = Finding.objects.filter(pk__in=touched).prefetch_related("sightings", "merged")
    weighed = list(found.select_related("proposal"))
    for finding in weighed:
        _weigh(finding, review)
    name_learnings(touched)
    recount(weighed, review)


def _as_sighting(row: Sighting, id: str) -> matching.Sighting:
    has_span = row.first_char is not None and row.last_char is not None
    return matching.Sighting(
        id=id,
        reading=str(row.reading_id),
        sheet=row.sheet,
        severity=row.severity,
        rule=row.rule,
        quote=row.quote,
        finding=row.text,
        also=tuple((other["sheet"], other["quote"]) for other in row.also),
        span=(row.first_char, row.last_char) if has_span else None,  # type: ignore[arg-type]
    )


def _raise(
    reading: Reading, seen: Sequence[Sighting], ground: Ground, covering: Mapping[int, int]
) -> None:
    """Raise a finding for each sighting, in their order, and give it to its sighting."""
    if not seen:
        return
    version = reading.review.version
    first = next_number(version.proposal_id, len(seen))
    votes = int(reading.kind == Reading.Kind.PASS)
    is_from_picture = reading.kind == Reading.Kind.PICTURE
    raised = [
        Finding(
            proposal_id=version.proposal_id,
            number=number,
            severity=row.severity,
            rule=row.rule,
            rule_as_written=row.rule_as_written,
            sheet=row.sheet,
            quote=row.quote,
            text=row.text,
            edit=row.edit,
            also=row.also,
            raised=Finding.Raised.MODEL,
            is_from_picture=is_from_picture,
            votes=votes,
            passes=max(covering.get(row.sheet, 0), votes),
            first_version=version,
            checked_version=version,
        )
        for number, row in enumerate(seen, start=first)
    ]
    Finding.objects.bulk_create(raised)
    places = [place for finding in raised for place in places_of(finding, ground)]
    FindingPlace.objects.bulk_create(places, ignore_conflicts=True)
    placed = {place.finding_id for place in places if place.position == 0}
    astray = [o.pk for o in raised if (o.quote or is_from_picture) and o.pk not in placed]
    if astray:
        Finding.objects.filter(pk__in=astray).update(is_on_sheet=False)
    for row, finding in zip(seen, raised, strict=True):
        row.finding = finding


def _weigh(finding: Finding, review: Review) -> None:
    """The highest severity sighted; where only a minority says block, the fresh check decides."""
    sighted = [sighting.severity for sighting in finding.sightings.all()]
    is_decided = finding.status in Finding.DECIDED
    minority = 0 < 2 * sighted.count(Severity.BLOCK) < len(sighted)
    if is_decided and minority and finding.verdict == Finding.Verdict.NONE:
        # Whether it is a block is for the check to say, before a decision falls for it.
        return
    by_model = finding.raised == Finding.Raised.MODEL
    if sighted or not by_model:
        weight = weight_of(finding, raised_as="" if by_model else finding.severity)
        set_severity(finding, weight, review.version)


def _gravest(finding: Finding, severity: str, review: Review) -> None:
    """While it streams. A decision falls only once all passes have been heard."""
    if finding.status in Finding.DECIDED:
        return
    if Severity(severity).rank < Severity(finding.severity).rank:
        set_severity(finding, severity, review.version)

"""Findings stand at their words: places are made, and carried to the next version.

A finding whose words are not found keeps its identity and says so; nothing is guessed.
"""

from collections.abc import Iterable

from django.utils import timezone

from reviewer.core.anchoring import Evidence, Versions
from reviewer.core.quotes import Span
from reviewer.core.rounds import is_unchanged_claim
from reviewer.models import Finding, FindingPlace, Paragraph, Proposal, Review, Version
from reviewer.services.ground import Ground
from reviewer.services.lapsing import lapse_what_changed, lapse_what_ended

CARRIED_FIELDS = (
    "evidence",
    "recheck",
    "times_still_there",
    "touched_in",
    "seen_again",
    "sheet",
    "other_changed",
    "gone_by",
    "is_closed_by_reviewer",
)


def place_finding(finding: Finding, ground: Ground) -> bool:
    """Store where the quote of `finding`, and its other places, stand on this version.

    Returns whether its own quote was found. Call it for findings that have no places on
    this version yet.
    """
    places = places_of(finding, ground)
    FindingPlace.objects.bulk_create(places, ignore_conflicts=True)
    return bool(places) and places[0].position == 0


def places_of(finding: Finding, ground: Ground) -> list[FindingPlace]:
    """Where a stored finding stands on this version, unsaved; position 0 is its own quote."""
    quoted = [(finding.sheet, finding.quote), *((o["sheet"], o["quote"]) for o in finding.also)]
    places: list[FindingPlace] = []
    for position, (sheet, quote) in enumerate(quoted):
        span = ground.find(quote, sheet)
        if span is not None:
            place = ground.place(sheet, span, finding_id=finding.pk, position=position)
            places += [place] if place else []
    return places


def carry_findings(old: Version, new: Version, *, places_only: bool = False) -> int:
    """Carry every finding of the proposal from version `old` to `new`; returns how many.

    Words that stand are present; changed words keep their place where they are alike
    enough; a finding whose words are gone has lost its place. What people decided stays.
    `places_only` shows where they stand, and says nothing of what became of them.
    """
    # Those that were merged go with them, since they may be taken apart again.
    findings = list(Finding.objects.filter(proposal_id=new.proposal_id).order_by("number"))
    _carry(findings, old, new, places_only=places_only)
    if not places_only:
        lapse_what_changed(findings, new)
        lapse_what_ended(new)
    return len(findings)


def carry_late_findings(review: Review) -> None:
    """Carry what a review raised on its version after newer versions had become ready."""
    raised = Finding.objects.shown().filter(
        first_version=review.version_id, sightings__reading__review=review
    )
    old = review.version
    for new in _later_than(old):
        since = new.finished_at or new.created_at
        _carry(list(raised.filter(created_at__gte=since).distinct()), old, new)
        old = new


def carry_raised(finding: Finding, old: Version) -> None:
    """Carry what a person raised on `old` where newer versions were ready by then.

    Call it in the transaction that raises it, with the proposal locked.
    """
    for new in _later_than(old):
        _carry([finding], old, new)
        old = new


def _later_than(old: Version) -> Iterable[Version]:
    ready = Version.objects.filter(proposal=old.proposal_id, status=Version.Status.READY)
    return ready.filter(number__gt=old.number).order_by("number")


def _carry(
    findings: list[Finding], old: Version, new: Version, *, places_only: bool = False
) -> None:
    if not findings:
        return
    before, ground = Ground(old), Ground(new)
    versions = Versions(before.texts, ground.texts)
    old_places: dict[int, list[FindingPlace]] = {}
    rows = FindingPlace.objects.filter(version=old, finding__in=findings)
    for row in rows.order_by("position"):
        old_places.setdefault(row.finding_id, []).append(row)
    new_places: list[FindingPlace] = []
    for finding in findings:
        carried = [
            _carry_place(place, before, ground, versions, finding)
            for place in old_places.get(finding.pk, [])
        ]
        new_places += [place for _, place in carried if place]
        _update(finding, old_places.get(finding.pk, []), carried, new.number)
        if not any(place.position == 0 for place in old_places.get(finding.pk, [])):
            new_places += _came_back(finding, before, ground, new.number)
    FindingPlace.objects.bulk_create(new_places, ignore_conflicts=True)
    if not places_only:
        if _has_new_text(old, new):
            for finding in filter(asks_for_more, findings):
                finding.other_changed = True
                _is_touched(finding, new.number)
        for finding in findings:
            _claim_falls(finding)
        Finding.objects.bulk_update(findings, CARRIED_FIELDS)


def _came_back(
    finding: Finding, before: Ground, ground: Ground, version: int
) -> list[FindingPlace]:
    """The places of a finding that had lost its own, where its words stand in the text again.

    It is then what it was: whatever was said since was said of other words. Words that stood
    in the version before are another's. A built-in check looks for itself.
    """
    is_lost = finding.evidence == Finding.Evidence.GONE and finding.quote
    if not is_lost or finding.raised == Finding.Raised.CHECK:
        return []
    if any(before.find(finding.quote, number) is not None for number in before.sheets):
        return []
    sheets = [n for n in ground.sheets if ground.find(finding.quote, n) is not None]
    if finding.sheet in sheets:
        sheets = [finding.sheet]
    if len(sheets) != 1:
        return []
    finding.sheet = sheets[0]
    places = places_of(finding, ground)
    if places and places[0].position == 0:
        _is_touched(finding, version)
        finding.evidence = Finding.Evidence.PRESENT
        finding.other_changed = False
    return places


def asks_for_more(finding: Finding) -> bool:
    """Whether anything new may answer it: something is missing, or has no source.

    A built-in check looks for itself; what was dismissed is asked about again only where its
    own words or its other place change.
    """
    is_missing = not finding.quote or finding.rule == "grounding"
    is_settled = finding.status == Finding.Status.DISMISSED
    return is_missing and not is_settled and finding.raised != Finding.Raised.CHECK


def source_came(proposal: Proposal) -> int:
    """A new source may answer what is missing or unsourced; returns how many are to be asked.

    Call it in the transaction that adds the source.
    """
    newest = proposal.versions.filter(status=Version.Status.READY).order_by("-number").first()
    if newest is None:
        return 0
    rows = Finding.objects.select_for_update().filter(proposal=proposal)
    asked = [finding for finding in rows if asks_for_more(finding)]
    for finding in asked:
        finding.other_changed = True
        _is_touched(finding, newest.number)
    Finding.objects.bulk_update(asked, CARRIED_FIELDS)
    return len(asked)


def _claim_falls(finding: Finding) -> None:
    """A fix that was claimed, with nothing of it changed in the next version, is still there."""
    if is_unchanged_claim(finding.record()) and finding.recheck != Finding.Verdict.HOLDS:
        finding.recheck = Finding.Verdict.HOLDS
        finding.times_still_there += 1


def _has_new_text(old: Version, new: Version) -> bool:
    """Whether `new` has a paragraph that `old` did not have."""
    before = Paragraph.objects.filter(sheet__version=old).values("hash")
    fresh = Paragraph.objects.filter(sheet__version=new).exclude(hash__in=before)
    return bool(fresh.exists())


Carry = tuple[Evidence, FindingPlace | None]


def _carry_place(
    place: FindingPlace, before: Ground, ground: Ground, versions: Versions, finding: Finding
) -> Carry:
    sheet = before.sheets.get(place.sheet)
    if sheet is None or place.last_word >= len(sheet.words):
        return Evidence.GONE, None
    went = versions.carry(Span(place.sheet, *sheet.span(place.first_word, place.last_word)))
    if went.span is None:
        return Evidence.GONE, None
    return went.evidence, ground.place(
        went.span.sheet,
        (went.span.first, went.span.last),
        finding_id=finding.pk,
        position=place.position,
    )


def _update(finding: Finding, old: list[FindingPlace], carried: list[Carry], version: int) -> None:
    """What became of a finding's words, since they were last found to be at fault.

    Words that stand change nothing: what was changed in an earlier version and not looked at
    since stays changed. One that never stood on the text cannot lose it.
    """
    went = {place.position: one for place, one in zip(old, carried, strict=True)}
    own = went.pop(0, None)
    others = any(evidence != Evidence.PRESENT for evidence, _ in went.values())
    if own is not None and own[1] is not None:
        finding.sheet = own[1].sheet
    if own is not None and own[0] != Evidence.PRESENT:
        finding.evidence = own[0].value
        _is_touched(finding, version)
    if others:
        finding.other_changed = True
        _is_touched(finding, version)


def _is_touched(finding: Finding, version: int) -> None:
    """What was said of the old words says nothing of the new ones."""
    finding.touched_in = version
    finding.seen_again = 0
    finding.recheck = Finding.Verdict.NONE
    finding.gone_by = []
    finding.is_closed_by_reviewer = False


def touch(version: Version) -> None:
    """Move the proposal to the top of the list: something happened to it."""
    type(version.proposal).objects.filter(pk=version.proposal_id).update(touched_at=timezone.now())

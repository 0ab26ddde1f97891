"""In how many of the passes over its words a finding was seen, counted anew from sightings.

Passes count by the paragraph in which the words stood when the finding was raised, whatever
version they read. What was named again in words that changed since is no vote for the old
ones; it is counted by itself, and outweighs a check that says the fault is gone.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from reviewer.models import Finding, FindingPlace, Reading, Review, Sighting, Version
from reviewer.services.coverage import Block, History, Pass

Kind = Reading.Kind
Name = tuple[int, int]
"""A pass by its review and number."""

COUNTED = ["votes", "passes", "is_agreed", "swept", "seen_again", "checked_version"]


def recount(findings: Sequence[Finding], review: Review) -> None:
    """Set what sightings say of these findings, all reviews together; safe to repeat.

    Call it once the readings of `review` are over and its sightings have their findings.
    """
    _recount(findings, review.version, review)


def recount_on(finding_ids: Collection[int], version: Version) -> None:
    """The same after people merged findings or took them apart, where any was sighted."""
    sighted = Q(sightings__isnull=False) | Q(merged__sightings__isnull=False)
    findings = Finding.objects.filter(sighted, pk__in=finding_ids).distinct()
    _recount(list(findings), version, None)


def _recount(findings: Sequence[Finding], version: Version, review: Review | None) -> None:
    if not findings:
        return
    history = History(version, readings=_all_passes(version.proposal_id), findings=findings)
    seen = _sightings_of({finding.pk for finding in findings})
    words = as_raised(history)
    over = _passes_by_paragraph(history)
    changed: list[Finding] = []
    for finding in findings:
        before = _counted(finding)
        _count(finding, seen[finding.pk], over.get(words.get(finding.pk, ""), []))
        if review is not None and any(one.name[0] == review.pk for one in seen[finding.pk]):
            finding.checked_version = review.version
        if _counted(finding) != before:
            changed.append(finding)
    Finding.objects.bulk_update(changed, COUNTED)


def _counted(finding: Finding) -> list[object]:
    names = [f"{name}_id" if name == "checked_version" else name for name in COUNTED]
    return [getattr(finding, name) for name in names]


def count_as_heard(
    findings: Collection[Finding], review: Review, covering: Mapping[int, int]
) -> None:
    """Votes of what this review alone has seen, while its answers stream in.

    What others saw too is counted when the review settles. The passes that cover a finding
    are those over its sheet, whether they have been made yet or not: `covering` says how many.
    """
    passes: dict[int, set[int]] = {finding.pk: set() for finding in findings}
    elsewhere: set[int] = set()
    seen = Sighting.objects.filter(finding__in=list(passes)).values_list(
        "finding", "reading__review", "reading__kind", "reading__pass_number"
    )
    for pk, by, kind, number in seen:
        if by != review.pk:
            elsewhere.add(pk)
        elif kind == Kind.PASS:
            passes[pk].add(number)
    alike: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for finding in findings:
        if finding.pk not in elsewhere:
            finding.votes = len(passes[finding.pk])
            finding.passes = max(covering.get(finding.sheet, 0), finding.votes)
            finding.checked_version = review.version
            alike[finding.votes, finding.passes].append(finding.pk)
    for (votes, over), pks in alike.items():
        Finding.objects.filter(pk__in=pks).update(
            votes=votes, passes=over, checked_version=review.version
        )


def passes_by_sheet(review: Review) -> Counter[int]:
    """How many passes of the review cover each sheet, made or still to be made."""
    passes = review.readings.filter(kind=Kind.PASS).exclude(status=Reading.Status.CANCELLED)
    laid_out = passes.order_by().values_list("sheet", "pass_number").distinct()
    return Counter(sheet for sheet, _ in laid_out)


def as_raised(history: History) -> dict[int, str]:
    """The hash of the paragraph in which each finding's words stood when it was raised."""
    found: dict[int, str] = {}
    first = {finding.pk: finding.first_version_id for finding in history.findings}
    rows = FindingPlace.objects.filter(
        finding__proposal=history.version.proposal_id, position=0, version__in=set(first.values())
    )
    for pk, version, sheet, word in rows.values_list("finding", "version", "sheet", "first_word"):
        if first.get(pk) == version:
            block = _block_with(history.blocks.get((version, sheet), []), word)
            if block is not None:
                found[pk] = block.key
    return found


def _block_with(blocks: Collection[Block], word: int) -> Block | None:
    return next((b for b in blocks if b.first_word <= word <= b.last_word), None)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One sighting, with what it counts by."""

    name: Name
    kind: str
    reading: int
    sheet: int
    version: int
    was_told: bool


def _sightings_of(finding_ids: Collection[int]) -> dict[int, list[_Seen]]:
    """The sightings of each finding, and of those that were merged into it; one query."""
    ids = set(finding_ids)
    rows = Sighting.objects.filter(
        Q(finding__in=ids) | Q(finding__merged_into__in=ids)
    ).select_related("reading__review__version", "finding")
    found: dict[int, list[_Seen]] = defaultdict(list)
    for row in rows.only(
        "finding__number",
        "finding__merged_into",
        "reading__kind",
        "reading__pass_number",
        "reading__sheet",
        "reading__candidates",
        "reading__review__version__number",
    ):
        reading = row.reading
        seen = _Seen(
            (reading.review_id, reading.pass_number),
            reading.kind,
            reading.pk,
            reading.sheet,
            reading.review.version.number,
            row.finding.number in reading.candidates,
        )
        for pk in (row.finding_id, row.finding.merged_into_id):
            if pk is not None and pk in ids:
                found[pk].append(seen)
    return found


@dataclass(frozen=True, slots=True)
class _Over:
    """A pass over a paragraph: its name, the version it read, and whether it was read whole."""

    name: Name
    version: int
    is_whole: bool


def _passes_by_paragraph(history: History) -> dict[str, list[_Over]]:
    over: dict[str, list[_Over]] = defaultdict(list)
    for each in history.passes:
        for key, _ in each.covered.paragraphs:
            over[key].append(_Over(each.name, _number(each), each.is_whole))
    return over


def _number(each: Pass) -> int:
    return int(each.root.review.version.number)


def _count(finding: Finding, seen: list[_Seen], over: list[_Over]) -> None:
    since = finding.touched_in
    old = [one for one in over if since is None or one.version < since]
    covering = {one.name for one in old if one.is_whole}
    passes_seen = [one for one in seen if one.kind == Kind.PASS]
    names = {one.name for one in passes_seen if since is None or one.version < since}
    if not over:
        # Its words have no paragraph of their own; the passes that met it are all we know.
        covering = set(names) or {(0, n) for n in range(finding.passes)}
        names = names or {(0, n) for n in range(finding.votes)}
    finding.votes, finding.passes = len(names), len(covering | names)
    finding.is_agreed = finding.is_agreed or _agrees(names, covering)
    finding.swept = len(
        {one.reading for one in seen if one.kind == Kind.SWEEP and not one.was_told}
    )
    finding.seen_again = (
        len({one.reading for one in seen if one.kind != Kind.SWEEP and one.version >= since})
        if since is not None
        else 0
    )


def _agrees(names: set[Name], covering: set[Name]) -> bool:
    """Whether all passes of one round, two at least, saw it."""
    rounds: dict[int, set[Name]] = defaultdict(set)
    for name in covering | names:
        rounds[name[0]].add(name)
    return any(len(each) > 1 and each <= names for each in rounds.values())


def _all_passes(proposal_id: int) -> list[Reading]:
    """Every reading of findings of the proposal, recorded ones too, with review and version."""
    return list(
        Reading.objects.filter(kind__in=Kind.of_findings(), review__version__proposal=proposal_id)
        .select_related("review__version")
        .defer("dropped", "verdicts", "review__keeps", "review__version__fit")
        .order_by("pk")
    )

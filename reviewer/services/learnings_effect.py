"""What learnings did: read with, met, upheld, dismissed, and the faults before and after.

Everything is counted from stored rows, in a number of queries that depends on nothing. A
proposal counts as read from its first finished review on.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from django.db.models import Count, Q
from django.utils import timezone

from reviewer.core.learned import Learned, LearningKind
from reviewer.core.learning_texts import contradictions
from reviewer.core.learnings import choose, in_scope
from reviewer.core.rounds import Standing, standing
from reviewer.models import (
    Finding,
    HeldBack,
    Learning,
    LearningSource,
    Likeness,
    Review,
    Workspace,
)

UNMET_AFTER = 10
"""A learning that was met on none of the last so many proposals read with it is stale."""
DECIDED_AT_LEAST = 4
"""So many findings raised under a learning are looked at before it counts as contested."""


@dataclass(frozen=True, slots=True)
class Point:
    """One proposal of a series, in the order in which they were first read."""

    proposal: int
    title: str
    day: date
    findings: int
    after: bool
    """Whether its first review began with the learning in force."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Of one learning. `series` has a point for each proposal in its scope that was read."""

    read_with: int
    """Proposals of which a review used it."""
    met: int
    """Findings raised under it, those it came from, and those people said are the same."""
    upheld: int
    dismissed: int
    held_back: int
    left_out: bool
    """It is in force, and so many others are that it finds no room in a prompt."""
    series: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two learnings in force that seem to ask for opposite things, and why it seems so."""

    first: Learning
    second: Learning
    why: str


@dataclass(frozen=True, slots=True)
class Effects:
    """`of` by the id of the learning; `stale` stayed unmet, `contested` is mostly dismissed:
    both are offered for retirement. `house` sums all learnings, a point a proposal."""

    of: dict[int, Effect]
    stale: tuple[Learning, ...]
    contested: tuple[Learning, ...]
    contradicting: tuple[Contradiction, ...]
    house: tuple[Point, ...]


def effect_of(workspace: Workspace, *, series_of: Collection[int] | None = None) -> Effects:
    """The effect of every learning of a workspace. A constant number of queries.

    `series_of` are the ids of the learnings whose series are wanted, all of them where it is
    None; the others have an empty one.
    """
    learnings = list(
        Learning.objects.filter(workspace=workspace)
        .select_related("current", "pending")
        .order_by("number")
    )
    if not learnings:
        return Effects({}, (), (), (), ())
    read, met = _read(workspace), _met(workspace)
    held = dict(
        HeldBack.objects.filter(by__learning__workspace=workspace)
        .order_by()
        .values_list("by__learning")
        .annotate(Count("pk"))
    )
    given = [each for each in learnings if each.is_given]
    left_out = _left_out(given)
    effects = {}
    for learning in learnings:
        mine = met.get(learning.pk, {})
        wanted = series_of is None or learning.pk in series_of
        effects[learning.pk] = Effect(
            read_with=sum(learning.number in each.used for each in read),
            met=len(mine),
            upheld=sum(each.is_upheld for each in mine.values()),
            dismissed=sum(each.is_dismissed for each in mine.values()),
            held_back=held.get(learning.pk, 0),
            left_out=learning.number in left_out,
            series=tuple(_series(learning, read, mine)) if wanted else (),
        )
    return Effects(
        of=effects,
        stale=tuple(each for each in given if _is_stale(each, read, met, held)),
        contested=tuple(each for each in given if _is_contested(met.get(each.pk, {}))),
        contradicting=tuple(_contradicting(given)),
        house=tuple(_house(read, met)),
    )


@dataclass(slots=True)
class _Read:
    """A proposal that was read, in the order of its first finished review."""

    proposal: int
    title: str
    client: str
    kind: str
    day: date
    at_first: frozenset[int]
    """Numbers of the learnings that its first review used."""
    used: set[int] = field(default_factory=set)
    """Those that any of them used."""


@dataclass(frozen=True, slots=True)
class _Met:
    """A finding that counts for a learning. `raised` is whether a reading raised it under it."""

    proposal: int
    is_upheld: bool
    is_dismissed: bool
    raised: bool


def _read(workspace: Workspace) -> list[_Read]:
    rows = (
        Review.objects.filter(version__proposal__workspace=workspace, status=Review.Status.FINISHED)
        .order_by("pk")
        .values_list(
            "version__proposal",
            "version__proposal__title",
            "version__proposal__client",
            "version__proposal__kind",
            "created_at",
            "pinned__learnings",
        )
    )
    read: dict[int, _Read] = {}
    for proposal, title, client, kind, at, pairs in rows:
        numbers = frozenset(number for number, _ in pairs or ())
        if proposal not in read:
            day = timezone.localdate(at)
            read[proposal] = _Read(proposal, title, client, kind, day, numbers)
        read[proposal].used |= numbers
    return list(read.values())


def _met(workspace: Workspace) -> dict[int, dict[int, _Met]]:
    """By learning, the findings that count for it, by their ids: three queries more."""
    sources: dict[int, set[int]] = defaultdict(set)
    rows = LearningSource.objects.filter(learning__workspace=workspace, finding__isnull=False)
    for learning, finding in rows.values_list("learning", "finding"):
        sources[finding].add(learning)
    same: dict[int, set[int]] = defaultdict(set)
    pairs = Likeness.objects.filter(is_same=True, first__proposal__workspace=workspace)
    for one, other in pairs.values_list("first", "second"):
        same[one].add(other)
        same[other].add(one)
    findings = {
        each.pk: each
        for each in Finding.objects.shown()
        .filter(proposal__workspace=workspace)
        .filter(Q(learning__isnull=False) | Q(pk__in={*sources, *same}))
        .defer("quote", "text", "edit", "also", "decision_reason")
    }
    met: dict[int, dict[int, _Met]] = defaultdict(dict)
    for pk, row in findings.items():
        under = {row.learning_id} if row.learning_id else set()
        for learning in under | sources.get(pk, set()):
            for counted in (pk, *same.get(pk, ())):
                if counted in findings:
                    raised = findings[counted].learning_id == learning
                    met[learning][counted] = _met_by(findings[counted], raised=raised)
    return met


def _met_by(finding: Finding, *, raised: bool) -> _Met:
    is_dismissed = finding.status == Finding.Status.DISMISSED
    is_upheld = not is_dismissed and standing(finding.record()) is Standing.UPHELD
    return _Met(finding.proposal_id, is_upheld, is_dismissed, raised)


def _series(learning: Learning, read: Iterable[_Read], met: Mapping[int, _Met]) -> Iterator[Point]:
    found = Counter(each.proposal for each in met.values())
    scope = _learned(learning)
    for each in read:
        if in_scope(scope, client=each.client, proposal_kind=each.kind) or found[each.proposal]:
            after = learning.number in each.at_first
            yield Point(each.proposal, each.title, each.day, found[each.proposal], after)


def _house(read: Iterable[_Read], met: Mapping[int, Mapping[int, _Met]]) -> Iterator[Point]:
    """Each finding once, however many learnings it counts for."""
    findings = {pk: each.proposal for mine in met.values() for pk, each in mine.items()}
    found = Counter(findings.values())
    for each in read:
        yield Point(each.proposal, each.title, each.day, found[each.proposal], bool(each.at_first))


def _is_stale(
    learning: Learning,
    read: list[_Read],
    met: Mapping[int, Mapping[int, _Met]],
    held: Mapping[int, int],
) -> bool:
    with_it = [each for each in read if learning.number in each.used]
    if len(with_it) < UNMET_AFTER:
        return False
    if learning.kind == Learning.Kind.DO_NOT_RAISE:
        return not held.get(learning.pk)
    raised = {each.proposal for each in met.get(learning.pk, {}).values() if each.raised}
    return not any(each.proposal in raised for each in with_it[-UNMET_AFTER:])


def _is_contested(met: Mapping[int, _Met]) -> bool:
    """More than half of what was raised under it was dismissed."""
    raised = [each for each in met.values() if each.raised]
    dismissed = sum(each.is_dismissed for each in raised)
    return len(raised) >= DECIDED_AT_LEAST and 2 * dismissed > len(raised)


def _left_out(given: Iterable[Learning]) -> set[int]:
    """Numbers of those that a document of their own scope would not be given for want of room."""
    learned = [_learned(each) for each in given if each.kind == LearningKind.LOOK_FOR]
    scopes: dict[tuple[str, str], set[int]] = defaultdict(set)
    for each in learned:
        scopes[each.client, each.proposal_kind].add(each.number)
    left: set[int] = set()
    for (client, kind), numbers in scopes.items():
        out = choose(learned, client=client, proposal_kind=kind).left_out
        left |= numbers & {each.number for each in out}
    return left


def _contradicting(given: Iterable[Learning]) -> Iterator[Contradiction]:
    by_number = {each.number: each for each in given}
    for first, second, why in contradictions(map(_learned, by_number.values())):
        yield Contradiction(by_number[first], by_number[second], why)


def _learned(learning: Learning) -> Learned:
    worded = learning.worded
    return Learned(
        learning.number,
        worded.number,
        learning.kind,
        worded.text,
        learning.rule,
        learning.client,
        learning.proposal_kind,
        worded.phrase,
        worded.instead,
    )

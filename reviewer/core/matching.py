"""When are two sightings one finding.

Sightings of one text are merged strongest evidence first: the same words; words that
overlap by half the shorter; then what each of them says, weighed by how rare its words
are. At every step each must be the other's best among all candidates, a tie is not
guessed, and one reading gives a finding at most one sighting, since a reader who listed
two faults meant two. The order in which sightings, passes or sheets come changes nothing.

Refused: joining what a person took apart, and taking apart what a person joined.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reviewer.core.likeness import Likeness
from reviewer.core.quotes import find_quote
from reviewer.core.schema import Severity
from reviewer.core.sighting import Sighting

__all__ = ["Group", "Known", "Matched", "Sighting", "match_to_known", "merge"]

Pairs = Collection[frozenset[str]]


@dataclass(frozen=True, slots=True)
class Group:
    """Sightings that are one finding: ids sorted, the highest severity, and in how many
    passes it was seen. `minority_block` is set where fewer than half of them say block."""

    ids: tuple[str, ...]
    severity: str
    votes: int
    minority_block: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """A finding that exists, with the sightings that stand for it and its identity."""

    id: str
    sightings: tuple[Sighting, ...]


@dataclass(frozen=True, slots=True)
class Matched:
    """A group and the known finding that it is, or None where it is new."""

    group: Group
    finding: str | None


def merge(
    sightings: Iterable[Sighting],
    *,
    texts: Mapping[int, str] | None = None,
    apart: Pairs = (),
    together: Pairs = (),
) -> list[Group]:
    """Merge sightings of one text into findings.

    `texts` are the sheets by number, to find quotes that come without a span. `apart` and
    `together` are pairs of ids that a person took apart or joined; they outweigh all
    evidence. Groups come in the order of sheet, place and id. ValueError for an id met twice.
    """
    placed = sorted(_placed(sightings, texts or {}), key=lambda sighting: sighting.id)
    by_id = {sighting.id: sighting for sighting in placed}
    if len(by_id) != len(placed):
        raise ValueError("two sightings have the same id")
    clusters = _Clusters(by_id, apart, together)
    for first, second in Likeness(placed).matches():
        clusters.join(first, second)
    return [_group([by_id[id] for id in ids]) for ids in clusters.in_order()]


def match_to_known(
    sightings: Iterable[Sighting],
    known: Iterable[Known],
    *,
    texts: Mapping[int, str] | None = None,
    apart: Pairs = (),
    together: Pairs = (),
) -> list[Matched]:
    """Merge new sightings with the findings that exist, by the same measure.

    Known findings keep their identity: they are never joined with each other, and each
    takes at most one new group. Give the known sightings in the places where the text now
    has them. `apart` and `together` may also name known findings' ids. Groups with nothing
    new in them are left out; groups hold the ids of new sightings alone.
    """
    existing = list(known)
    owner = {sighting.id: entry.id for entry in existing for sighting in entry.sightings}
    new = list(sightings)
    stand_ins = [
        frozenset((entry.sightings[0].id, other.id))
        for entry in existing
        for other in entry.sightings[1:]
    ]
    first_of = {entry.id: entry.sightings[0].id for entry in existing if entry.sightings}
    placed = sorted(
        _placed([*new, *(s for entry in existing for s in entry.sightings)], texts or {}),
        key=lambda sighting: sighting.id,
    )
    by_id = {sighting.id: sighting for sighting in placed}
    clusters = _Clusters(
        by_id,
        [frozenset(first_of.get(id, id) for id in pair) for pair in apart],
        [*stand_ins, *(frozenset(first_of.get(id, id) for id in pair) for pair in together)],
        owner,
    )
    for first, second in Likeness(placed, owner).matches():
        clusters.join(first, second)
    found: list[Matched] = []
    for ids in clusters.in_order():
        fresh = [by_id[id] for id in ids if id not in owner]
        if fresh:
            finding = next((owner[id] for id in ids if id in owner), None)
            found.append(Matched(_group(fresh), finding))
    return found


def _placed(sightings: Iterable[Sighting], texts: Mapping[int, str]) -> list[Sighting]:
    """The sightings with their span, where it can be found."""
    return [
        sighting if sighting.span or not sighting.quote else _with_span(sighting, texts)
        for sighting in sightings
    ]


def _with_span(sighting: Sighting, texts: Mapping[int, str]) -> Sighting:
    text = texts.get(sighting.sheet)
    span = find_quote(sighting.quote, text) if text else None
    return replace(sighting, span=span)


def _group(sightings: Sequence[Sighting]) -> Group:
    ranks = [Severity(sighting.severity).rank for sighting in sightings]
    blocks = ranks.count(Severity.BLOCK.rank)
    return Group(
        tuple(sorted(sighting.id for sighting in sightings)),
        list(Severity)[min(ranks)].value,
        len({sighting.reading for sighting in sightings}),
        0 < 2 * blocks < len(sightings),
    )


@dataclass
class _Clusters:
    """Groups that grow by joining, within what may not be joined."""

    by_id: Mapping[str, Sighting]
    apart: Pairs
    together: Pairs
    owner: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._members: dict[str, list[str]] = {id: [id] for id in self.by_id}
        self._enemies: dict[str, set[str]] = defaultdict(set)
        for pair in self.apart:
            if len(pair) == 2:
                first, second = sorted(pair)
                self._enemies[first].add(second)
                self._enemies[second].add(first)
        for first, second in sorted(tuple(sorted(p)) for p in self.together if len(p) == 2):
            if first in self._members and second in self._members:
                self._unite(first, second)

    def join(self, first: str, second: str) -> bool:
        """Join the groups of two sightings if that is allowed; tell whether it was."""
        one, other = self._members[first], self._members[second]
        if one is other or not self._may_join(one, other):
            return False
        self._unite(first, second)
        return True

    def _may_join(self, one: Sequence[str], other: Sequence[str]) -> bool:
        if any(self._enemies[id].intersection(other) for id in one):
            return False
        readings = {self.by_id[id].reading for id in one if id not in self.owner}
        if any(self.by_id[id].reading in readings for id in other if id not in self.owner):
            return False
        owners = {self.owner[id] for id in (*one, *other) if id in self.owner}
        return len(owners) < 2

    def _unite(self, first: str, second: str) -> None:
        joined = self._members[first]
        if joined is self._members[second]:
            return
        joined = sorted([*joined, *self._members[second]])
        for id in joined:
            self._members[id] = joined

    def in_order(self) -> list[list[str]]:
        groups = {id(members): members for members in self._members.values()}.values()
        return sorted(groups, key=self._order)

    def _order(self, members: Sequence[str]) -> tuple[int, int, str]:
        first = min((self.by_id[id] for id in members), key=lambda s: (s.sheet, s.span or (0, 0)))
        return first.sheet, first.span[0] if first.span else 0, members[0]

"""What learnings did: read with, met, upheld, dismissed, and the faults before and after."""

from dataclasses import dataclass
from datetime import date

from reviewer.models import Learning, Workspace


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


def effect_of(workspace: Workspace) -> Effects:
    """The effect of every learning of a workspace. A constant number of queries."""
    raise NotImplementedError

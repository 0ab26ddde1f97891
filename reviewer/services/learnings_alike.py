"""What looks the same: findings of other proposals, and learnings worded alike."""

from collections.abc import Collection
from dataclasses import dataclass

from reviewer.models import Finding, Learning, Membership, Workspace


@dataclass(frozen=True, slots=True)
class AlikeLearning:
    """A learning beside a wording; `likeness` is the trigram Jaccard, 0 to 1."""

    learning: Learning
    likeness: float


@dataclass(frozen=True, slots=True)
class Near:
    """Learnings worded alike (0.72 or more, all of them), and the five nearest of the others,
    each most alike first."""

    alike: tuple[AlikeLearning, ...]
    nearest: tuple[AlikeLearning, ...]


@dataclass(frozen=True, slots=True)
class AlikeFinding:
    """An upheld finding of another proposal; `said` is what a person said of the two: True for
    the same, False for not, None where nobody did."""

    finding: Finding
    likeness: float
    said: bool | None


def near(*, workspace: Workspace, text: str, without: Learning | None = None) -> Near:
    """The learnings, proposed or in force, whose wording is like `text`."""
    raise NotImplementedError


def alike_of(finding: Finding) -> tuple[AlikeFinding, ...]:
    """The five upheld findings of other proposals, same rule, nearest to this one.

    Most alike first, with proposals loaded; no floor decides. Empty where it is not upheld
    itself, or a built-in check raised it. A constant number of queries.
    """
    raise NotImplementedError


def same_as(findings: Collection[Finding]) -> dict[int, int]:
    """On how many other proposals each was met, as people confirmed; by id. One query."""
    raise NotImplementedError


def say_same(*, finding: Finding, other: Finding, actor: Membership, same: bool) -> None:
    """Say whether two findings of different proposals are the same fault; the last word counts.

    Raises NotAllowed for a writer or an outsider, Refused for two of one proposal.
    """
    raise NotImplementedError

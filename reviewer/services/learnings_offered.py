"""What is offered to be learned: faults met on several proposals, dismissals that repeat."""

from dataclasses import dataclass

from reviewer.models import Finding, Workspace
from reviewer.services.learnings_alike import AlikeFinding


@dataclass(frozen=True, slots=True)
class Candidate:
    """Findings that people said are the same, and no learning came from yet.

    `text` is the wording to begin with: that of the newest of them.
    """

    findings: tuple[Finding, ...]
    text: str
    rule: str
    proposals: int
    upheld: int


@dataclass(frozen=True, slots=True)
class Repeated:
    """Dismissals on two or more proposals under one rule for the same reason; no block."""

    findings: tuple[Finding, ...]
    text: str
    rule: str
    reason: str
    proposals: int


@dataclass(frozen=True, slots=True)
class Question:
    """An upheld finding, and those of other proposals that nobody compared it with yet."""

    finding: Finding
    nearest: tuple[AlikeFinding, ...]


@dataclass(frozen=True, slots=True)
class Offers:
    """`candidates` to promote, `repeated` dismissals, `questions` still to be answered."""

    candidates: tuple[Candidate, ...]
    repeated: tuple[Repeated, ...]
    questions: tuple[Question, ...]


def offers_of(workspace: Workspace) -> Offers:
    """What the workspace may learn; most often met first. A constant number of queries."""
    raise NotImplementedError

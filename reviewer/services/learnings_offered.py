"""What is offered to be learned: faults met on several proposals, dismissals that repeat."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reviewer.core.learning_texts import normalised
from reviewer.core.schema import Severity
from reviewer.models import Finding, LearningSource, Likeness, Workspace
from reviewer.services.learnings_alike import (
    AlikeFinding,
    is_comparable,
    measure_of,
    nearest_of,
    pair_of,
    said_of,
)

COMPARED = 200
"""So many upheld findings, the newest, are compared with each other for questions."""


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
    """What the workspace may learn; most often met first. A constant number of queries.

    What a learning came from, in whatever state it is, is not offered again.
    """
    used = set(
        LearningSource.objects.filter(
            learning__workspace=workspace, finding__isnull=False
        ).values_list("finding", flat=True)
    )
    return Offers(
        tuple(_candidates(workspace, used)),
        tuple(_repeated(workspace, used)),
        tuple(_questions(workspace, used)),
    )


def _candidates(workspace: Workspace, used: set[int]) -> list[Candidate]:
    """Each group of findings that are joined by what people said."""
    rows = Likeness.objects.filter(is_same=True, first__proposal__workspace=workspace)
    groups = _joined(rows.values_list("first", "second"))
    findings = _loaded({pk for group in groups for pk in group})
    found = []
    for group in groups:
        mine = [findings[pk] for pk in sorted(group) if pk in findings]
        proposals = len({each.proposal_id for each in mine})
        if proposals < 2 or group & used:
            continue
        newest = max(mine, key=lambda each: each.pk)
        upheld = sum(is_comparable(each) for each in mine)
        found.append(Candidate(tuple(mine), newest.text, newest.rule, proposals, upheld))
    return sorted(found, key=lambda each: (-each.proposals, -each.findings[-1].pk))


def _joined(pairs: Iterable[tuple[int, int]]) -> list[set[int]]:
    """The groups of ids that are connected by pairs."""
    groups: dict[int, set[int]] = {}
    for first, second in pairs:
        one, other = groups.setdefault(first, {first}), groups.setdefault(second, {second})
        if one is not other:
            one |= other
            for pk in other:
                groups[pk] = one
    return list({id(group): group for group in groups.values()}.values())


def _repeated(workspace: Workspace, used: set[int]) -> list[Repeated]:
    """Dismissed findings by rule and reason, the reason compared without case and punctuation."""
    rows = (
        Finding.objects.shown()
        .filter(proposal__workspace=workspace, status=Finding.Status.DISMISSED)
        .exclude(severity=Severity.BLOCK)
        .exclude(raised=Finding.Raised.CHECK)
        .exclude(pk__in=used)
        .select_related("proposal")
        .order_by("pk")
    )
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for row in rows:
        groups[row.rule, normalised(row.decision_reason)].append(row)
    found = []
    for (rule, _), mine in groups.items():
        proposals = len({each.proposal_id for each in mine})
        if proposals >= 2:
            newest = mine[-1]
            found.append(
                Repeated(tuple(mine), newest.text, rule, newest.decision_reason, proposals)
            )
    return sorted(found, key=lambda each: (-each.proposals, -each.findings[-1].pk))


def _questions(workspace: Workspace, used: set[int]) -> list[Question]:
    """Pairs that nobody judged yet, each asked once, the likest first."""
    rows = (
        Finding.objects.shown()
        .filter(proposal__workspace=workspace)
        .exclude(raised=Finding.Raised.CHECK)
        .exclude(status=Finding.Status.DISMISSED)
        .exclude(pk__in=used)
        .select_related("proposal")
        .order_by("-pk")
    )
    upheld = [each for each in rows[: 5 * COMPARED] if is_comparable(each)][:COMPARED]
    said = said_of(upheld)
    questions = [question for group in _by_rule(upheld) for question in _questions_in(group, said)]
    questions.sort(key=lambda each: (-each.nearest[0].likeness, -each.finding.pk))
    asked: set[tuple[int, int]] = set()
    kept = []
    for question in questions:
        nearest = tuple(
            pair
            for pair in question.nearest
            if pair_of(question.finding, pair.finding) not in asked
        )
        asked |= {pair_of(question.finding, pair.finding) for pair in nearest}
        if nearest:
            kept.append(Question(question.finding, nearest))
    return kept


def _by_rule(findings: Iterable[Finding]) -> Iterator[list[Finding]]:
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.rule].append(finding)
    yield from groups.values()


def _questions_in(group: list[Finding], said: dict[tuple[int, int], bool]) -> Iterator[Question]:
    measure = measure_of(group)
    for index, finding in enumerate(group):
        nearest = nearest_of(index, group, measure, said)
        open_ones = tuple(pair for pair in nearest if pair.said is None and pair.likeness > 0)
        if open_ones:
            yield Question(finding, open_ones)


def _loaded(ids: set[int]) -> dict[int, Finding]:
    rows = Finding.objects.shown().filter(pk__in=ids).select_related("proposal")
    return {each.pk: each for each in rows}

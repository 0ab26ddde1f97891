"""What looks the same: findings of other proposals, and learnings worded alike.

Findings are compared by the measure of merging, the cosine of rare words of finding and quote,
within one rule. No floor decides: the nearest are shown, and a person says which are the same.
"""

import heapq
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Coalesce

from reviewer.core.learning_texts import NEAREST, by_likeness
from reviewer.core.likeness import Likeness as Measure
from reviewer.core.rounds import Standing, standing
from reviewer.core.sighting import Sighting
from reviewer.models import Finding, Learning, Likeness, Membership, Workspace
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.learning_rows import Status

OPEN = (Status.PROPOSED, Status.IN_FORCE)
COMPARED_AT_MOST = 2_000
"""Findings of one rule that one finding is compared with, the newest of them."""


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
    """The learnings, proposed or in force, whose wording is like `text`. Two queries."""
    rows = Learning.objects.filter(workspace=workspace, status__in=OPEN)
    if without is not None:
        rows = rows.exclude(pk=without.pk)
    worded = list(
        rows.order_by("number").values_list("pk", Coalesce("current__text", "pending__text"))
    )
    found, alike = by_likeness(text, [wording for _, wording in worded])
    shown = Learning.objects.select_related("current", "pending").in_bulk(
        [worded[index][0] for index, _ in found]
    )
    listed = [AlikeLearning(shown[worded[index][0]], score) for index, score in found]
    return Near(tuple(listed[:alike]), tuple(listed[alike:]))


def is_comparable(finding: Finding) -> bool:
    """Whether a person would compare it: upheld, not dismissed, and not found by code, which
    finds it everywhere alike."""
    return (
        finding.raised != Finding.Raised.CHECK
        and finding.status != Finding.Status.DISMISSED
        and standing(finding.record()) is Standing.UPHELD
    )


def alike_of(finding: Finding) -> tuple[AlikeFinding, ...]:
    """The five upheld findings of other proposals, same rule, nearest to this one.

    Most alike first, with proposals loaded; no floor decides. Empty where it is not upheld
    itself, or a built-in check raised it. A constant number of queries.
    """
    if not is_comparable(finding):
        return ()
    rows = (
        Finding.objects.shown()
        .filter(proposal__workspace=finding.proposal.workspace_id, rule=finding.rule)
        .exclude(proposal=finding.proposal_id)
        .exclude(raised=Finding.Raised.CHECK)
        .exclude(status=Finding.Status.DISMISSED)
        .select_related("proposal")
        .order_by("-pk")[:COMPARED_AT_MOST]
    )
    group = [finding, *(each for each in rows if is_comparable(each))]
    return nearest_of(0, group, measure_of(group), said_of([finding]))


def measure_of(findings: Sequence[Finding]) -> Measure:
    """How alike each two of these are, by their indexes."""
    return Measure([_sighting(each) for each in findings])


def nearest_of(
    index: int, group: Sequence[Finding], measure: Measure, said: dict[tuple[int, int], bool]
) -> tuple[AlikeFinding, ...]:
    """Those of `group` on other proposals that are nearest to the one at `index`, most alike
    first; of those alike the newer."""
    one = group[index]
    pairs = (
        AlikeFinding(each, measure.cosine(index, at), said.get(pair_of(one, each)))
        for at, each in enumerate(group)
        if each.proposal_id != one.proposal_id
    )
    return tuple(heapq.nlargest(NEAREST, pairs, key=lambda p: (p.likeness, p.finding.pk)))


def said_of(findings: Collection[Finding]) -> dict[tuple[int, int], bool]:
    """What people said of pairs with one of these, by the ids in order. One query."""
    ids = [each.pk for each in findings]
    rows = Likeness.objects.filter(Q(first__in=ids) | Q(second__in=ids))
    return {(first, second): same for first, second, same in rows.values_list(*_SAID)}


_SAID = ("first", "second", "is_same")


def same_as(findings: Collection[Finding]) -> dict[int, int]:
    """On how many other proposals each was met, as people confirmed; by id. One query."""
    ids = {each.pk for each in findings}
    rows = Likeness.objects.filter(Q(first__in=ids) | Q(second__in=ids), is_same=True)
    met: dict[int, set[int]] = defaultdict(set)
    for one, other, here, there in rows.values_list(
        "first", "second", "first__proposal", "second__proposal"
    ):
        if one in ids:
            met[one].add(there)
        if other in ids:
            met[other].add(here)
    return {pk: len(proposals) for pk, proposals in met.items()}


def say_same(*, finding: Finding, other: Finding, actor: Membership, same: bool) -> None:
    """Say whether two findings of different proposals are the same fault; the last word counts.

    Raises NotAllowed for a writer or an outsider, Refused for two of one proposal.
    """
    houses = {finding.proposal.workspace_id, other.proposal.workspace_id}
    if houses != {actor.workspace_id} or not actor.may_triage:
        raise NotAllowed("Reviewers and managers of the workspace say what is the same.")
    if finding.proposal_id == other.proposal_id:
        raise Refused(
            "Both findings are of one proposal. Merge them there; nothing was said of them."
        )
    first, second = sorted((finding, other), key=lambda each: each.pk)
    with transaction.atomic():
        Likeness.objects.update_or_create(
            first=first, second=second, defaults={"is_same": same, "by": actor.user}
        )
        record(
            workspace=actor.workspace_id,
            subject=finding,
            verb="said the same" if same else "said not the same",
            by=actor,
            proposal_id=finding.proposal_id,
            why=f"{other.proposal.title} {other}",
        )


def pair_of(one: Finding, other: Finding) -> tuple[int, int]:
    """The two ids in order, as what was said of them is kept."""
    return (one.pk, other.pk) if one.pk < other.pk else (other.pk, one.pk)


def _sighting(finding: Finding) -> Sighting:
    return Sighting(
        id=str(finding.pk),
        reading=str(finding.proposal_id),
        sheet=finding.sheet,
        severity=finding.severity,
        rule=finding.rule,
        quote=finding.quote,
        finding=finding.text,
    )

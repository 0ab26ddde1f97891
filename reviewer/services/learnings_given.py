"""What a review uses of what the house has learned: pinned when it starts, the same to its end.

Given to a reading are wordings in force, in scope, that are to be looked for, within the room
of a prompt. What is never to be said is looked for by a built-in check, what is not to be raised
is held back from what came back; no prompt names either.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date

from django.utils import timezone

from reviewer.core.learned import Learned, LearningKind
from reviewer.core.learnings import Chosen, Pattern, Report, choose, in_scope
from reviewer.core.prompts import LearningLine
from reviewer.models import (
    Learning,
    LearningSource,
    LearningVersion,
    Pinned,
    Proposal,
    Review,
)

Pairs = list[list[int]]
"""`[[number, version], …]`, by number."""


@dataclass(frozen=True, slots=True)
class Used:
    """What the readings of one review use."""

    pairs: Pairs = field(default_factory=list)
    """Of all kinds."""
    lines: tuple[LearningLine, ...] = ()
    """As they stand in a prompt."""
    given: Pairs = field(default_factory=list)
    """Those that stand in a prompt."""
    ids: dict[int, int] = field(default_factory=dict)
    """The primary key of each of those, by its number."""
    patterns: tuple[Pattern, ...] = ()
    """What is held back."""
    versions: dict[int, int] = field(default_factory=dict)
    """The primary key of the wording that holds back, by the learning's number."""


def learned_on(workspace_id: int, day: date) -> list[Learned]:
    """Every learning in force on `day`, by number; one query."""
    rows = Learning.objects.filter(workspace=workspace_id).given_on(day).order_by("number")
    return [Learned(*row) for row in rows.values_list("number", *_WORDING)]


_WORDING = (
    "current__number",
    "kind",
    "current__text",
    "rule",
    "client",
    "proposal_kind",
    "current__phrase",
    "current__instead",
)


def for_document(learned: Iterable[Learned], proposal: Proposal) -> tuple[Chosen, list[Learned]]:
    """Of those in force: what its readings are given, and all that code applies to it."""
    mine = [
        each
        for each in learned
        if in_scope(each, client=proposal.client, proposal_kind=proposal.kind)
    ]
    chosen = choose(mine, client=proposal.client, proposal_kind=proposal.kind)
    return chosen, [each for each in mine if each.kind != LearningKind.LOOK_FOR]


def pairs_in_force(proposal: Proposal, day: date | None = None) -> Pairs:
    """What a review of the proposal that starts on `day` (today) uses, of all kinds."""
    learned = learned_on(proposal.workspace_id, day or timezone.localdate())
    chosen, by_code = for_document(learned, proposal)
    return sorted(each.pair for each in (*chosen.given, *by_code))


def given_now(proposal: Proposal) -> Pairs:
    """What a reading that starts now is given in its prompt."""
    learned = learned_on(proposal.workspace_id, timezone.localdate())
    return [each.pair for each in for_document(learned, proposal)[0].given]


def never_said_in(proposal: Proposal) -> list[Learned]:
    """What is never to be said in the proposal, as of today."""
    learned = learned_on(proposal.workspace_id, timezone.localdate())
    by_code = for_document(learned, proposal)[1]
    return [each for each in by_code if each.kind == LearningKind.NEVER_SAY]


def used_by(review: Review, pinned: Pinned | None = None) -> Used:
    """What the readings of `review` use; the same rows give the same bytes, by number."""
    if pinned is None:
        pinned = Pinned.objects.only("learnings").filter(review=review).first()
    if pinned is None or not pinned.learnings:
        return Used()
    versions = wordings(review.version.proposal.workspace_id, pinned.learnings)
    look_for = [each for each in versions if each.kind == LearningKind.LOOK_FOR]
    holding = [each for each in versions if each.kind == LearningKind.DO_NOT_RAISE]
    return Used(
        pairs=pinned.learnings,
        lines=tuple(_learned(each).line for each in look_for),
        given=[_learned(each).pair for each in look_for],
        ids={each.learning.number: each.learning_id for each in look_for},
        patterns=_patterns(holding),
        versions={each.learning.number: each.pk for each in holding},
    )


def wordings(workspace_id: int, pairs: Sequence[Sequence[int]]) -> list[LearningVersion]:
    """The wordings that `pairs` name, their learnings loaded, by number; one query."""
    if not pairs:
        return []
    wanted = {(number, version) for number, version in pairs}
    rows = LearningVersion.objects.filter(
        learning__workspace=workspace_id, learning__number__in={number for number, _ in wanted}
    ).select_related("learning")
    return [
        row
        for row in rows.order_by("learning__number", "number")
        if (row.learning.number, row.number) in wanted
    ]


def _learned(version: LearningVersion) -> Learned:
    learning = version.learning
    return Learned(learning.number, version.number, version.kind, version.text, learning.rule)


def _patterns(holding: Sequence[LearningVersion]) -> tuple[Pattern, ...]:
    """What each holds back: its words, and the findings it came from when it was worded."""
    if not holding:
        return ()
    worded_at = {each.learning_id: each.at for each in holding}
    sources: dict[int, list[Report]] = defaultdict(list)
    rows = LearningSource.objects.filter(learning__in=worded_at).order_by("pk")
    for row in rows:
        if row.at <= worded_at[row.learning_id]:
            sources[row.learning_id].append(Report(row.rule, row.quote, row.text))
    return tuple(Pattern(_learned(each), tuple(sources[each.learning_id])) for each in holding)

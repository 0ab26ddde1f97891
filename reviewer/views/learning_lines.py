"""What the pages say of a learning: its facts in words, its state, its chart. Pure, no queries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.template.defaultfilters import date as dated

from reviewer.core.wording import counted
from reviewer.models import Kind, Learning
from reviewer.services.learnings_effect import Effect, Point
from reviewer.templatetags.house import person
from reviewer.views.charts import Chart, chart_of

NAMED_AT_ONCE = 3
NO_EFFECT = Effect(0, 0, 0, 0, 0, False, ())


@dataclass(frozen=True, slots=True)
class LearningLine:
    """One learning as a row. `tone` and `state` are a chip; both empty while it is in force."""

    learning: Learning
    facts: tuple[str, ...]
    scope: str
    tone: str
    state: str
    effect: Effect
    chart: Chart | None
    chart_title: str

    @property
    def is_quiet(self) -> bool:
        """Whether it has ended."""
        return self.learning.status not in {Learning.Status.PROPOSED, Learning.Status.IN_FORCE}


def lines_of(learnings: Iterable[Learning], effects: Mapping[int, Effect]) -> list[LearningLine]:
    """A line each, in their order; what has no effect yet shows none."""
    return [line_of(one, effects.get(one.pk, NO_EFFECT)) for one in learnings]


def line_of(learning: Learning, effect: Effect) -> LearningLine:
    tone, state = state_of(learning)
    return LearningLine(
        learning=learning,
        facts=tuple(facts_of(learning)),
        scope=scope_of(learning),
        tone=tone,
        state=state,
        effect=effect,
        chart=chart_of_points(effect.series),
        chart_title=said_of_points(effect.series),
    )


def state_of(learning: Learning) -> tuple[str, str]:
    """A tone and words for what is not simply in force; empty where it is."""
    if learning.status == Learning.Status.PROPOSED:
        from_day = learning.pending_from
        return "fix", f"in force from {_day(from_day)}" if from_day else "waits for approval"
    if learning.status == Learning.Status.SUPERSEDED:
        by = learning.superseded_by
        return "", f"superseded by {by.number}" if by else "superseded"
    if learning.status != Learning.Status.IN_FORCE:
        return "", learning.get_status_display()
    if learning.has_expired:
        return "", "expired"
    return ("fix", "new wording waits") if learning.pending_id else ("", "")


def facts_of(learning: Learning) -> list[str]:
    """Kind, origin, who stands for it, until when."""
    facts: list[str] = [learning.get_kind_display()]
    if learning.kind == Learning.Kind.NEVER_SAY:
        facts.append("enforced by code")
    origin = origin_of(learning)
    if origin:
        facts.append(f"from {origin}")
    facts.append(people_of(learning))
    if learning.expires_on:
        facts.append(f"until {_day(learning.expires_on)}")
    return facts


def origin_of(learning: Learning) -> str:
    """The clients, or where there are none the proposals, that it comes from."""
    named = dict.fromkeys(
        source.client or source.proposal_title for source in learning.sources.all()
    )
    shown = [name for name in named if name]
    rest = len(shown) - NAMED_AT_ONCE
    if rest > 0:
        shown = [*shown[:NAMED_AT_ONCE], f"{rest} more"]
    return ", ".join(shown)


def people_of(learning: Learning) -> str:
    author = person(learning.author)
    if learning.approved_by_id:
        return f"{author}, approved by {person(learning.approved_by)}"
    if learning.current_id:
        return f"{author}, after the waiting time"
    return str(author)


def scope_of(learning: Learning) -> str:
    """Which proposals it is for."""
    kind = Kind(learning.proposal_kind).label if learning.proposal_kind else ""
    return ", ".join(part for part in (learning.client, kind) if part) or "all"


def chart_of_points(points: Sequence[Point], **size: int) -> Chart | None:
    """Findings a proposal, in the order in which they were read."""
    after = next((at for at, point in enumerate(points) if point.after), None)
    return chart_of([point.findings for point in points], split=after, **size)


def said_of_points(points: Sequence[Point], pattern: str = "its pattern") -> str:
    """The same in words, before and after it was in force."""
    before = [point.findings for point in points if not point.after]
    after = [point.findings for point in points if point.after]
    parts = [
        f"{_each(found)} on {counted(len(found), 'proposal')} {when}"
        for found, when in ((before, "before"), (after, "since"))
        if found
    ]
    return f"Findings of {pattern} a proposal: {'; '.join(parts)}" if parts else ""


def _each(found: Sequence[int]) -> str:
    if len(found) > 6:
        return f"{sum(found) / len(found):.1f} each"
    return ", ".join(str(number) for number in found)


def _day(moment: date | datetime | None) -> str:
    return str(dated(moment, "j F Y"))

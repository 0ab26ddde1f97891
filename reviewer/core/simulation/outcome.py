"""What one document came to under one policy, and what many came to together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reviewer.core.schema import Severity


@dataclass(slots=True)
class Outcome:
    """One document's end. `above` says, for each severity and for all, whether the truth lay
    above the stated upper end; a severity without a stated end is absent. `visits` is how often
    people had something to answer."""

    rounds: int
    visits: int
    calls: int
    cost: float
    blocks_missed: int
    false_blocks_holding: int
    needs_manager: bool = False
    ended: bool = True
    above: dict[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """A policy over all documents. Means a document, shares of documents from 0 to 1."""

    policy: str
    documents: int
    rounds: float
    rounds_most: int
    visits: float
    calls: float
    cost: float
    blocks_missed: float
    false_blocks_holding: float
    needs_manager: float
    never_ends: float
    above: dict[str, float]

    def as_json(self) -> dict[str, object]:
        """The row with its numbers rounded to four places."""
        return {
            name: _rounded(getattr(self, name))
            for name in self.__slots__
            if name != "above" or self.above
        }


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {key: _rounded(entry) for key, entry in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def row(policy: str, outcomes: Sequence[Outcome]) -> Row:
    """The means and shares of a policy's outcomes."""
    count = len(outcomes)

    def mean(values: Sequence[float]) -> float:
        return sum(values) / count

    return Row(
        policy=policy,
        documents=count,
        rounds=mean([o.rounds for o in outcomes]),
        rounds_most=max(o.rounds for o in outcomes),
        visits=mean([o.visits for o in outcomes]),
        calls=mean([o.calls for o in outcomes]),
        cost=mean([o.cost for o in outcomes]),
        blocks_missed=mean([o.blocks_missed for o in outcomes]),
        false_blocks_holding=mean([o.false_blocks_holding > 0 for o in outcomes]),
        needs_manager=mean([o.needs_manager for o in outcomes]),
        never_ends=mean([not o.ended for o in outcomes]),
        above=_shares_above(outcomes),
    )


def _shares_above(outcomes: Sequence[Outcome]) -> dict[str, float]:
    shares: dict[str, float] = {}
    for name in ("all", *(severity.value for severity in Severity)):
        stated = [outcome.above[name] for outcome in outcomes if name in outcome.above]
        if stated:
            shares[name] = sum(stated) / len(stated)
    return shares

"""What became of a stored reading, in the same words on every page."""

from collections.abc import Iterable
from dataclasses import dataclass

from reviewer.core.outcomes import Outcome, next_move, sentence
from reviewer.core.raw import FaultKind, ProviderFault
from reviewer.models import Reading

ANSWERS_AT_MOST = 8
"""So many stored answers of one kind are linked to."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A raw answer that is still kept, and the sheet that it was about; 0 is the document."""

    pk: int
    sheet: int


def what_happened(reading: Reading) -> tuple[str, str]:
    """The sentence of a reading that is done, and the next move. Its review must be loaded."""
    outcome, review = Outcome(reading.outcome), reading.review
    fault = (
        ProviderFault(FaultKind(reading.fault), reading.reason, retry_after=reading.retry_after)
        if reading.fault
        else None
    )
    said = sentence(
        outcome,
        reason=reading.reason,
        fault=fault,
        refusal_category=reading.refusal_category,
        server=review.server,
        model=reading.model or review.model,
    )
    return said, next_move(outcome, fault=fault)


def stored_answers(readings: Iterable[Reading]) -> tuple[Stored, ...]:
    """The raw answers of `readings` that are still kept; load the readings with theirs."""
    answers = [(getattr(reading, "answer", None), reading.sheet) for reading in readings]
    kept = [Stored(answer.pk, sheet) for answer, sheet in answers if answer is not None]
    return tuple(kept[:ANSWERS_AT_MOST])

"""The findings of an answer as rows: sightings, and what the house has learned not to raise.

What is held back never becomes a sighting, so it is in no finding, no vote and no estimate; it
is listed beside the learning that holds it back, and nothing raises it later by itself.
"""

from collections.abc import Collection, Sequence

from reviewer.core.answers import ReadFinding
from reviewer.core.entries import only_given
from reviewer.core.learnings import Report, held_back_by
from reviewer.core.rubric import OTHER
from reviewer.models import HeldBack, Reading, Rubric, Sighting
from reviewer.services.ground import Ground
from reviewer.services.learnings_given import Used, used_by
from reviewer.services.rubric import code_under
from reviewer.services.setting import rubric_of
from reviewer.services.storable import storable, storable_json


def fresh_sightings(
    reading: Reading,
    found: Sequence[ReadFinding],
    ground: Ground,
    recorded: Collection[int] | None = None,
    used: Used | None = None,
) -> list[Sighting]:
    """Unsaved rows of what was not recorded before; what is held back is stored as such.

    Call it in the transaction that records the answer. `recorded` are the indexes of what was
    recorded before, and `used` what the review reads with, for who has looked them up.
    """
    if recorded is None:
        recorded = set(Sighting.objects.filter(reading=reading).values_list("index", flat=True))
    new = [one for one in found if one.index not in recorded]
    if not new:
        return []
    rubric, used = _rubric_for(reading, new), used or used_by(reading.review)
    rows = [_row(reading, one, ground, rubric, used) for one in new]
    return _not_held_back(reading, rows, used)


def _rubric_for(reading: Reading, found: Sequence[ReadFinding]) -> Rubric | None:
    """The rubric of the review, where a rule was named that is none of the ten."""
    if all(one.rule != OTHER for one in found):
        return None
    return rubric_of(reading.review)


def _row(
    reading: Reading, read: ReadFinding, ground: Ground, rubric: Rubric | None, used: Used
) -> Sighting:
    found = only_given(read, used.ids)
    span = ground.find(found.quote, found.sheet)
    return Sighting(
        reading=reading,
        index=found.index,
        sheet=found.sheet,
        severity=found.severity.value,
        rule=code_under(rubric, found.rule, found.rule_as_written),
        rule_as_written=storable(found.rule_as_written)[:200],
        quote=storable(found.quote),
        text=storable(found.finding),
        edit=storable(found.fix),
        also=storable_json([place.model_dump() for place in found.also]),
        learning_id=used.ids[int(found.learning)] if found.learning else None,
        learning_as_written=storable(found.learning_as_written)[:60],
        first_char=span[0] if span else None,
        last_char=span[1] if span else None,
    )


def _not_held_back(reading: Reading, rows: list[Sighting], used: Used) -> list[Sighting]:
    if not used.patterns:
        return rows
    kept: list[Sighting] = []
    held: list[HeldBack] = []
    for row in rows:
        by = held_back_by(Report(row.rule, row.quote, row.text, row.severity), used.patterns)
        if by is None:
            kept.append(row)
            continue
        held.append(
            HeldBack(
                reading=reading,
                index=row.index,
                by_id=used.versions[by.number],
                sheet=row.sheet,
                severity=row.severity,
                rule=row.rule,
                quote=row.quote,
                text=row.text,
                edit=row.edit,
            )
        )
    HeldBack.objects.bulk_create(held, ignore_conflicts=True)
    return kept

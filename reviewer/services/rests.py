"""Answers that were not read whole, and whether what asked for their rest made that good.

Reads only, from readings that are loaded. What was not made good is a failure, told by its
outcome; what was is told here in a sentence, so that nobody has to wonder what the page, the
receipt and the bill have one more reading for.
"""

from collections.abc import Collection, Iterable

from reviewer.core.outcomes import Outcome
from reviewer.core.wording import counted
from reviewer.models import Reading
from reviewer.services.coverage import Following, is_complete


def following(readings: Iterable[Reading]) -> Following:
    """The readings that ask for the rest of others, by the one that they follow."""
    follow: Following = {}
    for reading in readings:
        if reading.follows_id is not None:
            follow.setdefault(reading.follows_id, []).append(reading)
    return follow


def not_made_good(over: Collection[Reading]) -> list[Reading]:
    """The readings that were not read whole, neither themselves nor by what asked for their rest."""
    follow = following(over)
    lacking = [one for one in over if one.outcome != Outcome.READ]
    return [one for one in lacking if not is_complete(one, follow)]


def made_good(over: Collection[Reading]) -> tuple[str, ...]:
    """A sentence for the answers that were read in part and one for those that were lost, where
    what asked for the rest brought it; none where no answer was lacking."""
    follow = following(over)
    lacking = [one for one in over if one.outcome != Outcome.READ and is_complete(one, follow)]
    in_part = [one for one in lacking if one.kept]
    lost = [one for one in lacking if not one.kept]
    return (
        *([_of_parts(in_part, follow)] if in_part else []),
        *([_of_lost(lost, follow)] if lost else []),
    )


def _of_parts(readings: list[Reading], follow: Following) -> str:
    kept = f"what was complete is kept, {counted(sum(one.kept for one in readings), 'finding')}, and asking"
    if len(readings) == 1:
        why = f" ({readings[0].reason.rstrip('.')})" if readings[0].reason else ""
        return (
            f"The answer{_where(readings)} was not whole{why}: {kept} once for the rest "
            f"brought {_brought(readings, follow)}."
        )
    return (
        f"{len(readings)} answers{_where(readings)} were not whole: {kept} once for the rest of "
        f"each brought {_brought(readings, follow)}."
    )


def _of_lost(readings: list[Reading], follow: Following) -> str:
    brought = counted(_added(readings, follow), "finding")
    if len(readings) == 1:
        return (
            f"The answer{_where(readings)} brought nothing that could be read. It was asked for "
            f"again, which brought {brought}."
        )
    return (
        f"{len(readings)} answers{_where(readings)} brought nothing that could be read. They were "
        f"asked for again, which brought {brought}."
    )


def _added(readings: list[Reading], follow: Following) -> int:
    return sum(after.kept for one in readings for after in follow.get(one.pk, ()))


def _brought(readings: list[Reading], follow: Following) -> str:
    added = _added(readings, follow)
    return f"{added} more" if added else "nothing more"


def _where(readings: list[Reading]) -> str:
    """` for sheets 1, 2`, or for the document where one of them was about it."""
    sheets = sorted({one.sheet for one in readings if one.sheet})
    places = (
        [f"sheet{'' if len(sheets) == 1 else 's'} {', '.join(map(str, sheets))}"] if sheets else []
    )
    if any(not one.sheet for one in readings):
        places.append("the document")
    return f" for {' and '.join(places)}"

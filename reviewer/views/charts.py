"""Small charts as points of a polyline: no colour, no script, no inline style. Pure.

Sizes are user units of the SVG that a template draws; the value 0 lies on the lower edge.
"""

from collections.abc import Sequence
from dataclasses import dataclass

EDGE = 3
"""Room around a line, so that its stroke is not cut off."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A line through values in their order. `split` is where the later part begins, if it does."""

    width: int
    height: int
    points: str
    split: float | None
    last: tuple[float, float] | None
    """Where the line ends, for a dot: a single value has no line."""


def chart_of(
    values: Sequence[float],
    *,
    split: int | None = None,
    width: int = 150,
    height: int = 34,
    most: float | None = None,
) -> Chart | None:
    """The chart of `values`; None where there are none.

    `split` is the index of the first value of the later part; the line stands half a step
    before it, and at the edges where all values lie on one side. `most` is the value at the
    upper edge, the greatest of them where it is not given.
    """
    if not values:
        return None
    step = (width - 2 * EDGE) / max(1, len(values) - 1)
    top = most or max(values) or 1
    places = [
        (round(EDGE + step * at, 1), round(height - EDGE - value / top * (height - 2 * EDGE), 1))
        for at, value in enumerate(values)
    ]
    line = None
    if split is not None and len(values) > 1:
        line = round(min(max(EDGE + step * (split - 0.5), EDGE), width - EDGE), 1)
    points = " ".join(f"{x},{y}" for x, y in places)
    return Chart(width, height, points, line, places[-1])

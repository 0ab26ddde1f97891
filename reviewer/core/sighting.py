"""One finding as one answer reported it: what matching compares."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sighting:
    """One finding as one answer reported it.

    `reading` names the pass: one sighting a pass goes into a finding. `sheet` is 0 for the
    document. `span` are the character offsets of the quote in its sheet's text, where known.
    """

    id: str
    reading: str
    sheet: int
    severity: str
    rule: str
    quote: str
    finding: str
    also: tuple[tuple[int, str], ...] = ()
    span: tuple[int, int] | None = None

"""What a check reports, and what a check is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.schema import Place, Severity


@dataclass(frozen=True)
class CheckFinding:
    """One fault that code found. `quote` is verbatim from the sheet but for white space.

    `sheet` 0 with an empty quote is what the whole document lacks.
    """

    check: str
    sheet: int
    severity: Severity
    rule: str
    quote: str
    finding: str
    fix: str
    also: tuple[Place, ...] = ()
    learning: int | None = None
    """Number of the learning it was raised under, if any."""


@dataclass(frozen=True)
class Fault:
    """What a check's function yields: a place and the words; the registry adds the rest."""

    sheet: int
    quote: str
    finding: str
    fix: str
    also: tuple[Place, ...] = ()
    severity: Severity | None = None
    """Where this fault weighs less or more than the check's own severity."""
    learning: int | None = None
    """Number of the learning that asks for it, where one does."""
    rule: str = ""
    """The rule it breaks, where that is not the check's own."""


@dataclass(frozen=True)
class Check:
    """One thing that code decides. `good` and `bad` are one example each, as text of a sheet."""

    code: str
    title: str
    rule: str
    severity: Severity
    good: str
    bad: str
    find: Callable[[CheckedDocument], Iterable[Fault]]
    on_by_default: bool = True
    needs_english: bool = True

    def run(self, document: CheckedDocument) -> Iterable[CheckFinding]:
        """Every fault in the document, in the order of the sheets."""
        for fault in self.find(document):
            yield CheckFinding(
                check=self.code,
                sheet=fault.sheet,
                severity=fault.severity or self.severity,
                rule=fault.rule or self.rule,
                quote=fault.quote,
                finding=fault.finding,
                fix=fault.fix,
                also=fault.also,
                learning=fault.learning,
            )


def place(sheet: CheckedSheet, start: int, end: int) -> Place:
    """Another place of a fault, from offsets in the sheet's text."""
    return Place(sheet=sheet.number, quote=sheet.quote(start, end))

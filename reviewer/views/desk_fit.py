"""What the desk says of how a version lies on its sheets: what holds it, what only shows. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewer.core.wording import counted


@dataclass(frozen=True, slots=True)
class FitLine:
    """One fault of layout. `sheet` is 0 for the document; `holds` says that nothing leaves
    with it, by the policy of the workspace."""

    sheet: int
    message: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Fit:
    """The faults of a version, those that hold first, and how its chip names them."""

    lines: tuple[FitLine, ...]

    @property
    def holding(self) -> int:
        return sum(line.holds for line in self.lines)

    @property
    def tone(self) -> str:
        return "block" if self.holding else "fix"

    @property
    def words(self) -> str:
        if self.holding:
            return f"{counted(self.holding, 'fault')} of layout {_hold(self.holding)}"
        return counted(len(self.lines), "thing does not fit", "things do not fit")


def fit_of(faults: Sequence[Mapping[str, Any]], holds: Collection[str]) -> Fit:
    """The faults as the version stores them; `holds` are the codes that hold."""
    lines = [FitLine(one["sheet"], one["message"], one["code"] in holds) for one in faults]
    return Fit(tuple(sorted(lines, key=lambda line: (not line.holds, line.sheet))))


def _hold(number: int) -> str:
    return "holds" if number == 1 else "hold"

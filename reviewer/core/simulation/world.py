"""The simulated world: a document with true findings, its reader, its checker, its people.

A reading that covers a finding's sheet sees it with 1 - exp(-w), where w is the finding's
detectability, exp(Normal(0, spread)). Tokens are billed as units: the document at 1 a token,
1.25 to write it to the cache, 0.1 to read it from there, and what is written back at 5.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from random import Random

from reviewer.core.rubric import RULE_CODES
from reviewer.core.schema import Severity

SHEETS = 12
PARAGRAPHS_A_SHEET = 8
LINES_A_PARAGRAPH = 5

DOCUMENT_TOKENS = 10_000
FINDING_TOKENS = 100
VERDICT_TOKENS = 30
PLAIN, CACHE_WRITE, CACHE_READ, WRITTEN = 1.0, 1.25, 0.1, 5.0

CHECK_UPHOLDS_TRUE = 0.9
CHECK_UPHOLDS_FALSE = 0.1
DISMISSED_ON_SIGHT = 0.7

# What an edit adds to its paragraph's lines where text flows; more often longer than shorter.
_LINES_ADDED = (-1, 1, 2, 3)

_SEVERITIES = (Severity.BLOCK, Severity.FIX, Severity.CONSIDER)
_SHARES = (15, 45, 40)


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments of a simulation. `false` is the mean of false findings in a reading of
    all sheets; `cap` the findings one reading may return; `cure` and `break_` are chances."""

    documents: int = 500
    seed: int = 1
    findings: int = 40
    cap: int = 15
    spread: float = 0.7
    false: float = 3.0
    cure: float = 0.95
    break_: float = 0.1
    reflow: bool = False


@dataclass(eq=False, slots=True)
class Fault:
    """One finding of the world. `true` falls when an edit cures it."""

    number: int
    paragraph: int
    severity: str
    rule: str
    weight: float
    true: bool
    verdicts: dict[bool, bool] = field(default_factory=dict)
    """What the checker says while it is true, and while it is not: the same again."""


class World:
    """A document as it is edited, and everyone who meets it. Each policy has its own."""

    def __init__(self, settings: Settings, document: int, policy: str) -> None:
        """The same document for every policy, and chances of each policy's own."""
        self.settings = settings
        self.sheet_lines = LINES_A_PARAGRAPH * PARAGRAPHS_A_SHEET
        self.lines = [LINES_A_PARAGRAPH] * (SHEETS * PARAGRAPHS_A_SHEET)
        self.revision = [0] * len(self.lines)
        self.faults: list[Fault] = []
        self.cost = 0.0
        self.calls = 0
        self._is_cached = False
        self._random = Random(f"{settings.seed} {document}")
        for index in range(settings.findings):
            first = index % SHEETS * PARAGRAPHS_A_SHEET
            self._add(first + self._random.randrange(PARAGRAPHS_A_SHEET), true=True)
        self._random = Random(f"{settings.seed} {document} {policy}")
        self._place()

    def _add(self, paragraph: int, *, true: bool) -> Fault:
        severity = self._random.choices(_SEVERITIES, _SHARES)[0]
        weight = math.exp(self._random.gauss(0, self.settings.spread))
        rule = self._random.choice(RULE_CODES)
        fault = Fault(len(self.faults), paragraph, severity.value, rule, weight, true)
        self.faults.append(fault)
        return fault

    def _place(self) -> None:
        """Lay the paragraphs on sheets; one belongs where it begins."""
        self.sheet_of: list[int] = []
        line = 0
        for index, lines in enumerate(self.lines):
            flowed = line // self.sheet_lines if self.settings.reflow else None
            self.sheet_of.append(1 + (index // PARAGRAPHS_A_SHEET if flowed is None else flowed))
            line += lines

    @property
    def sheets(self) -> list[int]:
        """The sheet numbers there are."""
        return sorted(set(self.sheet_of))

    def sheet(self, fault: Fault) -> int:
        """The sheet on which the fault stands now."""
        return self.sheet_of[fault.paragraph]

    def true_faults(self, severity: str | None = None) -> list[Fault]:
        """What is truly wrong with the text now."""
        return [f for f in self.faults if f.true and severity in (None, f.severity)]

    def read(
        self,
        sheets: Collection[int],
        *,
        known: Collection[Fault] = (),
        rules: Sequence[str] = RULE_CODES,
    ) -> tuple[list[Fault], bool]:
        """What one reading returns, and whether the cap cut it. A reader who is told of
        `known` does not name it again."""
        seen = [
            fault
            for fault in self.faults
            if fault.true
            and self.sheet(fault) in sheets
            and fault.rule in rules
            and fault not in known
            and self._random.random() < 1 - math.exp(-fault.weight)
        ]
        share = len(sheets) / len(self.sheets) * len(rules) / len(RULE_CODES)
        candidates = [i for i, sheet in enumerate(self.sheet_of) if sheet in sheets]
        for _ in range(self._poisson(self.settings.false * share)):
            fault = self._add(self._random.choice(candidates), true=False)
            fault.rule = self._random.choice(rules)
            seen.append(fault)
        kept = self._sample(seen)
        return kept, len(seen) > len(kept) or len(kept) == self.settings.cap

    def _sample(self, seen: list[Fault]) -> list[Fault]:
        """At most `cap` of them, drawn by weight without putting back."""
        if len(seen) <= self.settings.cap:
            return seen
        keyed = [(self._random.random() ** (1 / fault.weight), fault.number) for fault in seen]
        chosen = {number for _, number in sorted(keyed)[-self.settings.cap :]}
        return [fault for fault in seen if fault.number in chosen]

    def _poisson(self, mean: float) -> int:
        count, product, limit = 0, self._random.random(), math.exp(-mean)
        while product > limit:
            count += 1
            product *= self._random.random()
        return count

    def check_upholds(self, fault: Fault) -> bool:
        """Whether the checker says that the finding holds, as the text stands."""
        if fault.true not in fault.verdicts:
            chance = CHECK_UPHOLDS_TRUE if fault.true else CHECK_UPHOLDS_FALSE
            fault.verdicts[fault.true] = self._random.random() < chance
        return fault.verdicts[fault.true]

    def person_dismisses(self, fault: Fault) -> bool:
        """Whether a person who looks at the finding dismisses it: never a true one."""
        return not fault.true and self._random.random() < DISMISSED_ON_SIGHT

    def edit(self, fault: Fault) -> None:
        """Edit the text for a finding: it may be cured, and something else may break."""
        self._is_cached = False
        if fault.true and self._random.random() < self.settings.cure:
            fault.true = False
        self.revision[fault.paragraph] += 1
        if self._random.random() < self.settings.break_:
            self._add(fault.paragraph, true=True)
        if self.settings.reflow:
            grown = self.lines[fault.paragraph] + self._random.choice(_LINES_ADDED)
            self.lines[fault.paragraph] = max(1, grown)
            self._place()

    def pay(self, *, findings: int = 0, verdicts: int = 0, alone: bool = False) -> None:
        """Bill one call over the document. The first over a text writes it to the cache and
        the rest read it from there; a call that is made `alone` uses no cache."""
        self.calls += 1
        rate = PLAIN if alone else CACHE_READ if self._is_cached else CACHE_WRITE
        self._is_cached = self._is_cached or not alone
        written = findings * FINDING_TOKENS + verdicts * VERDICT_TOKENS
        self.cost += rate * DOCUMENT_TOKENS + WRITTEN * written

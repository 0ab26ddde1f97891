"""How many findings are probably still unseen, and when no number may be given.

Blind passes over one text are capture occasions: what is seen once and what is seen
twice say how much was never seen (Chao2, bias-corrected, with a log-normal interval;
coverage after Chao and Jost). The estimate is of what a reader of this kind would find
in further passes, never a promise about the text.

Refused: a number from fewer than three passes, fewer than five findings, or passes with a
censored or failed reading left, since each of these makes the text look cleaner than it is.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reviewer.core.schema import Severity
from reviewer.core.wording import counted

LEAST_PASSES = 3
LEAST_FINDINGS = 5

# The 0.975 quantile of the normal distribution, as the worked values have it.
_Z = 1.96
_POISSON_TAIL = 0.05


@dataclass(frozen=True, slots=True)
class Estimate:
    """Counts of findings: seen, Chao2, the 95 % interval, and the coverage as a share.

    `unseen_high` is the upper end of what was not seen, all severities together.
    """

    seen: int
    chao2: float
    low: float
    high: float
    coverage: float
    passes: int

    @property
    def unseen_high(self) -> float:
        """Findings that may be unseen at the upper end of the interval."""
        return self.high - self.seen


@dataclass(frozen=True, slots=True)
class NoEstimate:
    """Why there is no number, as a sentence for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class Seen:
    """An upheld finding as the blind passes met it: severity, and in how many passes."""

    severity: str
    votes: int


@dataclass(frozen=True, slots=True)
class SeverityEstimate:
    """Findings of one severity: how many were seen, and at most how many are likely."""

    severity: str
    seen: int
    high: int


@dataclass(frozen=True, slots=True)
class Residual:
    """What is probably left, for all severities together and for each."""

    all: Estimate
    by_severity: tuple[SeverityEstimate, ...]

    def of(self, severity: str) -> SeverityEstimate:
        """The estimate of one severity."""
        return next(entry for entry in self.by_severity if entry.severity == severity)


def from_passes(passes: Sequence[Iterable[str]]) -> Estimate:
    """The estimate from the ids that each pass named; an id counts once a pass.

    ValueError for fewer than two passes, which say nothing about what is unseen.
    """
    votes = Counter(id for named in passes for id in set(named))
    return from_votes(list(votes.values()), len(passes))


def from_votes(votes: Sequence[int], passes: int) -> Estimate:
    """The estimate from the number of passes that named each finding that was named."""
    if passes < 2:
        raise ValueError("an estimate needs at least two passes")
    if any(not 0 < count <= passes for count in votes):
        raise ValueError("a finding is named by at least one pass and at most by all")
    seen, sightings = len(votes), sum(votes)
    once, twice = votes.count(1), votes.count(2)
    k = (passes - 1) / passes
    chao2 = seen + k * once * (once - 1) / (2 * (twice + 1))
    low, high = _interval(seen, chao2, _variance(once, twice, k, chao2))
    return Estimate(seen, chao2, low, high, _coverage(once, twice, sightings, passes), passes)


def _variance(once: int, twice: int, k: float, chao2: float) -> float:
    if twice:
        r = once / twice
        return twice * (k / 2 * r**2 + k**2 * r**3 + k**2 / 4 * r**4)
    if not chao2:
        return 0.0
    return (
        k * once * (once - 1) / 2
        + k**2 * once * (2 * once - 1) ** 2 / 4
        - k**2 * once**4 / (4 * chao2)
    )


def _interval(seen: int, chao2: float, variance: float) -> tuple[float, float]:
    unseen = chao2 - seen
    if unseen <= 0:
        return float(seen), float(seen)
    spread = math.exp(_Z * math.sqrt(math.log(1 + max(0.0, variance) / unseen**2)))
    return seen + unseen / spread, seen + unseen * spread


def _coverage(once: int, twice: int, sightings: int, passes: int) -> float:
    if not once:
        return 1.0
    weight = (passes - 1) * (once if twice else once - 1)
    share = weight / (weight + 2 * max(twice, 1))
    return 1 - once / sightings * share


def residual(
    upheld: Sequence[Seen],
    passes: int,
    *,
    refuted_twice: Mapping[str, int] | None = None,
    censored: int = 0,
    failed: int = 0,
) -> Residual | NoEstimate:
    """What is probably left, from the upheld findings of uncensored blind passes.

    `refuted_twice` counts, by severity, the findings that two passes named and the check
    refuted; `censored` and `failed` are the readings of these passes that were not made good.

    The upper end of one severity is what was seen of it, what was named twice and refuted, and
    the 95 % Poisson bound of its share of the unseen at the upper end. Its share is that among
    what was seen once, and half a finding is added, since a share of nothing is not nothing.
    """
    reason = _why_none(len(upheld), passes, censored, failed)
    if reason:
        return NoEstimate(reason)
    together = from_votes([finding.votes for finding in upheld], passes)
    once = Counter(finding.severity for finding in upheld if finding.votes == 1)
    seen = Counter(finding.severity for finding in upheld)
    refuted = refuted_twice or {}
    return Residual(
        together,
        tuple(
            SeverityEstimate(
                severity.value,
                seen[severity],
                seen[severity]
                + poisson_bound(together.unseen_high * _share(once, severity) + 0.5)
                + refuted.get(severity, 0),
            )
            for severity in Severity
        ),
    )


def _share(once: Counter[str], severity: str) -> float:
    return once[severity] / once.total() if once.total() else 0.0


def _why_none(findings: int, passes: int, censored: int, failed: int) -> str:
    if failed:
        return (
            f"No estimate: {counted(failed, 'reading')} failed. Read again to complete the passes."
        )
    if censored:
        return (
            f"No estimate: {counted(censored, 'reading')} returned as many findings as allowed, so more "
            "are there than were counted."
        )
    if passes < LEAST_PASSES:
        return (
            f"No estimate: it takes {LEAST_PASSES} passes over the text, and there were {passes}."
        )
    if findings < LEAST_FINDINGS:
        return f"No estimate: it takes {LEAST_FINDINGS} upheld findings, and there were {findings}."
    return ""


@lru_cache(maxsize=4096)
def poisson_bound(mean: float) -> int:
    """The smallest count that a Poisson variable of this mean exceeds in at most 1 of 20."""
    if mean <= 0:
        return 0
    # Far below the mean the terms underflow, and together they weigh nothing.
    count = max(0, int(mean - 12 * math.sqrt(mean)))
    term = math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
    below = term
    while below < 1 - _POISSON_TAIL:
        count += 1
        term *= mean / count
        below += term
    return count

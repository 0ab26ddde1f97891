"""Whether losses follow one model: an exact test of two proportions.

Fisher's exact test, one-sided, from the hypergeometric distribution (R. A. Fisher, "On the
interpretation of chi-squared from contingency tables, and the calculation of P", Journal of
the Royal Statistical Society 85, 1922). Exact, since a model often has few answers.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

LEAST_ANSWERS = 10
"""With fewer answers of a model nothing is said about it."""

SIGNIFICANT = 0.01


@dataclass(frozen=True, slots=True)
class Follows:
    """Losses follow `model`: its share of lost answers, that of all others, and p."""

    model: str
    lost: int
    answers: int
    others_lost: int
    others: int
    p: float


def fisher_greater(lost: int, answers: int, others_lost: int, others: int) -> float:
    """The chance of at least `lost` of `answers` being lost, were all lost alike; 0 to 1.

    ValueError where more are lost than there are.
    """
    if not (0 <= lost <= answers and 0 <= others_lost <= others):
        raise ValueError("more answers are lost than there are")
    total, all_lost = answers + others, lost + others_lost
    most = min(answers, all_lost)
    chances = [
        _log_choose(all_lost, k)
        + _log_choose(total - all_lost, answers - k)
        - _log_choose(total, answers)
        for k in range(lost, most + 1)
        if answers - k <= total - all_lost
    ]
    return min(1.0, math.fsum(math.exp(chance) for chance in chances))


def losses_follow(counts: Mapping[str, tuple[int, int]]) -> list[Follows]:
    """The models whose share of lost answers is higher than that of all others together.

    `counts` are (lost, answers) by model. The level is divided by the number of models
    that were tested (Bonferroni). Strongest first.
    """
    tested = {model for model, (_, answers) in counts.items() if answers >= LEAST_ANSWERS}
    found: list[Follows] = []
    for model in sorted(tested):
        lost, answers = counts[model]
        others_lost = sum(other[0] for name, other in counts.items() if name != model)
        others = sum(other[1] for name, other in counts.items() if name != model)
        if not others:
            continue
        p = fisher_greater(lost, answers, others_lost, others)
        if p * len(tested) < SIGNIFICANT:
            found.append(Follows(model, lost, answers, others_lost, others, p))
    return sorted(found, key=lambda follows: (follows.p, follows.model))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)

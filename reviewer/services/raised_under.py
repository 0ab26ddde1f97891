"""Under which learning a finding was raised: the one that most of its sightings name."""

from collections import Counter, defaultdict
from collections.abc import Collection

from reviewer.models import Finding, Sighting


def name_learnings(findings: Collection[int]) -> None:
    """Have each finding (by id) name its learning; of as many sightings, the lower number.

    What no sighting names a learning for, and what a built-in check raised, stays as it is. The
    result depends on the sightings alone, not on which came first.
    """
    if not findings:
        return
    named: dict[int, Counter[tuple[int, int]]] = defaultdict(Counter)
    rows = Sighting.objects.filter(finding__in=findings, learning__isnull=False)
    for finding, learning, number in rows.values_list("finding", "learning", "learning__number"):
        named[finding][(number, learning)] += 1
    for finding, counts in named.items():
        _, learning = min(counts, key=lambda key: (-counts[key], key))
        Finding.objects.filter(pk=finding).exclude(raised=Finding.Raised.CHECK).exclude(
            learning=learning
        ).update(learning=learning)

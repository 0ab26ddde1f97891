"""How long merging takes, and how it grows with sightings and with passes.

Run it by itself: `python tests/bench/bench_matching.py`. Ratios are of one run on one core,
the best of several turns each. 500 sightings of 8 passes are to take under a second, which
is given as a share of that second; growth is given against twice the sightings.
"""

import json
import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.folding import fold  # noqa: E402
from reviewer.core.likeness import terms  # noqa: E402
from reviewer.core.matching import Sighting, merge  # noqa: E402

SET = ROOT / "tests" / "cases" / "sightings_reordered.json"
SECONDS_AT_MOST = 1.0
GROWTH_AT_MOST = 4.5
TURNS = 5


def sightings_of(count: int, passes: int) -> tuple[list[Sighting], dict[int, str]]:
    """So many sightings on the nine sheets of one document.

    The judged findings come first, each seen by every pass; then copies of them that say
    something else of other words of the same sheet, since a sheet has many findings.
    """
    stored = json.loads(SET.read_text(encoding="utf-8"))
    parts = re.split(r"(?m)^--- Sheet (\d+) ---\n", stored["document"])
    texts = dict(zip(map(int, parts[1::2]), parts[2::2], strict=True))
    of_finding: dict[int, list[dict[str, str]]] = {}
    for entry in stored["sightings"]:
        of_finding.setdefault(entry["same_as"], []).append(entry)
    random = Random(1)
    made: list[Sighting] = []
    copy = 0
    while len(made) < count:
        for versions in of_finding.values():
            words = texts[int(versions[0]["sheet"])].split()
            start = random.randrange(max(1, len(words) - 8))
            for reading in range(passes):
                entry = versions[random.randrange(len(versions))]
                said = re.sub(r"\b(\w*[aeiou]\w{4,})\b", rf"\g<1>x{copy}", entry["finding"])
                made.append(
                    Sighting(
                        f"{copy}.{len(made)}",
                        str(reading),
                        int(entry["sheet"]),
                        entry["severity"],
                        entry["rule"],
                        " ".join(words[start : start + 8]) if copy else entry["quote"],
                        said if copy else entry["finding"],
                    )
                )
        copy += 1
    return made[:count], texts


def seconds(sightings: list[Sighting], texts: dict[int, str]) -> float:
    """The best of several turns, nothing worked out before being kept."""
    best = float("inf")
    for _ in range(TURNS):
        fold.cache_clear()
        terms.cache_clear()
        fresh = [replace(sighting) for sighting in sightings]
        begun = time.perf_counter()
        merge(fresh, texts=texts)
        best = min(best, time.perf_counter() - begun)
    return best


def main() -> int:
    """Print the figures; 1 where one misses what it has to reach."""
    faults = 0
    taken = {count: seconds(*sightings_of(count, 8)) for count in (125, 250, 500, 1000)}
    for count, spent in taken.items():
        print(f"{count:5} sightings of 8 passes: {spent:.3f} s")
    for count in (250, 500, 1000):
        growth = taken[count] / taken[count // 2]
        print(
            f"growth from {count // 2} to {count} sightings: {growth:.2f} (at most {GROWTH_AT_MOST})"
        )
        faults += growth > GROWTH_AT_MOST
    share = taken[500] / SECONDS_AT_MOST
    print(f"500 sightings of 8 passes, as a share of a second: {share:.2f} (at most 1)")
    faults += share > 1
    for passes in (2, 4, 8):
        spent = seconds(*sightings_of(500, passes))
        print(f"  500 sightings of {passes} passes: {spent:.3f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

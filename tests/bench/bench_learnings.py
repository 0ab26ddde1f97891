"""What 2,000 learnings cost: choosing for a reading, and finding near duplicates.

Run it by itself: `python tests/bench/bench_learnings.py`. Times are the best of several turns in
one run, from stored rows to the answer, with nothing kept from the turn before; each is given
too as a ratio to a bare loop that loads the same rows, and as a share of its bound.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db.models import F  # noqa: E402
from django.utils import timezone  # noqa: E402

from reviewer.core.learning_texts import _three_by_three, by_likeness, contradictions, trigrams  # noqa: E402
from reviewer.core.learnings import choose  # noqa: E402
from reviewer.models import Learning, LearningVersion, Proposal  # noqa: E402
from reviewer.services.learnings_alike import near  # noqa: E402
from reviewer.services.learnings_given import for_document, learned_on  # noqa: E402
from tests.factories import Cast, make_cast, make_proposal  # noqa: E402

LEARNINGS = 2_000
CHOOSING_AT_MOST = 0.050
NEAR_AT_MOST = 0.100
TURNS = 7
VOCABULARY = (
    "name every integration price date client source percentage baseline sheet invoice owner "
    "dispatcher queue pilot carrier yard system week month milestone training handover scope "
    "assumption change request buyer decision total discount currency deadline support hour "
    "report figure promise result contract term notice data access security review test"
)
WORDS = VOCABULARY.split()


def stored(cast: Cast) -> None:
    """So many learnings in force, in sentences of 8 to 16 words, a fifth of them scoped."""
    random = Random(1)
    now = timezone.now()
    people = {"author": cast.rae.user, "approved_by": cast.max.user, "approved_at": now}
    learnings = Learning.objects.bulk_create(
        Learning(
            workspace=cast.workspace,
            number=number,
            kind="look_for",
            client=random.choice(["", "", "", "", f"Client {number % 20}"]),
            **people,
        )
        for number in range(1, LEARNINGS + 1)
    )
    versions = LearningVersion.objects.bulk_create(
        LearningVersion(
            learning=learning,
            number=1,
            kind="look_for",
            text=" ".join(random.choices(WORDS, k=random.randint(8, 16))).capitalize() + ".",
            by=cast.rae.user,
        )
        for learning in learnings
    )
    for learning, version in zip(learnings, versions, strict=True):
        learning.status, learning.current, learning.in_force_at = "in_force", version, now
    Learning.objects.bulk_update(learnings, ["status", "current", "in_force_at"], batch_size=500)


def best(turn: Callable[[], Any]) -> float:
    """Seconds of the fastest turn; no turn finds anything that the one before kept."""
    fastest = float("inf")
    for _ in range(TURNS):
        trigrams.cache_clear()
        _three_by_three.cache_clear()
        begun = time.perf_counter()
        turn()
        fastest = min(fastest, time.perf_counter() - begun)
    return fastest


def bare(cast: Cast) -> list[tuple[Any, ...]]:
    """The same rows, loaded and nothing else."""
    rows = Learning.objects.filter(workspace=cast.workspace, status="in_force")
    return list(rows.values_list("number", "kind", "client", "proposal_kind", F("current__text")))


def measured(cast: Cast, proposal: Proposal) -> dict[str, tuple[float, float]]:
    """Seconds of each by its name, and its bound, or none."""
    day = timezone.localdate()
    learned = learned_on(cast.workspace.pk, day)
    texts = [each.text for each in learned]
    text = f"{texts[7]} Now."
    none = float("inf")
    return {
        "loading the rows, bare": (best(lambda: bare(cast)), none),
        "choosing for a reading, from rows": (
            best(lambda: for_document(learned_on(cast.workspace.pk, day), proposal)),
            CHOOSING_AT_MOST,
        ),
        "choosing alone": (
            best(lambda: choose(learned, client="Client 3", proposal_kind="proposal")),
            CHOOSING_AT_MOST,
        ),
        "near duplicates, from rows": (
            best(lambda: near(workspace=cast.workspace, text=text)),
            NEAR_AT_MOST,
        ),
        "near duplicates alone": (best(lambda: by_likeness(text, texts)), NEAR_AT_MOST),
        "contradictions among all": (best(lambda: contradictions(learned)), none),
    }


def main() -> int:
    """Print the figures; 1 where one misses what it has to reach."""
    call_command("migrate", verbosity=0)
    cast = make_cast()
    stored(cast)
    proposal = make_proposal(cast.workspace, client="Client 3")
    chosen, _ = for_document(learned_on(cast.workspace.pk, timezone.localdate()), proposal)
    print(f"{LEARNINGS} learnings in force, {len(chosen.given)} of them given to a reading")
    figures = measured(cast, proposal)
    base = figures["loading the rows, bare"][0]
    faults = 0
    for name, (seconds, bound) in figures.items():
        reach = f", {seconds / bound:.2f} of its bound" if bound < float("inf") else ""
        print(f"  {name}: {seconds * 1000:.1f} ms, {seconds / base:.2f} times bare loading{reach}")
        faults += seconds > bound
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

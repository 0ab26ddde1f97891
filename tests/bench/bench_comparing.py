"""How long two versions take to compare, and how that grows with their length.

Run it by itself: `python tests/bench/bench_comparing.py`. Ratios are of one run on one core, the
best of several turns each: 200 sheets against 50 (four times the text), and against the bare
matcher of the standard library on the same keys and words. The worst text is one of which every
paragraph was changed a little.
"""

import re
import sys
import time
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.differences import Change, Paragraph, differences  # noqa: E402

A_SHEET = 18
"""Paragraphs of a sheet."""
GROWTH_AT_MOST = 5.0
BARE_AT_MOST = 2.0
TURNS = 3


def versions(sheets: int, changed: float) -> tuple[list[Paragraph], list[Paragraph]]:
    """Two versions of so many sheets; in the second a word of this share of them is another."""
    random = Random(1)
    vocabulary = [f"word{n}" for n in range(4000)]
    before, after = [], []
    for at in range(sheets * A_SHEET):
        words = random.choices(vocabulary, k=30)
        before.append(_paragraph(at, words))
        if random.random() < changed:
            words[random.randrange(30)] = "another"
        after.append(_paragraph(at, words))
    return before, after


def _paragraph(at: int, words: list[str]) -> Paragraph:
    said = " ".join(words)
    return Paragraph(at // A_SHEET + 1, said, said)


def bare(before: list[Paragraph], after: list[Paragraph]) -> None:
    """What anybody would write: the matcher over paragraphs, and over the words of those changed."""
    matcher = SequenceMatcher(None, [p.key for p in before], [p.key for p in after])
    for what, i1, i2, j1, j2 in matcher.get_opcodes():
        if what != "equal":
            for old, new in zip(before[i1:i2], after[j1:j2], strict=False):
                tokens = [re.findall(r"\s+|\w+|[^\w\s]", one.text) for one in (old, new)]
                SequenceMatcher(None, *tokens, autojunk=False).get_opcodes()


def best(act: Callable[[], object]) -> float:
    """Seconds of the quickest of several turns."""
    took = []
    for _ in range(TURNS):
        began = time.perf_counter()
        act()
        took.append(time.perf_counter() - began)
    return min(took)


def main() -> int:
    failed = False
    for name, changed in (("one in twenty changed", 0.05), ("all changed", 1.0)):
        small, large = versions(50, changed), versions(200, changed)
        found = sum(isinstance(one, Change) for one in differences(*large))
        few, many = best(lambda s=small: differences(*s)), best(lambda v=large: differences(*v))
        plain = best(lambda v=large: bare(*v))
        print(
            f"{name}: {found} changes on 200 sheets in {many:.2f} s; 200 against 50 sheets "
            f"{many / few:.2f} (at most {GROWTH_AT_MOST}); against the bare matcher "
            f"{many / plain:.2f} (at most {BARE_AT_MOST})"
        )
        failed |= many / few > GROWTH_AT_MOST or many / plain > BARE_AT_MOST
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

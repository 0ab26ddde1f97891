"""Two things that pdfium gets wrong in lines that run from right to left.

It reads the two letters of one Arabic ligature in the order they are drawn, and it leaves
names in Latin letters inside such a line word by word in the order of the page.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from reviewer.documents.sheets import Word

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]")
_ALEF_LAM = re.compile("[\u0622\u0623\u0625\u0627]\u0644")


def spell_ligatures(text: str, start: int, across: Callable[[int], float]) -> str:
    """`text` with lam before alef where both are one glyph. `across(i)` is where character i
    of the page begins; `start` is the index of the first of `text`."""
    if not _ALEF_LAM.search(text):
        return text
    letters = list(text)
    for found in _ALEF_LAM.finditer(text):
        at = found.start()
        if across(start + at) == across(start + at + 1):
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)


def reading_order(words: Sequence[Word], line: Sequence[int]) -> list[list[int]]:
    """The lines, as indexes of words, with names in Latin letters read from left to right
    inside lines that run the other way."""
    lines: list[list[int]] = []
    for index, number in enumerate(line):
        if index and number == line[index - 1]:
            lines[-1].append(index)
        else:
            lines.append([index])
    return [_line(words, indexes) for indexes in lines]


def _line(words: Sequence[Word], indexes: list[int]) -> list[int]:
    if not any(RIGHT_TO_LEFT.search(words[index].text) for index in indexes):
        return indexes
    result: list[int] = []
    run: list[int] = []
    for index in [*indexes, -1]:
        if index >= 0 and not RIGHT_TO_LEFT.search(words[index].text):
            run.append(index)
            continue
        named = any(_LATIN.search(words[one].text) for one in run)
        backwards = all(words[b].x0 < words[a].x0 for a, b in pairwise(run))
        result.extend(reversed(run) if named and backwards else run)
        run = []
        if index >= 0:
            result.append(index)
    return result

"""Words set into lines, by where they stand.

pdfium ends a line at a superscript and joins what a table keeps apart; a person sees one
line where words share their height. Text that runs up or down the page is placed the same
way with the page turned.
"""

from reviewer.documents.sheets import Word
from reviewer.documents.styles import Box

_SMALL = 4.0
"""Points; a dash or a comma is lower and may share no height with its neighbour."""


class Placer:
    """Takes words one by one in reading order and says which line each is on.

    `line`, `glued` and `style` have one entry a word: the index of its line, whether no
    white space stands before it, and its style.
    """

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.line: list[int] = []
        self.glued: list[bool] = []
        self.style: list[int] = []
        self._span = (0.0, 0.0)
        self._turned = False
        self._before: Box = (0.0, 0.0, 0.0, 0.0)

    def place(
        self,
        word: Word,
        style: int,
        *,
        turned: bool,
        ended: bool,
        spaced: bool,
        adjacent: bool,
        unspaced_script: bool,
    ) -> None:
        """Add a word. `ended` where the word before broke off with a hyphen; `spaced` where
        the file itself has white space before the word, `adjacent` where it has nothing."""
        box: Box = (word.y0, word.x0, word.y1, word.x1) if turned else word[1:]
        same = touching = False
        if self.words and not ended and turned == self._turned:
            same = _continues(self._before, self._span, box)
            touching = same and not spaced and _touches(self._before, box)
        self._turned = turned
        if touching and not adjacent and not unspaced_script:
            self._grow(word, box)
            return
        top, bottom = self._span
        if not same:
            self._span = (box[1], box[3])
        elif box[1] < top or box[3] > bottom:
            self._span = _union(self._span, (box[1], box[3]))
        next_line = self.line[-1] + (0 if same else 1) if self.line else 0
        self._before = box
        self.words.append(word)
        self.line.append(next_line)
        self.glued.append(same and (adjacent or touching))
        self.style.append(style)

    def reorder(self, lines: list[list[int]]) -> None:
        """Put the words in this order of lines, each a list of indexes of words."""
        order = [index for line in lines for index in line]
        self.words = [self.words[index] for index in order]
        self.glued = [self.glued[index] for index in order]
        self.style = [self.style[index] for index in order]
        self.line = [number for number, line in enumerate(lines) for _ in line]

    def _grow(self, word: Word, box: Box) -> None:
        """The word goes on the one before it, as after a superscript."""
        before = self.words[-1]
        self.words[-1] = Word(
            before.text + word.text,
            min(before.x0, word.x0),
            min(before.y0, word.y0),
            max(before.x1, word.x1),
            max(before.y1, word.y1),
        )
        self._before = _around(self._before, box)
        self._span = _union(self._span, (box[1], box[3]))


def _around(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _union(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return min(a[0], b[0]), max(a[1], b[1])


def _continues(before: Box, span: tuple[float, float], box: Box) -> bool:
    """Whether a box goes on the line of the one before it, in either direction.

    `span` is how high the line is so far: what follows a superscript shares height with
    the line, not with it.
    """
    y0, y1 = box[1], box[3]
    above, below = before[1], before[3]
    height = y1 - y0
    lower = height if height < below - above else below - above
    if (below if below < y1 else y1) - (above if above > y0 else y0) > 0.3 * lower:
        return True
    if box[0] > before[0]:
        top, bottom = span
        lowest = min(bottom - top, height)
        if min(bottom, y1) - max(top, y0) > 0.3 * lowest:
            return True
    apart = max(0.0, max(above, y0) - min(below, y1))
    return lower < _SMALL and apart < 3 and -2 < box[0] - before[2] < 30


def _touches(before: Box, box: Box) -> bool:
    gap = box[0] - before[2]
    return abs(gap) < 0.12 * max(before[3] - before[1], box[3] - box[1], _SMALL)

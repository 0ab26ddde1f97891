"""What a check is given: the sheets of one version, and what is known about the client.

Nothing here reads files or knows where text came from. The structure of a sheet (rows,
sentences, amounts, dates) is worked out once, when the first check asks for it.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from reviewer.core.checks.told import FitSeen, Leftover
from reviewer.core.learned import Learned
from reviewer.core.structure.amounts import Amount, amounts_in
from reviewer.core.structure.dates import WrittenDate, dates_in
from reviewer.core.structure.forms import PLAIN, Forms, forms_of
from reviewer.core.structure.headings import Heading, body_size, headings_of
from reviewer.core.structure.language import reads_as_english
from reviewer.core.structure.phrases import lowered
from reviewer.core.structure.rows import (
    PlacedWord,
    Row,
    WordBox,
    boxes_are_tight,
    place_words,
    rows_of,
)
from reviewer.core.structure.sentences import Block, Sentence, blocks_of, sentences_of
from reviewer.core.structure.tables import Table, TableSheet, rows_with_tables

_LETTERS = re.compile(r"[^\W_]+")
_LONE_NUMBER = re.compile(r"^\W*(?:page )?\d{1,4}\W*$", re.IGNORECASE)
_ENOUGH_WORDS = 20
"""Words that a sheet must have for another with the same to be its twin."""
_A_RUNNING_HEAD = 3
"""Sheets from which on the same large words are a running head."""

__all__ = ["CheckedDocument", "CheckedSheet", "WordBox"]


@dataclass(frozen=True)
class CheckedSheet:
    """One sheet. `words` are (text, x0, y0, x1, y1) in points from the top left, in the
    order of `text`; `paragraphs` are its blocks, in the same order. Both may be empty: the
    structure is then read from the lines of `text` alone.
    """

    number: int
    label: str
    text: str
    words: tuple[WordBox, ...] = ()
    paragraphs: tuple[str, ...] = ()
    forms: Forms = PLAIN
    """How its numbers and dates are written; the document says, for all its sheets."""
    tight: bool | None = None
    """Whether boxes of words hug their letters; the document says, for all its sheets. None
    tells it by this sheet's own."""

    @cached_property
    def placed_words(self) -> tuple[PlacedWord, ...]:
        """The words with their offsets in `text`."""
        return place_words(self.text, self.words)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """What stands on one height of the sheet, from the top down, with its cells."""
        tight = boxes_are_tight(self.words) if self.tight is None else self.tight
        return rows_of(self.placed_words, self.forms, tight=tight)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Paragraphs, list items, headings and table rows, as spans of `text`."""
        return blocks_of(self.text, self.rows, self.paragraphs)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Sentences as spans of `text`; none runs over the end of its block."""
        return sentences_of(self.text, self.blocks)

    @cached_property
    def dates(self) -> tuple[WrittenDate, ...]:
        """Every date on the sheet, in order."""
        return dates_in(self.text, self.forms)

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        """Every money amount, percentage and number on the sheet, in order."""
        return amounts_in(self.text, self.forms)

    def quote(self, start: int, end: int) -> str:
        """The words of `text` between two offsets, on one line, so that they can be found again."""
        return " ".join(self.text[start:end].split())


@dataclass(frozen=True)
class CheckedDocument:
    """One version of a proposal.

    `other_clients` are the workspace's other clients, `sources` the texts the seller knows
    from, `source_text` the Markdown or plain text the version was made from. `banned` are
    the house's banned phrases, each with what to say instead, or ""; `never_say` are its
    learnings of that kind that are for this document. `tables` and
    `outline` (level, heading) are those of a source that tells them. `number_forms` is the
    workspace's setting, one of `forms.SETTINGS`, or nothing.
    """

    sheets: tuple[CheckedSheet, ...]
    client: str
    today: date
    other_clients: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    language: str = "en"
    source_text: str | None = None
    kind: str = "proposal"
    banned: tuple[tuple[str, str], ...] = ()
    never_say: tuple[Learned, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    tables: tuple[Table, ...] = ()
    outline: tuple[tuple[int, str], ...] = ()
    fit: tuple[FitSeen, ...] = ()
    number_forms: str = ""

    def __post_init__(self) -> None:
        """Have every sheet read its numbers, dates and boxes as the document has them."""
        forms = forms_of(self.number_forms, (sheet.text for sheet in self.sheets))
        tight = boxes_are_tight(word for sheet in self.sheets for word in sheet.words)
        if any((sheet.forms, sheet.tight) != (forms, tight) for sheet in self.sheets):
            sheets = tuple(replace(sheet, forms=forms, tight=tight) for sheet in self.sheets)
            object.__setattr__(self, "sheets", sheets)

    def rows(self, sheet: CheckedSheet) -> tuple[Row, ...]:
        """The rows of a sheet, those of tables with the cells that the source gives."""
        return self._rows[sheet.number] if self.tables else sheet.rows

    @cached_property
    def _rows(self) -> dict[int, tuple[Row, ...]]:
        sheets = {s.number: TableSheet(s.text, s.placed_words, s.rows) for s in self.sheets}
        return rows_with_tables(sheets, self.tables, self.sheets[0].forms if self.sheets else PLAIN)

    def sentences(self) -> Iterator[tuple[CheckedSheet, Sentence]]:
        """Every sentence with its sheet, in reading order."""
        for sheet in self.sheets:
            for sentence in sheet.sentences:
                yield sheet, sentence

    @cached_property
    def headings(self) -> dict[int, tuple[Heading, ...]]:
        """Headings by sheet number, told from the text by their size; running heads are none."""
        body = body_size([row for sheet in self.sheets for row in sheet.rows])
        found = {s.number: headings_of(s.rows, body, plain=not s.words) for s in self.sheets}
        on_sheets = Counter(text for hs in found.values() for text in {h.text for h in hs})
        return {
            number: tuple(h for h in headings if on_sheets[h.text] < _A_RUNNING_HEAD)
            for number, headings in found.items()
        }

    def heading_above(self, sheet: CheckedSheet, offset: int) -> str:
        """The text of the last heading before an offset of a sheet; "" where there is none."""
        above = [h for h in self.headings[sheet.number] if h.start <= offset]
        return above[-1].text if above else ""

    @cached_property
    def twins(self) -> dict[int, int]:
        """Numbers of the sheets that have just the words of an earlier one, with its number.

        A sheet of one paragraph is a paragraph that stands twice, and no twin.
        """
        earlier: dict[str, int] = {}
        found: dict[int, int] = {}
        for sheet in self.sheets:
            lines = sheet.paragraphs or sheet.text.splitlines()
            kept = [line for line in lines if line.strip() and not _LONE_NUMBER.match(line)]
            words = _LETTERS.findall(" ".join(kept).lower())
            if len(kept) > 1 and len(words) >= _ENOUGH_WORDS:
                first = earlier.setdefault(" ".join(words), sheet.number)
                if first != sheet.number:
                    found[sheet.number] = first
        return found

    @cached_property
    def text(self) -> str:
        """All sheets' text with single spaces, so that words are found however lines break."""
        return " ".join(" ".join(sheet.text.split()) for sheet in self.sheets)

    @cached_property
    def lowered(self) -> str:
        """The text in lower case."""
        return lowered(self.text)

    @cached_property
    def reads_as_english(self) -> bool:
        """Whether checks that read English wording can say anything about this text."""
        return reads_as_english(self.text, self.language)

    @cached_property
    def years(self) -> frozenset[int]:
        """Years of the dates that are written in full, anywhere in the document."""
        return frozenset(
            written.year
            for sheet in self.sheets
            for written in sheet.dates
            if written.year is not None
        )

"""What a check is given: the sheets of one version, and what is known about the client.

Nothing here reads files or knows where text came from. The structure of a sheet (rows,
sentences, amounts, dates) is worked out once, when the first check asks for it.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from reviewer.core.structure.amounts import Amount, amounts_in
from reviewer.core.structure.dates import WrittenDate, dates_in
from reviewer.core.structure.headings import Heading, body_size, headings_of
from reviewer.core.structure.language import reads_as_english
from reviewer.core.structure.rows import PlacedWord, Row, place_words, rows_of
from reviewer.core.structure.sentences import Block, Sentence, blocks_of, sentences_of

_A_RUNNING_HEAD = 3
"""Sheets from which on the same large words are a running head."""

WordBox = tuple[str, float, float, float, float]


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

    @cached_property
    def placed_words(self) -> tuple[PlacedWord, ...]:
        """The words with their offsets in `text`."""
        return place_words(self.text, self.words)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """What stands on one height of the sheet, from the top down, with its cells."""
        return rows_of(self.text, self.placed_words)

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
        return dates_in(self.text)

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        """Every money amount, percentage and number on the sheet, in order."""
        return amounts_in(self.text)

    def quote(self, start: int, end: int) -> str:
        """The words of `text` between two offsets, on one line, so that they can be found again."""
        return " ".join(self.text[start:end].split())


@dataclass(frozen=True)
class CheckedDocument:
    """One version of a proposal.

    `other_clients` are the workspace's other clients, `sources` the texts the seller knows
    from, `source_text` the Markdown the version was made from where there is one. `banned` are
    the house's banned phrases, each with what to say instead, or "".
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
    def text(self) -> str:
        """All sheets' text, one after another."""
        return "\n\n".join(sheet.text for sheet in self.sheets)

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

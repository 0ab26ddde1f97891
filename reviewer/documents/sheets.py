"""What is read of a file: the words for it, shared by the reader and by those who store it.

Lengths are points (1/72 inch) from the top left of the page as it is shown, that is,
after the page's own rotation. Sheets count from 1.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

Kind = Literal["pdf", "markdown", "html", "text", "docx", "pptx"]

Unread = Literal["", "blank", "no_text", "unknown_letters"]
"""Why a sheet has nothing to read: nothing is on it; something is, but without a text
layer (a scan); or its text is in a private code that only its font can draw."""


class Word(NamedTuple):
    """One word and its box. In scripts without spaces, one character."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class ParagraphRead:
    """A block of text; a table row is one. Running heads and page numbers belong to none.

    `hash` is the same for the same words however their lines break. `first_word` and
    `last_word` are indexes into the sheet's words, both inclusive.
    """

    text: str
    hash: str
    first_word: int
    last_word: int


@dataclass(frozen=True, slots=True)
class FitFault:
    """Something that does not fit. `sheet` 0 is the document as a whole."""

    code: str
    sheet: int
    message: str


LeftoverKind = Literal["comment", "change", "highlight"]


class Leftover(NamedTuple):
    """Something left in the file by people who worked on it, not meant for who receives it.

    `words` are those it stands on as they are shown, empty where it stands on none; `note` is
    what a comment says, or what a change did; `around` is the paragraph, by which it can be
    found. `sheet` 0 where the file does not tell.
    """

    kind: LeftoverKind
    sheet: int
    words: str
    note: str
    around: str


Table = tuple[tuple[str, ...], ...]
"""The cells of a table by row. A cell over several columns is followed by empty ones."""


@dataclass(frozen=True, slots=True)
class SourceRead:
    """What the original says of itself that its sheets do not show, in its own order.

    Tables and headings (level from 1, text) are those of Markdown, HTML and Word alone.
    """

    leftovers: tuple[Leftover, ...] = ()
    tables: tuple[Table, ...] = ()
    headings: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SheetRead:
    """One page. `text` is the words in reading order with white space between them (and
    none between characters of scripts written without spaces), a line break where the
    page breaks a line."""

    number: int
    label: str
    text: str
    width: float
    height: float
    words: tuple[Word, ...]
    image: Path
    image_width: int
    image_height: int
    thumbnail: Path
    paragraphs: tuple[ParagraphRead, ...]
    has_text: bool
    unread: Unread


@dataclass(frozen=True, slots=True)
class DocumentRead:
    """A whole file as sheets. `notes` are sentences for people about how it was read."""

    kind: Kind
    pdf: Path
    layout_approximate: bool
    notes: tuple[str, ...]
    fit: tuple[FitFault, ...]
    sheets: tuple[SheetRead, ...]
    converter: str
    source: SourceRead = SourceRead()

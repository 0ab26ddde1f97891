"""The document as a reading gets it: whole, or for a long one what matters to a sheet.

Whole, it is one block that every reading of a version shares, so that a provider's cache
holds. Above `LONG_DOCUMENT_TOKENS` all readings share its outline, and a reading of a sheet
gets in full that sheet, the two beside it, and those that share figures or names with it,
as many as fit; the readings of one sheet share that part.
"""

import functools
import math
import re
from collections.abc import Sequence

from reviewer.core.prompts.blocks import PromptBlock, SheetText, fenced, mark_of
from reviewer.core.prompts.files import render
from reviewer.core.wording import counted

LONG_DOCUMENT_TOKENS = 30_000
EXCERPT_TOKENS = 15_000
"""How much of a long document one reading gets in full."""

_CHARACTERS_A_TOKEN = 4
_OUTLINE_CHARACTERS = 160
_FIGURE = re.compile(r"\d[\d.,]*\d|\d")
_NAME = re.compile(r"\b[A-Z][\w’'-]{3,}\b")


def estimated_tokens(text: str) -> int:
    """Roughly how many tokens `text` has; text outside ASCII counts a token a character."""
    narrow = len(text.encode("ascii", "ignore"))
    return math.ceil(narrow / _CHARACTERS_A_TOKEN) + len(text) - narrow


def is_long(sheets: Sequence[SheetText]) -> bool:
    """Whether the document is too long to be given whole to every reading."""
    return sum(estimated_tokens(sheet.text) for sheet in sheets) > LONG_DOCUMENT_TOKENS


def document_blocks(
    sheets: Sequence[SheetText], *, client: str, kind: str, focus: Sequence[int] = ()
) -> tuple[PromptBlock, ...]:
    """The blocks that carry the document; each ends at a cache breakpoint.

    `focus` are the sheets a reading is about; it only matters for a long document, where a
    reading without it gets the outline and the beginning of the document in full. Readings of
    one version ask for the same blocks again and again, so the last ones are kept.
    """
    return _blocks(tuple(sheets), client, kind, tuple(focus))


@functools.lru_cache(maxsize=16)
def _blocks(
    sheets: tuple[SheetText, ...], client: str, kind: str, focus: tuple[int, ...]
) -> tuple[PromptBlock, ...]:
    mark = mark_of(*(sheet.text for sheet in sheets))
    long = is_long(sheets)
    body = _outline(sheets, mark) if long else _in_full(sheets, mark)
    shared = render(
        "document",
        kind=kind or "proposal",
        client=client or "a client that is not named here",
        count=counted(len(sheets), "sheet"),
        mark=mark,
        document=body,
    )
    if not long:
        return (PromptBlock(shared, cache=True),)
    excerpt = render("excerpt", document=_in_full(relevant_sheets(sheets, focus), mark))
    return (PromptBlock(shared, cache=True), PromptBlock(excerpt, cache=True))


def relevant_sheets(sheets: Sequence[SheetText], focus: Sequence[int]) -> list[SheetText]:
    """The sheets that matter to those in `focus`, in document order, within `EXCERPT_TOKENS`.

    Those in focus always come; then their neighbours; then the rest by how many rare figures
    and names they share, earlier ones first where equal.
    """
    wanted = set(focus) or {sheets[0].number}
    marks = {sheet.number: _figures_and_names(sheet.text) for sheet in sheets}
    spread: dict[str, int] = {}
    for found in marks.values():
        for mark in found:
            spread[mark] = spread.get(mark, 0) + 1
    ours = set().union(*(marks[number] for number in wanted if number in marks))

    def rank(sheet: SheetText) -> tuple[int, float, int]:
        if sheet.number in wanted:
            return (0, 0.0, sheet.number)
        if any(abs(sheet.number - number) == 1 for number in wanted):
            return (1, 0.0, sheet.number)
        shared = sum(1 / spread[mark] for mark in marks[sheet.number] & ours)
        return (2, -shared, sheet.number)

    chosen: list[SheetText] = []
    left = EXCERPT_TOKENS
    for sheet in sorted(sheets, key=rank):
        cost = estimated_tokens(sheet.text)
        if sheet.number in wanted or cost <= left:
            chosen.append(sheet)
            left -= cost
    return sorted(chosen, key=lambda sheet: sheet.number)


@functools.lru_cache(maxsize=256)
def _figures_and_names(text: str) -> frozenset[str]:
    return frozenset(_FIGURE.findall(text)) | frozenset(_NAME.findall(text))


def _in_full(sheets: Sequence[SheetText], mark: str) -> str:
    inner = "\n".join(
        fenced("sheet", sheet.text, mark, number=str(sheet.number), label=sheet.label)
        for sheet in sheets
    )
    return f"<document-{mark}>\n{inner}\n</document-{mark}>"


def _outline(sheets: Sequence[SheetText], mark: str) -> str:
    lines = "\n".join(
        f"{sheet.number}. {' '.join(f'{sheet.label}: {sheet.text}'.split())[:_OUTLINE_CHARACTERS]}"
        for sheet in sheets
    )
    return fenced("outline", lines, mark)

"""Documents as the reader gives them, for tests about what is done with them."""

import hashlib
from pathlib import Path

from reviewer.documents.sheets import DocumentRead, ParagraphRead, SheetRead, Word
from tests.factories import laid_out, picture


def plain_document(text: str, folder: Path) -> DocumentRead:
    """A document with one sheet for each part between rules, one paragraph for each block.

    It stands in for the reader where a test is about what is done with its result.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "document.pdf").write_bytes(b"%PDF-1.7")
    (folder / "sheet.png").write_bytes(picture(60, 85))
    sheets = [
        _plain_sheet(number, part, folder / "sheet.png")
        for number, part in enumerate(text.split("\n---\n"), start=1)
    ]
    return DocumentRead(
        kind="markdown",
        pdf=folder / "document.pdf",
        layout_approximate=False,
        notes=(),
        fit=(),
        sheets=tuple(sheets),
        converter="weasyprint",
    )


def _plain_sheet(number: int, part: str, image: Path) -> SheetRead:
    blocks = [" ".join(block.lstrip("#").split()) for block in part.split("\n\n") if block.strip()]
    shown = "\n".join(blocks)
    paragraphs, at = [], 0
    for block in blocks:
        words = len(block.split())
        key = "sha256:" + hashlib.sha256(block.encode()).hexdigest()[:32]
        paragraphs.append(ParagraphRead(block, key, at, at + words - 1))
        at += words
    return SheetRead(
        number=number,
        label=str(number),
        text=shown,
        width=595.0,
        height=842.0,
        words=tuple(Word(*word) for word in laid_out(shown, width=595, height=842)),
        image=image,
        image_width=60,
        image_height=85,
        thumbnail=image,
        paragraphs=tuple(paragraphs),
        has_text=bool(shown),
        unread="" if shown else "blank",
    )

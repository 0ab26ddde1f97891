"""DOCX without LibreOffice: its text and structure through mammoth, its layout approximate.

Also what is said of a Word document however it is laid out: tracked changes. Refused: XML
with a document type declaration, which Word never writes and which entities hide behind.
"""

import re
from io import BytesIO

from reviewer.documents.errors import unreadable
from reviewer.documents.sniff import unpack

_DECLARATION = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_INSERTED = re.compile(rb"<w:(?:ins|moveTo)\s")
_DELETED = re.compile(rb"<w:(?:del|moveFrom)\s")


def check_office(raw: bytes, what: str) -> dict[str, bytes]:
    """The XML parts of an Office file; raises `UnreadableFile` where they are not safe."""
    parts = unpack(raw)
    for content in parts.values():
        head = content if len(content) < 4_000_000 else content[:4_000_000]
        plain = head.decode("utf-16", "ignore").encode() if head[:2] in _WIDE else head
        if _DECLARATION.search(plain):
            raise unreadable("unsafe", what=what, why="a document type declaration")
    return parts


_WIDE = (b"\xff\xfe", b"\xfe\xff")


def tracked_changes(parts: dict[str, bytes]) -> str:
    """A sentence about tracked changes in a Word document, or nothing."""
    body = parts.get("word/document.xml", b"")
    inserted, deleted = len(_INSERTED.findall(body)), len(_DELETED.findall(body))
    if not inserted and not deleted:
        return ""
    return (
        f"This document has tracked changes ({inserted} insertions, {deleted} deletions). "
        "It is shown as if all of them were accepted."
    )


def docx_to_html(raw: bytes) -> str:
    """The document's content as HTML; headers and footers are not in it."""
    import mammoth

    try:
        result = mammoth.convert_to_html(BytesIO(raw), external_file_access=False)
    except Exception as error:  # mammoth states no errors of its own
        raise unreadable("damaged", what="a Word document") from error
    return f"<!DOCTYPE html>\n<html><head></head><body>{result.value}</body></html>"

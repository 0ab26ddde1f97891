"""What a file is, by its content. Runs in the child process only.

Its name decides one thing: whether prose without any markup is Markdown or plain text.
Refused with a reason: everything that is not one of the six kinds, and archives that
unpack to far more than a document needs.
"""

import re
import zipfile
import zlib
from io import BytesIO
from pathlib import PurePath
from typing import NamedTuple

from reviewer.documents.decode import decode
from reviewer.documents.errors import unreadable
from reviewer.documents.sheets import Kind

MOST_PARTS = 10_000
MOST_UNPACKED = 300 * 1024 * 1024

_PDF_HEADER = 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"{\\rtf", "a rich text file (.rtf)"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"II*\x00", "a picture"),
    (b"MM\x00*", "a picture"),
    (b"BM", "a picture"),
    (b"RIFF", "a picture or a recording"),
    (b"%!PS", "a PostScript file"),
    (b"\x1f\x8b", "a compressed archive"),
    (b"BZh", "a compressed archive"),
    (b"7z\xbc\xaf", "a compressed archive"),
    (b"Rar!", "a compressed archive"),
    (b"\xfd7zXZ", "a compressed archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"SQLite format 3", "a database"),
    (b"OggS", "a recording"),
    (b"ID3", "a recording"),
)
_BINARY_OTHERS = {b"BM", b"MZ", b"RIFF", b"ID3", b"BZh", b"GIF8"}

_HTML = re.compile(
    r"^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_SVG = re.compile(
    r"^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype\s+svg[^>]*>\s*)?<svg[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_ELEMENT = re.compile(r"</(?:p|div|section|article|table|h[1-6]|ul|ol|span|main)>", re.IGNORECASE)
_MARKDOWN = (
    re.compile(r"^#{1,6}\s+\S", re.MULTILINE),
    re.compile(r"^[^\n|]*\|[^\n]*\n\s*\|?\s*:?-{2,}:?\s*\|", re.MULTILINE),
    re.compile(r"^(?:```|~~~)", re.MULTILINE),
    re.compile(r"!?\[[^\]\n]+\]\([^)\s]+[^)]*\)"),
    re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__"),
    re.compile(r"^\s{0,3}[-*+]\s+\S", re.MULTILINE),
    re.compile(r"^\S[^\n]*\n(?:={3,}|-{3,})\s*$", re.MULTILINE),
    re.compile(r"\A---\s*\n.*?\n(?:---|\.\.\.)\s*\n", re.DOTALL),
)
_OBJECTS = re.compile(rb"\d+ \d+ obj\b.*?\bendobj\b", re.DOTALL)


class Sniffed(NamedTuple):
    """The kind; for text flavours also the text, with a note on how it was decoded."""

    kind: Kind
    text: str
    note: str


def sniff(raw: bytes, name: str) -> Sniffed:
    """The kind of `raw`; raises `UnreadableFile` where it is none of ours."""
    if not raw.strip(b"\x00 \t\r\n"):
        raise unreadable("empty")
    if b"%PDF-" in raw[:_PDF_HEADER]:
        return Sniffed("pdf", "", "")
    if raw.startswith(b"PK"):
        return Sniffed(_in_archive(raw), "", "")
    if raw.startswith(_OLE):
        raise _old_office(raw)
    for start, what in _OTHERS:
        if raw.startswith(start) and not (start in _BINARY_OTHERS and _is_text(raw)):
            raise unreadable("not_accepted", what=what)
    if _OBJECTS.search(raw[:200_000]) and b"/Type" in raw:
        raise unreadable("no_header")
    return _text(raw, name)


def _text(raw: bytes, name: str) -> Sniffed:
    decoded = decode(raw)
    if not decoded.encoding.startswith("utf-16") and not _is_text(raw):
        raise unreadable("unknown")
    text = decoded.text
    start = text[:20_000]
    if _SVG.match(start):
        raise unreadable("not_accepted", what="a picture")
    if _HTML.match(start) or (start.lstrip()[:1] == "<" and _mostly_elements(text)):
        return Sniffed("html", text, decoded.note)
    signs = sum(bool(sign.search(text[:200_000])) for sign in _MARKDOWN)
    named = PurePath(name.lower()).suffix in {".md", ".markdown", ".mdown", ".mkd"}
    plain = PurePath(name.lower()).suffix in {".txt", ".text"}
    needed = 3 if plain else 1 if named else 2
    markdown = signs >= needed or named
    return Sniffed("markdown" if markdown else "text", text, decoded.note)


def _mostly_elements(text: str) -> bool:
    """HTML without its head: many closed elements, and no Markdown heading or table."""
    sample = text[:200_000]
    closed = len(_ELEMENT.findall(sample))
    return closed >= 3 and not any(sign.search(sample) for sign in _MARKDOWN[:2])


def _is_text(raw: bytes) -> bool:
    """Whether bytes read as text: few control characters other than white space and NUL."""
    sample = raw[:20_000]
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    control = sum(byte < 9 or 13 < byte < 32 for byte in sample)
    nul = sample.count(0)
    return control - nul <= 0.01 * len(sample) and nul <= 0.6 * len(sample)


def _in_archive(raw: bytes) -> Kind:
    """Which Office format a zip archive holds, having checked what it would unpack to."""
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            parts = archive.infolist()
            names = {part.filename for part in parts}
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, UnicodeError) as error:
        raise unreadable("damaged", what="an Office document") from error
    if "[Content_Types].xml" not in names:
        raise unreadable("not_accepted", what=_archive_of(names))
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
        raise unreadable("inflates")
    if any(name.startswith("xl/") for name in names):
        raise unreadable("not_accepted", what="an Excel workbook")
    if any(name.startswith("visio/") for name in names):
        raise unreadable("not_accepted", what="a Visio drawing")
    try:
        unpack(raw)
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, RuntimeError, zlib.error) as error:
        raise unreadable("damaged", what="an Office document") from error
    if any(name.startswith("ppt/") for name in names):
        return "pptx"
    if any(name.startswith("word/") for name in names):
        return "docx"
    raise unreadable("not_accepted", what="an Office file of another kind")


def unpack(raw: bytes, most: int = MOST_UNPACKED) -> dict[str, bytes]:
    """All XML parts of an archive, and proof that the rest unpacks within `most` bytes.

    The sizes that an archive states are not believed: what comes out is counted.
    """
    left = most
    xml: dict[str, bytes] = {}
    with zipfile.ZipFile(BytesIO(raw)) as archive:
        for part in archive.infolist():
            keep: list[bytes] | None = [] if part.filename.endswith((".xml", ".rels")) else None
            with archive.open(part) as stream:
                while piece := stream.read(1 << 20):
                    left -= len(piece)
                    if left < 0:
                        raise unreadable("inflates")
                    if keep is not None:
                        keep.append(piece)
            if keep is not None:
                xml[part.filename] = b"".join(keep)
    return xml


def _archive_of(names: set[str]) -> str:
    if "mimetype" in names and "content.xml" in names:
        return "an OpenDocument file"
    if "mimetype" in names and any(name.startswith("META-INF") for name in names):
        return "an e-book"
    return "a compressed archive"


def _old_office(raw: bytes) -> Exception:
    def holds(stream: str) -> bool:
        return stream.encode("utf-16-le") in raw

    if holds("EncryptedPackage") or holds("EncryptionInfo"):
        return unreadable("locked", what="document")
    if holds("WordDocument"):
        return unreadable("old_office", what="a Word 97 document (.doc)", instead=".docx")
    if holds("PowerPoint Document"):
        return unreadable("old_office", what="a PowerPoint 97 file (.ppt)", instead=".pptx")
    if holds("Workbook") or holds("Book"):
        return unreadable("not_accepted", what="an Excel workbook")
    return unreadable("not_accepted", what="an Office file of an older kind")

"""Any accepted file becomes a PDF. Runs in the child process only.

A PDF stays as it is, byte for byte. Which way each kind goes is decided here and nowhere
else, so that what is said of the layout is always true.
"""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from reviewer.documents.errors import UnreadableFile, unreadable
from reviewer.documents.limits import Limits
from reviewer.documents.sheets import FitFault, Kind, SourceRead
from reviewer.documents.sniff import Sniffed, sniff

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Converted:
    """The PDF, and what is known of how it came about."""

    kind: Kind
    pdf: Path
    converter: str
    layout_approximate: bool = False
    notes: list[str] = field(default_factory=list)
    faults: list[FitFault] = field(default_factory=list)
    source: SourceRead = field(default_factory=SourceRead)


def convert(folder: Path, name: str, limits: Limits, progress: Progress) -> Converted:
    """`folder/original` as `folder/document.pdf`; raises `UnreadableFile`."""
    original = folder / "original"
    raw = original.read_bytes()
    found = sniff(raw, name)
    pdf = folder / "document.pdf"
    if found.kind == "pdf":
        pdf.write_bytes(raw)
        return Converted("pdf", pdf, "none")
    progress("converting", 0, 1)
    if found.kind in ("docx", "pptx"):
        result = _office(folder, raw, found.kind, pdf, limits)
    else:
        result = _text(found, pdf)
    progress("converting", 1, 1)
    return result


def _text(found: Sniffed, pdf: Path) -> Converted:
    from reviewer.documents.markdown import markdown_to_html, text_to_html

    source = found.text
    if found.kind == "markdown":
        source = markdown_to_html(found.text)
    elif found.kind == "text":
        source = text_to_html(found.text)
    converted = _lay_out(found.kind, source, pdf, "weasyprint")
    if found.note:
        converted.notes.insert(0, found.note)
    return converted


def _office(folder: Path, raw: bytes, kind: Kind, pdf: Path, limits: Limits) -> Converted:
    from reviewer.documents import leftovers, outline, word
    from reviewer.documents.office import convert_with_libreoffice, installed

    parts = word.check_office(raw, "a Word document" if kind == "docx" else "a presentation")
    notes: list[str] = []
    told = SourceRead()
    if kind == "pptx":
        shown, hidden = word.slides(parts)
        if not shown:
            raise unreadable("no_slides")
        if hidden:
            notes.append(f"Hidden slides are left out ({hidden}).")
    else:
        told = replace(outline.outline_of_word(parts), leftovers=leftovers.left_in_word(parts))
        raw, said = word.accept_changes(raw, parts)
        notes.extend([said] if said else [])
    libreoffice = limits.libreoffice and installed() is not None
    if libreoffice:
        source = folder / f"source.{kind}"
        source.write_bytes(raw)
        if convert_with_libreoffice(source, pdf, folder):
            return Converted(kind, pdf, "libreoffice", notes=notes, source=told)
        notes.append("LibreOffice could not lay this document out.")
    if kind == "pptx":
        raise unreadable("converter_failed" if libreoffice else "needs_libreoffice")
    converted = _lay_out(kind, word.docx_to_html(raw, parts), pdf, "mammoth and weasyprint")
    converted.layout_approximate = True
    converted.source = told
    converted.notes[:0] = notes
    return converted


def _lay_out(kind: Kind, source: str, pdf: Path, converter: str) -> Converted:
    from reviewer.documents.layout import lay_out
    from reviewer.documents.outline import outline_of_html
    from reviewer.documents.sanitise import sanitise

    try:
        clean = sanitise(source)
        laid_out = lay_out(clean, pdf)
    except (MemoryError, RecursionError, UnreadableFile):
        raise
    except Exception as error:
        traceback.print_exc()
        raise unreadable("converter_failed") from error
    return Converted(
        kind,
        pdf,
        converter,
        notes=[*clean.notes, *laid_out.notes],
        faults=laid_out.faults,
        source=outline_of_html(clean.html),
    )

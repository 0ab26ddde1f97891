"""What is done to Office files before they are laid out, and DOCX without LibreOffice.

Tracked changes are accepted in the file itself, so that every way of laying it out shows
the same text, and that is said. Refused: XML with a document type declaration, which no
Office program writes and which entities hide behind.
"""

import re
import zipfile
from io import BytesIO
from typing import Any

from reviewer.core.wording import counted
from reviewer.documents.errors import unreadable
from reviewer.documents.sniff import unpack

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_EMU_A_POINT = 12700

_DECLARATION = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_WITH_CHANGES = re.compile(r"^word/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml$")
_CHANGE = re.compile(rb"<w:(?:ins|del|moveFrom|moveTo|rPrChange|pPrChange|commentReference)[\s>/]")
_COMMENTED = [f"{_W}comment{kind}" for kind in ("RangeStart", "RangeEnd", "Reference")]
_SLIDE = re.compile(r"^ppt/slides/[^/]+\.xml$")


def check_office(raw: bytes, what: str) -> dict[str, bytes]:
    """The XML parts of an Office file; raises `UnreadableFile` where they are not safe."""
    parts = unpack(raw)
    for content in parts.values():
        plain = content
        if content[:2] in _WIDE:
            plain = content.decode("utf-16", "ignore").encode("utf-8", "ignore")
        if _DECLARATION.search(plain):
            raise unreadable("unsafe", what=what, why="a document type declaration")
    return parts


def slides(parts: dict[str, bytes]) -> tuple[int, int]:
    """How many slides a presentation has, and how many of them are hidden."""
    found = [content for name, content in parts.items() if _SLIDE.match(name)]
    hidden = sum(bool(re.search(rb"<p:sld\b[^>]*\bshow=\"(?:0|false)\"", one)) for one in found)
    return len(found), hidden


def accept_changes(raw: bytes, parts: dict[str, bytes]) -> tuple[bytes, str]:
    """The document with its tracked changes accepted, and a sentence that says so; the
    document as it is, and nothing, where it has none. Its comments are taken off the text
    as well: they are on no page, and some builds of LibreOffice do not load a file with one."""
    changed = {
        name: content
        for name, content in parts.items()
        if _WITH_CHANGES.match(name) and _CHANGE.search(content)
    }
    inserted = deleted = 0
    accepted: dict[str, bytes] = {}
    for name, content in changed.items():
        new, more, less = _accepted(content)
        accepted[name] = new
        inserted, deleted = inserted + more, deleted + less
    if not accepted:
        return raw, ""
    said = ""
    if inserted or deleted:
        said = (
            f"This document has tracked changes ({counted(inserted, 'insertion')}, "
            f"{counted(deleted, 'deletion')}). It is shown as if all of them were accepted."
        )
    return _with_parts(raw, accepted), said


def docx_to_html(raw: bytes, parts: dict[str, bytes]) -> str:
    """The document's content as HTML; headers and footers are not in it."""
    import mammoth

    sizes = iter(_picture_sizes(parts.get("word/document.xml", b"")))

    def picture(image: Any) -> dict[str, str]:
        with image.open() as stream:
            content = stream.read()
        size = next(sizes, None)
        style = f"width: {size:.1f}pt" if size else ""
        return {"src": _data(content, image.content_type), "style": style}

    try:
        result = mammoth.convert_to_html(
            BytesIO(raw),
            external_file_access=False,
            convert_image=mammoth.images.img_element(picture),
        )
    except RecursionError:
        raise
    except Exception as error:  # mammoth states no errors of its own
        raise unreadable("damaged", what="a Word document") from error
    return f"<!DOCTYPE html>\n<html><head></head><body>{result.value}</body></html>"


def _data(content: bytes, kind: str) -> str:
    import base64

    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


def parse(content: bytes) -> Any:
    """The tree of one XML part, of which nothing outside it is loaded."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        if "Excessive depth" in str(error):
            raise unreadable("too_deep") from error
        raise unreadable("damaged", what="an Office document") from error


def _accepted(content: bytes) -> tuple[bytes, int, int]:
    """One part with its changes accepted; how many insertions and deletions it had."""
    from lxml import etree

    root = parse(content)
    inserted = deleted = 0
    for row in [*root.iter(f"{_W}tr")]:
        if row.find(f"{_W}trPr/{_W}del") is not None:
            row.getparent().remove(row)
            deleted += 1
    for mark in [*root.iter(f"{_W}del", f"{_W}moveFrom")]:
        parent = mark.getparent()
        if parent.tag == f"{_W}rPr" and parent.getparent().tag == f"{_W}pPr":
            _join_to_next(parent.getparent().getparent())
        else:
            deleted += 1
        parent.remove(mark)
    for mark in [*root.iter(f"{_W}ins", f"{_W}moveTo")]:
        parent = mark.getparent()
        inserted += len(mark) > 0
        place = parent.index(mark)
        for child in reversed([*mark]):
            parent.insert(place + 1, child)
        parent.remove(mark)
    changes = [f"{_W}{kind}Change" for kind in ("rPr", "pPr", "tblPr", "tcPr", "trPr", "sectPr")]
    for mark in [*root.iter(*changes, *_COMMENTED)]:
        mark.getparent().remove(mark)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8"), inserted, deleted


def _join_to_next(paragraph: Any) -> None:
    """A paragraph whose mark was deleted runs on into the next one."""
    following = paragraph.getnext()
    if following is None or following.tag != f"{_W}p":
        return
    properties = following.find(f"{_W}pPr")
    place = 0 if properties is None else following.index(properties) + 1
    for child in reversed([one for one in paragraph if one.tag != f"{_W}pPr"]):
        following.insert(place, child)
    paragraph.getparent().remove(paragraph)


def _with_parts(raw: bytes, new: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with (
        zipfile.ZipFile(BytesIO(raw)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for part in old.infolist():
            archive.writestr(part.filename, new.get(part.filename) or old.read(part))
    return out.getvalue()


def _picture_sizes(document: bytes) -> list[float | None]:
    """The width of each picture in points, in the order in which they are shown."""
    if not document:
        return []
    sizes: list[float | None] = []
    for blip in parse(document).iter(f"{_A}blip"):
        width: float | None = None
        for up in blip.iterancestors():
            if up.tag in (f"{_MC}Choice", f"{_W}del"):
                break
            if up.tag in (f"{_WP}inline", f"{_WP}anchor"):
                extent = up.find(f"{_WP}extent")
                given = "" if extent is None else extent.get("cx", "")
                width = int(given) / _EMU_A_POINT if given.isdigit() else None
        else:
            sizes.append(width)
    return sizes

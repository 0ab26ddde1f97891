"""Hostile HTML becomes a tree that can be laid out: no script, no fetch, nothing embedded.

What stays is content and the document's own style. Images stay where they are data; any
other is shown as a box that says it was not loaded. Links stay where they go to the web,
to mail or inside the document. Everything else that could reach outside is taken out here
first, and refused again by the fetcher of the layout.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from reviewer.documents.errors import unreadable

_DROPPED = {
    "script", "noscript", "iframe", "frameset", "object", "applet", "template", "audio", "video",
    "portal", "canvas", "dialog", "map", "xml", "title",
}  # fmt: skip
# These hold nothing; where a parser finds something in them, it belongs after them.
_DROPPED_EMPTY = {
    "link", "base", "meta", "embed", "source", "track", "param", "area", "bgsound", "frame",
}  # fmt: skip
_MOST_STYLE = 120_000
"""Characters of style; a page with more was styled for a screen, and ours serves better."""
_SAFE_LINK = re.compile(r"^(?:https?:|mailto:|tel:|#)", re.IGNORECASE)
_URL_ATTRIBUTES = {"background", "action", "formaction", "poster", "data", "srcset", "ping",
                   "cite", "longdesc", "xlink:href", "lowsrc", "dynsrc", "manifest"}  # fmt: skip
_PAGE_SIZE = re.compile(r"@page\b[^{]*\{[^}]*\bsize\s*:", re.IGNORECASE)
_LENGTH = r"\s*:\s*(\d[\d.]{0,8}(?:mm|cm|in|pt|px))"
_WIDTH = re.compile(r"(?<![-\w])width" + _LENGTH, re.IGNORECASE)
_HEIGHT = re.compile(r"(?<![-\w])(?:min-)?height" + _LENGTH, re.IGNORECASE)
_DATA_IMAGE = re.compile(r"^data:image/(?:png|jpe?g|gif|webp|svg\+xml|bmp|tiff)[;,]", re.IGNORECASE)


@dataclass(slots=True)
class Sanitised:
    """`html` is the whole document; `images` are what was not loaded, by the id of the box in
    their place; `sheets` are the ids of elements that each are one sheet; `page` is the size
    of a page in CSS where the sheets give it; `paged` whether the document has its pages'
    size itself."""

    html: str
    images: dict[str, str] = field(default_factory=dict)
    sheets: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    page: str = ""
    paged: bool = False


def sanitise(text: str) -> Sanitised:
    """`text` is HTML in any state; the result is well formed and self-contained.

    Raises `UnreadableFile` where elements stand within each other deeper than is parsed.
    """
    import lxml.html
    from lxml.etree import ParserError
    from lxml.html import HTMLParser

    parser = HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False
    )
    try:
        tree = lxml.html.document_fromstring(
            text.encode("utf-8", "replace"), parser=parser, ensure_head_body=True
        )
    except ParserError:  # not one element in it
        tree = lxml.html.document_fromstring("<p></p>", parser=parser, ensure_head_body=True)
    if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log):
        raise unreadable("too_deep")  # what lies deeper is not in the tree
    result = Sanitised("")
    remote = _count_remote(tree)
    styles = _own_style(tree, result)
    for element in list(tree.iter()):
        if not isinstance(element.tag, str):
            _remove(element)
            continue
        tag = element.tag.lower().rpartition("}")[2]
        if tag in _DROPPED_EMPTY:
            _unwrap(element)
        elif tag in _DROPPED or ":" in tag:
            _remove(element)
        elif tag in {"img", "image"} or (tag == "input" and element.get("type") == "image"):
            _image(element, result)
        else:
            _attributes(element)
    if remote:
        result.notes.append(
            f"Style sheets and scripts of the page were not loaded ({remote}); the page is "
            "shown with the style that is in the file."
        )
    _mark_sheets(tree, styles, result)
    result.html = lxml.html.tostring(tree, encoding="unicode", doctype="<!DOCTYPE html>")
    return result


def _unwrap(element: Any) -> None:
    """Take an element out and keep what is in it."""
    element.drop_tag()


def _remove(element: Any) -> None:
    """Take an element out and keep the text that follows it."""
    parent = element.getparent()
    if parent is None:
        return
    tail = element.tail
    element.tail = None
    if tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
    parent.remove(element)


def _count_remote(tree: Any) -> int:
    links = [one for one in tree.iter("link") if "stylesheet" in (one.get("rel") or "").lower()]
    scripts = [one for one in tree.iter("script") if one.get("src")]
    return len(links) + len(scripts)


def _own_style(tree: Any, result: Sanitised) -> str:
    """The document's style, taken out where there is too much of it to be meant for paper."""
    elements = list(tree.iter("style"))
    text = "\n".join(element.text or "" for element in elements)
    if len(text) > _MOST_STYLE:
        for element in elements:
            _remove(element)
        result.notes.append("The page's own style is for a screen; it is shown in a plain one.")
        return ""
    return text


def _image(element: Any, result: Sanitised) -> None:
    source = (element.get("src") or element.get("href") or "").strip()
    if _DATA_IMAGE.match(source):
        for name in list(element.attrib):
            if name not in {"src", "alt", "width", "height", "class", "id", "style"}:
                del element.attrib[name]
        return
    named = (element.get("alt") or "").strip() or source.split("?")[0].rpartition("/")[2]
    number = f"not-loaded-{len(result.images) + 1}"
    result.images[number] = named[:80] or "without a name"
    small = _pixels(element.get("width")) < 40 and element.get("width") is not None
    tail = element.tail
    element.clear()
    element.tail = tail
    element.tag = "span"
    element.set("id", number)
    element.set("class", "not-loaded small" if small else "not-loaded")
    if not small:
        element.text = f"Image not loaded: {named[:80]}" if named else "Image not loaded"


def _pixels(value: str | None) -> float:
    found = re.match(r"\s*([\d.]{1,8})", value or "")
    try:
        return float(found[1]) if found else 0.0
    except ValueError:
        return 0.0


def _attributes(element: Any) -> None:
    for name, value in list(element.attrib.items()):
        lower = name.lower()
        if lower.startswith("on") or lower in _URL_ATTRIBUTES or lower in {"src", "rel", "is"}:
            del element.attrib[name]
        elif lower == "href" or lower.endswith("}href"):
            inside = element.tag.lower() == "use" and value.startswith("#")
            link = element.tag.lower() == "a" and _SAFE_LINK.match(value.strip())
            if not inside and not link:
                del element.attrib[name]


def _mark_sheets(tree: Any, styles: str, result: Sanitised) -> None:
    """Give each element that is a page of its own an id: by its class, or by a fixed size."""
    marked = [
        element
        for element in tree.iter("div", "section", "article", "main")
        if "sheet" in (element.get("class") or "").split()
    ]
    if not marked:
        marked = [one for one in tree.iter("section", "article") if _size(one, styles)[1]]
    outer = [one for one in marked if not any(up in marked for up in one.iterancestors())]
    for number, element in enumerate(outer, 1):
        if not element.get("id"):
            element.set("id", f"marked-sheet-{number}")
        element.set("class", f"{element.get('class') or ''} marked-sheet".strip())
        result.sheets.append(element.get("id"))
    if outer and not _PAGE_SIZE.search(styles):
        width, height = _size(outer[0], styles)
        if height:
            result.page = f"{width or '210mm'} {height}"
    result.paged = bool(result.page or _PAGE_SIZE.search(styles))


def _size(element: Any, styles: str) -> tuple[str, str]:
    """The width and height that the element is given, by its own style, its class or its
    kind; an empty string for what is not given as a length."""
    classes = [f"\\.{re.escape(name)}" for name in (element.get("class") or "").split()]
    selector = "|".join([*classes, re.escape(element.tag)])
    rules = re.findall(
        rf"(?:^|[}},\s])(?:[a-z]*)(?:{selector})\s*(?:,[^{{}}]*)?{{([^}}]*)}}",
        styles,
        re.IGNORECASE,
    )
    declared = ";".join([*rules, element.get("style") or ""])
    width = _WIDTH.findall(declared)
    height = _HEIGHT.findall(declared)
    return width[-1] if width else "", height[-1] if height else ""

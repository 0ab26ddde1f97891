"""A PDF is rewritten for the client: what was on the sheets, and nothing else. Child only.

Taken out: attachments, scripts and actions, layers that are not shown, comments, forms (what
was filled in stays as print), who made it when and with what, bookmarks that say what is on
no sheet, everything that no sheet draws, and what earlier saves left in the file. Kept: the
sheets, their order and labels, links to the web and within the file, tags for those who
listen to it, and whatever the caller names in `keep`.

Refused: a result that looks other than what it was made from, or has a word more. The same
input gives the same bytes.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from reviewer.documents.errors import unreadable
from reviewer.documents.layers import Layers, take_out_hidden
from reviewer.documents.limits import Limits

KEEPABLE = frozenset({"author"})
"""What a manager may leave in."""

_ROOT = {
    "/Type", "/Pages", "/Outlines", "/StructTreeRoot", "/MarkInfo", "/Lang", "/PageLabels",
    "/Dests", "/Names", "/PageLayout", "/Version",
}  # fmt: skip
_PAGE = {
    "/Type", "/Parent", "/Resources", "/MediaBox", "/CropBox", "/BleedBox", "/TrimBox",
    "/ArtBox", "/Rotate", "/Contents", "/Annots", "/StructParents", "/Tabs", "/Group",
    "/UserUnit",
}  # fmt: skip
_ANYWHERE = (
    "/AA", "/AF", "/JS", "/EF", "/EmbeddedFiles", "/PieceInfo", "/Metadata", "/LastModified",
    "/OPI", "/Alternates", "/Ref", "/Thumb", "/SpiderInfo", "/ActualText", "/E",
)  # fmt: skip
_PRINTED = {"/Widget", "/FreeText", "/Stamp"}
"""Notes and fields whose text is read as part of the page, so they leave as part of it."""
_LINK = re.compile(r"^(?:https?:|mailto:|tel:)", re.IGNORECASE)
_SCALE = 0.6
_UNLIKE = 12
"""Of 255: less is a rounding of the same ink."""
_MOST_UNLIKE = 0.0005
"""Share of a page's pixels that may differ by more."""
_MOST_PRINTED = 0.05
"""The same where what stood in fields is print now and a comment is gone."""

Progress = Callable[[str, int, int], None]


def rewrite(
    source: Path,
    target: Path,
    *,
    title: str,
    keep: Collection[str],
    limits: Limits,
    progress: Progress,
) -> dict[str, Any]:
    """Write `target` from the PDF `source`; says what was removed, and which descriptions stay.

    Raises `UnreadableFile` where the result cannot be vouched for.
    """
    import pikepdf

    loadable = _loadable(source)
    progress("converting", 0, 3)
    with pikepdf.open(source) as pdf:
        printed = _pages_with(pdf, loadable, _PRINTED)
        removed, commented = _strip(pdf, loadable)
        author = str(pdf.docinfo.get("/Author", "")) if "author" in keep else ""
        if len(pdf.docinfo) - bool(author):
            removed.append("Who made the file, when and with what.")
        _forget_document(pdf, title, author)
        progress("converting", 1, 3)
        words = _drop_bookmarks(pdf, source, removed)
        described = _descriptions(pdf)
        pdf.remove_unreferenced_resources()
        pdf.save(
            target,
            deterministic_id=True,
            encryption=False,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            compress_streams=True,
        )
    progress("converting", 2, 3)
    if target.stat().st_size > limits.output_bytes:
        raise unreadable("too_much_output")
    _compare(source, target, loadable, commented, printed & commented, words, progress)
    return {"removed": removed, "pages": len(loadable), "described": described}


def _loadable(source: Path) -> list[int]:
    """The indices of the pages that are sheets, as reading counts them."""
    from reviewer.documents.pages import MOST_SKIPPED, load_page, open_pdf

    found: list[int] = []
    with open_pdf(source) as document:
        for index in range(len(document)):
            page = load_page(document, index)
            if page is not None:
                found.append(index)
                page.helper.close()
            elif index - len(found) > MOST_SKIPPED:
                break
    if not found:
        raise unreadable("no_sheets")
    return found


def _strip(pdf: Any, loadable: list[int]) -> tuple[list[str], set[int]]:
    """Everything taken out of the pages and the catalogue; the pages that lost a comment."""
    removed: list[str] = []
    keep = set(loadable)
    for index in range(len(pdf.pages) - 1, -1, -1):
        if index not in keep:
            del pdf.pages[index]
    layers = Layers(pdf)
    names = pdf.Root.get("/Names", {})
    if "/EmbeddedFiles" in names or "/AF" in pdf.Root or "/Collection" in pdf.Root:
        removed.append("Attached files.")
    opens = hasattr(pdf.Root.get("/OpenAction"), "keys")
    if "/JavaScript" in names or opens or "/AA" in pdf.Root:
        removed.append("Scripts and actions that run by themselves.")
    commented, comments = _comments(pdf, layers)
    if comments:
        removed.append(f"Comments and other notes ({comments}).")
    printed = _has(pdf, _PRINTED)
    if printed or "/AcroForm" in pdf.Root:
        pdf.generate_appearance_streams()
        pdf.flatten_annotations("screen")
        if printed:
            removed.append("Form fields and stamps; what they show stays as print.")
    if layers.any:
        hidden = take_out_hidden(pdf, layers)
        removed.append(f"Layers; what was hidden in them is gone ({hidden}).")
    _links_only(pdf)
    for key in list(pdf.Root.keys()):
        if key not in _ROOT:
            del pdf.Root[key]
    for key in list(names.keys()):
        if key != "/Dests":
            del names[key]
    for page in pdf.pages:
        for key in list(page.obj.keys()):
            if key not in _PAGE:
                del page.obj[key]
    for each in pdf.objects:
        _clean(each, 0)
    return removed, commented


def _comments(pdf: Any, layers: Layers) -> tuple[set[int], int]:
    """Empty every annotation that is no link and no print; what refers to one finds nothing."""
    commented: set[int] = set()
    count = 0
    for index, page in enumerate(pdf.pages):
        annotations = page.obj.get("/Annots")
        if annotations is None:
            continue
        kept = []
        for each in list(annotations):
            if not hasattr(each, "keys"):
                continue
            kind = str(each.get("/Subtype", ""))
            if (kind == "/Link" or kind in _PRINTED) and layers.shows(each.get("/OC")):
                kept.append(each)
                continue
            count += kind != "/Popup"
            commented.add(index)
            for key in list(each.keys()):
                del each[key]
        page.obj["/Annots"] = _array(kept)
    return commented, count


def _links_only(pdf: Any) -> None:
    for page in pdf.pages:
        links = [a for a in page.obj.get("/Annots", []) if _is_link(a)]
        for link in links:
            for key in list(link.keys()):
                if key not in {"/Type", "/Subtype", "/Rect", "/Border", "/Dest", "/A", "/F",
                               "/QuadPoints", "/C", "/H", "/StructParent"}:  # fmt: skip
                    del link[key]
            _harmless_action(link)
        leading = [link for link in links if "/A" in link or "/Dest" in link]
        if leading:
            page.obj["/Annots"] = _array(leading)
        elif "/Annots" in page.obj:
            del page.obj["/Annots"]


def _is_link(annotation: Any) -> bool:
    return hasattr(annotation, "keys") and annotation.get("/Subtype") == "/Link"


def _harmless_action(holder: Any) -> None:
    """Leave an action only where it goes to the web or within the file."""
    import pikepdf

    action = holder.get("/A")
    if action is None:
        return
    del holder["/A"]
    kind = str(action.get("/S", "")) if hasattr(action, "get") else ""
    if kind == "/URI" and _LINK.match(str(action.get("/URI", ""))):
        holder["/A"] = pikepdf.Dictionary(S=pikepdf.Name.URI, URI=action["/URI"])
    elif kind == "/GoTo" and "/D" in action:
        holder["/A"] = pikepdf.Dictionary(S=pikepdf.Name.GoTo, D=action["/D"])


def _clean(each: Any, depth: int) -> None:
    """Drop what no sheet shows from an object and what is directly in it."""
    import pikepdf

    if depth > 40:
        raise unreadable("damaged", what="a PDF")
    if isinstance(each, (pikepdf.Dictionary, pikepdf.Stream)):
        for key in list(each.keys()):
            if key in _ANYWHERE and not (key == "/E" and "/K" not in each):
                del each[key]
            elif isinstance(each.get(key), (pikepdf.Dictionary, pikepdf.Array)):
                inner = each[key]
                if not inner.is_indirect:
                    _clean(inner, depth + 1)
    elif isinstance(each, pikepdf.Array):
        for inner in each:
            if isinstance(inner, (pikepdf.Dictionary, pikepdf.Array)) and not inner.is_indirect:
                _clean(inner, depth + 1)


def _forget_document(pdf: Any, title: str, author: str) -> None:
    import pikepdf

    if "/Info" in pdf.trailer:
        del pdf.trailer["/Info"]
    info = pikepdf.Dictionary(Title=pikepdf.String(title))
    if author:
        info["/Author"] = pikepdf.String(author)
    pdf.trailer["/Info"] = pdf.make_indirect(info)
    pdf.Root["/ViewerPreferences"] = pikepdf.Dictionary(DisplayDocTitle=True)


def _drop_bookmarks(pdf: Any, source: Path, removed: list[str]) -> list[str]:
    """Keep the bookmarks whose words are on the sheets; the words of the sheets."""
    import pikepdf

    words = _words(source)
    text = _folded(" ".join(words))
    said = 0

    def cleaned(items: Any) -> None:
        nonlocal said
        for item in list(items):
            cleaned(item.children)
            if _folded(item.title) not in text or (
                item.action is not None and str(item.action.get("/S")) != "/GoTo"
            ):
                said += 1
                items.remove(item)

    if "/Outlines" in pdf.Root:
        try:
            with pdf.open_outline(max_depth=8) as outline:
                cleaned(outline.root)
        except (pikepdf.PdfError, ValueError, KeyError, TypeError, RecursionError):
            del pdf.Root["/Outlines"]
            removed.append("The bookmarks, which are damaged.")
    if said:
        removed.append(f"Bookmarks that say what is on no sheet ({said}).")
    return words


def _folded(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _words(path: Path) -> list[str]:
    """The words of all sheets, in their order, as pdfium reads them."""
    from reviewer.documents.pages import load_page, open_pdf

    words: list[str] = []
    with open_pdf(path) as document:
        for index in range(len(document)):
            page = load_page(document, index)
            if page is None:
                continue
            text_page = page.helper.get_textpage()
            words.extend(text_page.get_text_range().split())
            text_page.close()
            page.helper.close()
    return words


def _descriptions(pdf: Any) -> list[str]:
    """What tags say of pictures to those who do not see them; at most 100, 300 letters each."""

    if "/StructTreeRoot" not in pdf.Root:
        return []
    found = (text for each in pdf.objects for text in _alternatives(each, 0))
    return list(islice(found, 100))


def _alternatives(each: Any, depth: int) -> Iterator[str]:
    """What an object, and what is directly in it, says instead of a picture."""
    import pikepdf

    if depth > 40 or not isinstance(each, (pikepdf.Dictionary, pikepdf.Array)):
        return
    is_array = isinstance(each, pikepdf.Array)
    if not is_array and "/Alt" in each and "/S" in each:
        yield " ".join(str(each["/Alt"]).split())[:300]
    for inner in each if is_array else (each[key] for key in each.keys()):  # noqa: SIM118
        if isinstance(inner, (pikepdf.Dictionary, pikepdf.Array)) and not inner.is_indirect:
            yield from _alternatives(inner, depth + 1)


def _has(pdf: Any, kinds: set[str]) -> bool:
    return any(
        hasattr(each, "get") and str(each.get("/Subtype", "")) in kinds
        for page in pdf.pages
        for each in page.obj.get("/Annots", [])
    )


def _pages_with(pdf: Any, loadable: list[int], kinds: set[str]) -> set[int]:
    """The sheets, from 0, that have an annotation of these kinds."""
    found: set[int] = set()
    for position, index in enumerate(loadable):
        annotations = pdf.pages[index].obj.get("/Annots") or []
        if any(hasattr(a, "get") and str(a.get("/Subtype", "")) in kinds for a in annotations):
            found.add(position)
    return found


def _array(items: list[Any]) -> Any:
    import pikepdf

    return pikepdf.Array(items)


def _compare(
    source: Path,
    target: Path,
    loadable: list[int],
    commented: set[int],
    printed: set[int],
    words: list[str],
    progress: Progress,
) -> None:
    """Raise unless every sheet looks as it did and no word came to the text.

    A sheet that lost a comment is compared without what stands on it in notes and fields.
    """
    from PIL import ImageChops

    from reviewer.documents.pages import load_page, open_pdf

    with open_pdf(source) as before, open_pdf(target) as after:
        if len(after) != len(loadable):
            raise unreadable("differs", sheet=0)
        for position, index in enumerate(loadable):
            old, new = load_page(before, index), load_page(after, position)
            if old is None or new is None or (old.width, old.height) != (new.width, new.height):
                raise unreadable("differs", sheet=position + 1)
            notes = position not in commented
            if not notes:
                old.helper.close()
                old.helper = before[index]
            drawn = [
                one.helper.render(scale=_SCALE, may_draw_forms=notes, draw_annots=notes).to_pil()
                for one in (old, new)
            ]
            apart = ImageChops.difference(*(one.convert("RGB") for one in drawn)).convert("L")
            unlike = sum(apart.histogram()[_UNLIKE:])
            old.helper.close()
            new.helper.close()
            most = _MOST_UNLIKE if position not in printed else _MOST_PRINTED
            if unlike > most * apart.width * apart.height:
                raise unreadable("differs", sheet=position + 1)
            progress("sheets", position + 1, len(loadable))
    if Counter(_words(target)) - Counter(words):
        raise unreadable("differs", sheet=0)

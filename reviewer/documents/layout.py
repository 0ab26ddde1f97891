"""HTML becomes PDF through WeasyPrint. The one place where it is imported.

Promises: nothing is fetched but images that are data in the document; what could not be
shown is named with the sheet it was on; a marked sheet that runs over is named too.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewer.documents.sanitise import Sanitised
from reviewer.documents.sheets import FitFault

STYLE = Path(__file__).with_name("print.css")
_SHEET = re.compile(r"sheet:[0-9]{1,6}-[0-9]{1,4}")
_DATA_IMAGE = re.compile(r"^data:image/[a-z0-9.+-]+[;,]", re.IGNORECASE)


@dataclass(slots=True)
class LaidOut:
    """Faults that only the layout can know, and sentences about it."""

    faults: list[FitFault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def lay_out(source: Sanitised, pdf: Path) -> LaidOut:
    """Write `source` to `pdf`, with our print style under the document's own."""
    import logging
    import warnings

    logging.disable(logging.CRITICAL)  # the library logs what it ignores, to standard error
    warnings.simplefilter("ignore")
    import weasyprint

    refused: list[str] = []
    fetcher = _fetcher(refused)
    html = weasyprint.HTML(string=source.html, url_fetcher=fetcher, base_url=None)
    style = STYLE.read_text(encoding="utf-8")
    if source.paged:
        style = style[style.index("/* always */") :]
    if source.page:
        style += f"@page {{ size: {source.page}; margin: 0 }} body {{ margin: 0 }}"
    document = html.render(
        stylesheets=[weasyprint.CSS(string=style, url_fetcher=fetcher)],
        presentational_hints=True,
        optimize_images=False,
    )
    document.write_pdf(pdf, pdf_tags=True)
    return _faults(source, document, refused)


def _fetcher(refused: list[str]) -> Any:
    from weasyprint.urls import URLFetcher

    class OnlyData(URLFetcher):
        """Gives images that are in the document itself, and nothing else."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            if not _DATA_IMAGE.match(url):
                refused.append(url[:200])
                raise ValueError("not loaded")
            return super().fetch(url, headers)

    return OnlyData(allowed_protocols={"data"}, allow_redirects=False)


def _faults(source: Sanitised, document: Any, refused: list[str]) -> LaidOut:
    result = LaidOut()
    where: dict[str, int] = {}
    for number, page in enumerate(document.pages, 1):
        for anchor in page.anchors:
            where.setdefault(anchor, number)
    result.faults.extend(_missing_images(source.images, where))
    if refused:
        result.faults.append(
            FitFault(
                "image_not_loaded",
                0,
                f"The style of the page names {len(refused)} files elsewhere; none was loaded.",
            )
        )
    starts = [where[sheet] for sheet in source.sheets if sheet in where]
    ends = [*starts[1:], len(document.pages) + 1]
    for start, following in zip(starts, ends, strict=False):
        if following > start + 1:
            result.faults.append(
                FitFault("overfull", start, "This sheet runs over onto the next page.")
            )
    return result


def _missing_images(images: Mapping[str, str], where: Mapping[str, int]) -> list[FitFault]:
    """One fault a sheet, however many images it lacks."""
    by_sheet: dict[int, list[str]] = {}
    for anchor, named in images.items():
        by_sheet.setdefault(where.get(anchor, 0), []).append(named)
    faults = []
    for sheet, names in by_sheet.items():
        different = list(dict.fromkeys(names))
        listed = ", ".join(different[:4]) + (" and others" if len(different) > 4 else "")
        said = "An image is" if len(names) == 1 else f"{len(names)} images are"
        faults.append(
            FitFault("image_not_loaded", sheet, f"{said} not in the file and not shown: {listed}.")
        )
    return faults


class Paper:
    """Lays pages of our own out, one after another, in one style.

    `picture` gives the bytes of a JPEG for what follows `sheet:` in an image's address; nothing
    else is fetched.
    """

    def __init__(self, style: str, picture: Callable[[str], bytes]) -> None:
        import logging
        import warnings

        logging.disable(logging.CRITICAL)
        warnings.simplefilter("ignore")
        import weasyprint
        from weasyprint.css.counters import CounterStyle
        from weasyprint.text.fonts import FontConfiguration

        self._fetcher = _only_sheets(picture)
        self._fonts, self._counters = FontConfiguration(), CounterStyle()
        # Read once: a style costs as much as a page of text.
        self._style = weasyprint.CSS(
            string=style,
            url_fetcher=self._fetcher,
            font_config=self._fonts,
            counter_style=self._counters,
        )

    def write(self, html: str, pdf: Path, *, pages_before: int) -> list[tuple[str, int, int]]:
        """Write `html` to `pdf`; its headings with their levels and pages, from 0.

        Pages are numbered on from `pages_before`.
        """
        import weasyprint

        counted = weasyprint.CSS(
            string=f"@page :first {{ counter-reset: page {pages_before + 1} }}",
            url_fetcher=self._fetcher,
        )
        document = weasyprint.HTML(string=html, url_fetcher=self._fetcher, base_url=None).render(
            font_config=self._fonts,
            counter_style=self._counters,
            stylesheets=[self._style, counted],
        )
        document.write_pdf(pdf, pdf_identifier=b"record")
        found: list[tuple[str, int, int]] = []
        _headings(document.make_bookmark_tree(), 1, found)
        return found


def _only_sheets(picture: Callable[[str], bytes]) -> Any:
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class OnlySheets(URLFetcher):
        """Gives pictures of sheets, and nothing else."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            if not _SHEET.fullmatch(url):
                raise ValueError("not loaded")
            held = picture(url.partition(":")[2])
            return URLFetcherResponse(url, held, {"Content-Type": "image/jpeg"})

    return OnlySheets(allowed_protocols={"sheet"}, allow_redirects=False)


def _headings(tree: Any, level: int, found: list[tuple[str, int, int]]) -> None:
    for label, (page, _, _), children, _ in tree:
        found.append((str(label), level, int(page)))
        _headings(children, level + 1, found)

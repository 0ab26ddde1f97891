"""Markdown becomes HTML: CommonMark with tables, strikethrough, footnotes and attributes.

A thematic break before a heading of level 1 or 2 starts a new sheet. Front matter is data,
not text. HTML inside Markdown stays, to be made harmless with the rest.
"""

import html
import re

from reviewer.documents.errors import unreadable

_FRONT = re.compile(r"\A---[ \t]*\n(?P<data>.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MOST_FRONT = 65_536
_DEEPEST = 200
"""Levels of lists and quotes, two for a list; the parser leaves out what lies deeper."""


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """The data at the head of a Markdown text, and the text after it."""
    found = _FRONT.match(text.lstrip("\n"))
    if found is None or len(found["data"]) > _MOST_FRONT:
        return {}, text
    import yaml

    try:
        data = yaml.safe_load(found["data"])
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text
    if not isinstance(data, dict):
        return {}, text
    return {str(key): value for key, value in data.items()}, text.lstrip("\n")[found.end() :]


def markdown_to_html(text: str) -> str:
    """A whole HTML document; raises `UnreadableFile` where it is nested too deep."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.attrs import attrs_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    data, body = split_front_matter(text)
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": _DEEPEST}).enable(
        ["table", "strikethrough"]
    )
    parser.use(footnote_plugin).use(attrs_plugin)
    tokens = parser.parse(body)
    if any(token.level >= _DEEPEST - 2 for token in tokens):
        raise unreadable("too_deep")
    kept = []
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if (
            token.type == "hr"
            and token.level == 0
            and following is not None
            and following.type == "heading_open"
            and following.tag in {"h1", "h2"}
        ):
            following.attrJoin("class", "new-sheet")
            continue
        kept.append(token)
    while kept and kept[-1].type == "hr":
        kept.pop()  # a rule below everything would be a sheet with nothing on it
    rendered = parser.renderer.render(kept, parser.options, {})
    language = data.get("lang")
    return _document(rendered, language if isinstance(language, str) else "")


def text_to_html(text: str) -> str:
    """Plain text with its own line breaks; a form feed was a line break before it came here."""
    blocks = re.split(r"\n[ \t]*\n+", text.strip("\n"))
    paragraphs = "\n".join(f'<p class="plain">{html.escape(block)}</p>' for block in blocks)
    return _document(paragraphs, "")


def _document(body: str, language: str) -> str:
    lang = f' lang="{html.escape(language)}"' if re.fullmatch(r"[A-Za-z-]{2,20}", language) else ""
    return f"<!DOCTYPE html>\n<html{lang}><head></head><body>{body}</body></html>"

"""Call markup in a document: whether it is there, and how to show it without its power.

A document that carries the markup in which calls are written as text can make a model
repeat it, and the repetition looks like a call. So every call written as text about such a
document is refused, and prompts show the markup with quotation marks in place of its angle
brackets.
"""

import html
import re
import unicodedata

_NAMES = r"(?:tool_calls?|function_calls?|invoke|parameters?|function)"
_PREFIX = r"(?:antml\s*:\s*)?"
_TAG = (
    rf"(?:/?{_PREFIX}(?!function\b(?!\s*[=>]|\s+name\b)){_NAMES}\b"
    rf"|\s*/?\s*{_PREFIX}{_NAMES}(?:\s*[=>]|\s+name\b))"
)
_MARKUP = re.compile(rf"<{_TAG}", re.IGNORECASE)
_MARKUP_TO_ITS_END = re.compile(rf"<({_TAG}[^<>\n]{{0,200}})(>?)", re.IGNORECASE)
_ANY_OPENING = re.compile(r"[<＜﹤]|&(?:lt|#0*60|#x0*3c);?", re.IGNORECASE)
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)

_LEFT, _RIGHT = "‹", "›"


def carries_markup(text: str) -> bool:
    """Whether `text` holds call markup, also escaped, in wide letters or with unseen characters."""
    if _MARKUP.search(text):
        return True
    if text.isascii() and "&" not in text:
        return False
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", html.unescape(text)))
    return bool(_MARKUP.search(plain))


def defuse(text: str) -> str:
    """`text` with its call markup shown in single angle quotation marks; the rest as it is.

    Where markup is disguised, every opening angle bracket is replaced. The quotation marks
    are folded away when quotes are sought, so a quote of defused text is still found.
    """
    shown = _MARKUP_TO_ITS_END.sub(_quoted, text)
    if carries_markup(shown):
        shown = _ANY_OPENING.sub(_LEFT, shown)
    return shown


def _quoted(found: re.Match[str]) -> str:
    return f"{_LEFT}{found[1]}{_RIGHT if found[2] else ''}"

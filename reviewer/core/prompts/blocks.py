"""The parts of a prompt, and the fence around what is data.

Text of proposals, sources, learnings and findings is never trusted. `fenced` wraps it in a
tag that carries a mark made from the text itself, so that no text can hold its own closing
tag, and defuses in it: tags that look like ours, call markup, and the control tokens of
chat templates that local servers would otherwise obey.
"""

import hashlib
import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from reviewer.core.defuse import defuse


class ReadingKind(StrEnum):
    """The kinds of reading that are asked of a model."""

    PASS = "pass"  # noqa: S105 - a kind of reading, not a password
    PICTURE = "picture"
    CHECK = "check"
    DOCUMENT = "document"
    SWEEP = "sweep"
    TARGETED_CHECK = "targeted_check"
    PROBE = "probe"


@dataclass(frozen=True, slots=True)
class PromptBlock:
    """A block of a prompt.

    `cache` asks the provider to keep everything up to and including this block. `image` is
    the bytes of a picture of `image_type`; its block may have text too, which comes first.
    """

    text: str = ""
    cache: bool = False
    image: bytes | None = None
    image_type: str = "image/png"


@dataclass(frozen=True, slots=True)
class SheetText:
    """A sheet as a reader gets it: its number (from 1), its label if any, its text."""

    number: int
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """What the seller knows: notes, the RFP, a price list."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class LearningLine:
    """A learning as it goes into a prompt. `number` is what a finding names it by."""

    number: str
    text: str


def learning_text(learning: LearningLine) -> str:
    """The one line that a learning takes in a prompt, before it is fenced."""
    return f"{attribute(learning.number, 20)}. {' '.join(learning.text.split())}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A finding put up for a check.

    `number` is how the verdict names it. `places` are the other places of a contradiction,
    as (sheet, quote). `before` is what its words were, where they have changed since.
    """

    number: int
    sheet: int
    severity: str
    rule: str
    quote: str
    finding: str
    fix: str = ""
    places: tuple[tuple[int, str], ...] = ()
    before: str = ""


@dataclass(frozen=True, slots=True)
class KnownFinding:
    """A finding that a sweep is told of, so that it is not reported again."""

    sheet: int
    rule: str
    quote: str
    finding: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A whole prompt as plain data.

    `tools` are the tools to list, in a stable order; `tool` names the one to be called.
    `recipe` is the hash of the files and tools it was made of, whatever the document and the
    rules that a house adds.
    """

    kind: ReadingKind
    system: tuple[PromptBlock, ...]
    user: tuple[PromptBlock, ...]
    tools: tuple[dict[str, Any], ...]
    tool: str
    recipe: str
    sheets: tuple[int, ...] = field(default=())
    """Numbers of the sheets this reading is about; empty for the whole document."""


_OUR_TAGS = re.compile(
    r"<(?=\s*/?\s*(?:document|sheet|source|learning|finding|known|outline)\b)", re.IGNORECASE
)
_TEMPLATE_TOKENS = re.compile(r"<(?=\|[^<>|\n]{1,40}\|>)|\[(?=/?(?:INST|SYS)\])")
_LONE_SURROGATES = re.compile(r"[\ud800-\udfff]")
_DEFUSED = {"<": "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "[": "("}


def harmless(text: str) -> str:
    """`text` with everything defused that could end a fence or speak as a message.

    All other characters stay as they are, so that quotes can be verbatim.
    """
    text = _LONE_SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text.replace("\0", ""))
    text = _OUR_TAGS.sub(_DEFUSED["<"], text)
    return defuse(_TEMPLATE_TOKENS.sub(lambda match: _DEFUSED[match[0]], text))


def attribute(text: str, limit: int = 120) -> str:
    """`text` as the value of an attribute: one line, without quotation marks or angles."""
    one_line = " ".join(harmless(text).split())[:limit]
    return re.sub(r'[<>"]', "'", one_line)


def mark_of(*texts: str) -> str:
    """The mark of a fence around `texts`: made from them, so that none can hold it."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def fenced(tag: str, text: str, mark: str, **attributes: str) -> str:
    """`text` inside `<tag-mark …>` and `</tag-mark>`, defused."""
    named = "".join(f' {name}="{attribute(value)}"' for name, value in attributes.items() if value)
    return f"<{tag}-{mark}{named}>\n{harmless(text).strip()}\n</{tag}-{mark}>"

"""Text as a reader sees it, with the way back to the text as it is.

Two texts that look the same to a person fold to the same string: compatibility forms,
ligatures, case, white space, quotation marks, dashes, hyphenation at line ends, table
borders, characters that show nothing, and letters of other alphabets that look like
Latin ones. Every folded character remembers which characters of the original it stands
for, so that a place found in the folded text can be shown in the original.

Refused: folding what a reader can tell apart. Digits, signs of currency and the
separators inside numbers stay as they are.
"""

import hashlib
import re
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

# Default-ignorable code points (Unicode, DerivedCoreProperties): they draw nothing.
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

# What a PDF reader puts where a word was broken at a line's end.
_BREAK_MARKS = "\x02\ufffe\u00ad"

_QUOTATION = "'\"`´‘’‚‛“”„‟‹›«»′″‵‶〝〞〟「」『』＂＇"
_DASHES = "-‐‑‒–—―−﹘﹣－⁃"
_BORDERS = "|¦│┃║▏▕"

# Letters that look like a Latin one in lower case, or only in upper case. Both sides of
# every comparison are folded alike, so a text in Greek or Cyrillic loses nothing.
_LOOKALIKES = str.maketrans(
    "авеіјкмнорсѕтухһԁԛԝѵ" + "αβεζηικνορτυχ" + "ıɑɡ",
    "abeijkmhopcstyxhdqwv" + "abezhikvoptux" + "iag",
)

_SINGLE: dict[int, str] = {
    **dict.fromkeys(map(ord, _QUOTATION), "'"),
    **dict.fromkeys(map(ord, _DASHES), "-"),
    **dict.fromkeys(map(ord, _BORDERS), " "),
    **dict.fromkeys(range(0x2500, 0x2580), " "),
    **dict.fromkeys(map(ord, _BREAK_MARKS), "-"),
}

# Scripts written without spaces between words: Han, kana, Thai, Lao, Khmer, Myanmar.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}\U00020000-\U0003ffff]")

_LETTER = r"[^\W\d_]"
_SECOND_STAGE = re.compile(
    rf"(?P<hyphen>(?<={_LETTER})-+\s*(?={_LETTER}))"
    r"|(?P<broken>(?<=\w)-+\s+(?=\w))"
    r"|(?P<space>(?:\s+|(?<!\S):?-{3,}:?(?!\S))+)"
    r"|(?P<marks>'{2,})"
    r"|(?P<dashes>-{2,})"
)


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A folded text. `origin[i]` and `ends[i]` are where, in the original, the characters
    that `text[i]` stands for begin and end (exclusive), as character offsets."""

    text: str
    origin: Sequence[int]
    ends: Sequence[int]

    def original(self, first: int, last: int) -> tuple[int, int]:
        """Offsets in the original of the folded characters [first, last); not for none."""
        return self.origin[first], self.ends[last - 1]


@lru_cache(maxsize=1024)
def fold(text: str) -> Folded:
    """Fold `text`; see the module. Cached, since a sheet is searched for many quotes."""
    letters, starts, ends = _character_by_character(text)
    first_stage = "".join(letters)
    kept: list[str] = []
    origin, until = array("I"), array("I")

    def keep(first: int, last: int) -> None:
        kept.append(first_stage[first:last])
        origin.extend(starts[first:last])
        until.extend(ends[first:last])

    position = 0
    for match in _SECOND_STAGE.finditer(first_stage):
        first, last = match.span()
        keep(position, first)
        position = last
        stands_for = _replacement(match, first_stage)
        if stands_for:
            kept.append(stands_for)
            origin.append(starts[first])
            until.append(ends[last - 1])
    keep(position, len(first_stage))
    return Folded("".join(kept), origin, until)


def _replacement(match: re.Match[str], text: str) -> str:
    first, last = match.span()
    match match.lastgroup:
        case "hyphen":
            return ""
        case "marks":
            return "'"
        case "broken" | "dashes":
            return "-"
    if first == 0 or last == len(text):
        return ""
    between_unspaced = is_unspaced(text[first - 1]) and is_unspaced(text[last])
    return "" if between_unspaced else " "


def _character_by_character(text: str) -> tuple[list[str], list[int], list[int]]:
    """Folded characters with the start and end of what each stands for."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    if text.isascii():
        folded = text.lower().translate(_SINGLE)
        for index, character in enumerate(folded):
            if character >= " " or character.isspace():
                letters.append(character)
                starts.append(index)
                ends.append(index + 1)
        return letters, starts, ends
    for start, end in _clusters(text):
        for character in _fold_cluster(text[start:end], text[end : end + 1]):
            letters.append(character)
            starts.append(start)
            ends.append(end)
    return letters, starts, ends


def _clusters(text: str) -> list[tuple[int, int]]:
    """Runs that normalise together: a character and the marks that join it."""
    bounds: list[tuple[int, int]] = []
    start = 0
    for index in range(1, len(text)):
        if not _joins_previous(text[index]):
            bounds.append((start, index))
            start = index
    if text:
        bounds.append((start, len(text)))
    return bounds


def _joins_previous(character: str) -> bool:
    if character < "\u0300":
        return False
    return (
        unicodedata.category(character)[0] == "M"
        or "\u1160" <= character <= "\u11ff"  # Hangul vowels and finals
        or character in "\uff9e\uff9f"  # half-width voicing marks
    )


@lru_cache(maxsize=8192)
def _fold_cluster(cluster: str, following: str) -> str:
    if cluster in _BREAK_MARKS:
        # A mark of hyphenation counts only where the word goes on elsewhere.
        return "-" if cluster != "\u00ad" or following.isspace() else ""
    visible = _IGNORABLE.sub("", cluster)
    normal = unicodedata.normalize("NFKC", visible).casefold()
    normal = unicodedata.normalize("NFKC", normal).translate(_LOOKALIKES)
    normal = _IGNORABLE.sub("", normal).translate(_SINGLE)
    return "".join(
        character
        for character in normal
        if character.isspace() or unicodedata.category(character) not in ("Cc", "Cn")
    )


def is_unspaced(character: str) -> bool:
    """Whether the character belongs to a script written without spaces between words."""
    return character >= "\u0e00" and _UNSPACED_CHARACTER.match(character) is not None


@lru_cache(maxsize=1024)
def skeleton(folded: Folded) -> tuple[str, Sequence[int]]:
    """What is left of a folded text without punctuation and spaces, with the index in
    `folded.text` of each character left.

    Separators between digits stay, also a space, so that 1.2 never reads as 12. Signs of
    currency and per cent stay.
    """
    text = folded.text
    kept = array("I", (index for index in range(len(text)) if _carries_meaning(text, index)))
    return "".join(text[index] for index in kept), kept


def _carries_meaning(text: str, index: int) -> bool:
    character = text[index]
    if character.isalnum() or character == "%" or unicodedata.category(character)[0] == "M":
        return True
    if character in " .,:-/":
        return 0 < index < len(text) - 1 and text[index - 1].isdigit() and text[index + 1].isdigit()
    return unicodedata.category(character) == "Sc"


_TOKEN = re.compile(rf"[{UNSPACED}\U00020000-\U0003ffff]|[^\W_]+(?:[.,:'/](?=\w)[^\W_]+)*")


def words(folded: Folded) -> list[tuple[str, int, int]]:
    """The words of a folded text: word, first and last (exclusive) index in it.

    A number with its separators is one word; scripts without spaces give a word a character.
    """
    return [(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(folded.text)]


def text_key(text: str) -> str:
    """A stable name for what a text says, whatever its layout: `f1-` and 32 hex digits.

    The prefix names the folding, so that keys of two foldings are never compared.
    """
    bare, _ = skeleton(fold(text))
    return "f1-" + hashlib.sha256(bare.encode("utf-8", "surrogatepass")).hexdigest()[:32]

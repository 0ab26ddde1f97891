"""A phrase in all its forms: plurals, tenses, hyphens and apostrophes of every kind.

The forms are those that English builds by rule from the word as it is given; irregular ones
(“brought”) are phrases of their own. Write a phrase in its base form: “leverage” finds
“leveraged”, while “leveraged” does not find “leverage”. Words of other scripts, short words and
acronyms have no forms but a plural s.
"""

import re
from functools import lru_cache

from reviewer.core.structure.phrases import lowered

_HYPHENS = "-‐\N{NON-BREAKING HYPHEN}–"
_JOINER = rf"(?:\s*[{_HYPHENS}]\s*|\s+)"
_APOSTROPHE = "['’]"
_SHORT = 3
"""Letters up to which a word has no forms but a plural."""
_LITTLE_WORDS = (
    "and are but for from has have her his into its nor not off our out over than that the "
    "their them then they this upon very was were what when will with you your best more most "
    "less least ever never only just each every both such same been being"
)
_LITTLE = frozenset(_LITTLE_WORDS.split())
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgklmnprtz]")
_PIECE = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]|_")
_BUILT = re.compile(r".*[aeiouy].*(?:ing|ly)|.*[^e]ed")
"""Words that are such forms already, and take no others."""


@lru_cache(maxsize=4096)
def forms_pattern(phrase: str) -> re.Pattern[str]:
    """A pattern for `lowered` text that finds the phrase in any of its forms, as whole words.

    Between words of the phrase any white space or a hyphen may stand, whichever it has.
    """
    acronyms = {piece.lower() for piece in _PIECE.findall(phrase) if piece.isupper()}
    pattern = ""
    after_word = False
    for piece in _PIECE.findall(_plain(phrase)):
        is_word = piece[0].isalnum()
        if not is_word and piece in _HYPHENS:
            continue
        glue = _JOINER if after_word and is_word else r"\s*" if pattern else ""
        only_plural = piece in acronyms or len(piece) <= _SHORT
        shown = _forms(piece, only_plural=only_plural) if is_word else re.escape(piece)
        pattern += glue + shown
        after_word = is_word
    return re.compile(rf"(?<!\w){pattern}(?!\w)")


def lowered_words(text: str) -> str:
    """`text` as patterns are searched in it, a space between words."""
    return " ".join(_plain(text).split())


def _plain(text: str) -> str:
    return lowered(text).replace("’", "'")


def _forms(word: str, *, only_plural: bool) -> str:
    """The word and its forms as one group; longest first, so that none cuts another short."""
    shown = re.escape(word).replace("'", _APOSTROPHE)
    if not (word.isascii() and word.isalpha()) or word in _LITTLE:
        return shown
    possessive = rf"(?:{_APOSTROPHE}s)?"
    if only_plural:
        return rf"{word}s?{possessive}"
    return rf"(?:{'|'.join(sorted(_regular(word), key=lambda f: (-len(f), f)))}){possessive}"


def _regular(word: str) -> set[str]:
    """What English builds from a word by rule: plural, tenses, adverb."""
    forms = {word}
    stem, last = word[:-1], word[-1]
    if _BUILT.fullmatch(word):
        return forms
    if last == "e":
        forms |= {f"{word}s", f"{word}d", f"{word}ly", f"{stem}ing"}
        if word.endswith("le"):
            forms |= {f"{stem}y"}
    elif last == "y" and word[-2] not in "aeiou":
        forms |= {f"{stem}ies", f"{stem}ied", f"{stem}ily", f"{word}ing"}
    elif word.endswith(("s", "x", "z", "ch", "sh")):
        forms |= {f"{word}es", f"{word}ed", f"{word}ing", f"{word}ly"}
        if last == "s" and not word.endswith(("ss", "us", "is")):
            forms |= {stem}
    else:
        forms |= {f"{word}s", f"{word}ed", f"{word}ing", f"{word}ly"}
        if _DOUBLED.fullmatch(word[-3:]):
            forms |= {f"{word}{last}ed", f"{word}{last}ing"}
    return forms

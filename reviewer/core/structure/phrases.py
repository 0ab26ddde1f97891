"""Lists of phrases, one pattern a list: whole words, any case, any white space between."""

import re
from collections.abc import Iterable


def any_of(*phrases: str | Iterable[str]) -> re.Pattern[str]:
    """One pattern that finds any of the phrases as whole words.

    A phrase is plain words, in which `~` stands for one to three words and `(a|b)` for a
    choice; typewriter and typographic apostrophes are the same.
    """
    plain = [p for group in phrases for p in ([group] if isinstance(group, str) else group)]
    return re.compile(rf"\b(?:{'|'.join(_pattern(phrase) for phrase in plain)})\b", re.IGNORECASE)


_ONE_TO_THREE_WORDS = r"[\w'’-]+(?:\s+[\w'’-]+){0,2}"


def _pattern(phrase: str) -> str:
    spaced = r"\s+".join(phrase.split()).replace("'", "['’]")
    return spaced.replace("~", _ONE_TO_THREE_WORDS)

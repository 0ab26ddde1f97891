"""Lists of phrases, one pattern a list: whole words, any case, any white space between.

Patterns are searched in lower-case text: that is several times as fast as ignoring case. A
list also knows words of which every phrase has one, so that the pattern is only searched
where one of them stands.
"""

import re
from dataclasses import dataclass
from typing import Protocol

_WORD = re.compile(r"\w+")


def words_of(lower: str) -> frozenset[str]:
    """The words of a text in lower case: what the list of a sentence's words holds."""
    return frozenset(_WORD.findall(lower))


class Said(Protocol):
    """What phrases are looked for in: a text in lower case, and its words."""

    @property
    def lowered(self) -> str:
        """The text in lower case, with single spaces."""

    @property
    def words(self) -> frozenset[str]:
        """Its words, as `words_of` gives them."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """A list of phrases. Every phrase has one of `telling` as a whole word."""

    pattern: re.Pattern[str]
    telling: frozenset[str]

    def search(self, said: Said) -> re.Match[str] | None:
        """The first phrase in a sentence, with its offsets; None where it has none."""
        if self.telling.isdisjoint(said.words):
            return None
        return self.pattern.search(said.lowered)


def any_of(*phrases: str) -> Phrases:
    """One pattern that finds any of the phrases, in lower case, as whole words of a sentence.

    A phrase is plain words, in which `~` stands for one to three words, `(a|b)` for a choice,
    `[ab]` for one of some letters and `?` for what may be missing; typewriter and typographic
    apostrophes are the same.
    """
    pattern = re.compile(rf"\b(?:{'|'.join(_pattern(phrase) for phrase in phrases)})\b")
    return Phrases(pattern, frozenset().union(*map(_telling, phrases)))


_ONE_TO_THREE_WORDS = r"[\w'’-]+(?:\s+[\w'’-]+){0,2}"


def _pattern(phrase: str) -> str:
    spaced = r"\s+".join(phrase.split()).replace("'", "['’]")
    return spaced.replace("~", _ONE_TO_THREE_WORDS)


def _telling(phrase: str) -> set[str]:
    """Words of which every form of a phrase has one; long ones, for they are rare."""
    chosen: set[str] = set()
    for form in _forms(phrase):
        words = _WORD.findall(form.replace("~", " "))
        if chosen.isdisjoint(words):
            chosen.add(max(words, key=len))
    return chosen


def _forms(phrase: str) -> list[str]:
    """Every form that a phrase may take, without the words that may be missing."""
    forms, rest = _choice(phrase, 0)
    assert rest == len(phrase), phrase
    return forms


def _choice(phrase: str, at: int) -> tuple[list[str], int]:
    """The forms of alternatives from `at` on, and where they end."""
    forms: list[str] = []
    while True:
        one, at = _sequence(phrase, at)
        forms += one
        if phrase[at : at + 1] != "|":
            return forms, at
        at += 1


def _sequence(phrase: str, at: int) -> tuple[list[str], int]:
    forms = [""]
    while at < len(phrase) and phrase[at] not in "|)":
        part, at = _part(phrase, at)
        if phrase[at : at + 1] == "?":
            at += 1
            # What ends or begins with a space is whole words, which a form may do without.
            apart = all(one[:1] == " " or one[-1:] == " " for one in part)
            part = [""] if apart else ["", *part]
        forms = [before + after for before in forms for after in part]
    return forms, at


def _part(phrase: str, at: int) -> tuple[list[str], int]:
    if phrase[at] == "(":
        forms, at = _choice(phrase, at + 1)
        return forms, at + 1
    if phrase[at] == "[":
        end = phrase.index("]", at)
        return list(phrase[at + 1 : end]), end + 1
    return [phrase[at]], at + 1


def lowered(text: str) -> str:
    """`text` in lower case with every letter at its offset, also where lower case is longer."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)

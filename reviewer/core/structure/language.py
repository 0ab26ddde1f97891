"""Whether a text reads as English, told from its commonest small words."""

import re

_ENGLISH_WORDS = (
    "the of and to in is that for with are be this by will on as from our we at which it"
)
_OTHER_WORDS = (
    "der die das und den von zu mit ist im für auf nicht ein eine dem des werden wir "
    "le la les des et du en une est pour dans que qui sur par avec nous "
    "el los las del una por para con se como más es y il di che è della sono gli "
    "het een van dat voor met zijn op de niet och att som på det av till är med "
    "o a os do da em um uma com não na"
)
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_OTHERS = frozenset(_OTHER_WORDS.split()) - _ENGLISH - {"a", "do", "o"}
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 40
"""Words below which a text is too short to be told from its small words."""
_SAMPLE = 60_000


def reads_as_english(text: str, language: str = "en") -> bool:
    """Whether English small words outweigh those of other languages in `text`.

    A text too short to tell is taken to be in `language`, the workspace's.
    """
    words = _WORD.findall(text[:_SAMPLE].lower())
    if len(words) < _ENOUGH:
        return language.lower().startswith("en")
    english = sum(map(_ENGLISH.__contains__, words))
    others = sum(map(_OTHERS.__contains__, words))
    if english + others < len(words) / 50:
        return language.lower().startswith("en")
    return english > others

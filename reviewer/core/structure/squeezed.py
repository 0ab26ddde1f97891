"""A text without its white space, in which words are found however their lines break."""

from functools import cached_property


class Squeezed:
    """The letters of a text, each with its offset in it."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def letters(self) -> str:
        """The text without white space."""
        return "".join(self._text.split())

    @cached_property
    def _offsets(self) -> list[int]:
        return [offset for offset, letter in enumerate(self._text) if not letter.isspace()]

    def find(self, words: str, start: int = 0) -> tuple[int, int] | None:
        """Where `words` stand among the letters from `start` on, as [first, last) of letters."""
        wanted = "".join(words.split())
        at = self.letters.find(wanted, start) if wanted else -1
        return None if at < 0 else (at, at + len(wanted))

    def span(self, first: int, last: int) -> tuple[int, int]:
        """The offsets in the text of the letters [first, last)."""
        return self._offsets[first], self._offsets[last - 1] + 1

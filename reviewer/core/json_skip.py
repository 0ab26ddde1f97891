"""Where a JSON value ends, by its strings and brackets alone.

For values that are no strict JSON, to find what stands behind them, and for values that are
still arriving. Promises nothing about what is inside; where brackets do not agree, or where a
backslash shows that quotation marks are out of step, it says that there is no telling.
"""

import re

_INSIDE = re.compile(r'[^"\\]*+')
_OUTSIDE = re.compile(r'[^"\\{}\[\]]*+')
_SCALAR = re.compile(r'[^,\[\]{}"\\ \t\n\r]*+')


class Skipper:
    """Finds where one value ends, by its strings and brackets alone, piece by piece.

    It is for values that are no strict JSON, to find what stands behind them, and for values
    that are still arriving. It sees each character once, so a long value costs linear time.
    """

    OPEN = -1
    BROKEN = -2

    __slots__ = ("_closers", "_escaped", "_inside", "_scalar", "_started")

    def __init__(self) -> None:
        self._closers: list[str] = []
        self._escaped = False
        self._inside = False
        self._scalar = False
        self._started = False

    def feed(self, text: str, at: int = 0) -> int:
        """Where in `text` the value ends, or OPEN, or BROKEN where brackets do not agree."""
        pos, length = at, len(text)
        if not self._started and pos < length:
            pos = self._start(text, pos)
        while pos < length:
            if self._escaped:
                self._escaped = False
                pos += 1
            elif self._scalar:
                pos = _end(_SCALAR, text, pos)
                if pos < length:
                    return self.BROKEN if text[pos] in '"{[\\' else pos
            elif self._inside:
                pos = _end(_INSIDE, text, pos)
                if pos < length:
                    self._escaped = text[pos] == "\\"
                    self._inside = self._escaped
                    pos += 1
                    if not self._inside and not self._closers:
                        return pos
            else:
                pos = _end(_OUTSIDE, text, pos)
                if pos < length:
                    if not self._bracket(text[pos]):
                        return self.BROKEN
                    pos += 1
                    if not self._closers and not self._inside:
                        return pos
        return self.OPEN

    def _start(self, text: str, at: int) -> int:
        self._started = True
        if text[at] in '"{[':
            self._bracket(text[at])
            return at + 1
        self._scalar = True
        return at

    def _bracket(self, char: str) -> bool:
        if char == '"':
            self._inside = True
        elif char in "{[":
            self._closers.append("}" if char == "{" else "]")
        elif char == "\\" or not self._closers or self._closers.pop() != char:
            return False
        return True


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def skip(text: str, at: int) -> int:
    """Where the value at `at` ends, or a negative number (see `Skipper`)."""
    return Skipper().feed(text, at)

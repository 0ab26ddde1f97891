"""Findings of a native call while its input is still arriving.

Promises: `feed` gives each finding in the fragment that closes it, judged by the same rules
as `read_answer`; all fragments together give what reading the whole input gives, however it
is cut into fragments. (A list that is written within a string is the exception: it is read
when it is whole.) Prose before the input is passed over. Each character is looked at a fixed number of times, so the time is
linear in the input.
"""

from collections.abc import Callable, Collection, Mapping

from reviewer.core.entries import ReadFinding, SheetTexts, judge, only_given
from reviewer.core.json_skip import Skipper
from reviewer.core.json_strict import JsonFault, after_space, decode
from reviewer.core.report_json import Element, End, repeated_member, unclear_next, walk_report

Step = Callable[[str, int], int]
"""Reads on from a place in a fragment, and gives the place up to which it read."""


class StreamedFindings:
    """Reads the input of one native call as it arrives.

    `first_index` is the number of entries that earlier calls of the same answer gave;
    `learnings` as for `read_answer`.
    """

    def __init__(
        self,
        sheets: Mapping[int, str] | None = None,
        *,
        first_index: int = 0,
        learnings: Collection[int] | None = None,
    ) -> None:
        self._sheets = SheetTexts(sheets) if sheets is not None else None
        self._index = first_index
        self._learnings = learnings
        self._names: set[str] = set()
        self._name = ""
        self._pieces: list[str] = []
        self._skipper = Skipper()
        self._after_broken = False
        self._closed: list[ReadFinding] = []
        self._step: Step | None = self._object

    def feed(self, fragment: str) -> list[ReadFinding]:
        """The findings that closed in `fragment`, in order."""
        self._closed = []
        pos = 0
        while self._step is not None and pos < len(fragment):
            pos = self._step(fragment, pos)
        return self._closed

    def _object(self, text: str, at: int) -> int:
        """Pass over prose: where calls are streamed, text may come before the first."""
        brace = text.find("{", at)
        if brace >= 0:
            self._step = self._first_member
        return brace + 1 if brace >= 0 else len(text)

    def _first_member(self, text: str, at: int) -> int:
        pos = after_space(text, at)
        if pos < len(text) and text[pos] == "{":
            return pos + 1
        return self._member(text, pos)

    def _member(self, text: str, at: int) -> int:
        return self._begin(text, at, self._in_name, only='"')

    def _in_name(self, text: str, at: int) -> int:
        end = self._value(text, at)
        if end >= 0 and self._step is not None:
            written = "".join(self._pieces)
            try:
                self._name = decode(written)[0]
            except JsonFault:
                return self._stop(text)
            if repeated_member(self._name, self._names):
                return self._stop(text)
            self._names.add(self._name)
            self._step = self._colon
        return end if end >= 0 else len(text)

    def _colon(self, text: str, at: int) -> int:
        return self._expect(text, at, {":": self._member_value})

    def _member_value(self, text: str, at: int) -> int:
        pos = after_space(text, at)
        if pos < len(text) and text[pos] == "[" and self._name == "findings":
            self._step = self._first
            return pos + 1
        return self._begin(text, pos, self._in_member)

    def _in_member(self, text: str, at: int) -> int:
        end = self._value(text, at)
        if end < 0 or self._step is None:
            return len(text)
        member = f'{{"{self._known_name()}":{"".join(self._pieces)}}}'
        stop = walk_report(member, 0, lenient=True).stop
        if stop.end is not End.CLOSED or stop.at != len(member):
            return self._stop(text)
        self._step = self._after_member
        return end

    def _known_name(self) -> str:
        """The name under which a member is judged; all that a report lacks are alike."""
        return self._name if self._name in ("findings", "keeps") else "other"

    def _after_member(self, text: str, at: int) -> int:
        return self._expect(text, at, {",": self._member})

    def _first(self, text: str, at: int) -> int:
        return self._begin(text, at, self._in_element)

    def _in_element(self, text: str, at: int) -> int:
        end = self._value(text, at)
        if end < 0 or self._step is None:
            return len(text)
        written = "".join(self._pieces)
        if self._after_broken and unclear_next(written, 0):
            return self._stop(text)
        try:
            value, length = decode(f"{written} ")
        except JsonFault as fault:
            self._after_broken = True
            self._take(Element(None, fault.why))
        else:
            self._after_broken = False
            self._take(Element(value))
            if length != len(written):
                return self._stop(text)
        self._step = self._after_element
        return end

    def _take(self, element: Element) -> None:
        entry = judge(self._index, element, self._sheets)
        self._index += 1
        if isinstance(entry, ReadFinding):
            given = self._learnings
            self._closed.append(entry if given is None else only_given(entry, given))

    def _after_element(self, text: str, at: int) -> int:
        return self._expect(text, at, {",": self._first})

    def _expect(self, text: str, at: int, steps: dict[str, Step]) -> int:
        """Go on by the next character that is no white space, or stop for good."""
        pos = after_space(text, at)
        if pos >= len(text):
            return pos
        self._step = steps.get(text[pos])
        return pos + 1

    def _begin(self, text: str, at: int, step: Step, *, only: str = "") -> int:
        """Begin a value at the next character that is no white space."""
        pos = after_space(text, at)
        if pos >= len(text):
            return pos
        if text[pos] in ",]}" or (only and text[pos] != only):
            return self._stop(text)
        self._pieces = []
        self._skipper = Skipper()
        self._step = step
        return pos

    def _value(self, text: str, at: int) -> int:
        """Where in `text` the value being read ends, or a negative number."""
        end = self._skipper.feed(text, at)
        if end == Skipper.BROKEN:
            self._step = None
        self._pieces.append(text[at:] if end < 0 else text[at:end])
        return end

    def _stop(self, text: str) -> int:
        self._step = None
        return len(text)

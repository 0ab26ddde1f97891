"""What people who worked on a Word file left in it: comments, tracked changes, highlighting.

Read from the file itself, before anything is accepted or laid out, because most of it is not
on the page afterwards. Each says on which words it stands and in which paragraph, by which
it is found on a sheet. Bounded in number and length; a file may hold any amount of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reviewer.documents.marks import short
from reviewer.documents.sheets import Leftover
from reviewer.documents.word import parse

MOST = 500
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_NOT_TEXT = {f"{_W}pPr", f"{_W}rPr", _FALLBACK}
_TEXT_PARTS = re.compile(r"^word/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml$")
_MARKER_PENS = {"yellow", "green", "cyan", "magenta"}
_YELLOW_FILL = re.compile(r"F[5-9A-F](?:E[B-F]|F[0-9A-F])[0-6][0-9A-F]", re.IGNORECASE)


def left_in_word(parts: dict[str, bytes]) -> tuple[Leftover, ...]:
    """Everything left in the parts of a Word file, in the order of its text."""
    notes = _comments(parts.get("word/comments.xml", b""))
    found: list[Leftover] = []
    for name in sorted(parts, key=lambda part: (part != "word/document.xml", part)):
        if _TEXT_PARTS.match(name):
            reader = _Reader(notes)
            reader.read(parse(parts[name]))
            found.extend(reader.left())
    found.extend(Leftover("comment", 0, "", note, "") for note in notes.values() if note)
    return tuple(found[:MOST])


def _comments(part: bytes) -> dict[str, str]:
    """What each comment says, by its number, with who says it."""
    if not part:
        return {}
    said: dict[str, str] = {}
    for comment in parse(part).iter(f"{_W}comment"):
        words = " ".join("".join(text.text or "" for text in comment.iter(f"{_W}t")).split())
        author = " ".join((comment.get(f"{_W}author") or "").split())
        said[comment.get(f"{_W}id") or ""] = short(f"{author}: {words}" if author else words)
    return said


@dataclass(slots=True)
class _Mark:
    """One thing found, while its paragraph is still being read.

    `end` is how much of the paragraph was read when it ended.
    """

    kind: str
    words: list[str]
    note: str
    paragraph: int
    end: int


class _Reader:
    """Walks one part once. What is found is told when every paragraph is known to its end."""

    def __init__(self, notes: dict[str, str]) -> None:
        self._notes = notes
        self._paragraphs: list[list[str]] = [[]]
        self._lengths: list[int] = [0]
        self._open: dict[str, _Mark] = {}
        self._marks: list[_Mark] = []

    def read(self, root: Any) -> None:
        """Take in everything under `root`. A walk without recursion: files nest at will."""
        walk: list[tuple[Any, str, int]] = [(iter(root), "", 0)]
        while walk:
            children, change, paragraph = walk[-1]
            element = next(children, None)
            if element is None:
                walk.pop()
                continue
            tag = element.tag if isinstance(element.tag, str) else ""
            if tag in _NOT_TEXT:
                continue
            if tag in (f"{_W}ins", f"{_W}moveTo"):
                change = "inserted"
            elif tag in (f"{_W}del", f"{_W}moveFrom"):
                change = "deleted"
            elif tag == f"{_W}p":
                self._paragraphs.append([])
                self._lengths.append(0)
                paragraph = len(self._paragraphs) - 1
            elif tag == f"{_W}commentRangeStart":
                self._begin(element.get(f"{_W}id") or "", paragraph)
            elif tag == f"{_W}commentRangeEnd":
                self._end(element.get(f"{_W}id") or "")
            elif tag == f"{_W}r":
                self._run(element, change, paragraph)
            walk.append((iter(element), change, paragraph))
        for number in list(self._open):
            self._end(number)

    def left(self) -> Iterator[Leftover]:
        """What was found, in order, with the paragraphs it stands in."""
        for mark in self._marks:
            around = short("".join(self._paragraphs[mark.paragraph]))
            words = short("".join(mark.words))
            if mark.note == "deleted" and mark.kind == "change":
                yield Leftover("change", 0, "", f"deleted: {words}", around)
            elif mark.kind == "change":
                yield Leftover("change", 0, words, "inserted", around)
            elif mark.kind == "highlight":
                yield Leftover("highlight", 0, words, "", around)
            else:
                yield Leftover("comment", 0, words, mark.note, around)

    def _begin(self, number: str, paragraph: int) -> None:
        if number in self._notes and number not in self._open:
            mark = _Mark("comment", [], self._notes.pop(number), paragraph, 0)
            self._open[number] = mark
            self._marks.append(mark)

    def _end(self, number: str) -> None:
        self._open.pop(number, None)

    def _run(self, run: Any, change: str, paragraph: int) -> None:
        shown = "".join(_letters(run, f"{_W}t"))
        if change == "deleted":
            gone = "".join(_letters(run, f"{_W}delText")) or shown
            self._mark("change", gone, "deleted", paragraph, 0)
            return
        if change == "inserted":
            self._mark("change", shown, "inserted", paragraph, len(shown))
        if _is_marked(run):
            self._mark("highlight", shown, "", paragraph, len(shown))
        self._paragraphs[paragraph].append(shown)
        self._lengths[paragraph] += len(shown)
        for mark in self._open.values():
            mark.words.append(shown)

    def _mark(self, kind: str, text: str, note: str, paragraph: int, length: int) -> None:
        """Runs of one kind that follow each other in a paragraph are one."""
        here = self._lengths[paragraph]
        for last in reversed(self._marks[-3:]):
            if (last.kind, last.note, last.paragraph, last.end) == (kind, note, paragraph, here):
                last.words.append(text)
                last.end += length
                return
        if text.strip() and len(self._marks) < MOST:
            self._marks.append(_Mark(kind, [text], note, paragraph, here + length))


def _letters(run: Any, text: str) -> Iterator[str]:
    """The text of a run itself; what is in a box that hangs on it is walked by itself."""
    for child in run:
        if child.tag == text:
            yield child.text or ""
        elif child.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr"):
            yield " "


def _is_marked(run: Any) -> bool:
    """Whether a run is highlighted with a marker pen, or filled with yellow."""
    properties = run.find(f"{_W}rPr")
    if properties is None:
        return False
    pen = properties.find(f"{_W}highlight")
    if pen is not None and pen.get(f"{_W}val") in _MARKER_PENS:
        return True
    fill = properties.find(f"{_W}shd")
    return fill is not None and bool(_YELLOW_FILL.fullmatch(fill.get(f"{_W}fill") or ""))

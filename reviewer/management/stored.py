"""Stored answers and documents as files and lines give them.

An answer is a message of the Messages API as JSON, an answer as this product stores it, or
the raw text that a model wrote. What a call holds is taken as written, so that a name given
twice or a number that is none reaches the reader of answers. A document is text in which a
line `--- Sheet N · label ---` begins each sheet, or any file that the product can read.
"""

import json
import re
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from reviewer.core.json_skip import skip
from reviewer.core.json_strict import after_space
from reviewer.core.raw import RawAnswer, RawToolCall, Way
from reviewer.core.report_json import End, Stop, walk_members
from reviewer.documents.intake import read_file
from reviewer.providers.bodies import NotAMessage, read_body
from reviewer.providers.collect import Collector

_SHEET_LINE = re.compile(r"^-{3,}[ \t]*Sheet[ \t]+(\d{1,6})\b[^\n]*?-{3,}[ \t]*$", re.MULTILINE)


def members_of(text: str) -> dict[str, str] | None:
    """The members of the JSON object that `text` is, each as written; None where it is none."""
    members: dict[str, str] = {}

    def take(name: str, at: int) -> Stop:
        end = skip(text, at)
        if end < 0:
            return Stop(End.BROKEN, at)
        members[name] = text[at:end]
        return Stop(End.CLOSED, end)

    start = after_space(text, 0)
    if not text.startswith("{", start):
        return None
    stop = walk_members(text, start, take)
    whole = stop.end is End.CLOSED and after_space(text, stop.at) == len(text)
    return members if whole else None


def raw_answer(text: str) -> RawAnswer:
    """The answer that a file or a line holds; text that is no message is the model's own."""
    members = members_of(text)
    if members is not None and {"way", "calls", "text"} <= set(members):
        try:
            return RawAnswer.from_json(json.loads(text))
        except (ValueError, TypeError, KeyError):
            return RawAnswer(text=text)
    if not _is_message(text):
        return RawAnswer(text=text)
    collector = Collector(model="", way=Way.FORCED_TOOL, on_fragment=None)
    collector.take_body(text, complete=True)
    raw = collector.answer()
    calls = tuple(RawToolCall(call.name, _as_streamed(call.raw_input)) for call in raw.calls)
    return RawAnswer.from_json(
        {**raw.as_json(), "calls": [{"name": c.name, "raw_input": c.raw_input} for c in calls]}
    )


def _is_message(text: str) -> bool:
    try:
        body = read_body(text)
    except NotAMessage:
        return False
    kind = body.members.get("type")
    return bool(body.texts or body.calls or kind in ("message", "error") or "role" in body.members)


def _as_streamed(raw_input: str) -> str:
    """Input that was stored as the text that was streamed, rather than as an object."""
    if not raw_input.startswith('"'):
        return raw_input
    try:
        return str(json.loads(raw_input, strict=False))
    except ValueError:
        return raw_input


def string_of(member: str) -> str:
    """The string that a member is, or its JSON as written where it is another value."""
    try:
        value = json.loads(member, strict=False)
    except (ValueError, RecursionError):
        return member
    return value if isinstance(value, str) else member


@lru_cache(maxsize=64)
def sheets_of(text: str) -> dict[int, str] | None:
    """The sheets of a document by number; None where no line begins one. Not to be changed."""
    starts = list(_SHEET_LINE.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    sheets: dict[int, str] = {}
    for start, end in zip(starts, ends, strict=False):
        number = int(start[1])
        sheets[number] = sheets.get(number, "") + text[start.end() : end].strip("\n")
    return sheets or None


def document_of(path: Path) -> tuple[str, dict[int, str] | None]:
    """The text of a document and its sheets. Raises `UnreadableFile` with its sentence."""
    text = _plain_text(path)
    if text is not None and (sheets := sheets_of(text)):
        return text, sheets
    with tempfile.TemporaryDirectory(prefix="answer-") as folder:
        read = read_file(path, Path(folder), name=path.name)
    sheets = {sheet.number: sheet.text for sheet in read.sheets}
    return text or "\n".join(sheets.values()), sheets


def _plain_text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def schema_of(text: str) -> dict[str, Any] | None:
    """The JSON schema that `text` is, or None where it is no JSON object."""
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return schema if isinstance(schema, dict) else None

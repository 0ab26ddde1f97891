"""An answer cut at any byte keeps every finding that was closed before the cut, and no other.

Each answer is written as a native call, as calls in text of several forms, and as JSON in
text, and cut behind every byte of its UTF-8; what is kept is compared with where each entry's
last brace stands.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from reviewer.core.answers import AnswerRead, raw_from_message, read_answer
from reviewer.core.outcomes import Outcome
from reviewer.core.raw import RawAnswer, RawToolCall
from tests.core.reader_cases import PREFIX, SHEETS, entry
from tests.shared_cases import CASES, needs_cases

CLEAN: dict[str, list[dict[str, Any]]] = {
    "three plain entries": [entry(), entry(1, severity="block"), entry(0, quote="")],
    "signs in strings": [
        entry(quote='he said "}, {" and [1]', fix="a \\ b \n c \t </parameter> d"),
        entry(1, finding="Ünïcödé – “quotes” 中文 😀", also=[{"sheet": 2, "quote": "{[}]"}]),
        entry(2, learning="3", rule="structure"),
    ],
    "bad entries between good ones": [
        entry(),
        entry(severity="urgent"),
        entry(1),
        {"sheet": 1},
        entry(2),
    ],
    "no entries": [],
}


def written(entries: list[dict[str, Any]], *, spaced: bool) -> tuple[str, list[int]]:
    """The list as JSON, and where each of its entries ends."""
    text, ends = "[", []
    for number, one in enumerate(entries):
        if number:
            text += ",\n  " if spaced else ","
        text += json.dumps(one, ensure_ascii=False, indent=2 if spaced else None)
        ends.append(len(text))
    return text + ("\n]" if spaced else "]"), ends


Form = tuple[str, str, Callable[[str], RawAnswer]]


def _native(text: str) -> RawAnswer:
    return RawAnswer(calls=(RawToolCall("report_findings", text),), stop_reason="max_tokens")


def _text(text: str) -> RawAnswer:
    return RawAnswer(text=text, stop_reason="max_tokens")


def _lost(text: str) -> RawAnswer:
    return RawAnswer(text=text, stop_reason=None)


FORMS: dict[str, Form] = {
    "native": ('{"findings": ', ', "keeps": ["cover"]}', _native),
    "native, keeps first": ('{"keeps": ["cover"], "findings": ', "}", _native),
    "bare json": ('{"findings": ', ', "keeps": []}', _text),
    "json in a fence": ('Here:\n```json\n{"findings": ', "}\n```\n\n\n", _text),
    "wrapped json": ('{"name": "report_findings", "arguments": {"findings": ', "}}", _lost),
    "wrapped json, doubled": (
        '{{"name": "report_findings", "arguments": {"findings": ',
        "}}}",
        _text,
    ),
    "a call as json": (
        '<tool_call>\n{"name": "report_findings", "arguments": {"findings": ',
        "}}\n</tool_call>",
        _text,
    ),
    "a call": (
        "I see.\n<tool_call>\n<function=report_findings>\n<parameter=findings>\n",
        "\n</parameter>\n<parameter=keeps>\n[]\n</parameter>\n</function>\n</tool_call>",
        _text,
    ),
    "a call, the connection lost": (
        "<function=report_findings><parameter=findings>",
        "</parameter></function>",
        _lost,
    ),
    "invoke": (
        '<function_calls>\n<invoke name="report_findings">\n<parameter name="findings">',
        "</parameter>\n</invoke>\n</function_calls>",
        _text,
    ),
    "invoke with its prefix": (
        f'<{PREFIX}invoke name="report_findings"><{PREFIX}parameter name="findings">',
        f"</{PREFIX}parameter></{PREFIX}invoke>",
        _text,
    ),
}


def at_every_byte(text: str) -> list[tuple[int, str]]:
    """Every prefix of the text by bytes, half characters shown, with its length in characters."""
    data = text.encode()
    prefixes = []
    for length in range(len(data) + 1):
        whole = data[:length].decode("utf-8", "ignore")
        prefixes.append((len(whole), data[:length].decode("utf-8", "replace")))
    return prefixes


LAYOUTS = [(form, False) for form in FORMS]
LAYOUTS += [(form, True) for form in ("native", "json in a fence", "a call")]


@pytest.mark.parametrize(("form", "spaced"), LAYOUTS)
@pytest.mark.parametrize("name", CLEAN)
def test_cut_anywhere_it_keeps_what_was_closed(name: str, form: str, spaced: bool) -> None:
    before, after, as_answer = FORMS[form]
    findings, ends = written(CLEAN[name], spaced=spaced)
    whole_text = before + findings + after
    whole = read_answer(as_answer(whole_text), sheets=SHEETS)
    good = {found.index: found for found in whole.findings}
    assert len(good) == sum(
        one.get("severity") in ("fix", "block") and "quote" in one for one in CLEAN[name]
    )
    for length, prefix in at_every_byte(whole_text):
        closed = [i for i, end in enumerate(ends) if len(before) + end <= length]
        read = read_answer(as_answer(prefix), sheets=SHEETS)
        assert list(read.findings) == [good[i] for i in closed if i in good], (length, prefix)
        assert [drop.index for drop in read.dropped] == [i for i in closed if i not in good]
        assert read.outcome in _possible(read, closed, whole), (length, read)


def _possible(read: AnswerRead, closed: list[int], whole: AnswerRead) -> set[Outcome]:
    if read.findings:
        return {Outcome.PARTLY_READ, whole.outcome}
    if closed:
        return {Outcome.INVALID_CALL}
    return {Outcome.OUT_OF_ROOM, Outcome.NO_CALL, whole.outcome, Outcome.PARTLY_READ}


@pytest.mark.parametrize("name", CLEAN)
def test_a_list_within_a_string_is_cut_like_any_other(name: str) -> None:
    findings, ends = written(CLEAN[name], spaced=True)
    before = '{"findings": "'
    places = [len(before) + len(json.dumps(findings[:end])) - 2 for end in ends]
    text = json.dumps({"findings": findings, "keeps": []})
    whole = read_answer(_native(text))
    assert whole.findings or not ends
    for length in range(len(text) + 1):
        kept = read_answer(_native(text[:length])).findings
        closed = {index for index, place in enumerate(places) if place <= length}
        assert kept == tuple(found for found in whole.findings if found.index in closed)


@needs_cases
def test_recorded_answers_cut_anywhere_keep_what_was_closed() -> None:
    """Cut in the text that was recorded. What is refused whole may be kept in part before
    the fault that refuses it has come, since nobody can know it then."""
    assert CASES is not None
    for path in sorted((CASES / "answers").glob("*.json")):
        case = json.loads(path.read_text())
        raw = raw_from_message(case["response"])
        whole = read_answer(raw)
        text = raw.text.rstrip("\n") + "\n"
        earlier: list[Any] = []
        for length in range(len(text) + 1):
            read = read_answer(_text(text[:length]))
            found = list(read.findings)
            if whole.findings:
                assert found == list(whole.findings[: len(found)]), (path.name, length)
                assert len(found) >= len(earlier), (path.name, length)
                assert len(found) == _closed(text[:length], whole), (path.name, length)
            elif found:
                assert found[: len(earlier)] == earlier
            earlier = found


def _closed(prefix: str, whole: AnswerRead) -> int:
    """How many of the kept entries end within `prefix`: each ends behind its fix."""
    count, at = 0, 0
    for found in whole.findings:
        fix = json.dumps(found.fix, ensure_ascii=False)
        at = prefix.find(fix, at)
        if at < 0 or "}" not in prefix[at + len(fix) :][:8]:
            return count
        at += len(fix)
        count += 1
    return count


@needs_cases
def test_recorded_findings_survive_a_cut_in_every_form() -> None:
    assert CASES is not None
    for path in sorted((CASES / "answers").glob("*.json")):
        case = json.loads(path.read_text())
        entries = [
            {"finding": "Something.", "fix": "Something else.", **kept}
            for kept in case["expect"]["kept"]
        ]
        for one in entries:
            del one["on_sheet"]
        findings, ends = written(entries, spaced=False)
        for form in ("native", "wrapped json", "a call"):
            before, after, as_answer = FORMS[form]
            text = before + findings + after
            whole = read_answer(as_answer(text)).findings
            assert len(whole) == len(entries)
            for length in range(len(text) + 1):
                closed = sum(len(before) + end <= length for end in ends)
                kept = read_answer(as_answer(text[:length])).findings
                assert kept == whole[:closed], (path.name, text[:length])

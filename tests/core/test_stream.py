"""Findings are given as they close, and are those that the whole answer gives."""

import json
import random
import time

import pytest

from reviewer.core.answers import read_answer
from reviewer.core.entries import ReadFinding
from reviewer.core.raw import RawAnswer, RawToolCall
from reviewer.core.stream import StreamedFindings
from tests.core.reader_cases import REPORTS, SHEETS, as_json, entry


def streamed(text: str, sizes: list[int]) -> list[ReadFinding]:
    """All that comes of `text` in fragments of these sizes, over and over."""
    stream, found, at, turn = StreamedFindings(SHEETS), [], 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        found += stream.feed(text[at : at + size])
        at, turn = at + size, turn + 1
    return found


def read_whole(text: str) -> list[ReadFinding]:
    raw = RawAnswer(calls=(RawToolCall("report_findings", text),), stop_reason="max_tokens")
    return list(read_answer(raw, sheets=SHEETS).findings)


NATIVE = [
    (case.name, text)
    for case in REPORTS
    for text in case.native
    if "list in a string" not in case.name
]


@pytest.mark.parametrize("sizes", [[1], [7], [1, 30, 2], [10**6]], ids=str)
@pytest.mark.parametrize(("name", "text"), NATIVE, ids=[name for name, _ in NATIVE])
def test_fragments_give_what_the_whole_gives(name: str, text: str, sizes: list[int]) -> None:
    assert streamed(text, sizes) == read_whole(text)


def test_a_finding_is_given_by_the_fragment_that_closes_it() -> None:
    text = as_json(entry(), entry(1), entry(0))
    stream = StreamedFindings(SHEETS)
    counts = [len(stream.feed(character)) for character in text]
    closing = [at for at, count in enumerate(counts) if count]
    assert len(closing) == 3
    assert all(text[at] == "}" for at in closing)


def test_the_index_goes_on_from_call_to_call() -> None:
    stream = StreamedFindings(first_index=5)
    assert [found.index for found in stream.feed(as_json(entry(), "x", entry()))] == [5, 7]


def test_prose_before_the_call_does_not_matter() -> None:
    stream = StreamedFindings(SHEETS)
    assert stream.feed("I will now report what I found.\n") == []
    assert len(stream.feed(as_json(entry()))) == 1
    assert len(StreamedFindings(SHEETS).feed("```json\n{" + as_json(entry()))) == 1


def test_nothing_is_given_behind_a_list_that_was_closed() -> None:
    stream = StreamedFindings()
    assert len(stream.feed(as_json(entry()))) == 1
    assert stream.feed(as_json(entry())) == []


PIECES = [
    json.dumps(entry()),
    json.dumps(entry(1, also=[{"sheet": 2, "quote": "a}"}])),
    '{"sheet": 1,}',
    '{"sheet": 2, "quote": "a "b" c"}',
    '{"a": 1, "a": 2}',
    "12abc",
    "12",
    "nul",
    '"s"',
    "[1, 2]",
    "\\",
    "",
    "{",
    "}",
    "]",
]
HEADS = [
    "",
    '"keeps": ["a"], ',
    '"keeps": ["a" "b"], ',
    '"x": 1a, ',
    '"x": NaN, ',
    '"keeps": [\\ ], ',
]
TAILS = ["]}", '], "keeps": []}', '], "findings": []}', "", "]"]


def test_whatever_comes_the_fragments_give_what_the_whole_gives() -> None:
    """Three thousand made answers, well and badly formed, whole and cut."""
    dice = random.Random(20261)
    for _ in range(3000):
        parts = [
            dice.choice(PIECES) if dice.random() < 0.5 else PIECES[0]
            for _ in range(dice.randrange(5))
        ]
        text = (
            "{" + dice.choice(HEADS) + '"findings": [' + dice.choice([", ", ",", " "]).join(parts)
        )
        text += dice.choice(TAILS)
        text = text[: dice.choice([len(text), dice.randrange(len(text) + 1)])]
        assert streamed(text, [dice.choice([1, 3, 40]), 5]) == read_whole(text), text


def test_time_grows_with_the_length_and_not_with_its_square() -> None:
    """Fed two characters at a time, with a long quote that closes brackets all the time."""

    def seconds(length: int) -> float:
        text = as_json(entry(quote="}]," * (length // 3)))
        best = 9.0
        for _ in range(3):
            stream = StreamedFindings()
            start = time.process_time()
            for at in range(0, len(text), 2):
                stream.feed(text[at : at + 2])
            best = min(best, time.process_time() - start)
        return best

    assert seconds(60_000) < 12 * seconds(15_000) + 0.01

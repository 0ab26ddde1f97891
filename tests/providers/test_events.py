"""Server-sent events: whole ones only, however the bytes were cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.providers.events import StreamTooLarge, event_data

STREAM = (
    "event: one\ndata: first “é”\n\n"
    ": a comment\r\ndata:no space\r\ndata: at all\r\n\r\n"
    "data: two\rdata: lines\r\r"
    "id: 7\nretry: 10\n\n"
    "data\n\n"
    "data: \U0001f600\n\n"
).encode()
DATA = ["first “é”", "no space\nat all", "two\nlines", "", "\U0001f600"]


def test_the_data_of_each_event_is_given_in_order() -> None:
    assert list(event_data([STREAM])) == DATA


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_chunks_may_be_cut_anywhere(cuts) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[start:end] for start, end in pairwise(places)]
    assert list(event_data(chunks)) == DATA


def test_byte_by_byte_is_the_same() -> None:
    assert list(event_data(bytes([byte]) for byte in STREAM)) == DATA


def test_an_event_that_the_end_cut_is_not_given() -> None:
    for at in range(len(STREAM)):
        given_data = list(event_data([STREAM[:at]]))
        assert given_data == DATA[: len(given_data)]
    assert list(event_data([b"data: whole\n\ndata: cut"])) == ["whole"]
    assert list(event_data([b"data: whole\n\ndata: cut\n"])) == ["whole"]


def test_a_bad_byte_costs_one_character() -> None:
    assert list(event_data([b"data: a\xffb\n\n"])) == ["a\N{REPLACEMENT CHARACTER}b"]


def test_a_stream_without_end_is_refused() -> None:
    def endless():
        while True:
            yield b"data: more " * 100

    with pytest.raises(StreamTooLarge):
        list(event_data(endless(), limit=50_000))

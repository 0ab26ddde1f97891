"""Strict JSON: the same values as the standard library gives, and fewer of them."""

import json
import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from reviewer.core.json_skip import Skipper, skip
from reviewer.core.json_strict import (
    MAX_DEPTH,
    MAX_DIGITS,
    WINDOW,
    JsonFault,
    decode,
    decode_quickly,
    examine,
    loads,
)

VALUES = some.recursive(
    some.none()
    | some.booleans()
    | some.integers(-(10**20), 10**20)
    | some.floats(allow_nan=False, allow_infinity=False)
    | some.text(some.characters(exclude_categories=["Cs"]), max_size=12),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=4), inner),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(VALUES, some.booleans(), some.sampled_from([None, 1]))
def test_what_json_writes_is_read_back(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert loads(f" {text}\n") == value
    assert decode(text + ",")[0] == value
    assert examine(text + ",", 0) == len(text)
    assert decode_quickly(text + ",", 0) in ((value, len(text)), None)
    assert skip(text + ",", 0) == len(text)


@settings(max_examples=200, deadline=None)
@given(VALUES.filter(lambda value: isinstance(value, (list, dict, str))))
def test_every_start_of_a_value_is_known_to_be_cut(value: Any) -> None:
    text = json.dumps(value)
    for length in range(1, len(text)):
        with pytest.raises(JsonFault) as caught:
            decode(text[:length])
        assert caught.value.cut, text[:length]
        assert skip(text[:length], 0) == Skipper.OPEN


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "b": 2, "a": 3}', "the name “a” is given twice"),
        ('[{"a": {"x": 1, "x": 1}}]', "the name “x” is given twice"),
        ("[NaN]", "NaN is not a JSON value"),
        ("-Infinity", "-Infinity is not a JSON value"),
        ("[1e999]", "a number is not finite"),
        (f"[{'1' * (MAX_DIGITS + 1)}]", "a number has more than 100 digits"),
        (f"[{'1' * 5000}]", "a number has more than 100 digits"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "it is nested too deeply"),
        ("[" * 100_000, "it is nested too deeply"),
        ('"\\ud83d"', "it holds half of a surrogate pair, which is no character"),
        ('{"\\udc00": 1}', "it holds half of a surrogate pair, which is no character"),
        ('"\ud83d"', "it holds half of a surrogate pair, which is no character"),
        ("[1,]", "it is not JSON"),
        ("[1 2]", "it is not JSON: a comma is missing"),
        ('{"a" 1}', "it is not JSON: a colon is missing"),
        ('{"a": 1,}', "it is not JSON: a name in quotation marks is missing"),
        ("{a: 1}", "it is not JSON: a name in quotation marks is missing"),
        ("['a']", "it is not JSON"),
        ('"a\nb"', "it is not JSON: a string holds a raw line break"),
        ('"\\x"', "it is not JSON: an escape is unknown"),
        ("[01]", "it is not JSON: a comma is missing"),
        ("[+1]", "it is not JSON"),
        ("[१]", "it is not JSON"),
        ("[1.]", "it is not JSON: a comma is missing"),
        ("True", "it is not JSON"),
        ("[1] 2", "something stands after the value"),
    ],
)
def test_what_is_refused_says_why(text: str, why: str) -> None:
    with pytest.raises(JsonFault) as caught:
        loads(text)
    assert (caught.value.why, caught.value.cut) == (why, False)


@pytest.mark.parametrize(
    "text", ["", "[", '{"a', '{"a":', "[1,", "tru", "-", "1e", '"\\u12', "[1.5"]
)
def test_what_is_cut_is_told_from_what_is_wrong(text: str) -> None:
    with pytest.raises(JsonFault) as caught:
        decode(text)
    assert caught.value.cut


def test_a_number_at_the_end_of_the_text_may_go_on() -> None:
    with pytest.raises(JsonFault) as caught:
        decode("12")
    assert caught.value.cut
    assert loads("12") == 12


def test_the_bounds_themselves_are_read() -> None:
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert json.dumps(loads(deep)) == deep
    assert loads("1" * MAX_DIGITS) == int("1" * MAX_DIGITS)
    assert loads('"\\ud83d\\ude00"') == "😀"
    assert math.isclose(loads("1e308"), 1e308)


def test_a_value_longer_than_the_window_is_read_like_a_short_one() -> None:
    for length in (WINDOW - 3, WINDOW - 2, WINDOW - 1, WINDOW, 3 * WINDOW):
        text = json.dumps(["x" * length, 1, {"a": 2}])
        assert decode(text + "]") == (json.loads(text), len(text))
        assert decode(" " + text, 1) == (json.loads(text), len(text) + 1)
        with pytest.raises(JsonFault) as caught:
            decode(text[:-1])
        assert caught.value.cut


def test_the_quick_and_the_careful_walk_agree_on_spoiled_text() -> None:
    """`decode` and `examine` give the same answer for four thousand edited values."""
    dice = random.Random(5)
    good = [
        '{"a": [1, -2.5e3, "x\\n", null], "b": {"c": true}}',
        '["é", {"k": "v"}, [], {}]',
        '"s"',
    ]
    for _ in range(4000):
        text = dice.choice(good)
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(text) + 1)
            put = "".join(dice.choices('{}[]":,\\ 0a1eN-\n\ud800', k=dice.randrange(3)))
            text = text[:at] + put + text[at + dice.randrange(3) :]
        text = text.lstrip(" \n")
        by_hand = examine(text, 0)
        read = _read(text)
        if isinstance(read, JsonFault) and "surrogate" in read.why:
            continue
        if isinstance(by_hand, JsonFault):
            assert isinstance(read, JsonFault), text
            assert read.cut == by_hand.cut, text
        else:
            assert read == by_hand, text


def _read(text: str) -> int | JsonFault:
    """Where the value ends by `decode`, or why it is none."""
    try:
        return decode(text)[1]
    except JsonFault as fault:
        return fault


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ('{"a": "}"} x', 10),
        ('{"a": "b" c "d"}, 1', 16),
        ('{"a": [1, 2}', Skipper.BROKEN),
        ('{"a": \\"b"}', Skipper.BROKEN),
        ('"a\nb" ', 5),
        ("[1, 2", Skipper.OPEN),
        ("12abc, ", 5),
        ("x{", Skipper.BROKEN),
    ],
)
def test_the_end_of_a_value_is_found_by_its_brackets(text: str, end: int) -> None:
    assert skip(text, 0) == end
    skipper = Skipper()
    places = [skipper.feed(character) for character in text]
    first = next((at for at, place in enumerate(places) if place != Skipper.OPEN), None)
    if end == Skipper.OPEN:
        assert first is None
    else:
        assert first is not None
        assert places[first] == Skipper.BROKEN if end < 0 else first + places[first] == end

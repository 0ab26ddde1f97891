"""Learnings as YAML: out and in is the identity, and a fault is told with its line."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.core.learnings_yaml import (
    BadYaml,
    Written,
    WrittenFile,
    WrittenSource,
    WrittenVersion,
    read,
    write,
)

WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)
MAYBE = st.one_of(st.just(""), WORDS, st.sampled_from(["yes", "12", "2027-06-01", "~", "- a: b"]))
SMALL = st.integers(0, 99_999)
DAYS = st.one_of(st.none(), st.dates(date(2000, 1, 1), date(2100, 1, 1)))
SOURCES = st.builds(WrittenSource, proposal=MAYBE, quote=MAYBE, text=WORDS, sheet=SMALL)
VERSIONS = st.builds(WrittenVersion, number=SMALL, text=WORDS, by=MAYBE)


@st.composite
def _learnings(draw: st.DrawFn) -> Written:
    kind = draw(st.sampled_from(["look_for", "never_say", "do_not_raise"]))
    return Written(
        kind=kind,
        text=draw(WORDS),
        number=0,
        state=draw(st.sampled_from(["proposed", "in_force", "retired"])),
        phrase=draw(WORDS) if kind == "never_say" else "",
        client=draw(MAYBE),
        until=draw(DAYS),
        author=draw(MAYBE),
        versions=tuple(draw(st.lists(VERSIONS, max_size=2))),
        sources=tuple(draw(st.lists(SOURCES, max_size=2))),
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(_learnings(), max_size=3), st.sampled_from(["", "field-systems"]))
def test_what_is_written_is_read_and_written_the_same(learnings, house):
    file = WrittenFile(tuple(learnings), house)
    text = write(file)
    assert read(text) == file
    assert write(read(text)) == text


GOOD = """format: 1
learnings:
  - number: 12
    kind: look_for
    text: Name every integration.
  - kind: never_say
    text: Never say leverage.
    phrase: leverage
"""


@pytest.mark.parametrize(
    ("was", "now", "line", "why"),
    [
        ("kind: look_for", "kind: guess", 3, "one of look_for"),
        ("number: 12", "number: twelve", 3, "whole number"),
        ("text: Name every integration.", "text: 2027-06-01", 5, "quotes"),
        ("    text: Name every integration.", "    txt: Name.", 5, "no field"),
        ("    text: Name every integration.\n", "", 3, "needs “text”"),
        ("    phrase: leverage\n", "", 6, "phrase"),
        ("    phrase: leverage", "    phrase: leverage\n    number: 12", 6, "line 3 too"),
        ("    phrase: leverage", "    phrase: leverage\n    kind: never_say", 9, "twice"),
        ("text: Name every integration.", "text: &a Name it.", 5, "anchors"),
        ("text: Name every integration.", "text: [", 6, ""),
        ("format: 1", "format: 2", 1, "format"),
        ("text: Name every integration.", "text: [[[[[[[[[[[[[[[[", 5, "nested"),
        ("text: Name every integration.", "text: !!python/name:os.system", 5, "words"),
        ("    phrase: leverage", "    phrase: leverage\n    until: soon", 9, "a day"),
    ],
    ids=str,
)
def test_a_fault_is_told_with_its_line(was, now, line, why):
    assert was in GOOD
    with pytest.raises(BadYaml) as bad:
        read(GOOD.replace(was, now, 1))
    assert any(at == line and why in told for at, told in bad.value.problems), bad.value.problems


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "text", ["", "- a", "format: 1", "\0", "learnings: []", "format: [1]", DEEP], ids=range(7)
)
def test_what_is_no_such_file_is_refused(text):
    with pytest.raises(BadYaml):
        read(text)


def test_every_fault_is_told_at_once():
    with pytest.raises(BadYaml) as bad:
        read(GOOD.replace("look_for", "guess").replace("phrase", "frase"))
    assert {line for line, _ in bad.value.problems} >= {3, 8}

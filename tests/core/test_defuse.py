"""Call markup in a document is seen whatever its dress, and shown without its power."""

import pytest

from reviewer.core.defuse import carries_markup, defuse
from reviewer.core.quotes import find_quote
from reviewer.core.text_call import find_call
from tests.core.reader_cases import PREFIX, call

MARKUP = [
    "<tool_call>",
    "</tool_call>",
    "<function=f>",
    "</function>",
    "<parameter=n>",
    "</parameter>",
    '<parameter name="n">',
    '<invoke name="f">',
    "</invoke>",
    "<function_calls>",
    f"<{PREFIX}invoke name='f'>",
    "<PARAMETER=n>",
    "< parameter = n >",
    "<parameter=n",
    "&lt;parameter=n&gt;",
    "&#60;tool_call&#62;",
    "＜parameter=n＞",
    "<para\u200bmeter=n>",
    "<p\u00adarameter=n>",
]
PLAIN = [
    "Prices rise < 3% and > 1% a year.",
    "We use C++ <functional> and <b>bold</b> words.",
    "The function=f and parameter=n settings stay.",
    "AT&T &lt; others; x < parameters of the model",
    "",
]


@pytest.mark.parametrize("tag", MARKUP)
def test_markup_is_seen_and_taken_away(tag: str) -> None:
    text = f"The form says {tag} and nothing else, 3 < 4."
    assert carries_markup(text)
    shown = defuse(text)
    assert not carries_markup(shown)
    assert find_call(shown).first == len(shown)
    assert "form says" in shown


@pytest.mark.parametrize("text", PLAIN)
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert not carries_markup(text)
    assert defuse(text) == text


def test_only_the_markup_is_changed() -> None:
    assert defuse("a < b <parameter=n> c > d") == "a < b ‹parameter=n› c > d"
    assert defuse("x</parameter") == "x‹/parameter"


def test_a_whole_call_is_defused() -> None:
    assert find_call(defuse(call(("s", "a")))).start is None


def test_a_quote_of_defused_text_is_found_in_the_document() -> None:
    document = "Our API takes <parameter=n> and gives back a number."
    quote = "takes ‹parameter=n› and gives"
    assert quote in defuse(document)
    assert find_quote(quote, document) is not None

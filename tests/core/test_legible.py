"""What may stand in what leaves: nothing that is obeyed and not seen."""

import pytest

from reviewer.core.legible import legible


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("plain, with a\ttab\nand a line", "plain, with a\ttab\nand a line"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("\u2066a\u2069\u200f\u061cb", "ab"),
        ("\x1b]0;owned\x07\x9b31m", "]0;owned31m"),
        ("zero\u200bwidth\ufeff\u00ad", "zerowidth"),
        ("tag\U000e0041\U000e007f", "tag"),
        ("می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"),
        ("emoji 👩\u200d💻 and ½ stay", "emoji 👩\u200d💻 and ½ stay"),
    ],
)
def test_only_what_is_obeyed_and_not_seen_goes(typed: str, left: str) -> None:
    assert legible(typed) == left

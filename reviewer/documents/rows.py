"""A sheet as one line of JSON, written as fast as its words allow.

A page has hundreds of words with four edges each; written by hand they take half the time
that a general encoder takes.
"""

import json
from collections.abc import Iterable, Mapping
from json.encoder import encode_basestring
from typing import Any

from reviewer.documents.sheets import ParagraphRead, Word


def sheet_row(facts: Mapping[str, Any], words: Iterable[Word]) -> str:
    """`facts` and `words` as an object that is not closed yet; `closed_row` closes it."""
    quoted = encode_basestring
    listed = ",".join(
        [f"[{quoted(t)},{x0:.2f},{y0:.2f},{x1:.2f},{y1:.2f}]" for t, x0, y0, x1, y1 in words]
    )
    opened = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))[:-1]
    return f'{opened},"words":[{listed}]'


def closed_row(opened: str, paragraphs: Iterable[ParagraphRead]) -> str:
    """The line with the sheet's paragraphs, which are known last."""
    found = [[one.text, one.hash, one.first_word, one.last_word] for one in paragraphs]
    listed = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return f'{opened},"paragraphs":{listed}}}\n'

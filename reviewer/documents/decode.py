"""Bytes become text: by byte order mark, then by what fits, and what was chosen is said.

Promises: no NUL and no other control character but tabs and line breaks, line breaks as
one character, no lone surrogates. Nothing raises; bytes that mean nothing become U+FFFD.
"""

import re
from typing import NamedTuple

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_DECLARED = re.compile(
    rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:-]{2,30})", re.IGNORECASE
)
_NAMES = {"utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "cp1252": "Windows-1252"}
# Encodings of scripts that Windows-1252 cannot hold, where a guess is worth more than it.
_OTHER_SCRIPTS = {
    "big5", "big5hkscs", "cp932", "cp949", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk",
    "shift_jis", "cp1251", "koi8_r", "koi8_u", "cp1253", "cp1255", "cp1256", "iso8859_5",
    "iso8859_7", "iso8859_8", "tis_620", "cp874", "iso2022_jp", "johab", "mac_cyrillic",
}  # fmt: skip


class Decoded(NamedTuple):
    """`encoding` is Python's name for it; `note` a sentence where it was not UTF-8."""

    text: str
    encoding: str
    note: str


def decode(raw: bytes) -> Decoded:
    """The text in `raw`."""
    encoding, skipped = _encoding(raw)
    text = raw[skipped:].decode(encoding, "replace").removeprefix("\ufeff")
    dropped = "\x00" in text
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n"))
    notes = []
    if encoding not in {"utf-8", "ascii"}:
        notes.append(f"The text was read as {_NAMES.get(encoding, encoding)}.")
    if dropped:
        notes.append("NUL characters in the text were dropped.")
    return Decoded(text, encoding, " ".join(notes))


def _encoding(raw: bytes) -> tuple[str, int]:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return encoding, len(mark)
    if wide := _without_mark(raw):
        return wide, 0
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return _older(raw), 0
    return "utf-8", 0


def _without_mark(raw: bytes) -> str | None:
    """UTF-16 without a mark: in most scripts every other byte is NUL or close to constant."""
    sample = raw[:4000]
    if len(sample) < 8 or b"\x00" not in sample:
        return None
    pairs = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.4 * pairs and even < 0.1 * pairs:
        return "utf-16-le"
    if even > 0.4 * pairs and odd < 0.1 * pairs:
        return "utf-16-be"
    return None


def _older(raw: bytes) -> str:
    """An encoding of before Unicode."""
    if declared := _DECLARED.search(raw[:4096]):
        name = declared[1].decode("ascii").lower()
        if name in {"iso-8859-1", "latin1", "us-ascii", "utf-8"}:
            name = "cp1252"
        try:
            raw.decode(name)
        except (LookupError, UnicodeDecodeError):
            pass
        else:
            return name
    from charset_normalizer import from_bytes

    best = from_bytes(raw[:200_000]).best()
    if best is not None and best.encoding in _OTHER_SCRIPTS and best.percent_coherence > 0:
        return best.encoding
    return "cp1252"

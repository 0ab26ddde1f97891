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
_NAMES = {
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
}
# Encodings of scripts that Windows-1252 cannot hold, the likelier first.
_OTHER_SCRIPTS = [
    "cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "cp949", "johab", "cp1251", "koi8_r",
    "cp1253", "cp1255", "cp1256", "cp874",
]  # fmt: skip


_LATIN = ["cp1252", "cp1250"]
_FEW = 0.5
"""The share of bytes beyond ASCII, among those that can be letters, in Latin scripts."""


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

    sample = raw[:200_000]
    beyond = sum(byte >= 0x80 for byte in sample)
    letters = sum(chr(byte).isalpha() for byte in sample if byte < 0x80)
    if beyond < _FEW * (beyond + letters):  # Latin letters, some with accents
        fits = {one.encoding: one.coherence for one in from_bytes(sample, cp_isolation=_LATIN)}
        central = fits.get("cp1250", 0.0) > fits.get("cp1252", 0.0) + 0.05
        return "cp1250" if central else "cp1252"
    best = from_bytes(sample, cp_isolation=_OTHER_SCRIPTS).best()
    return "cp1252" if best is None else str(best.encoding)

"""Money, percentages and numbers as they are written, with their value and their place.

Number forms of en-US and en-GB (1,234.5), of the continent where they cannot be mistaken
(1.234.567,89), and scaled amounts (1.1 million, 650k). A lone "1.234" is one and a bit.
Groups parted by spaces (12 500,75) are read where the workspace writes so, or after a
currency ($12 500).
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from reviewer.core.structure.forms import PLAIN, Forms

PERCENT = "%"

_CODES = "USD|EUR|GBP|CHF|CAD|AUD|NZD|JPY|SEK|NOK|DKK|INR|SGD|HKD|ZAR|PLN|CZK|DAI|BTC|ETH"
_SIGNS = {
    "$": "USD", "US$": "USD", "C$": "CAD", "A$": "AUD", "NZ$": "NZD", "S$": "SGD",
    "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR",
}  # fmt: skip
_SCALES = {
    "k": 3, "thousand": 3, "m": 6, "mn": 6, "mio": 6, "million": 6, "bn": 9, "billion": 9,
}  # fmt: skip
_NUMBER = (
    r"\d{1,3}(?:\.\d{3}){1,4},\d{1,2}(?!\d)|\d{1,3}(?:\.\d{3}){2,4}(?!\d|,\d)"
    r"|\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,4})?(?!\d|,\d)|\d{1,4},\d{2}(?!\d|,\d)|\d{1,15}(?:\.\d{1,6})?"
)
_SPACED = r"\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,4})?(?!\d|[.,]\d)"
_DECIMAL_COMMA = r"\d{1,6},\d{1,2}(?!\d|,\d)"
_SIGN = rf"US\$|C\$|A\$|NZ\$|S\$|[$€£¥₹]|\b(?:{_CODES})\b"
_AFTER_SIGN = rf"(?:(?<=[$€£¥₹])|(?<=[$€£¥₹] )){_SPACED}|{_NUMBER}"


def _pattern(number: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.,/#§-])(?:(?P<sign>{_SIGN})[ \u00a0]?)?"
        rf"(?P<number>{number})"
        r"(?:[ \u00a0]?(?P<scale>k|thousand|mn|mio|million|bn|billion|m)\b)?"
        rf"(?:[ \u00a0]?(?P<after>%|per ?cent\b|[€£](?!\d)|\$(?!\d)|(?:{_CODES})\b))?",
        re.IGNORECASE,
    )


_AMOUNT = _pattern(_AFTER_SIGN)
_AMOUNT_SPACED = _pattern(rf"{_SPACED}|{_DECIMAL_COMMA}|{_NUMBER}")
_DIGIT = re.compile(r"\d")
_LONGEST_SIGN = 4
"""Letters of a currency and the space after it."""
_CONTINENTAL = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?")
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|some|nearly|almost|over|under|approximately|approx\.?|circa"
    r"|up to|at least|at most|more than|less than|fewer than|ca\.?)|[~≈<>±])\s*$",
    re.IGNORECASE,
)
_COUNTING = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
WORDS_FOR_NUMBERS = {word: value for value, word in enumerate(_COUNTING.split())} | _TENS


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as written. `unit` is a currency code, "%" or "" for a plain number.

    `step` is what its last written digit is worth: 1 for 658,000; 100,000 for 1.1 million.
    `about` says that the text itself gives it as rounded or as a bound.
    """

    start: int
    end: int
    value: Decimal
    unit: str
    step: Decimal
    about: bool = False

    @property
    def is_money(self) -> bool:
        """Whether the amount has a currency."""
        return self.unit not in {"", PERCENT}


def amounts_in(text: str, forms: Forms = PLAIN) -> tuple[Amount, ...]:
    """Every amount in `text`, in order. Parts of words, versions and dates with slashes are none."""
    pattern = _AMOUNT_SPACED if forms.spaced else _AMOUNT
    found: list[Amount] = []
    cursor = 0
    # Every amount has a digit, and at most a currency before it: only there it is sought.
    while (digit := _DIGIT.search(text, cursor)) is not None:
        match = pattern.search(text, max(cursor, digit.start() - _LONGEST_SIGN))
        if match is None:
            break
        cursor = match.end()
        amount = _amount(text, match, forms)
        if amount is not None:
            found.append(amount)
    return tuple(found)


@lru_cache(maxsize=8192)
def only_amount(cell: str, forms: Forms = PLAIN) -> Amount | None:
    """The amount that a cell consists of, give or take a unit in one word; None for any other cell."""
    found = amounts_in(cell, forms)
    if len(found) != 1:
        return None
    amount = found[0]
    before, after = cell[: amount.start].strip(" ~≈c+"), cell[amount.end :].strip(" *+†‡.")
    if before not in {"", "("} or len(after.split()) > 2 or any(c.isdigit() for c in after):
        return None
    return amount


def _amount(text: str, match: re.Match[str], forms: Forms) -> Amount | None:
    end = match.end()
    written = match["number"]
    if " " in written:
        written = written.replace(" ", "").replace(",", ".")
    sign, scale, after = match["sign"], match["scale"], match["after"]
    if end < len(text) and (text[end].isalnum() or text[end] in "_/") and not after:
        return None
    if scale and scale.lower() == "m" and not (sign or after):
        return None  # "5 m" is a length
    cents = re.fullmatch(r"\d{1,6},\d{1,2}", written) is not None
    if cents and not (sign or after or forms.spaced):
        return None  # "12,50" is a price only with its currency
    if cents or (_CONTINENTAL.fullmatch(written) and ("," in written or written.count(".") > 1)):
        plain = written.replace(".", "").replace(",", ".")
    else:
        plain = written.replace(",", "")
    value = Decimal(plain)
    decimals = len(plain.partition(".")[2])
    exponent = _SCALES[scale.lower()] if scale else 0
    unit = _unit(sign, after)
    about = bool(_ABOUT.search(text[max(0, match.start() - 24) : match.start()]))
    return Amount(
        match.start(),
        end,
        value.scaleb(exponent),
        unit,
        Decimal(1).scaleb(exponent - decimals),
        about,
    )


def _unit(sign: str | None, after: str | None) -> str:
    if after and (after == "%" or after.lower().startswith("per")):
        return PERCENT
    written = (sign or after or "").upper()
    return _SIGNS.get(written, written)


def as_written(value: Decimal, like: Amount) -> str:
    """A value in the form of an amount, for the words of a finding."""
    if like.unit == PERCENT:
        return f"{_plain(value)}%"
    if like.unit in {"USD", "GBP", "EUR"}:
        return {"USD": "$", "GBP": "£", "EUR": "€"}[like.unit] + _plain(value)
    return f"{_plain(value)} {like.unit}".strip()


def _plain(value: Decimal) -> str:
    rounded = value.quantize(Decimal("0.01")).normalize()
    return f"{rounded:,f}"

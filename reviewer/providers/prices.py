"""What tokens cost, by family of model, and the day the prices were read.

Prices are in US dollars a million tokens, from Anthropic's public price list. A model that
is not in the table has no price: it is shown by its tokens, never by a guess. Servers of
one's own and resellers have prices of their own, so a table can be given instead.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from reviewer.core.raw import Usage

PRICES_OF = date(2026, 10, 24)
"""The day on which the table below was last true of the price list, which stands at
https://platform.claude.com/docs/en/about-claude/pricing."""

_MILLION = Decimal(1_000_000)
_SHOWN_TO = Decimal("0.000001")


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars a million tokens. A cache write is one that lives five minutes."""

    input: Decimal
    output: Decimal
    cache_write: Decimal
    cache_read: Decimal

    def cost(self, usage: Usage) -> Decimal:
        """Dollars for `usage`, to a millionth."""
        total = (
            usage.input_tokens * self.input
            + usage.output_tokens * self.output
            + usage.cache_write_tokens * self.cache_write
            + usage.cache_read_tokens * self.cache_read
        )
        return (total / _MILLION).quantize(_SHOWN_TO)


@dataclass(frozen=True, slots=True)
class Row:
    """The price of the models whose name matches `family`.

    Above `long_from` prompt tokens, cache included, `long` is the price of the whole request.
    """

    family: str
    price: Price
    long_from: int | None = None
    long: Price | None = None


def price(input: str, output: str, *, read: str, write: str | None = None) -> Price:
    """A price from the figures of a price list; a cache write is 1.25 of the input's."""
    base = Decimal(input)
    written = Decimal(write) if write is not None else base * Decimal("1.25")
    return Price(base, Decimal(output), written, Decimal(read))


# First match counts. The end of a name is fixed, so that a new model has no price until
# its price is known: fable-5-1 is not fable-5, and fable-5-2 is neither.
TABLE: tuple[Row, ...] = (
    Row(r"(?:fable|mythos)-5-1", price("10", "50", read="0.25")),
    Row(r"(?:fable|mythos)-5", price("10", "50", read="1")),
    Row(r"opus-5-5", price("4", "20", read="0.20")),
    Row(r"opus-(?:5|4-[5-8])", price("5", "25", read="0.50")),
    Row(r"opus-4(?:-[01])?", price("15", "75", read="1.50")),
    Row(r"sonnet-5-5", price("2", "10", read="0.10")),
    Row(r"sonnet-5", price("2", "10", read="0.20")),
    Row(r"sonnet-4(?:-[0156])?", price("3", "15", read="0.30")),
    Row(
        r"haiku-5-5",
        price("0.10", "0.50", read="0.01"),
        long_from=100_000,
        long=price("0.50", "2.50", read="0.05"),
    ),
    Row(r"haiku-4-5", price("1", "5", read="0.10")),
)

_NAME = r"(?:^|[./])claude-{family}(?:[-@]\d{{8}})?(?:-v\d+(?::\d+)?)?(?:\[1m\]|-latest)?$"


def row_for(model: str, table: Sequence[Row] = TABLE) -> Row | None:
    """The row that prices `model`, by its name as a server gives it; None where none does."""
    name = model.casefold()
    return next(
        (row for row in table if re.search(_NAME.format(family=f"(?:{row.family})"), name)), None
    )


def own_price(input: str, output: str, *, write: str = "", read: str = "") -> Price:
    """A price that somebody states themselves; what the cache costs is the input's if unsaid."""
    base = Decimal(input)
    return Price(base, Decimal(output), Decimal(write or base), Decimal(read or base))


def cost(
    usage: Usage,
    model: str,
    table: Sequence[Row] = TABLE,
    *,
    own: Mapping[str, Price] | None = None,
) -> Decimal | None:
    """Dollars for `usage` of `model`, to a millionth; None where its price is not known.

    `own` are prices by model name, in lower case, that stand before the table.
    """
    stated = (own or {}).get(model.casefold())
    if stated is not None:
        return stated.cost(usage)
    row = row_for(model, table)
    if row is None:
        return None
    prompt = usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens
    if row.long is not None and row.long_from is not None and prompt > row.long_from:
        return row.long.cost(usage)
    return row.price.cost(usage)

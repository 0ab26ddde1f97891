"""Commercial clarity: one price, one currency, and rows whose product is right.

Two amounts are only called the same price where both say so: a fixed or total fee in a
sentence, and the total of the one table that has a price.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Place, Severity
from reviewer.core.structure.amounts import Amount, amounts_in, as_written
from reviewer.core.structure.columns import Entry, column_above, entries_of, is_total_label
from reviewer.core.structure.rows import Row

RULE = RULES_BY_CODE["commercial_clarity"].code

_HEADLINE = re.compile(
    r"\b(?:(?:fixed|total|overall|all-in) (?:fee|price|cost|budget|investment)"
    r"|(?:our|the) (?:fee|price) is(?: fixed at)?)\b[^.;$€£\d]{0,30}(?=[$€£]|\d|[A-Z]{3} ?\d)",
    re.IGNORECASE,
)
_PRICED = frozenset({"fee", "price", "cost", "budget", "investment"})
"""One of these every such price has before it; to look for them is quick."""
_A_PART = re.compile(
    r"\b(?:options?|optional|phases? \w|stage \w|milestones?|additional|extra|licen[cs]es?|per|each|a (?:day|month"
    r"|year)|monthly|annual|yearly|daily|VAT|tax|up to|not exceed|ceiling|cap|previous|last year|earlier)\b",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"\b(?:was|were|your?)\b|\bof ownership\b"
    r"|\bfor (?:one|two|three|four|five|six|seven|eight|nine|ten|\d+) [a-z]|\bof (?:the|this|our) (?!work|project|engagement|program|proposal|offer)",
    re.IGNORECASE,
)
"""A price that is over, the buyer's own figure, or that of a part."""
_TAXED = re.compile(
    r"\b(?:incl\w*|with|and|plus|after)\.? (?:\w+ )?(?:VAT|tax|GST)\b|\bgross\b", re.I
)


@dataclass(frozen=True, slots=True)
class _Price:
    sheet: CheckedSheet
    start: int
    end: int
    amount: Amount


def find_two_prices(document: CheckedDocument) -> Iterator[Fault]:
    """A fixed or total price in a sentence that differs from another one, or from the price table."""
    said = list(_prices_in_sentences(document))
    totals = list(_prices_in_tables(document))
    if len({price.amount.value for price in totals}) == 1:
        said.append(totals[0])
    for first, second in combinations(said, 2):
        if _differ(first.amount, second.amount):
            yield Fault(
                first.sheet.number,
                first.sheet.quote(first.start, first.end),
                f"Says {as_written(first.amount.value, first.amount)} here and "
                f"{as_written(second.amount.value, second.amount)} on sheet {second.sheet.number}.",
                "State one price, the same in both places.",
                also=(
                    Place(
                        sheet=second.sheet.number,
                        quote=second.sheet.quote(second.start, second.end),
                    ),
                ),
            )
            return


def _differ(first: Amount, second: Amount) -> bool:
    if first.unit != second.unit or first.about or second.about:
        return False
    step = max(first.step, second.step)
    near = first.value / 2 < second.value < first.value * 2
    return near and abs(first.value - second.value) >= step


def _prices_in_sentences(document: CheckedDocument) -> Iterator[_Price]:
    for sheet, sentence in document.sentences():
        if sentence.row or _PRICED.isdisjoint(sentence.words):
            continue
        raw = sheet.text[sentence.start : sentence.end]
        match = _HEADLINE.search(raw)
        if match is None:
            continue
        clause = re.split(r"[;(]|,\s", raw[match.start() :], maxsplit=1)[0]
        amount = next(
            (a for a in amounts_in(raw, sheet.forms) if a.start >= match.end() - 4 and a.is_money),
            None,
        )
        before = raw[max(0, match.start() - 40) : match.start()]
        if _A_PART.search(before) or _ANOTHER.search(before[-12:] + match.group()):
            continue
        if amount is None or amount.start > match.end() + 1 or _A_PART.search(clause):
            continue
        following = raw[amount.end : amount.end + 14]
        if re.match(r"\s*(?:/|per\b|a (?:day|week|month|year)|each|incl)", following):
            continue
        yield _Price(sheet, sentence.start + match.start(), sentence.start + amount.end, amount)


def _prices_in_tables(document: CheckedDocument) -> Iterator[_Price]:
    for sheet in document.sheets:
        for row in document.rows(sheet):
            label = row.cells[0].text if row.cells else ""
            if not is_total_label(label) or _TAXED.search(label) or label.lower().startswith("sub"):
                continue
            money = [entry for entry in entries_of(row) if entry.amount.is_money]
            if money and row.whole:
                yield _Price(sheet, row.start, row.end, money[-1].amount)


def find_two_totals(document: CheckedDocument) -> Iterator[Fault]:
    """Totals of two tables under the same heading, such as days, that nearly agree."""
    totals: list[tuple[CheckedSheet, Entry, str]] = []
    for sheet in document.sheets:
        for index, row in enumerate(document.rows(sheet)):
            if not row.cells or not is_total_label(row.cells[0].text) or not row.whole:
                continue
            for entry in entries_of(row):
                header = column_above(document.rows(sheet), index, entry.cell).header.casefold()
                if header and not entry.amount.is_money:
                    totals.append((sheet, entry, header))
    for (one, first, header), (other, second, its_header) in combinations(totals, 2):
        a, b = first.amount, second.amount
        if header != its_header or one is other or a.unit != b.unit or a.value == b.value:
            continue
        if (
            abs(a.value - b.value) * 10 > max(a.value, b.value)
            or "option" in one.text.lower()[:400]
        ):
            continue
        yield Fault(
            other.number,
            other.quote(second.row.start, second.row.end),
            f"The total under “{its_header}” is {as_written(b.value, b)} here and "
            f"{as_written(a.value, a)} on sheet {one.number}.",
            "Make the two tables agree, or say why they differ.",
            also=(Place(sheet=one.number, quote=one.quote(first.row.start, first.row.end)),),
        )


_PRICE_WORDS = re.compile(
    r"\b(?:fees?|prices?|total costs?|budget|day rates?|invoices?|invoiced|payments?|licen[cs]es?|payable|charge[sd]?)\b",
    re.IGNORECASE,
)
_INSIDE = re.compile(r"\bincluded in\b", re.IGNORECASE)
_CONVERTED = re.compile(
    r"\b(?:exchange|equivalent|convert\w*|approximately|approx|about|roughly|at the rate|currency|currencies)\b|≈|~",
    re.IGNORECASE,
)


def find_two_currencies(document: CheckedDocument) -> Iterator[Fault]:
    """A price in another currency than the rest, where nothing says how they relate."""
    written = {a.unit for sheet in document.sheets for a in sheet.amounts if a.is_money}
    if len(written) != 2:
        return
    prices: list[tuple[CheckedSheet, int, int, str]] = []
    for sheet, sentence in document.sentences():
        money = [a for a in amounts_in(sentence.text, sheet.forms) if a.is_money]
        units = {amount.unit for amount in money}
        if (
            len(units) == 1
            and not _INSIDE.search(sentence.text)
            and (sentence.row or _PRICE_WORDS.search(sentence.text))
        ):
            prices.append((sheet, sentence.start, sentence.end, units.pop()))
        elif len(units) > 1:
            return  # the document itself sets the currencies side by side
    counts = Counter(unit for *_, unit in prices)
    if len(counts) != 2 or _CONVERTED.search(_around(document, counts)):
        return
    usual, rare = (unit for unit, _ in counts.most_common())
    if counts[usual] < 2 * counts[rare]:
        return
    sheet, start, end = next((s, a, b) for s, a, b, unit in prices if unit == rare)
    yield Fault(
        sheet.number,
        sheet.quote(start, end),
        f"This price is in {rare}, the others are in {usual}, and nothing says how they relate.",
        f"Give it in {usual}, or say which exchange rate applies and who bears it.",
    )


def _around(document: CheckedDocument, counts: Counter[str]) -> str:
    rare = counts.most_common()[-1][0]
    return " ".join(
        sentence.text
        for sheet, sentence in document.sentences()
        if any(amount.unit == rare for amount in amounts_in(sentence.text, sheet.forms))
    )


def find_wrong_products(document: CheckedDocument) -> Iterator[Fault]:
    """Rows of a table in which quantity times price is not the amount, as it is in the others."""
    for sheet in document.sheets:
        for table in _tables_of_numbers(document.rows(sheet)):
            yield from _wrong_products(sheet, table)


def _tables_of_numbers(rows: Sequence[Row]) -> Iterator[list[tuple[Entry, ...]]]:
    table: list[tuple[Entry, ...]] = []
    last: Row | None = None
    for row in rows:
        entries = entries_of(row)
        total = bool(row.cells) and is_total_label(row.cells[0].text)
        near = last is not None and row.y0 - last.y1 < 4 * last.size
        if table and (not near or (entries and not total and not _aligned(table[-1], entries))):
            yield table
            table = []
        if len(entries) >= 3 and not total:
            table.append(entries)
        if entries or table:
            last = row
    if table:
        yield table


def _aligned(above: Sequence[Entry], below: Sequence[Entry]) -> bool:
    return len(above) == len(below) and all(
        upper.cell.over(lower.cell.x0 - 6, lower.cell.x1 + 6)
        for upper, lower in zip(above, below, strict=True)
    )


def _wrong_products(sheet: CheckedSheet, table: Sequence[tuple[Entry, ...]]) -> Iterator[Fault]:
    if len(table) < 3:
        return
    for one, other, product in combinations(range(len(table[0])), 3):
        right = [row for row in table if _is_product(row[one], row[other], row[product])]
        telling = [row for row in right if row[one].amount.value != 1 != row[other].amount.value]
        wrong = [row for row in table if row not in right]
        if len(telling) < 2 or len(wrong) * 2 > len(right):
            continue
        for row in wrong:
            made = row[one].amount.value * row[other].amount.value
            amount, line = row[product].amount, row[product].row
            if not line.whole or made == 0:
                continue
            yield Fault(
                sheet.number,
                sheet.quote(line.start, line.end),
                f"{_plain(row[one])} × {_plain(row[other])} is {as_written(made, amount)}, "
                f"not {as_written(amount.value, amount)}.",
                f"Write {as_written(made, amount)}, or correct the quantity or the price.",
            )
        return


def _is_product(one: Entry, other: Entry, product: Entry) -> bool:
    made = one.amount.value * other.amount.value
    room = product.amount.step if product.amount.step > 1 else Decimal(1)
    return abs(made - product.amount.value) <= room


def _plain(entry: Entry) -> str:
    return as_written(entry.amount.value, entry.amount)


CHECKS = (
    Check(
        code="two_prices",
        title="One price, the same everywhere",
        rule=RULE,
        severity=Severity.BLOCK,
        good="We offer the work for a fixed fee of $658,000.\n\nThe total price is $658,000.",
        bad="We offer the work for a fixed fee of $642,000.\n\nThe total price is $658,000.",
        find=find_two_prices,
    ),
    Check(
        code="two_totals",
        title="The same total in two tables",
        rule=RULE,
        severity=Severity.FIX,
        good=(
            "Name        Days\nAnna        200\nBen         176\nTotal       376\f"
            "Phase       Days\nDesign      200\nBuild       176\nTotal       376"
        ),
        bad=(
            "Name        Days\nAnna        200\nBen         180\nTotal       380\f"
            "Phase       Days\nDesign      200\nBuild       176\nTotal       376"
        ),
        find=find_two_totals,
        needs_english=False,
    ),
    Check(
        code="two_currencies",
        title="One currency",
        rule=RULE,
        severity=Severity.FIX,
        good="The fee is $40,000.\n\nThe licence costs $2,000.\n\nThe total price is $42,000.",
        bad="The fee is $40,000.\n\nThe licence costs €2,000.\n\nThe total price is $42,000.",
        find=find_two_currencies,
    ),
    Check(
        code="row_product",
        title="Quantity times price is the amount",
        rule=RULE,
        severity=Severity.BLOCK,
        good=(
            "Item        Days    Rate    Amount\nDesign      10      $900    $9,000\n"
            "Build       20      $800    $16,000\nTraining    4       $700    $2,800"
        ),
        bad=(
            "Item        Days    Rate    Amount\nDesign      10      $900    $9,000\n"
            "Build       20      $800    $16,000\nTraining    4       $700    $3,800"
        ),
        find=find_wrong_products,
        needs_english=False,
    ),
)

"""Commercial clarity: sums that add up, in tables, lists and sentences.

A total is only called wrong where no reading of the rows above it makes it right: all of
them, those since the last subtotal, the subtotals alone, or the rest without them.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault, place
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.amounts import PERCENT, Amount, amounts_in, as_written
from reviewer.core.structure.columns import Column, Entry, column_above, entries_of, is_total_label
from reviewer.core.structure.rows import Row
from reviewer.core.structure.sentences import Sentence

RULE = RULES_BY_CODE["commercial_clarity"].code

_NOT_SUMMED = re.compile(
    r"\b(?:rates?|per|each|average|avg|mean|median|unit|score|rank|years?|no)\b|/|#|ø",
    re.IGNORECASE,
)


def find_wrong_table_totals(document: CheckedDocument) -> Iterator[Fault]:
    """Rows that call themselves a total and are not the sum of the numbers above."""
    for sheet in document.sheets:
        rows = document.rows(sheet)
        for index, row in enumerate(rows):
            if not row.cells or not is_total_label(row.cells[0].text):
                continue
            for entry in entries_of(row):
                column = column_above(rows, index, entry.cell)
                if _is_wrong(column, entry.amount):
                    yield _wrong_total(sheet, column, entry)


def _is_wrong(column: Column, total: Amount) -> bool:
    values = [entry.amount for entry in column.entries]
    if len(values) < 2 or column.unknown or _NOT_SUMMED.search(column.header):
        return False
    units = {amount.unit for amount in values} | {total.unit}
    if len(units - {""}) > 1 or (total.unit == "" and units != {""}):
        return False
    if total.value <= max(amount.value for amount in values):
        return False  # an average, or the largest of them
    whole = sum(amount.value for amount in values)
    if not column.complete and not whole / 2 < total.value < whole * 2:
        return False
    room = _room_for_rounding([*values, total])
    return all(abs(total.value - reading) > room for reading in _readings(column.entries))


def _readings(entries: Sequence[Entry]) -> Iterator[Decimal]:
    """Every sum that the total may be meant to be."""
    parts = [entry.amount.value for entry in entries if not entry.is_total]
    subtotals = [entry.amount.value for entry in entries if entry.is_total]
    yield sum(parts, Decimal(0))
    if subtotals:
        yield sum(subtotals, Decimal(0))
        last = max(index for index, entry in enumerate(entries) if entry.is_total)
        yield sum((entry.amount.value for entry in entries[last:]), Decimal(0))
    running = Decimal(0)
    for entry in reversed(entries):
        running += entry.amount.value
        yield running


def _room_for_rounding(amounts: Sequence[Amount]) -> Decimal:
    """How far rounded parts may be from their rounded sum: half a step each, two at the most.

    Whole numbers without a unit are counted, not rounded, and have none.
    """
    step = max(amount.step for amount in amounts)
    if step == 1 and all(amount.unit == "" for amount in amounts):
        return Decimal(0)
    return min(Decimal(len(amounts)) / 2, Decimal(2)) * step


def _wrong_total(sheet: CheckedSheet, column: Column, total: Entry) -> Fault:
    whole = sum((entry.amount.value for entry in column.entries if not entry.is_total), Decimal(0))
    row = total.row
    start, end = (row.start, row.end) if row.whole else (total.cell.start, total.cell.end)
    said, summed = as_written(total.amount.value, total.amount), as_written(whole, total.amount)
    under = f" under “{column.header}”" if column.header else ""
    return Fault(
        sheet.number,
        sheet.quote(start, end),
        f"The total{under} says {said}; the rows above add up to {summed}.",
        f"Write {summed}, or correct the row that is wrong.",
    )


_SHARE_HEADER = re.compile(r"\b(?:shares?|split|breakdown|proportion|distribution)\b|% of\b", re.I)
_WEIGHT_HEADER = re.compile(r"\b(?:weight(?:ing|s)?|allocation|payment|instal?lments?|due)\b", re.I)
_NEAR_WHOLE = (Decimal(80), Decimal(125))


def find_shares_off_whole(document: CheckedDocument) -> Iterator[Fault]:
    """Columns of shares, and lists and sentences of instalments, that miss 100 %."""
    for sheet in document.sheets:
        if not any(amount.unit == PERCENT for amount in sheet.amounts):
            continue
        yield from _share_columns(sheet, document.rows(sheet))
        yield from _instalment_lists(sheet)
        yield from _instalment_sentences(sheet)


def _share_columns(sheet: CheckedSheet, rows: Sequence[Row]) -> Iterator[Fault]:
    for index, row in enumerate(rows):
        for entry in entries_of(row):
            if entry.amount.unit != PERCENT or entry.is_total:
                continue
            column = column_above(rows, index, entry.cell)
            entries = [*column.entries, entry]
            if _goes_on(rows, index, entry) or len(entries) < 3 or column.unknown:
                continue
            over_only = bool(_SHARE_HEADER.search(column.header))
            if not over_only and not _WEIGHT_HEADER.search(column.header):
                continue
            whole = _off_whole([entry.amount for entry in entries])
            if whole is None or (over_only and whole < 100):
                continue
            yield _off(sheet, _span(entry), whole, f"The shares under “{column.header}”", [
                _span(other) for other in column.entries
            ])  # fmt: skip


def _span(entry: Entry) -> tuple[int, int]:
    return (
        (entry.row.start, entry.row.end) if entry.row.whole else (entry.cell.start, entry.cell.end)
    )


def _goes_on(rows: Sequence[Row], index: int, entry: Entry) -> bool:
    """Whether the column has a number below this entry, or a total that another check judges."""
    for row in rows[index + 1 : index + 6]:
        if row.y0 - entry.row.y1 > 6 * entry.row.size:
            return False
        over = [cell for cell in row.cells if cell.over(entry.cell.x0 - 2, entry.cell.x1 + 2)]
        if over:
            return len(over) == 1 and any(
                c.text == over[0].text for c in (e.cell for e in entries_of(row))
            )
    return False


def _off_whole(amounts: Sequence[Amount]) -> Decimal | None:
    """The sum of percentages where it is near 100 and not 100; None where all is well."""
    whole = sum((amount.value for amount in amounts), Decimal(0))
    step = max(amount.step for amount in amounts)
    room = max(step, Decimal(len(amounts)) / 4 * step) if step < 5 else Decimal(0)
    if any(amount.about for amount in amounts) or any(a.value % 5 for a in amounts) is False:
        room = Decimal(0) if all(a.value % 5 == 0 for a in amounts) else room
    low, high = _NEAR_WHOLE
    return whole if abs(whole - 100) > room and low <= whole <= high else None


def _off(
    sheet: CheckedSheet,
    span: tuple[int, int],
    whole: Decimal,
    what: str,
    others: Sequence[tuple[int, int]],
) -> Fault:
    return Fault(
        sheet.number,
        sheet.quote(*span),
        f"{what} add up to {whole.normalize():f}%, not 100%.",
        "Correct the part that is wrong, or say what the rest is.",
        also=tuple(place(sheet, *other) for other in others),
    )


_DUE = (
    r"(?:is |are |becomes? |of (?:the|our) (?:total |fixed )?(?:fee|price) )?(?:due |payable |paid )?"
    r"(?:on|upon|at|when|after|with|in advance|before|by|within|once|following|due|payable)\b"
)
_INSTALMENT = re.compile(
    rf"^\W{{0,4}}\d[\d.]{{0,7}}\s?(?:%|per ?cent)\s*[:,–—-]?\s*{_DUE}", re.IGNORECASE
)
_INSTALMENT_INSIDE = re.compile(
    rf"(?<![\d.])\d[\d.]{{0,7}}\s?(?:%|per ?cent)\s*,?\s*{_DUE}", re.IGNORECASE
)
_NOT_INSTALMENTS = re.compile(
    r"\b(?:discount|interest|penalt|late|increase|reduc|uptime|availab|respon|accura|target|within \d)",
    re.IGNORECASE,
)


def _instalment_lists(sheet: CheckedSheet) -> Iterator[Fault]:
    run: list[tuple[Sentence, Amount]] = []
    for sentence in [*sheet.sentences, None]:
        if sentence is not None and _INSTALMENT.match(sentence.text):
            amount = next(a for a in amounts_in(sentence.text, sheet.forms) if a.unit == PERCENT)
            run.append((sentence, amount))
            continue
        if sentence is not None and run and sentence.block == run[-1][0].block:
            continue
        if len(run) >= 2 and (whole := _off_whole([amount for _, amount in run])) is not None:
            spans = [(part.start, part.end) for part, _ in run]
            yield _off(sheet, spans[-1], whole, "The instalments", spans[:-1])
        run = []


def _instalment_sentences(sheet: CheckedSheet) -> Iterator[Fault]:
    for sentence in sheet.sentences:
        if "%" not in sentence.text and "cent" not in sentence.lowered:
            continue
        parts = _INSTALMENT_INSIDE.findall(sentence.text)
        amounts = [
            amount for amount in amounts_in(sentence.text, sheet.forms) if amount.unit == PERCENT
        ]
        if len(parts) < 2 or len(parts) != len(amounts) or _NOT_INSTALMENTS.search(sentence.text):
            continue
        whole = _off_whole(amounts)
        if whole is not None:
            yield _off(sheet, (sentence.start, sentence.end), whole, "The instalments", [])


_ALL = frozenset({"all", "total", "totals", "totaling", "totalling", "altogether"})
"""One of these every such total has beside it; to look for them is quick."""
_IN_ALL = re.compile(
    r"\b(?:in all|in total|altogether|a total of|totall?ing|for a total of|total(?:s)?(?: is| of)?)\b",
    re.IGNORECASE,
)


def find_wrong_sentence_totals(document: CheckedDocument) -> Iterator[Fault]:
    """Sentences that list amounts of one unit and give a total that is not their sum."""
    for sheet, sentence in document.sentences():
        if sentence.row or _ALL.isdisjoint(sentence.words) or not _IN_ALL.search(sentence.text):
            continue
        yield from _wrong_sentence_total(sheet, sentence)


_LIST = re.compile(
    r"(?P<list>(?:[$€£]?\d[\d,.]*%?(?: \w+){0,4}, ){1,6}[$€£]?\d[\d,.]*%?(?: \w+){0,4},? and "
    r"[$€£]?\d[\d,.]*%?)(?P<tail>[^.;]{0,60}?)"
    r"(?:\b(?:in all|in total|altogether|a total of|for a total of|totall?ing)\b)",
    re.IGNORECASE,
)


def _wrong_sentence_total(sheet: CheckedSheet, sentence: Sentence) -> Iterator[Fault]:
    match = _LIST.search(sentence.text)
    if match is None:
        return
    parts = [
        a
        for a in amounts_in(sentence.text, sheet.forms)
        if match.start("list") <= a.start < match.end("list")
    ]
    rest = [a for a in amounts_in(sentence.text, sheet.forms) if a.start >= match.end("list")]
    if len(parts) < 2 or len(rest) != 1 or len({a.unit for a in [*parts, *rest]}) != 1:
        return
    total = rest[0]
    if total.unit == "" and _noun_after(sentence.text, parts[-1]) != _noun_after(
        sentence.text, total
    ):
        return
    whole = sum((amount.value for amount in parts), Decimal(0))
    if abs(whole - total.value) <= _room_for_rounding([*parts, total]) or total.about:
        return
    yield Fault(
        sheet.number,
        sheet.quote(sentence.start, sentence.end),
        f"The parts add up to {as_written(whole, total)}, not {as_written(total.value, total)}.",
        f"Write {as_written(whole, total)}, or correct the part that is wrong.",
    )


def _noun_after(text: str, amount: Amount) -> str:
    words = text[amount.end :].split(maxsplit=1)
    return words[0].strip(".,;").lower() if words else ""


CHECKS = (
    Check(
        code="table_total",
        title="Totals of tables add up",
        rule=RULE,
        severity=Severity.BLOCK,
        good="Phase       Days\nDesign      52\nBuild       84\nTotal       136",
        bad="Phase       Days\nDesign      52\nBuild       84\nTotal       146",
        find=find_wrong_table_totals,
        needs_english=False,
    ),
    Check(
        code="shares",
        title="Shares and instalments make 100 %",
        rule=RULE,
        severity=Severity.BLOCK,
        good="Payment\n\n- 30% on signature\n- 40% on delivery\n- 30% on acceptance",
        bad="Payment\n\n- 30% on signature\n- 30% on delivery\n- 30% on acceptance",
        find=find_shares_off_whole,
    ),
    Check(
        code="sentence_total",
        title="Totals in sentences add up",
        rule=RULE,
        severity=Severity.BLOCK,
        good="The phases take 4, 6 and 8 weeks, 18 weeks in all.",
        bad="The phases take 4, 6 and 8 weeks, 20 weeks in all.",
        find=find_wrong_sentence_totals,
    ),
)

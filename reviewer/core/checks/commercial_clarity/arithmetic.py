"""Commercial clarity: sums written out in the text, and totals of labelled lines.

"24 hours × €75 = €1,800" is checked as it stands; so are "Total costs: …" over the lines
"Costs: …", and a list of labelled amounts that ends in a total.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import prod

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault, place
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.amounts import PERCENT, Amount, amounts_in, as_written
from reviewer.core.structure.columns import is_total_label
from reviewer.core.structure.rows import Row
from reviewer.core.structure.sentences import Sentence

RULE = RULES_BY_CODE["commercial_clarity"].code

_WORTH = r"(?:[$€£] ?|[A-Z]{3} )?\d[\d,]*(?:\.\d+)?(?: ?(?:%|[kK]\b|[A-Z]{3}\b|[$€£]))?"
_UNITS = r"(?: ?[A-Za-z][A-Za-z-]{1,14}){0,3}"
_BEFORE = r"(?<![\d.,+*/×xX=-])(?<![+*/×xX=-] )(?<!\d )"
_NO_MORE = r"(?![\d.,]*\d)(?! ?[+*/×x=-] ?[$€£]?\d)(?! \d)"
_PRODUCT = re.compile(
    rf"{_BEFORE}(?P<factors>{_WORTH}{_UNITS}(?: ?(?:x|×|\*|of|@|at) ?{_WORTH}{_UNITS}){{1,3}})"
    rf" ?= ?(?P<made>{_WORTH}){_NO_MORE}"
)
_SUM = re.compile(
    rf"{_BEFORE}(?P<parts>{_WORTH}(?: ?\+ ?{_WORTH}){{1,7}}) ?= ?(?P<made>{_WORTH}){_NO_MORE}"
)


_GOES_BEFORE = re.compile(r"(?:\d ?(?:x|×|\*)|\d%? of\b|@)[^;:,=]{0,60}$")
"""A factor before the ones that were read, with words between."""


def find_wrong_arithmetic(document: CheckedDocument) -> Iterator[Fault]:
    """Products and sums written out with their result, where the result is another."""
    for sheet, sentence in document.sentences():
        if "=" not in sentence.text:
            continue
        for pattern in (_PRODUCT, _SUM):
            for match in pattern.finditer(sentence.text):
                fault = _wrong_arithmetic(sheet, match)
                if fault is not None:
                    yield fault


def _wrong_arithmetic(sheet: CheckedSheet, match: re.Match[str]) -> Fault | None:
    made = _one(match["made"], sheet)
    adds = match.re is _SUM
    parts = amounts_in(match["parts" if adds else "factors"], sheet.forms)
    if _GOES_BEFORE.search(match.string[: match.start()]):
        return None
    if made is None or len(parts) < 2 or (made.unit == PERCENT and not adds):
        return None
    if adds:
        right = sum((part.value for part in parts), Decimal(0))
    else:
        percents = [part for part in parts if part.unit == PERCENT]
        right = prod(part.value for part in parts) / 100 ** len(percents)
        if len(percents) == len(parts):
            return None
    if abs(right - made.value) <= max(made.step, Decimal(1) if made.step >= 1 else made.step):
        return None
    return Fault(
        sheet.number,
        match.group(),
        f"That is {as_written(right, made)}, not {as_written(made.value, made)}.",
        f"Write {as_written(right, made)}, or correct the numbers before it.",
    )


def _one(written: str, sheet: CheckedSheet) -> Amount | None:
    found = amounts_in(written, sheet.forms)
    return found[0] if len(found) == 1 else None


_LABELLED = re.compile(
    r"^\W*(?P<total>Total )?(?P<label>[A-Z][A-Za-z ]{2,40}?)\s*:\s*(?=[~$€£\d]|[A-Z]{3} ?\d)",
    re.IGNORECASE,
)


def find_wrong_labelled_totals(document: CheckedDocument) -> Iterator[Fault]:
    """Lines "Total costs: …" that are not the sum of the lines "Costs: …" below or above them."""
    totals: dict[str, list[tuple[CheckedSheet, Sentence, Amount]]] = {}
    parts: dict[str, list[tuple[CheckedSheet, Sentence, Amount]]] = {}
    for sheet, sentence in document.sentences():
        match = _LABELLED.match(sentence.text) if ":" in sentence.text else None
        if match is None:
            continue
        amounts = amounts_in(sentence.text[match.end() - 1 :], sheet.forms)
        label = match["label"].lower().rstrip("s")
        if amounts:
            kept = totals if match["total"] else parts
            kept.setdefault(label, []).append((sheet, sentence, amounts[0]))
    for label, said in totals.items():
        rows = parts.get(label, [])
        if len(said) != 1 or len(rows) < 2:
            continue
        sheet, sentence, total = said[0]
        whole = sum((amount.value for _, _, amount in rows), Decimal(0))
        units = {amount.unit for _, _, amount in rows} | {total.unit}
        near = whole / 2 < total.value < whole * 2
        if len(units) > 1 or not near or abs(whole - total.value) <= total.step / 2:
            continue
        yield Fault(
            sheet.number,
            sheet.quote(sentence.start, sentence.end),
            f"The {len(rows)} lines “{label}” add up to {as_written(whole, total)}, "
            f"not {as_written(total.value, total)}.",
            f"Write {as_written(whole, total)}, or correct the line that is wrong.",
            also=tuple(place(s, part.start, part.end) for s, part, _ in rows),
        )


_LISTED = re.compile(
    r"^(?P<label>[^:]{2,80}?)\s*:\s*(?P<amount>[~]?(?:[$€£] ?|[A-Z]{3} )?\d[\d,.]*\S{0,3}(?: [A-Za-z]{1,8})?)\W*$"
)


def find_wrong_list_totals(document: CheckedDocument) -> Iterator[Fault]:
    """Lists of labelled amounts that end in a total which is not their sum."""
    for sheet in document.sheets:
        run: list[tuple[Sentence, Amount]] = []
        for sentence in sheet.sentences:
            match = _LISTED.match(sentence.text) if ":" in sentence.text else None
            amount = _one(match["amount"], sheet) if match else None
            if match is None or amount is None:
                run = []
                continue
            if is_total_label(match["label"]) and not match["label"].lower().startswith("sub"):
                yield from _wrong_list_total(sheet, run, sentence, amount)
                run = []
            elif not is_total_label(match["label"]):
                run.append((sentence, amount))


def _wrong_list_total(
    sheet: CheckedSheet, run: list[tuple[Sentence, Amount]], sentence: Sentence, total: Amount
) -> Iterator[Fault]:
    same = [(part, amount) for part, amount in run if amount.unit == total.unit]
    whole = sum((amount.value for _, amount in same), Decimal(0))
    if len(same) < 2 or len(same) != len(run) or any(amount.about for _, amount in same):
        return
    near = whole / 2 < total.value < whole * 2
    if not near or total.about or abs(whole - total.value) <= total.step / 2:
        return
    yield Fault(
        sheet.number,
        sheet.quote(sentence.start, sentence.end),
        f"The {len(same)} lines above add up to {as_written(whole, total)}, "
        f"not {as_written(total.value, total)}.",
        f"Write {as_written(whole, total)}, or correct the line that is wrong.",
        also=tuple(place(sheet, part.start, part.end) for part, _ in same),
    )


_STATED = re.compile(
    r"\b(?:in all|in total|altogether|all told|together)\b[^.;:]{0,40}?\b(?P<about>about |around |roughly |some |nearly )?"
    r"(?P<number>\d[\d,]*) (?P<unit>[a-z]{3,12})\b",
    re.IGNORECASE,
)
_STATING = frozenset({"all", "total", "altogether", "together"})
_CELL_WITH_UNIT = re.compile(r"(?P<number>\d[\d,]*) (?P<unit>[A-Za-z]{3,12})")
_ABOUT = Decimal("0.05")


def find_wrong_stated_sums(document: CheckedDocument) -> Iterator[Fault]:
    """ "In all about 70 days" beside a table whose one column of days adds up to something else."""
    for sheet in document.sheets:
        for sentence in sheet.sentences:
            told = not sentence.row and not _STATING.isdisjoint(sentence.words)
            match = _STATED.search(sentence.text) if told else None
            if match is None:
                continue
            cells = _cells_with_unit(document.rows(sheet), match["unit"].lower())
            stated = Decimal(match["number"].replace(",", ""))
            whole = sum(cells, Decimal(0))
            room = stated * _ABOUT if match["about"] else Decimal(0)
            if len(cells) < 3 or abs(whole - stated) <= room or not whole / 2 < stated < whole * 2:
                continue
            yield Fault(
                sheet.number,
                sheet.quote(sentence.start, sentence.end),
                f"The {match['unit']} in the table on this sheet add up to {whole}, not {stated}.",
                f"Write {whole}, or correct the table.",
            )


def _cells_with_unit(rows: Sequence[Row], unit: str) -> list[Decimal]:
    """Numbers of the one column whose cells are all "N unit"; empty where there is none, or two."""
    cells = [
        (cell, match)
        for row in rows
        if len(row.cells) > 1 and not is_total_label(row.cells[0].text)
        for cell in row.cells
        if (match := _CELL_WITH_UNIT.fullmatch(cell.text)) and match["unit"].lower() == unit
    ]
    if not cells or not all(cell.over(cells[0][0].x0 - 2, cells[0][0].x1 + 2) for cell, _ in cells):
        return []
    return [Decimal(match["number"].replace(",", "")) for _, match in cells]


CHECKS = (
    Check(
        code="arithmetic",
        title="Sums written out are right",
        rule=RULE,
        severity=Severity.BLOCK,
        good="Interviews: 24 hours × $75 = $1,800",
        bad="Interviews: 24 hours × $75 = $1,900",
        find=find_wrong_arithmetic,
        needs_english=False,
    ),
    Check(
        code="labelled_total",
        title="Totals of labelled lines add up",
        rule=RULE,
        severity=Severity.BLOCK,
        good="Total costs: $20,000\n\nCosts: $8,000\n\nCosts: $12,000",
        bad="Total costs: $22,000\n\nCosts: $8,000\n\nCosts: $12,000",
        find=find_wrong_labelled_totals,
    ),
    Check(
        code="list_total",
        title="Totals of lists add up",
        rule=RULE,
        severity=Severity.BLOCK,
        good="- Design: $10,000\n- Build: $20,000\n\nTotal: $30,000",
        bad="- Design: $10,000\n- Build: $10,000\n\nTotal: $30,000",
        find=find_wrong_list_totals,
        needs_english=False,
    ),
    Check(
        code="stated_sum",
        title="Sums stated beside a table are right",
        rule=RULE,
        severity=Severity.FIX,
        good=(
            "Phase       Your effort\nDesign      24 days\nBuild       15 days\nPilot       18 days\n\n"
            "In all we ask for 57 days of your time."
        ),
        bad=(
            "Phase       Your effort\nDesign      24 days\nBuild       15 days\nPilot       18 days\n\n"
            "In all we ask for 47 days of your time."
        ),
        find=find_wrong_stated_sums,
    ),
)

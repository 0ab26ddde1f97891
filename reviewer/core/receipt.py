"""The fixed-form text of a review: the same on the desk, in a record, on the command line."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.legible import legible
from reviewer.core.schema import Severity
from reviewer.core.wording import counted

NAMED = 20
"""So many findings are named, blocks first; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Line:
    """One finding as a receipt names it. `sheet` 0 is the document."""

    severity: str
    sheet: int
    rule: str
    finding: str
    fix: str


def receipt(
    *,
    title: str,
    models: Sequence[str],
    passes: int,
    sheets: int,
    lines: Sequence[Line],
    keeps: Sequence[str] = (),
    learnings: str = "",
    not_read: Sequence[str] = (),
    answers: Sequence[str] = (),
    reasons: Sequence[str] = (),
    left: str = "",
    next_move: str = "",
) -> str:
    """The receipt as plain text, ending in a line break.

    `left` is what is probably still unseen, as a sentence; `answers` what became of those that
    were not whole at first; `learnings` names those it was read with. `lines` are named blocks
    first, else in the order given.
    """
    ordered = sorted(lines, key=lambda line: Severity(line.severity).rank)
    out = [_head(title, models, passes, sheets, ordered), ""]
    out += [_numbered(number, line) for number, line in enumerate(ordered[:NAMED], start=1)]
    if len(ordered) > NAMED:
        rest = Counter(line.severity for line in ordered[NAMED:])
        out.append(f"… and {len(ordered) - NAMED} more: {_counts(rest)}.")
    if not ordered:
        out.append("Nothing was found.")
    if keeps:
        out += ["", f"Keep: {'; '.join(map(_flat, keeps[:5]))}"]
    if learnings:
        out += ["", f"Learnings: {_flat(learnings)}"]
    if not_read:
        out += ["", *(f"Not read: {_flat(what)}" for what in not_read)]
    if answers:
        out += ["", *(f"Asked again: {_flat(what)}" for what in answers)]
    if reasons:
        out += ["", *(f"Holds: {_flat(reason)}" for reason in reasons)]
    if left:
        out += ["", f"Left: {_flat(left)}"]
    if next_move:
        out += ["", f"Next: {_flat(next_move)}"]
    return "\n".join(out) + "\n"


def _head(
    title: str, models: Sequence[str], passes: int, sheets: int, lines: Sequence[Line]
) -> str:
    who = (
        f"read by {', '.join(map(_flat, models))} in {counted(passes, 'pass', 'passes')}"
        if models
        else "built-in checks only, no model has read it"
    )
    counts = _counts(Counter(line.severity for line in lines)) or "0 findings"
    return f"{_flat(title)} · {counted(sheets, 'sheet')} · {who} · {counts}"


def _counts(counts: Counter[str]) -> str:
    one = {"block": "block", "fix": "fix", "consider": "to consider"}
    many = {"block": "blocks", "fix": "fixes", "consider": "to consider"}
    return ", ".join(
        f"{counts[s.value]} {(one if counts[s.value] == 1 else many)[s.value]}"
        for s in Severity
        if counts[s.value]
    )


def _numbered(number: int, line: Line) -> str:
    where = f"sheet {line.sheet}" if line.sheet else "document"
    edit = f" → {_flat(line.fix)}" if line.fix.strip() else ""
    return (
        f"{number}. [{line.severity.upper()}] {where} · {line.rule.upper()}: "
        f"{_flat(line.finding)}{edit}"
    )


def _flat(text: str) -> str:
    """On one line, without what a terminal obeys or what turns the direction of writing."""
    return " ".join(legible(" ".join(text.split())).split())

"""Why a version may not leave, in a fixed order; nothing else holds it.

The gate only holds: it never edits, dismisses or reads. A model that could not be reached is
a reason that a manager can sign for, so it is neither an embargo nor a silent pass.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from reviewer.core.estimate import NoEstimate, Residual
from reviewer.core.rounds import Plan, Standing, holds, standing
from reviewer.core.state import Record, Shown, Verdict, shown
from reviewer.core.wording import counted


class ReasonKind(StrEnum):
    """Kinds of reasons, in the order in which they are given."""

    FIT = "fit"
    UNREAD = "unread"
    BLOCKS_OPEN = "blocks_open"
    BLOCKS_UNDECIDED = "blocks_undecided"
    FIXES_UNDECIDED = "fixes_undecided"
    NOT_CLEARED = "not_cleared"


@dataclass(frozen=True, slots=True)
class FitFault:
    """A fault of layout. `sheet` is 0 for the document; `says` is a sentence for people."""

    code: str
    sheet: int
    says: str
    holds: bool
    waived: bool = False


@dataclass(frozen=True, slots=True)
class UnreadSheet:
    """A sheet that was not read, and why, as a part of a sentence."""

    sheet: int
    why: str
    waived: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason: its kind, a sentence for people, and what it is about."""

    kind: ReasonKind
    text: str
    findings: tuple[str, ...] = ()
    sheets: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """The reasons, in order, and what is stated beside the yes."""

    reasons: tuple[Reason, ...]
    residual: Residual | NoEstimate | None = None
    signed: tuple[str, ...] = ()
    """What a manager waived or signed for, a sentence each."""

    @property
    def is_open(self) -> bool:
        """Whether nothing holds the version."""
        return not self.reasons

    @property
    def key(self) -> str:
        """A name for exactly this gate, `g1-` and 32 hex digits; an approval is bound to it."""
        content = json.dumps(
            [[asdict(reason) for reason in self.reasons], list(self.signed)], sort_keys=True
        )
        return "g1-" + hashlib.sha256(content.encode()).hexdigest()[:32]


def judge(
    *,
    fit: Iterable[FitFault] = (),
    unread: Iterable[UnreadSheet] = (),
    findings: Iterable[Record] = (),
    due: Plan | None,
    signed_for_due: bool = False,
    residual: Residual | NoEstimate | None = None,
) -> Gate:
    """The gate of one version.

    `due` is what a round would still have to do, None where the version was never reviewed;
    `signed_for_due` says that a manager signed for that.
    """
    fit, unread = list(fit), list(unread)
    holding = sorted(filter(holds, findings), key=lambda r: (r.sheet, len(r.id), r.id))
    reasons = [
        _fit([fault for fault in fit if fault.holds and not fault.waived]),
        _unread([sheet for sheet in unread if not sheet.waived]),
        *_findings(holding),
        None if signed_for_due else _not_cleared(due),
    ]
    signed = [f"Waived: {fault.says}" for fault in fit if fault.holds and fault.waived]
    signed += [f"Sheet {s.sheet} was not read: {s.why}" for s in unread if s.waived]
    if signed_for_due and _not_cleared(due):
        signed.append("Signed for without a complete review of this version.")
    return Gate(tuple(reason for reason in reasons if reason is not None), residual, tuple(signed))


def _fit(faults: Sequence[FitFault]) -> Reason | None:
    if not faults:
        return None
    text = f"{counted(len(faults), 'fault')} of layout: {'; '.join(f.says for f in faults)}"
    return Reason(ReasonKind.FIT, _sentence(text), sheets=_sheets(f.sheet for f in faults))


def _unread(sheets: Sequence[UnreadSheet]) -> Reason | None:
    if not sheets:
        return None
    each = "; ".join(f"sheet {sheet.sheet}, {sheet.why}" for sheet in sheets)
    were = "was" if len(sheets) == 1 else "were"
    text = f"{counted(len(sheets), 'sheet')} {were} not read: {each}"
    return Reason(ReasonKind.UNREAD, _sentence(text), sheets=_sheets(s.sheet for s in sheets))


def _findings(holding: Sequence[Record]) -> list[Reason | None]:
    blocks = [record for record in holding if record.is_block]
    upheld = [record for record in blocks if standing(record) is not Standing.UNDECIDED]
    undecided = [record for record in blocks if standing(record) is Standing.UNDECIDED]
    fixes = [record for record in holding if not record.is_block]
    waiting = sum(shown(record) is Shown.FIX_CLAIMED for record in upheld)
    still = sum(shown(record) is Shown.STILL_THERE for record in upheld)
    details = [
        f"{count} {what}"
        for count, what in ((waiting, "claimed fixed, not confirmed"), (still, "still there"))
        if count
    ]
    open_text = f"{counted(len(upheld), 'block')} open" + (
        f" ({', '.join(details)})" if details else ""
    )
    return [
        _about(ReasonKind.BLOCKS_OPEN, upheld, open_text),
        _about(
            ReasonKind.BLOCKS_UNDECIDED,
            undecided,
            f"{counted(len(undecided), 'block')} undecided{_why(undecided)}, "
            "each to be signed by a person",
        ),
        _about(
            ReasonKind.FIXES_UNDECIDED,
            fixes,
            f"{counted(len(fixes), 'fix', 'fixes')} without a decision",
        ),
    ]


def _why(undecided: Sequence[Record]) -> str:
    counted = Counter(why_undecided(record) for record in undecided)
    said = [f"{count} {why}" for why, count in sorted(counted.items())]
    return f" ({', '.join(said)})" if said else ""


def why_undecided(record: Record) -> str:
    """Why nobody but a person can say of this block whether it stands; a part of a sentence."""
    if not record.machine.on_sheet:
        from_picture = record.machine.from_picture
        return "read from a picture" if from_picture else "whose words are not on the sheet"
    match record.machine.verdict:
        case Verdict.UNSURE:
            return "of which the check is unsure"
        case Verdict.DOES_NOT_HOLD:
            return "named twice and refuted by the check"
        case _:
            return "not checked: no answer came"


def _about(kind: ReasonKind, records: Sequence[Record], text: str) -> Reason | None:
    if not records:
        return None
    ids = tuple(record.id for record in records)
    return Reason(kind, _sentence(text), ids, _sheets(record.sheet for record in records))


def _not_cleared(due: Plan | None) -> Reason | None:
    if due is None:
        return Reason(ReasonKind.NOT_CLEARED, "No review has read this version.")
    if due.is_clear:
        return None
    parts = []
    if due.passes:
        parts.append(f"{counted(len(due.passes), 'sheet')} not read often enough")
    if due.document:
        parts.append("the document as a whole not read")
    if due.checks:
        parts.append(f"{counted(len(due.checks), 'finding')} not checked since the text changed")
    text = f"The review of this version is not complete: {', '.join(parts)}"
    return Reason(ReasonKind.NOT_CLEARED, _sentence(text), due.checks, tuple(sorted(due.passes)))


def _sheets(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({number for number in numbers if number}))


def _sentence(text: str) -> str:
    return text.rstrip(".") + "."


@dataclass(frozen=True, slots=True)
class Approval:
    """A manager's signed yes: to these bytes, through this gate, under this policy."""

    bytes_hash: str
    gate_key: str
    policy_key: str


def approval_stands(approval: Approval, *, bytes_hash: str, gate: Gate, policy_key: str) -> bool:
    """Whether a yes still counts: the bytes, the gate and the policy are what was signed."""
    return gate.is_open and approval == Approval(bytes_hash, gate.key, policy_key)

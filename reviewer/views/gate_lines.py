"""What the gate page shows of one version: reasons with their findings, exceptions, acts."""

from dataclasses import dataclass
from typing import Any

from reviewer.core.estimate import Residual
from reviewer.core.gate import Gate, Reason, ReasonKind
from reviewer.core.rubric import rule_title
from reviewer.core.wording import counted
from reviewer.forms import AskForm, NoForm
from reviewer.models import Finding, Membership, Version, Waiver
from reviewer.models.finding import DUE
from reviewer.services.approvals import (
    Seen,
    last_answers,
    last_editor,
    may_approve,
    seen,
    standing_approval,
)
from reviewer.services.coverage import History
from reviewer.services.gates import fit_faults, unread_sheets
from reviewer.services.learnings_used import numbers_of, used_on
from reviewer.services.policy import four_eyes
from reviewer.services.receipts import next_move, receipt_of, residual_sentence
from reviewer.services.residuals import NOT_READ
from reviewer.services.waivers import waived_fit, waived_unread, waivers_on
from reviewer.views.access import findings_of

MOVES = {
    ReasonKind.FIT: "Repair it and upload a new version.",
    ReasonKind.UNREAD: "Upload it with text, so that it can be read.",
    ReasonKind.BLOCKS_OPEN: "Fix it and upload a new version, or decide it on the desk.",
    ReasonKind.BLOCKS_UNDECIDED: "A reviewer looks at it and signs, one by one.",
    ReasonKind.FIXES_UNDECIDED: "Mark it fixed, dismiss it or accept it.",
    ReasonKind.NOT_CLEARED: "Have this version read.",
}
NAMED_AT_ONCE = 25
"""So many findings that hold a version are shown, blocks first; the rest are folded."""


@dataclass(frozen=True, slots=True)
class Holding:
    """One line among the reasons: what holds, a link's finding or sheet, and what to sign."""

    text: str
    detail: str
    move: str
    finding: int = 0
    sheet: int = 0
    kind: str = ""
    code: str = ""

    @property
    def key(self) -> str:
        """Names what is signed for, as its form sends it back."""
        return f"{self.kind} {self.code} {self.sheet}"

    @property
    def anchor(self) -> str:
        """Where on the desk it is."""
        if self.finding:
            return f"#finding-{self.finding}"
        return f"#sheet-{self.sheet}" if self.sheet else ""


def gate_context(membership: Membership, version: Version) -> dict[str, Any]:
    """All that the page shows. Whoever opens it also notices an approval that fell."""
    is_ready = version.status == Version.Status.READY
    if not is_ready:
        return {"version": version, "proposal": version.proposal, "is_ready": False}
    now = seen(version)
    approval = standing_approval(now)
    findings = {finding.number: finding for finding in findings_of(version.proposal)}
    answers = last_answers(version)
    holding = _holding(now, findings)
    more = [line for line in holding if line.finding][NAMED_AT_ONCE:]
    return {
        "version": version,
        "proposal": version.proposal,
        "is_ready": True,
        "now": now,
        "approval": approval,
        "asked": next((a for a in answers if a.status == "asked"), None),
        "refused": _unanswered_no(answers, version),
        "fallen": next((a for a in answers[:1] if a.status == "fallen"), None),
        "answers": answers,
        "holding": [line for line in holding if line not in more],
        "holding_more": more,
        "in_order": _in_order(now, findings),
        "residual": residual_sentence(now.gate),
        "headline": _headline(now, approval is not None, len(holding)),
        "next_move": next_move(now.gate),
        "receipt": receipt_of(version, now.gate),
        "learnings": numbers_of(used_on(version)),
        "running": version.reviews.running().exists(),
        "may_approve": may_approve(membership, version),
        "four_eyes": four_eyes(membership.workspace),
        "edited_last": last_editor(version.proposal) == membership.user_id,
        "due_choices": [f for f in findings.values() if f.shown_state != "fixed"],
        "ask_form": AskForm(),
        "no_form": NoForm(),
    }


def _unanswered_no(answers: list[Any], version: Version) -> Any:
    """The last no, until something newer was asked or answered."""
    newest = answers[0] if answers else None
    return newest if newest is not None and newest.status == "refused" else None


def _holding(now: Seen, findings: dict[int, Finding]) -> list[Holding]:
    version = now.version
    lines: list[Holding] = []
    for reason in now.gate.reasons:
        match reason.kind:
            case ReasonKind.FIT:
                lines += _fit_lines(version, reason)
            case ReasonKind.UNREAD:
                lines += _unread_lines(version, reason)
            case ReasonKind.NOT_CLEARED:
                kind = Waiver.Kind.NOT_CLEARED.value
                lines.append(Holding(reason.text, "", MOVES[reason.kind], kind=kind))
            case _:
                lines += [
                    _finding_line(findings[int(number)], reason)
                    for number in reason.findings
                    if int(number) in findings
                ]
    return lines


def _fit_lines(version: Version, reason: Reason) -> list[Holding]:
    return [
        Holding(
            _at(fault.sheet, fault.says),
            "layout, as measured on the sheet",
            MOVES[reason.kind],
            sheet=fault.sheet,
            kind=Waiver.Kind.FIT.value,
            code=fault.code,
        )
        for fault in waived_fit(fit_faults(version), waivers_on(version))
        if fault.holds and not fault.waived
    ]


def _unread_lines(version: Version, reason: Reason) -> list[Holding]:
    sheets = unread_sheets(History(version), version.sheets.for_desk())
    return [
        Holding(
            f"Sheet {each.sheet} was not read: {each.why}.",
            "no reader has seen what it says",
            MOVES[reason.kind],
            sheet=each.sheet,
            kind=Waiver.Kind.UNREAD.value,
        )
        for each in waived_unread(version, sheets, waivers_on(version))
        if not each.waived
    ]


def _finding_line(finding: Finding, reason: Reason) -> Holding:
    parts = [finding.severity, rule_title(finding.rule).lower()]
    if finding.raised == Finding.Raised.MODEL:
        parts.append(f"seen {finding.votes} of {finding.passes}")
    else:
        parts.append(f"raised by {finding.get_raised_display()}")
    if finding.verdict == Finding.Verdict.HOLDS:
        parts.append("upheld by a fresh check")
    if finding.shown_state in {"fix_claimed", "still_there"}:
        parts.append("said to be fixed" if finding.shown_state == "fix_claimed" else "still there")
    return Holding(
        _at(finding.sheet, finding.text),
        " · ".join(parts),
        MOVES[reason.kind],
        finding=finding.number,
        sheet=finding.sheet,
    )


def _in_order(now: Seen, findings: dict[int, Finding]) -> list[str]:
    """What does not hold, in a sentence each."""
    held = {reason.kind for reason in now.gate.reasons}
    lines: list[str] = []
    sheets = now.version.sheet_count
    if ReasonKind.FIT not in held:
        fit = len(now.version.fit)
        lines.append(
            f"Nothing in the layout of {counted(sheets, 'sheet')} holds it"
            + (f"; {counted(fit, 'fault')} shown on the desk" if fit else "")
        )
    if ReasonKind.UNREAD not in held and now.gate.residual != NOT_READ:
        lines.append("No sheet is left that holds it for not being read")
    if ReasonKind.NOT_CLEARED not in held and not _is_signed(now):
        lines.append("The reading of this version is complete")
    blocks = {ReasonKind.BLOCKS_OPEN, ReasonKind.BLOCKS_UNDECIDED}
    if not held & blocks:
        lines.append("No block holds it")
    if ReasonKind.FIXES_UNDECIDED not in held:
        decided = [f for f in findings.values() if f.severity == "fix" and f.shown_state not in DUE]
        lines.append(
            "Every fix that holds is decided" + (f": {len(decided)} settled" if decided else "")
        )
    return lines


def _is_signed(now: Seen) -> bool:
    return any(each.waived == Waiver.Kind.NOT_CLEARED for each in now.exceptions)


def _headline(now: Seen, approved: bool, lines: int) -> str:
    """May it leave; `lines` is how many things are listed below as holding it."""
    if not now.is_gated:
        return (
            "This kind of document is not gated: it may leave without an approval, and its record "
            "says so."
        )
    if approved:
        return "Yes. A manager approved it as it is now."
    if now.gate.reasons:
        return f"Not yet. {_holds(now.gate, lines)}"
    return "Nothing holds it. It takes a manager’s yes."


def _holds(gate: Gate, count: int) -> str:
    said = "One thing holds it" if count == 1 else f"{count} things hold it"
    left = gate.residual
    if isinstance(left, Residual):
        block = left.by_severity[0]
        more = block.high - block.seen
        if more:
            return f"{said}, and at most {counted(more, 'more block')} are likely."
    return f"{said}."


def _at(sheet: int, says: str) -> str:
    return f"Sheet {sheet}: {says}" if sheet else says

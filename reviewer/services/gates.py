"""The gate of one version, judged from rows: what holds it, and what is probably left."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from reviewer.core import gate
from reviewer.core.gate import Reason, ReasonKind
from reviewer.core.rounds import Plan, is_unchanged_claim, quotes_say_unread
from reviewer.core.state import Decided, Raised, Record, Verdict
from reviewer.models import Reading, Review, Sheet, Version
from reviewer.services.coverage import History
from reviewer.services.pictures import read_from_pictures, was_looked_at
from reviewer.services.policy import fit_that_holds
from reviewer.services.residuals import residual_of
from reviewer.services.reviews import passes_for
from reviewer.services.waivers import is_signed_for, waived_fit, waived_unread, waivers_on

Kind, Status = Reading.Kind, Reading.Status
ONLY_RECORDED = "Only recorded answers were given for this version, and those do not clear it."
NOT_CALIBRATED = (
    "{} read this version and is not calibrated, so it clears nothing: a manager calibrates it "
    "under Models, or has another model read."
)
QUOTES_NOT_FOUND = "a third of what was quoted from it is not found on it"


def gate_of(
    version: Version,
    *,
    history: History | None = None,
    sheets: Iterable[Sheet] | None = None,
) -> gate.Gate:
    """Why `version` may not leave, in order, with what is stated beside the yes.

    `history` and `sheets` may be given where a page has loaded them already.
    """
    history = history or History(version)
    waivers, due = waivers_on(version), due_on(version, history)
    unread = unread_sheets(history, version.sheets.for_desk() if sheets is None else sheets)
    judged = gate.judge(
        fit=waived_fit(fit_faults(version), waivers),
        unread=waived_unread(version, unread, waivers),
        findings=[as_judged(finding.record()) for finding in history.findings],
        due=due,
        signed_for_due=is_signed_for(due, version, waivers),
        residual=residual_of(history),
    )
    return replace(judged, reasons=tuple(_with_its_cause(history, r) for r in judged.reasons))


def fit_faults(version: Version) -> list[gate.FitFault]:
    """What was measured on the sheets, and which of it holds by the workspace's policy."""
    holds = fit_that_holds(version.proposal.workspace)
    return [
        gate.FitFault(fault["code"], fault["sheet"], fault["message"], fault["code"] in holds)
        for fault in version.fit
    ]


def due_on(version: Version, history: History | None = None) -> Plan | None:
    """What a review would still have to do for the gate; None where no model ever read it.

    A document of pictures alone has no text to clear: its sheets hold it one by one.
    """
    history = history or History(version)
    if not history.readings:
        return Plan() if not history.paragraphs and was_looked_at(version) else None
    return history.plan(passes=passes_for(history.readings[-1].review.depth))


def as_judged(record: Record) -> Record:
    """A finding as the gate sees it: a fix that was claimed on unchanged text is none."""
    claimed = record.people.decided is Decided.FIX_CLAIMED
    stands = is_unchanged_claim(record) or (
        record.machine.raised is Raised.CHECK
        and record.machine.recheck is not Verdict.DOES_NOT_HOLD
    )
    if record.is_block or not claimed or not stands:
        return record
    return replace(record, machine=replace(record.machine, recheck=Verdict.HOLDS))


def unread_sheets(history: History, sheets: Iterable[Sheet]) -> list[gate.UnreadSheet]:
    """The sheets that nobody can count as read, and why."""
    sheets = list(sheets)
    astray = _sheets_with_quotes_astray(history)
    mute = [sheet for sheet in sheets if sheet.unread not in {"", "blank"}]
    by_picture = read_from_pictures(history, mute)
    found = []
    for sheet in sheets:
        if sheet in mute:
            passes, wanted = by_picture.get(sheet.number, (0, 0))
            why = sheet.get_unread_display()
            if wanted:
                why += f", and {passes} of {wanted} passes over it count for the gate"
            if not wanted or passes < wanted:
                found.append(gate.UnreadSheet(sheet.number, why))
        elif sheet.number in astray:
            found.append(gate.UnreadSheet(sheet.number, QUOTES_NOT_FOUND))
    return found


def _sheets_with_quotes_astray(history: History) -> set[int]:
    """Sheets from which passes quoted so much that is not on them that they read something else."""
    if not history.readings:
        return set()
    sought: Counter[tuple[int, int]] = Counter()
    missing: Counter[tuple[int, int]] = Counter()
    for met in history.sightings:
        if met.has_quote:
            sought[met.at] += 1
            missing[met.at] += not met.is_found
    return {
        sheet
        for (version, sheet), keys in history.keys.items()
        if version == history.version.pk
        and quotes_say_unread(
            sum(sought[at] for at, other in history.keys.items() if other == keys),
            sum(missing[at] for at, other in history.keys.items() if other == keys),
        )
    }


def _with_its_cause(history: History, reason: Reason) -> Reason:
    """Say so where what the review lacks is not reading, but a model that may clear."""
    if reason.kind is not ReasonKind.NOT_CLEARED:
        return reason
    if not history.readings:
        recorded = history.version.reviews.filter(provenance=Review.Provenance.RECORDED)
        is_recorded = recorded.filter(status=Review.Status.FINISHED).exists()
        return replace(reason, text=ONLY_RECORDED) if is_recorded else reason
    passes = passes_for(history.readings[-1].review.depth)
    models = uncalibrated_readers(history)
    strict, loose = history.plan(passes=passes), history.plan(passes=passes, models=models)
    if loose.passes or not strict.passes:
        return reason
    return replace(reason, text=NOT_CALIBRATED.format(" and ".join(sorted(models))))


def uncalibrated_readers(history: History) -> set[str]:
    """The models, as their servers name them, that read passes and may not clear."""
    return {each.model for each in history.passes if each.is_whole and not each.covered.calibrated}

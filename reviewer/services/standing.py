"""Where a version stands, for the desk: what holds it, what is left, what was not read and why.

Reads only, in a number of queries that grows with nothing; the sentences are for people.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from reviewer.core.estimate import NoEstimate, Residual
from reviewer.core.gate import Gate, Reason, ReasonKind, why_undecided
from reviewer.core.outcomes import Outcome
from reviewer.core.rounds import needs_manager
from reviewer.core.schema import Severity
from reviewer.core.state import Shown
from reviewer.core.wording import counted
from reviewer.models import Finding, Reading, Sheet, Version
from reviewer.models.model_settings import Depth
from reviewer.models.review import Purpose
from reviewer.services.coverage import History, Pass
from reviewer.services.gates import fit_faults, gate_of, uncalibrated_readers
from reviewer.services.offers import what_changed_since
from reviewer.services.telling import Stored, stored_answers, what_happened
from reviewer.services.waivers import waived_fit, waivers_on

UNSETTLED = frozenset({Shown.OPEN, Shown.STILL_THERE, Shown.FIX_CLAIMED})
"""What is still to be done, and what somebody says is done and nobody has confirmed."""
CENSORED = (
    "The answer gave as many findings as it may, down to a single rule, so more are there than "
    "were named."
)
MANY = {Severity.BLOCK: "blocks", Severity.FIX: "fixes", Severity.CONSIDER: "considers"}


@dataclass(frozen=True, slots=True)
class HeldFinding:
    """A finding that holds the version. `why` is a part of a sentence, empty where it is plain."""

    number: int
    sheet: int
    severity: str
    text: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """One reason of the gate, with the findings it is about, in their order."""

    reason: Reason
    findings: tuple[HeldFinding, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """One severity: met by the passes so far, still to be done, and at most likely in all.

    `high` is None where there is no number.
    """

    severity: str
    seen: int
    due: int
    high: int | None


@dataclass(frozen=True, slots=True)
class PassAdded:
    """What one pass saw, and how much of it no earlier pass had seen, by severity too."""

    label: str
    seen: int
    added: int
    by_severity: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class NotRead:
    """Readings of this text that ended in the same way without being read whole."""

    count: int
    sheets: tuple[int, ...]
    """0 is the document as a whole."""
    sentence: str
    next_move: str
    answers: tuple[Stored, ...] = ()
    """The raw answers that are still kept, for reviewers to look at."""


@dataclass(frozen=True, slots=True)
class Stand:
    """All of it. `sentence` is for a manager; `notes` are what else to know, a sentence each."""

    gate: Gate
    held: tuple[Held, ...]
    things: int
    """How many faults, sheets and findings hold it, as many as the gate page lists."""
    sentence: str
    left: tuple[Left, ...]
    passes: tuple[PassAdded, ...]
    not_read: tuple[NotRead, ...]
    untold: tuple[NotRead, ...]
    """Those of them that the desk does not tell of its newest review."""
    for_manager: tuple[int, ...]
    """Blocks and fixes found still there in two rounds."""
    late: int
    notes: tuple[str, ...]


def standing_of(
    version: Version,
    *,
    history: History | None = None,
    findings: Collection[Finding] | None = None,
    sheets: Iterable[Sheet] | None = None,
) -> Stand:
    """Where `version` stands; what a page has loaded already may be given."""
    history = history or History(version, findings=findings)
    gate = gate_of(version, history=history, sheets=sheets)
    residual = gate.residual
    left = _left(history, residual)
    return Stand(
        gate=gate,
        held=tuple(_held(history, reason) for reason in gate.reasons),
        things=sum(_things(version, reason) for reason in gate.reasons),
        sentence=_sentence(left, residual),
        left=left,
        passes=passes_added(history),
        not_read=not_read(history),
        untold=not_read(history, but=_last_review(history)),
        for_manager=tuple(f.number for f in history.findings if needs_manager(f.record())),
        late=sum(f.is_late and f.shown_state in UNSETTLED for f in history.findings),
        notes=_notes(history),
    )


def _things(version: Version, reason: Reason) -> int:
    match reason.kind:
        case ReasonKind.FIT:
            faults = waived_fit(fit_faults(version), waivers_on(version))
            return sum(fault.holds and not fault.waived for fault in faults)
        case ReasonKind.UNREAD:
            return len(reason.sheets)
        case ReasonKind.NOT_CLEARED:
            return 1
    return len(reason.findings)


def _held(history: History, reason: Reason) -> Held:
    by_number = {str(finding.number): finding for finding in history.findings}
    about = [by_number[number] for number in reason.findings if number in by_number]
    about.sort(key=lambda finding: (finding.sheet, finding.number))
    return Held(reason, tuple(_held_finding(finding, reason) for finding in about))


def _held_finding(finding: Finding, reason: Reason) -> HeldFinding:
    why = ""
    if reason.kind is ReasonKind.BLOCKS_UNDECIDED:
        why = why_undecided(finding.record())
    elif finding.shown_state != Shown.OPEN:
        why = str(Finding.Status(finding.status).label)
        if finding.shown_state == Shown.STILL_THERE:
            why = "still there"
    return HeldFinding(finding.number, finding.sheet, finding.severity, finding.text, why)


def _left(history: History, residual: Residual | NoEstimate | None) -> tuple[Left, ...]:
    standing = [f for f in history.findings if f.shown_state != Shown.DISMISSED]
    due = Counter(f.severity for f in standing if f.shown_state in UNSETTLED)
    if isinstance(residual, Residual):
        counted = {each.severity: (each.seen, each.high) for each in residual.by_severity}
        return tuple(Left(s.value, counted[s][0], due[s], counted[s][1]) for s in Severity)
    seen = Counter(f.severity for f in standing)
    return tuple(Left(s.value, seen[s], due[s], None) for s in Severity)


def _sentence(left: Iterable[Left], residual: Residual | NoEstimate | None) -> str:
    if isinstance(residual, NoEstimate):
        return residual.reason
    blocks, *others = (_seen(each) for each in left)
    return f"{blocks} likely by this reader; {', '.join(others)}."


def _seen(left: Left) -> str:
    severity = Severity(left.severity)
    return f"{counted(left.seen, severity.value, MANY[severity])} seen, at most {left.high}"


def passes_added(history: History) -> tuple[PassAdded, ...]:
    """What each pass over the proposal added, in the order in which they were made."""
    severity = {finding.pk: finding.severity for finding in history.findings}
    met: dict[tuple[int, int], set[int]] = defaultdict(set)
    for sighting in history.sightings:
        if sighting.finding in severity:
            met[sighting.name].add(sighting.finding)
    known: set[int] = set()
    added = []
    for name, label in _names(history).items():
        new = met[name] - known
        known |= met[name]
        counts = Counter(severity[pk] for pk in new)
        by_severity = tuple((s.value, counts[s]) for s in Severity)
        added.append(PassAdded(label, len(met[name]), len(new), by_severity))
    return tuple(added)


def _names(history: History) -> dict[tuple[int, int], str]:
    """The passes in their order, with how people call them."""
    names: dict[tuple[int, int], str] = {}
    for each in history.passes:
        review = each.root.review
        what = "" if review.purpose == Purpose.DISCOVERY else f", {review.get_purpose_display()}"
        names.setdefault(each.name, f"Pass {each.root.pass_number}{what}")
    return dict(sorted(names.items()))


def _last_review(history: History) -> int | None:
    """The newest review of this version: the desk tells beside it what it could not read."""
    mine = [r.review_id for r in history.readings if r.review.version_id == history.version.pk]
    return max(mine, default=None)


def not_read(history: History, *, but: int | None = None) -> tuple[NotRead, ...]:
    """What of this text was asked and not read whole, and was not made good since.

    Failures of the review `but` are left out, for who is told of them otherwise.
    """
    texts = {keys for (at, _), keys in history.keys.items() if at == history.version.pk}
    made_good = {
        keys: sum(_text_of(history, each) == keys and each.is_whole for each in history.passes)
        for keys in texts
    }
    lacking = [
        each.root
        for each in history.passes
        if not each.is_whole
        and (keys := _text_of(history, each)) in texts
        and made_good[keys] < each.root.review.passes
    ]
    lacking += _documents_not_read(history)
    groups: dict[tuple[str, str, str], list[Reading]] = defaultdict(list)
    for reading in lacking:
        if reading.review_id == but and reading.outcome != Outcome.READ:
            continue
        groups[(reading.outcome, reading.fault, reading.refusal_category)].append(reading)
    return tuple(_not_read(group) for _, group in sorted(groups.items()))


def _text_of(history: History, each: Pass) -> tuple[str, ...] | None:
    return history.keys.get((each.root.review.version_id, each.root.sheet))


def _documents_not_read(history: History) -> list[Reading]:
    """The newest document reading of this version, where it was not read whole."""
    mine = [
        reading
        for reading in history.readings
        if reading.kind == Reading.Kind.DOCUMENT
        and reading.status == Reading.Status.DONE
        and reading.review.version_id == history.version.pk
    ]
    models = {reading.model for reading in mine}
    return [] if not mine or history.document_was_read(models=models) else mine[-1:]


def _not_read(readings: list[Reading]) -> NotRead:
    said, move = what_happened(readings[0])
    if readings[0].outcome == Outcome.READ:
        said, move = CENSORED, "Read again: only what is missing is asked for."
    return NotRead(
        count=len(readings),
        sheets=tuple(sorted({reading.sheet for reading in readings})),
        sentence=said,
        next_move=move,
        answers=stored_answers(readings),
    )


def _notes(history: History) -> tuple[str, ...]:
    notes = []
    if history.readings and all(r.review.depth == Depth.QUICK for r in history.readings):
        notes.append("It was looked over once as a whole. A quick look clears nothing.")
    models = sorted(uncalibrated_readers(history))
    if models:
        named = " and ".join(models)
        notes.append(
            f"{named} is not calibrated: it reads, and clears nothing. A manager calibrates it "
            "under Models."
        )
    changed = what_changed_since(history)
    if changed:
        listed = " and ".join(changed)
        notes.append(
            f"{listed[:1].upper()}{listed[1:]} changed since this text was read. What was read "
            "still counts; it can be read anew."
        )
    return tuple(notes)

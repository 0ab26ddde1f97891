"""What a round reads, what it need not read again, and what its findings are worth.

Round one covers everything with blind passes; a later round covers what is not cleared,
asks once about each finding that was claimed fixed or whose places changed, and reads the
document as a whole once a version. So a review of an unchanged version has nothing to do.

Refused: clearing by passes that were cut, failed, censored, or made by a model that has not
shown that it finds planted faults; and counting one pass twice.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from reviewer.core.schema import FINDINGS_ALLOWED, Severity
from reviewer.core.state import (
    Decided,
    Machine,
    Raised,
    Record,
    Shown,
    Verdict,
    is_closed,
    is_touched,
    shown,
)

PASSES = 3
"""Blind passes that clear a paragraph, where the policy says nothing else."""

SWEEPS_AT_MOST = 2
ROUNDS_BEFORE_A_MANAGER = 2
LEAST_PLANTED = 10
LEAST_QUOTES = 3
_FOUND_OF_PLANTED = 0.8
_VOTES_AGAINST_A_CHECK = 2


@dataclass(frozen=True, slots=True)
class Context:
    """What a reading was given beside the text, each as a hash or a version: a change of any
    of them makes an earlier reading one of something else."""

    client: str = ""
    sources: str = ""
    rubric: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of text on a sheet: its key (see `folding.text_key`), and the hash of the image
    that was shown with it, where images are."""

    sheet: int
    key: str
    image: str = ""

    @property
    def read_as(self) -> tuple[str, str]:
        """What must be equal for a reading of one to be a reading of the other."""
        return self.key, self.image


@dataclass(frozen=True, slots=True)
class Covered:
    """What one answer covered. `pass_id` is unique over all reviews; a pass covers a
    paragraph once, however many readings it took."""

    pass_id: str
    paragraphs: frozenset[tuple[str, str]]
    context: Context
    complete: bool = True
    censored: bool = False
    calibrated: bool = True

    @property
    def clears(self) -> bool:
        """Whether it counts towards clearing what it covered."""
        return self.complete and self.calibrated and not self.censored


@dataclass(frozen=True, slots=True)
class Plan:
    """What the next round has to do. Empty exactly where the version is cleared.

    `passes` are the blind passes due on each sheet; `checks` the findings to ask about once;
    `unchanged_claims` are claimed fixed though nothing of theirs changed, so that they are
    still there without asking anybody.
    """

    passes: Mapping[int, int] = field(default_factory=dict)
    document: bool = False
    checks: tuple[str, ...] = ()
    check_sheets: tuple[int, ...] = ()
    unchanged_claims: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """Model calls at least: one a sheet and pass, one for the document, and the checks
        of one sheet in one call."""
        return sum(self.passes.values()) + self.document + len(self.check_sheets)

    @property
    def is_clear(self) -> bool:
        """Whether nothing is left to read or to ask."""
        return self.calls == 0


def passes_over(
    paragraphs: Iterable[Paragraph], context: Context, coverage: Iterable[Covered]
) -> dict[Paragraph, int]:
    """How many passes cleared each paragraph so far, under this context."""
    passes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for covered in coverage:
        if covered.clears and covered.context == context:
            for read_as in covered.paragraphs:
                passes[read_as].add(covered.pass_id)
    return {paragraph: len(passes[paragraph.read_as]) for paragraph in paragraphs}


def cleared(
    paragraphs: Iterable[Paragraph],
    context: Context,
    coverage: Iterable[Covered],
    *,
    passes: int = PASSES,
) -> frozenset[Paragraph]:
    """The paragraphs that need not be read again for the gate."""
    counted = passes_over(paragraphs, context, coverage)
    return frozenset(paragraph for paragraph, count in counted.items() if count >= passes)


def plan(
    paragraphs: Sequence[Paragraph],
    context: Context,
    coverage: Sequence[Covered],
    findings: Sequence[Record] = (),
    *,
    document_read: bool = False,
    passes: int = PASSES,
    widen: int = 0,
) -> Plan:
    """What a round over these paragraphs has to do.

    `document_read` says whether a document reading of exactly this text under this context
    was completed. `widen` adds so many passes over everything, on purpose.
    """
    due: dict[int, int] = defaultdict(int)
    for paragraph, count in passes_over(paragraphs, context, coverage).items():
        missing = max(0, passes - count) + widen
        if missing:
            due[paragraph.sheet] = max(due[paragraph.sheet], missing)
    asked = sorted((r for r in findings if is_check_due(r)), key=lambda r: (r.sheet, r.id))
    claims = (record.id for record in findings if is_unchanged_claim(record))
    return Plan(
        passes=dict(sorted(due.items())),
        document=bool(paragraphs) and not document_read,
        checks=tuple(record.id for record in asked),
        check_sheets=tuple(sorted({record.sheet for record in asked})),
        unchanged_claims=tuple(sorted(claims)),
    )


def is_check_due(record: Record) -> bool:
    """Whether a model is to be asked if the finding is still there.

    Once for each change of its places. A built-in check needs nobody to be asked.
    """
    return (
        record.machine.raised is not Raised.CHECK
        and is_touched(record.machine)
        and record.machine.recheck is Verdict.NONE
        and not is_closed(record)
    )


def is_unchanged_claim(record: Record) -> bool:
    """Whether a fix was claimed though nothing that it is about has changed."""
    return (
        record.people.decided is Decided.FIX_CLAIMED
        and record.machine.raised is not Raised.CHECK
        and not is_touched(record.machine)
    )


def is_late(places: Collection[tuple[str, str]], clear: Collection[tuple[str, str]]) -> bool:
    """Whether a new finding is about text that had been cleared before this round.

    `places` are the paragraphs, as `Paragraph.read_as`, of its quote and of its other places,
    `clear` those cleared before. A contradiction is not late where either place is new, and
    what is missing from the document has no place and is never late.
    """
    return bool(places) and all(place in clear for place in places)


class Standing(StrEnum):
    """What a finding is worth before anybody decided it."""

    UPHELD = "upheld"
    UNDECIDED = "undecided"
    NOT_UPHELD = "not_upheld"


def standing(record: Record) -> Standing:
    """Whether a finding is upheld, undecided (a person signs it), or neither.

    Every pass counts as agreement from two passes up. A block that no check has answered yet
    is undecided unless every pass saw it: a model out of reach settles nothing.
    """
    machine = record.machine
    if machine.raised is not Raised.MODEL or record.people.upheld:
        return Standing.UPHELD
    if not machine.on_sheet:
        return Standing.UNDECIDED if record.is_block else Standing.NOT_UPHELD
    agreed = has_agreement(machine)
    if not record.is_block:
        upheld = agreed or machine.verdict is Verdict.HOLDS
        return Standing.UPHELD if upheld else Standing.NOT_UPHELD
    match machine.verdict:
        case Verdict.HOLDS:
            return Standing.UPHELD
        case Verdict.UNSURE:
            return Standing.UNDECIDED
        case Verdict.NONE:
            return Standing.UPHELD if agreed else Standing.UNDECIDED
        case Verdict.DOES_NOT_HOLD:
            return Standing.UNDECIDED if is_named_twice(machine) else Standing.NOT_UPHELD


def is_named_twice(machine: Machine) -> bool:
    """Whether two readings named it that did not know of each other."""
    return machine.votes + machine.swept >= _VOTES_AGAINST_A_CHECK


def is_told(record: Record) -> bool:
    """Whether a sweep is told of a finding. All but blocks that may not hold yet for want of
    a second vote: naming one of them again, unasked, is that vote."""
    return not record.is_block or is_closed(record) or may_hold(record)


def may_hold(record: Record) -> bool:
    """Whether an open finding may hold an export.

    Of late findings only a block that two passes saw and a check upheld; what a person or a
    built-in check raised is never late to them.
    """
    machine = record.machine
    if machine.late and machine.raised is Raised.MODEL and not record.people.upheld:
        return record.is_block and is_named_twice(machine) and machine.verdict is Verdict.HOLDS
    match standing(record):
        case Standing.UPHELD:
            return record.severity in (Severity.BLOCK, Severity.FIX)
        case Standing.UNDECIDED:
            return record.is_block
        case Standing.NOT_UPHELD:
            return False


def holds(record: Record) -> bool:
    """Whether the finding holds the export now.

    A block does until it is confirmed fixed or decided. For a fix a claim is a decision,
    until it is found to be still there.
    """
    if not may_hold(record) or is_closed(record):
        return False
    return record.is_block or shown(record) is not Shown.FIX_CLAIMED


def needs_manager(record: Record) -> bool:
    """Whether it holds although it was found still there in two rounds."""
    return holds(record) and record.machine.times_still_there >= ROUNDS_BEFORE_A_MANAGER


def is_censored(returned: int, allowed: int = FINDINGS_ALLOWED) -> bool:
    """Whether an answer may be hiding findings: it holds as many as it was allowed."""
    return returned >= allowed


def halves(rules: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The two halves of the rubric by which a censored reading is asked again.

    None where a single rule is left, so that the reading stays censored and is said to be.
    """
    if len(rules) < 2:
        return None
    middle = len(rules) // 2
    return tuple(rules[:middle]), tuple(rules[middle:])


def quotes_say_unread(sought: int, missing: int) -> bool:
    """Whether so many quotes were not on the sheet that it cannot count as read: a third, of
    at least three, since one bad quote says more of the reader than of the sheet."""
    return sought >= LEAST_QUOTES and 3 * missing >= sought


def is_calibrated(found: int, planted: int) -> bool:
    """Whether a model that found so many of the planted faults may clear text for a gate."""
    return planted >= LEAST_PLANTED and found >= _FOUND_OF_PLANTED * planted


def needs_fresh_check(record: Record) -> bool:
    """Whether the check that tries to refute is still to be asked about a new finding:
    every block, and everything below full agreement."""
    machine = record.machine
    if machine.raised is not Raised.MODEL or machine.verdict is not Verdict.NONE:
        return False
    return machine.on_sheet and (record.is_block or not has_agreement(machine))


def has_agreement(machine: Machine) -> bool:
    """Whether every pass saw it, from two passes up: one pass agrees with nobody."""
    return machine.agreed or (machine.passes > 1 and machine.votes == machine.passes)

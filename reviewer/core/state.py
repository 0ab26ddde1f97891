"""What is shown of a finding: a pure function of what the machine saw and what people decided.

The two are never mixed. What the machine saw is votes, what became of the words, and the
verdicts of checks; what people decided is open, fix claimed, dismissed or accepted. Late and
lost its place are marks on what is shown, not states.

Refused: reading "not seen again" as fixed, or "the words are gone" as decided.
"""

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from reviewer.core.anchoring import Evidence
from reviewer.core.schema import Severity

__all__ = [
    "Decided",
    "Dismissal",
    "Evidence",
    "Machine",
    "Mark",
    "People",
    "Raised",
    "Record",
    "Shown",
    "Verdict",
    "acceptance_lapsed",
    "is_closed",
    "is_touched",
    "marks",
    "severity_of",
    "shown",
]

MODELS_TO_CLOSE_AGAIN = 2
"""So many models must say that a block is gone, once it was found to be still there."""

SEEN_AGAIN = 1
"""So many passes that named a finding again, in the changed text, outweigh a check that says
it is gone: a person looks."""


class Verdict(StrEnum):
    """What a check of one finding said; `none` where none answered."""

    NONE = "none"
    HOLDS = "holds"
    DOES_NOT_HOLD = "does_not_hold"
    UNSURE = "unsure"


class Raised(StrEnum):
    """Who raised a finding."""

    MODEL = "model"
    CHECK = "check"
    PERSON = "person"


class Decided(StrEnum):
    """What people decided last."""

    OPEN = "open"
    FIX_CLAIMED = "fix_claimed"
    DISMISSED = "dismissed"
    ACCEPTED = "accepted"


class Shown(StrEnum):
    """The state that people see."""

    OPEN = "open"
    FIX_CLAIMED = "fix_claimed"
    FIXED = "fixed"
    STILL_THERE = "still_there"
    DISMISSED = "dismissed"
    ACCEPTED = "accepted"


class Mark(StrEnum):
    """What is shown beside the state."""

    LATE = "late"
    LOST_ITS_PLACE = "lost_its_place"


CLOSED = frozenset({Shown.FIXED, Shown.DISMISSED, Shown.ACCEPTED})


@dataclass(frozen=True, slots=True)
class Machine:
    """What the machine saw of one finding, against the newest version.

    A run that did not cover the finding's text leaves all of this as it was.
    """

    raised: Raised = Raised.MODEL
    votes: int = 0
    passes: int = 0
    """`votes` of the `passes` blind passes that covered its words as they were raised saw it."""
    swept: int = 0
    """How many sweeps named it without being told of it. Never counted in an estimate."""
    agreed: bool = False
    """Every pass of one round saw it, from two passes up. Later passes do not undo this."""
    evidence: Evidence = Evidence.PRESENT
    """What became of its words since they were last found to be at fault."""
    other_changed: bool = False
    """Another of its places changed; for what is missing or unsourced, anything new in the
    document or its sources."""
    verdict: Verdict = Verdict.NONE
    """Of the fresh check that tried to refute it when it was raised."""
    recheck: Verdict = Verdict.NONE
    """Of the newest targeted check, if there was one since it was last claimed fixed or its
    places last changed. For a built-in check: holds where it reports the finding again, does
    not hold where it is silent."""
    gone_by: frozenset[str] = field(default_factory=frozenset)
    """The models that, asked since then, said it no longer holds."""
    seen_again: int = 0
    """How many blind passes named it again since its places last changed."""
    times_still_there: int = 0
    """In how many rounds it was found to be still there."""
    on_sheet: bool = True
    """Whether its quote was found; true where it has none."""
    from_picture: bool = False
    """Read from the picture of a sheet without text, where no words can be found."""
    late: bool = False

    def __post_init__(self) -> None:
        """Refuse more votes than passes."""
        if not 0 <= self.votes <= self.passes:
            raise ValueError(f"{self.votes} votes of {self.passes} passes")


@dataclass(frozen=True, slots=True)
class People:
    """What people decided of one finding."""

    decided: Decided = Decided.OPEN
    lapsed: bool = False
    """A dismissal or an acceptance that no longer counts; see `Dismissal.covers` and
    `acceptance_lapsed`."""
    upheld: bool = False
    """A person looked at it and said that it stands."""
    closed_by_reviewer: bool = False
    """A reviewer looked at the changed text and said that it is fixed."""


@dataclass(frozen=True, slots=True)
class Record:
    """One finding as rules and gate see it."""

    id: str
    severity: str
    machine: Machine = field(default_factory=Machine)
    people: People = field(default_factory=People)
    sheet: int = 0

    @property
    def is_block(self) -> bool:
        """Whether its severity is the one that can hold an export."""
        return self.severity == Severity.BLOCK


def shown(record: Record) -> Shown:
    """The one state to show. A decision that counts comes before what the machine saw."""
    machine, people = record.machine, record.people
    if people.decided is Decided.DISMISSED and not people.lapsed:
        return Shown.DISMISSED
    if people.decided is Decided.ACCEPTED and not people.lapsed:
        return Shown.ACCEPTED
    if _is_fixed(record):
        return Shown.FIXED
    claimed = people.decided is Decided.FIX_CLAIMED
    if machine.recheck is Verdict.HOLDS and (claimed or is_touched(machine)):
        return Shown.STILL_THERE
    return Shown.FIX_CLAIMED if claimed else Shown.OPEN


def marks(record: Record) -> frozenset[Mark]:
    """The marks beside the state. What is fixed or dismissed has no place to lose."""
    found = set()
    if record.machine.late:
        found.add(Mark.LATE)
    settled = shown(record) in (Shown.FIXED, Shown.DISMISSED)
    if record.machine.evidence is Evidence.GONE and not settled:
        found.add(Mark.LOST_ITS_PLACE)
    return frozenset(found)


def is_closed(record: Record) -> bool:
    """Whether nothing more is asked of anybody: confirmed fixed, dismissed or accepted."""
    return shown(record) in CLOSED


def is_touched(machine: Machine) -> bool:
    """Whether any of the finding's places changed, so that it may have been fixed."""
    return machine.evidence is not Evidence.PRESENT or machine.other_changed


def _is_fixed(record: Record) -> bool:
    machine = record.machine
    if machine.raised is Raised.CHECK:
        return machine.recheck is Verdict.DOES_NOT_HOLD
    if not is_touched(machine):
        return False
    if record.people.closed_by_reviewer:
        return True
    if machine.recheck is not Verdict.DOES_NOT_HOLD or machine.seen_again >= SEEN_AGAIN:
        return False
    contested = record.is_block and machine.times_still_there > 0
    return not contested or len(machine.gone_by) >= MODELS_TO_CLOSE_AGAIN


def severity_of(sighted: list[str], by_check: str | None = None) -> str:
    """The severity of a finding from those of its sightings: the highest of them.

    Where only a minority says block, the severity that the fresh check gave decides, if it
    answered. ValueError where nothing was sighted.
    """
    if not sighted:
        raise ValueError("a finding without a sighting has no severity")
    highest = min(sighted, key=lambda severity: Severity(severity).rank)
    minority = 2 * sighted.count(Severity.BLOCK) < len(sighted)
    if highest == Severity.BLOCK and minority and by_check is not None:
        return Severity(by_check).value
    return Severity(highest).value


@dataclass(frozen=True, slots=True)
class Dismissal:
    """What a dismissal was about: rule, sentence (by `folding.text_key`), its occurrence on
    the document counted from 0, the severity then, and the sentences of its other places."""

    rule: str
    sentence: str
    occurrence: int
    severity: str
    others: frozenset[str] = field(default_factory=frozenset)

    def covers(self, found: "Dismissal") -> bool:
        """Whether a finding with this key was dismissed already. False once its words or
        its other place changed, or where a higher severity comes."""
        return (
            (self.rule, self.sentence, self.occurrence, self.others)
            == (found.rule, found.sentence, found.occurrence, found.others)
        ) and Severity(found.severity).rank >= Severity(self.severity).rank


def acceptance_lapsed(
    *, until_date: date | None, until_version: int | None, today: date, version: int
) -> bool:
    """Whether an acceptance has run out: after its last day, or past its last version."""
    return (until_date is not None and today > until_date) or (
        until_version is not None and version > until_version
    )

"""What the desk says of one finding, and which acts it offers. Pure, no queries.

Findings come as `Finding.objects.for_desk(version)` loads them. What the machine saw and what
people decided are said apart, and no act is offered that the person may not do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reviewer.core.checks import CHECKS_BY_CODE
from reviewer.core.rounds import Standing, standing
from reviewer.core.rubric import rule_title
from reviewer.core.schema import Severity
from reviewer.core.state import Mark, marks
from reviewer.models import Finding, FindingPlace, Learning, Version
from reviewer.services.naming import end_of

TAB_OF_STATE: dict[str, str] = {
    "open": "open",
    "still_there": "open",
    "fix_claimed": "claimed",
    "fixed": "settled",
    "dismissed": "settled",
    "accepted": "settled",
}
MOVES_OF_ACTS: dict[str, str] = {
    "fixed": Finding.Status.FIX_CLAIMED,
    "dismiss": Finding.Status.DISMISSED,
    "accept": Finding.Status.ACCEPTED,
    "reopen": Finding.Status.OPEN,
}


SHOWN_AT_ONCE = 3
"""So many other places stand on a card; more are folded away."""


@dataclass(frozen=True, slots=True)
class Rights:
    """What the person may do, by severity: services decide it, nothing else of a finding does."""

    fixed: bool = False
    learn: bool = False
    triage: bool = False
    """Whether they decide findings at all, as reviewers and managers do."""
    dismiss: Mapping[str, bool] = field(default_factory=dict)
    accept: Mapping[str, bool] = field(default_factory=dict)

    def of(self, severity: str) -> set[str]:
        may = {"fixed", "reopen"} if self.fixed else set()
        if self.dismiss.get(severity):
            may.add("dismiss")
        if self.accept.get(severity):
            may.add("accept")
        if self.learn:
            may.add("learn")
        return may


@dataclass(frozen=True, slots=True)
class Learned:
    """What the house knows of findings from other proposals, by ids.

    `met_on` is on how many proposals a learning was met, `same_on` on how many others people
    said that a finding stands too.
    """

    met_on: Mapping[int, int] = field(default_factory=dict)
    same_on: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Another place that a finding names; `position` is 0 where its words were not found."""

    sheet: int
    quote: str
    position: int


@dataclass(frozen=True, slots=True)
class Card:
    """One finding as the desk shows it."""

    finding: Finding
    state: str
    tab: str
    rule: str
    seen: str
    notes: tuple[str, ...]
    elsewhere: tuple[Elsewhere, ...]
    acts: tuple[str, ...]
    places: tuple[FindingPlace, ...]
    is_late: bool
    is_lost: bool
    met_on: int = 0
    same_on: int = 0
    comments: int = 0
    why_not: str = ""
    """Why this person does not decide it, where it is open and they do not."""

    @property
    def learning(self) -> Learning | None:
        """The learning under which it was raised."""
        return self.finding.learning

    @property
    def may_learn(self) -> bool:
        return "learn" in self.acts

    @property
    def elsewhere_first(self) -> tuple[Elsewhere, ...]:
        """The other places that are shown at once: all, or two where there are many."""
        return self.elsewhere if len(self.elsewhere) <= SHOWN_AT_ONCE else self.elsewhere[:2]

    @property
    def elsewhere_more(self) -> tuple[Elsewhere, ...]:
        return self.elsewhere[len(self.elsewhere_first) :]

    @property
    def severity(self) -> str:
        return self.finding.severity

    @property
    def sheet(self) -> int:
        return self.finding.sheet

    @property
    def end(self) -> str:
        """Until when it is accepted, in words; empty where it has no end."""
        return end_of(self.finding.accepted_until, self.finding.accepted_until_version)

    @property
    def is_placed(self) -> bool:
        return any(place.position == 0 for place in self.places)

    @property
    def is_settled(self) -> bool:
        return self.tab == "settled"

    @property
    def is_due(self) -> bool:
        return self.tab == "open"

    def says(self, words: Sequence[str]) -> bool:
        """Whether every one of the folded `words` stands somewhere in the finding."""
        f = self.finding
        text = " ".join((f.severity, self.rule, f.quote, f.text, f.edit)).casefold()
        return all(word in text for word in words)


def card_of(finding: Finding, rights: Rights, learned: Learned | None = None) -> Card:
    """What the desk says of one finding, and which acts it offers to this person."""
    state: str = finding.shown_state
    shown_with = marks(finding.record())
    known = learned or Learned()
    places: list[FindingPlace] = finding.here  # type: ignore[attr-defined]  # by `for_desk`
    found = {place.position for place in places}
    tab = TAB_OF_STATE[state]
    may = rights.of(finding.severity)
    return Card(
        finding=finding,
        state=state,
        tab=tab,
        rule=_rule(finding),
        seen=_seen(finding),
        notes=(
            *_notes(finding, is_lost=Mark.LOST_ITS_PLACE in shown_with),
            *_why_so_grave(finding),
        ),
        elsewhere=tuple(
            Elsewhere(other["sheet"], other["quote"], index if index in found else 0)
            for index, other in enumerate(finding.also, start=1)
        ),
        acts=_acts(finding, tab, may),
        places=tuple(places),
        is_late=Mark.LATE in shown_with,
        is_lost=Mark.LOST_ITS_PLACE in shown_with,
        met_on=known.met_on.get(finding.learning_id or 0, 0),
        same_on=known.same_on.get(finding.pk, 0),
        comments=getattr(finding, "comment_count", 0),
        why_not=_why_not(finding, rights) if tab == "open" and "accept" not in may else "",
    )


def cards_of(
    findings: Iterable[Finding], version: Version, rights: Rights, learned: Learned | None = None
) -> list[Card]:
    """One card for each finding that was known by `version`, in the order of the sheets."""
    known = (f for f in findings if f.first_version.number <= version.number)
    return sorted((card_of(finding, rights, learned) for finding in known), key=by_place)


def by_place(card: Card) -> tuple[int, bool, int, int]:
    """The key that puts cards in reading order; those without a place come last on a sheet."""
    own = next((place for place in card.places if place.position == 0), None)
    sheet = card.sheet or 10**9  # what the whole document lacks comes after its sheets
    return sheet, own is None, own.first_word if own else 0, card.finding.number


def _rule(finding: Finding) -> str:
    title = rule_title(finding.rule)
    return finding.rule_as_written if title == "Other" and finding.rule_as_written else title


def _seen(finding: Finding) -> str:
    if finding.raised == Finding.Raised.CHECK:
        check = CHECKS_BY_CODE.get(finding.check_code)
        return f"checked: {check.title[0].lower()}{check.title[1:]}" if check else "built-in check"
    if finding.raised == Finding.Raised.PERSON:
        return "raised by a person"
    seen = f"seen {finding.votes} of {finding.passes}" if finding.passes else "seen once"
    verdict = {
        Finding.Verdict.HOLDS.value: " · verified",
        Finding.Verdict.UNSURE.value: " · check unsure",
        Finding.Verdict.DOES_NOT_HOLD.value: " · check disagrees",
    }.get(finding.verdict, "")
    return seen + verdict


def _notes(finding: Finding, *, is_lost: bool) -> tuple[str, ...]:
    notes = []
    if is_lost:
        notes.append("Lost its place: its words are not in this version any more.")
    elif finding.is_from_picture and not finding.is_on_sheet:
        notes.append("Read from its picture: there are no words on the sheet to mark.")
    elif not finding.is_on_sheet and finding.quote:
        notes.append("Not on the sheet: these words were not found, so look before you act.")
    elif finding.evidence == Finding.Evidence.CHANGED:
        notes.append("Its words changed since it was found.")
    return tuple(notes)


def _why_so_grave(finding: Finding) -> tuple[str, ...]:
    """Why it has this severity, where readings gave it others too or a person chose it."""
    given_by = {one.value: getattr(finding, f"named_{one.value}", 0) for one in Severity}
    severities = {severity: number for severity, number in given_by.items() if number}
    if finding.severity_by_person:
        return ("A person set how grave it is; readings do not change that.",)
    if set(severities) <= {finding.severity}:
        return ()
    readings = sum(severities.values())
    in_order = [one.value for one in Severity if one in severities]
    named = ", ".join(f"{one} by {severities[one]}" for one in in_order)
    given = f"Named {named} of {readings} readings"
    if finding.raised != Finding.Raised.MODEL:
        return (f"{given}; {finding.get_raised_display()} made it {finding.severity}.",)
    blocks = severities.get(Severity.BLOCK, 0)
    if finding.severity_by_check and 0 < 2 * blocks < readings:
        return (f"{given}; the fresh check made it {finding.severity}.",)
    if finding.severity == in_order[0]:
        return (f"{given}; the gravest counts.",)
    return (f"{given}.",)


def _why_not(finding: Finding, rights: Rights) -> str:
    """For the keys, which stay silent otherwise."""
    if rights.triage:
        return "You edited this proposal last, so another reviewer or manager decides its blocks."
    acts = "accepts" if rights.dismiss.get(finding.severity) else "dismisses or accepts"
    called = "what is to consider" if finding.severity == Severity.CONSIDER else finding.severity
    a = "" if finding.severity == Severity.CONSIDER else "a "
    return f"A reviewer or a manager {acts} {a}{called}. Nothing was changed."


def _acts(finding: Finding, tab: str, may: set[str]) -> tuple[str, ...]:
    possible = Finding.MOVES[Finding.Status(finding.status)]
    offered = MOVES_OF_ACTS if tab == "open" else {"reopen": MOVES_OF_ACTS["reopen"]}
    acts = [act for act, to in offered.items() if to in possible and act in may]
    is_undecided = tab == "open" and standing(finding.record()) is Standing.UNDECIDED
    if is_undecided and "accept" in may:
        acts.insert(0, "sign")  # who may accept it may sign that it stands
    if "learn" in may:
        acts.append("learn")
    return tuple(acts)

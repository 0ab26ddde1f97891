"""What people decided that lets a version through: dismissed, lowered, merged, signed, by whom.

Each stands on the gate page and in the record with its author and reason, and a yes is bound
to all of them.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from reviewer.core.schema import Severity
from reviewer.core.state import Shown
from reviewer.models import Decision, Event, Finding, Kind, Version, Waiver
from reviewer.services.naming import end_of, name_of
from reviewer.services.policy import checks_off
from reviewer.services.waivers import waivers_on

Act = Decision.Act
A_MANAGER = "a manager, under Checks"
"""Who switched a check off, which the workspace's events tell."""


@dataclass(frozen=True, slots=True)
class Exceptional:
    """One decision: what, about which finding (0 for none), by whom, why, when.

    `until` is in words, empty where it has no end of its own. `waiver` is the id of a
    signature that can be taken back, `waived` what kind of thing it signs for.
    """

    what: str
    finding: int
    sheet: int
    severity: str
    about: str
    who: str
    why: str
    at: datetime
    until: str = ""
    waiver: int | None = None
    waived: str = ""

    @property
    def sentence(self) -> str:
        """As an approval is bound to it."""
        what = f"#{self.finding} {self.what}" if self.finding else self.what
        when = self.at.isoformat(timespec="seconds")
        return f"{what} by {self.who}, {when}: {self.about} {self.why} {self.until}".strip()


def exceptions_on(version: Version) -> tuple[Exceptional, ...]:
    """The decisions that count for `version` now, gravest first, then signatures, then kind."""
    decided = sorted(
        _decisions(version), key=lambda each: (Severity(each.severity).rank, each.finding)
    )
    signed = [_signature(waiver) for waiver in waivers_on(version)]
    return (*decided, *signed, *_kinds(version))


def _decisions(version: Version) -> Iterable[Exceptional]:
    rows = (
        Decision.objects.filter(finding__proposal=version.proposal_id)
        .select_related("finding__merged_into", "actor")
        .order_by("pk")
    )
    off = checks_off(version.proposal.workspace)
    last: dict[tuple[int, str], Decision] = {}
    gravest: dict[int, Severity] = {}
    for row in rows:
        if row.act == Act.CHANGE_SEVERITY:
            before, after = Severity(row.details["from"]), Severity(row.details["to"])
            worst = min(before, after, key=lambda severity: severity.rank)
            known = gravest.get(row.finding_id, worst)
            gravest[row.finding_id] = min(known, worst, key=lambda severity: severity.rank)
            if before.rank > after.rank:
                continue
        last[(row.finding_id, row.act)] = row
    for row in last.values():
        finding = row.finding
        lowers = row.act == Act.CHANGE_SEVERITY
        severity = gravest[finding.pk] if lowers else Severity(finding.severity)
        if what := _what(row, severity, off):
            yield Exceptional(
                what=what,
                finding=finding.number,
                sheet=finding.sheet,
                severity=severity.value,
                about=finding.text,
                who=A_MANAGER if row.act == Act.CHECK_OFF else name_of(row.actor),
                why=row.reason,
                at=row.at,
                until=_end(finding) if row.act == Act.ACCEPT else "",
            )


def _what(row: Decision, gravest: Severity, off: Collection[str]) -> str:
    """In words, where the decision still stands and lets something through; else empty.

    `gravest` is what the finding was at its gravest, before a person lowered it; `off` are the
    codes of the checks that are switched off.
    """
    finding = row.finding
    match row.act:
        case Act.DISMISS if finding.status == Finding.Status.DISMISSED:
            return "dismissed"
        case Act.ACCEPT if finding.status == Finding.Status.ACCEPTED:
            return "accepted"
        case Act.CHANGE_SEVERITY if finding.severity != gravest:
            return f"lowered from {gravest} to {finding.severity}"
        case Act.MERGE if finding.merged_into_id is not None:
            into = finding.merged_into
            return f"merged into #{into.number}" if into else ""
        case Act.CLOSE if finding.is_closed_by_reviewer:
            return "signed as fixed"
        case Act.UPHOLD if finding.is_upheld:
            return "signed as standing"
        case Act.CHECK_OFF if finding.check_code in off and finding.shown_state == Shown.FIXED:
            return "ended with its check"
    return ""


def _end(finding: Finding) -> str:
    return end_of(finding.accepted_until, finding.accepted_until_version)


def _signature(waiver: Waiver) -> Exceptional:
    if waiver.until_version is not None:
        until = f"for version {waiver.until_version} only"
    else:
        until = f"until {waiver.until_date:%-d %B %Y}"
    if waiver.until_version is not None and waiver.until_date is not None:
        until += f", until {waiver.until_date:%-d %B %Y}"
    return Exceptional(
        what="waived",
        finding=0,
        sheet=waiver.sheet,
        severity="",
        about=waiver.says,
        who=name_of(waiver.by),
        why=waiver.reason,
        at=waiver.at,
        until=until,
        waiver=waiver.pk,
        waived=waiver.kind,
    )


def _kinds(version: Version) -> Iterable[Exceptional]:
    """Changes of the kind of document, which decides whether there is a gate at all."""
    events = list(
        Event.objects.filter(
            subject="proposal", subject_id=version.proposal_id, verb="details changed"
        ).select_related("actor")
    )
    # Each event says what was there before it, so what came after stands in the next.
    before = [event.why.rsplit(" · ", 1)[-1] for event in events]
    after = [*before[1:], version.proposal.kind]  # one too many where there are no events
    for event, old, new in zip(events, before, after, strict=False):
        if old != new:
            yield Exceptional(
                what=f"changed the kind from {_kind(old)} to {_kind(new)}",
                finding=0,
                sheet=0,
                severity="",
                about="",
                who=name_of(event.actor),
                why="",
                at=event.at,
            )


def _kind(kind: str) -> str:
    return str(Kind(kind).label) if kind in Kind.values else kind

"""How one finding came to be what it is: sightings, verdicts, decisions, and its words.

Reads only, in a number of queries that does not grow with what happened.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from reviewer.core.folding import text_key
from reviewer.models import (
    Comment,
    Decision,
    Finding,
    FindingPlace,
    Reading,
    Sheet,
    Sighting,
    Version,
)
from reviewer.services.naming import end_of

CHECKING = [Reading.Kind.CHECK, Reading.Kind.RECHECK]


@dataclass(frozen=True, slots=True)
class SightingLine:
    """The finding as one answer gave it. `was_told` is a sweep that had been told of it."""

    version: int
    label: str
    model: str
    at: datetime | None
    sheet: int
    severity: str
    rule: str
    quote: str
    text: str
    edit: str
    of_another: int | None
    """Number of the finding that was merged into this one, where it was seen as that."""
    was_told: bool


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """What one check said of it."""

    version: int
    label: str
    model: str
    at: datetime | None
    verdict: str
    severity: str
    why: str


@dataclass(frozen=True, slots=True)
class DecisionLine:
    """What one person did, or what lapsed by itself; `who` is then None."""

    version: int
    who: Any
    at: datetime
    act: str
    what: str
    reason: str
    was_taken_back: bool
    about: int
    """Number of the finding it was about: this one, or one that was merged into it."""


@dataclass(frozen=True, slots=True)
class CommentLine:
    """What one person said; `who` is None where the account was deleted."""

    pk: int
    version: int
    who: Any
    at: datetime
    text: str
    about: int
    """Number of the finding it was about: this one, or one that was merged into it."""
    is_comment: bool = True


@dataclass(frozen=True, slots=True)
class WordsLine:
    """What its words were on one version; `became` says what that is against the version before."""

    version: int
    sheet: int | None
    words: str
    became: str


@dataclass(frozen=True, slots=True)
class FindingHistory:
    """All of it, each list oldest first."""

    sightings: tuple[SightingLine, ...]
    verdicts: tuple[VerdictLine, ...]
    decisions: tuple[DecisionLine, ...]
    comments: tuple[CommentLine, ...]
    words: tuple[WordsLine, ...]
    merged: tuple[Finding, ...]
    """Findings that people merged into this one."""

    @property
    def by_people(self) -> list[DecisionLine | CommentLine]:
        """Decisions and comments as they came."""
        return sorted([*self.decisions, *self.comments], key=lambda line: line.at)


def history_of(finding: Finding) -> FindingHistory:
    """The history of a finding, with those that were merged into it."""
    merged = tuple(Finding.objects.filter(merged_into=finding).order_by("number"))
    family = {finding.pk: finding, **{one.pk: one for one in merged}}
    return FindingHistory(
        sightings=tuple(_sightings(finding, family)),
        verdicts=tuple(_verdicts(finding)),
        decisions=tuple(_decisions(family)),
        comments=tuple(_comments(family)),
        words=tuple(_words(finding)),
        merged=merged,
    )


def _sightings(finding: Finding, family: dict[int, Finding]) -> Iterable[SightingLine]:
    rows = Sighting.objects.filter(finding__in=family).select_related("reading__review__version")
    for row in rows.order_by("reading", "index"):
        reading = row.reading
        yield SightingLine(
            version=reading.review.version.number,
            label=_label(reading),
            model=reading.model,
            at=reading.finished_at,
            sheet=row.sheet,
            severity=row.severity,
            rule=row.rule,
            quote=row.quote,
            text=row.text,
            edit=row.edit,
            of_another=family[row.finding_id].number if row.finding_id != finding.pk else None,
            was_told=reading.kind == Reading.Kind.SWEEP and finding.number in reading.candidates,
        )


def _label(reading: Reading) -> str:
    match reading.kind:
        case Reading.Kind.PASS:
            part = f", part {reading.part}" if reading.part else ""
            return f"Pass {reading.pass_number}, sheet {reading.sheet}{part}"
        case Reading.Kind.PICTURE:
            return f"Reading {reading.pass_number} of the picture of sheet {reading.sheet}"
        case Reading.Kind.DOCUMENT:
            return "Reading of the whole document"
        case Reading.Kind.SWEEP:
            return f"Sweep over sheet {reading.sheet}" if reading.sheet else "Sweep"
        case Reading.Kind.CHECK:
            return "Fresh check"
    return "Check after a change"


def _verdicts(finding: Finding) -> Iterable[VerdictLine]:
    rows = Reading.objects.filter(
        review__version__proposal=finding.proposal_id, kind__in=CHECKING
    ).select_related("review__version")
    for reading in rows.defer("dropped", "review__keeps").order_by("pk"):
        if finding.number not in reading.candidates:
            continue
        said = next((v for v in reading.verdicts if v["number"] == finding.number), None)
        at = reading.finished_at
        version, label = reading.review.version.number, _label(reading)
        if said is not None:
            verdict = str(Finding.Verdict(said["verdict"]).label)
            severity, why = said["severity"], said["why"]
        elif reading.status == Reading.Status.DONE:
            verdict, severity, why = "no answer", "", reading.reason
        else:
            continue
        yield VerdictLine(version, label, reading.model, at, verdict, severity, why)


def _decisions(family: dict[int, Finding]) -> Iterable[DecisionLine]:
    rows = Decision.objects.filter(finding__in=family).select_related(
        "actor", "version", "undone_by"
    )
    for row in rows.order_by("pk"):
        yield DecisionLine(
            version=row.version.number,
            who=row.actor,
            at=row.at,
            act=row.act,
            what=_what(row),
            reason=row.reason,
            was_taken_back=hasattr(row, "undone_by"),
            about=family[row.finding_id].number,
        )


def _comments(family: dict[int, Finding]) -> Iterable[CommentLine]:
    rows = Comment.objects.filter(finding__in=family).select_related("author", "version")
    for row in rows.order_by("pk"):
        yield CommentLine(
            pk=row.pk,
            version=row.version.number,
            who=row.author,
            at=row.at,
            text=row.text,
            about=family[row.finding_id].number,
        )


def _what(row: Decision) -> str:
    told = row.details
    match row.act:
        case Decision.Act.CHANGE_SEVERITY:
            return f"changed its severity from {told.get('from')} to {told.get('to')}"
        case Decision.Act.MERGE:
            return f"merged it into #{told.get('into')}"
        case Decision.Act.SPLIT:
            return f"took it apart from #{told.get('from')}"
        case Decision.Act.ACCEPT:
            day = told.get("accepted_until")
            last_day = date.fromisoformat(day) if day else None
            return f"accepted it {end_of(last_day, told.get('accepted_until_version'))}".strip()
        case Decision.Act.LAPSE:
            return "the decision lapsed"
        case Decision.Act.CHECK_OFF:
            return "it ended"
    return str(Decision.Act(row.act).label)


def _words(finding: Finding) -> Iterable[WordsLine]:
    versions = Version.objects.filter(
        proposal=finding.proposal_id, status=Version.Status.READY
    ).only("number", "proposal")
    places = {
        place.version_id: place
        for place in FindingPlace.objects.filter(finding=finding, position=0).defer("boxes")
    }
    spoken = _spoken(places)
    before: str | None = None
    for version in versions.order_by("number"):
        place = places.get(version.pk)
        words = spoken.get(version.pk, "")
        if place is None and before is None:
            continue
        yield WordsLine(
            version=version.number,
            sheet=place.sheet if place else None,
            words=words,
            became=_became(before, words),
        )
        before = words


def _spoken(places: dict[int, FindingPlace]) -> dict[int, str]:
    sheets = Sheet.objects.filter(
        version__in=places, number__in={place.sheet for place in places.values()}
    )
    words = {
        (version, number): spoken
        for version, number, spoken in sheets.values_list("version", "number", "words")
    }
    return {
        version: " ".join(
            str(word[0])
            for word in words.get((version, place.sheet), [])[
                place.first_word : place.last_word + 1
            ]
        )
        for version, place in places.items()
    }


def _became(before: str | None, words: str) -> str:
    if before is None:
        return "raised"
    if not words:
        return "gone"
    if not before:
        return "back"
    return "unchanged" if text_key(before) == text_key(words) else "changed"

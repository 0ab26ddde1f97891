"""Decisions that stop counting: their words changed, their end came, a graver fault was seen."""

from django.utils import timezone

from reviewer.core.schema import Severity
from reviewer.core.state import acceptance_lapsed, severity_of
from reviewer.models import Decision, Finding, Version
from reviewer.services.errors import MovedMeanwhile
from reviewer.services.events import move

Status = Finding.Status

WORDS_CHANGED = "The words it was about have changed."
ENDED = "The acceptance has come to its end."


def lapse(finding: Finding, version: Version, why: str) -> bool:
    """Put a decided finding back among those that are due; False where somebody else moved it."""
    before, reason = finding.status, finding.decision_reason
    try:
        move(
            finding,
            Status.OPEN,
            by=None,
            workspace_id=version.proposal.workspace_id,
            proposal_id=finding.proposal_id,
            why=why,
            decision_reason="",
            decided_by=None,
            decided_at=None,
            decided_version=None,
            accepted_until=None,
            accepted_until_version=None,
        )
    except MovedMeanwhile:
        return False
    Decision.objects.create(
        finding=finding,
        version=version,
        act=Decision.Act.LAPSE,
        reason=why,
        status_before=before,
        status_after=Status.OPEN,
        reason_before=reason,
        actor=None,
    )
    return True


def weight_of(finding: Finding, *, raised_as: str = "") -> str:
    """The highest severity sighted; where only a minority says block, the fresh check decides.

    `raised_as` is the severity at which a built-in check or a person raises it, which counts as
    a majority. What people merged into it keeps its weight.
    """
    sighted = [sighting.severity for sighting in finding.sightings.all()]
    if raised_as:
        sighted += [raised_as] * (len(sighted) + 1)
    weights = [severity_of(sighted, finding.severity_by_check or None)]
    weights += [merged.severity for merged in finding.merged.all()]
    return min(weights, key=lambda weight: Severity(weight).rank)


def set_severity(finding: Finding, severity: str, version: Version) -> None:
    """Store what machines make of it. What was decided of a lesser fault does not stand for a
    graver; what a person set stays."""
    before = finding.severity
    if severity == before or finding.severity_by_person:
        return
    seen = Finding.objects.filter(pk=finding.pk, severity=before, severity_by_person=False)
    if seen.update(severity=severity) != 1:
        return
    finding.severity = severity
    graver = Severity(severity).rank < Severity(before).rank
    if graver and finding.status in Finding.DECIDED:
        why = f"it was decided as a {before} and is seen as a {severity} now"
        lapse(finding, version, why)


def lapse_what_changed(findings: list[Finding], version: Version) -> int:
    """Lapse the dismissals whose words, or whose other place, changed in `version`."""
    changed = [
        finding
        for finding in findings
        if finding.status == Status.DISMISSED
        and (finding.evidence != Finding.Evidence.PRESENT or finding.other_changed)
    ]
    return sum(lapse(finding, version, WORDS_CHANGED) for finding in changed)


def lapse_what_ended(version: Version) -> int:
    """Lapse the acceptances that ended by date, or with an earlier version."""
    accepted = Finding.objects.filter(proposal=version.proposal_id, status=Status.ACCEPTED)
    ended = [
        finding
        for finding in accepted
        if acceptance_lapsed(
            until_date=finding.accepted_until,
            until_version=finding.accepted_until_version,
            today=timezone.localdate(),
            version=version.number,
        )
    ]
    return sum(lapse(finding, version, ENDED) for finding in ended)

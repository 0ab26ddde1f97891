"""Decisions that stop counting: their words changed, their end came, a graver fault was seen."""

from django.utils import timezone

from reviewer.core.state import acceptance_lapsed
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

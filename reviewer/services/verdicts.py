"""What a check said is stored with the findings it was asked about.

A verdict that is missing or cannot be read leaves its finding as it was: a block stays
undecided, and a finding whose fix was claimed stays claimed.
"""

from reviewer.core.verdicts import ReportedVerdict, Verdict
from reviewer.models import Finding, Reading


def apply_verdicts(reading: Reading, verdicts: dict[int, ReportedVerdict]) -> None:
    """Store each verdict with its finding; call it in the transaction that records the answer."""
    findings = Finding.objects.select_for_update().filter(
        proposal=reading.review.version.proposal_id, number__in=list(verdicts)
    )
    for finding in findings:
        said = verdicts[finding.number]
        if reading.kind == Reading.Kind.CHECK:
            finding.verdict = said.verdict.value
            finding.severity_by_check = said.severity.value if said.severity else ""
        else:
            _apply_recheck(finding, reading, said.verdict)
        finding.checked_version = reading.review.version
        finding.save()


def _apply_recheck(finding: Finding, reading: Reading, verdict: Verdict) -> None:
    finding.recheck = verdict.value
    if verdict is Verdict.HOLDS:
        finding.times_still_there += 1
        finding.gone_by = []
    elif verdict is Verdict.DOES_NOT_HOLD and reading.model not in finding.gone_by:
        finding.gone_by = [*finding.gone_by, reading.model]

"""What a check said is stored with the findings it was asked about.

A verdict that is missing or cannot be read leaves its finding as it was: a block stays
undecided, and a finding whose fix was claimed stays claimed. What was said of words that
have changed since says nothing of the new ones.
"""

from reviewer.core.verdicts import ReportedVerdict, Verdict
from reviewer.models import Finding, Reading
from reviewer.services.storable import storable

WHY_CHARACTERS = 600


def apply_verdicts(reading: Reading, verdicts: dict[int, ReportedVerdict]) -> None:
    """Store each verdict with its finding; call it in the transaction that records the answer."""
    version = reading.review.version
    findings = Finding.objects.select_for_update().filter(
        proposal=version.proposal_id, number__in=list(verdicts)
    )
    for finding in findings:
        said = verdicts[finding.number]
        if reading.kind == Reading.Kind.CHECK:
            finding.verdict = said.verdict.value
            finding.severity_by_check = said.severity.value if said.severity else ""
            changed = ["verdict", "severity_by_check"]
        elif finding.touched_in is not None and finding.touched_in > version.number:
            continue
        else:
            _apply_recheck(finding, reading, said.verdict)
            changed = ["recheck", "times_still_there", "gone_by", "evidence", "other_changed"]
        finding.checked_version = version
        finding.save(update_fields=[*changed, "checked_version"])
    told = {
        number: {
            "number": number,
            "verdict": said.verdict.value,
            "severity": said.severity.value if said.severity else "",
            "why": storable(said.why)[:WHY_CHARACTERS],
        }
        for number, said in verdicts.items()
    }
    kept = {each["number"]: each for each in reading.verdicts} | told
    reading.verdicts = [kept[number] for number in sorted(kept)]
    reading.save(update_fields=["verdicts"])


def _apply_recheck(finding: Finding, reading: Reading, verdict: Verdict) -> None:
    """One *still there* a round, however many models were asked; any of them undoes a *gone*."""
    if verdict is Verdict.HOLDS:
        finding.times_still_there += finding.recheck != Finding.Verdict.HOLDS
        finding.gone_by = []
        # The words as they stand now are at fault: they must change again to be asked again.
        if finding.evidence == Finding.Evidence.CHANGED:
            finding.evidence = Finding.Evidence.PRESENT
        finding.other_changed = False
    elif verdict is Verdict.DOES_NOT_HOLD and reading.model not in finding.gone_by:
        finding.gone_by = [*finding.gone_by, reading.model]
    if finding.recheck != Finding.Verdict.NONE and verdict is Verdict.UNSURE:
        # A second opinion that is none leaves what the first one said.
        return
    finding.recheck = verdict.value

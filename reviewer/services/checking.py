"""The built-in checks over one version: always, at no cost, and deterministic.

A check's finding is gone exactly when its cause is gone: where a check is silent about a
finding it raised before, that finding is confirmed fixed; where it raises it again, it is
the same finding at its new words, as grave as the check is by then. What is open of a check
that a manager switched off ends with it, and its history says so.
"""

from collections import defaultdict

from django.db import transaction
from django.utils import timezone

from reviewer.core.checks import CheckFinding, Examination, examine
from reviewer.core.folding import text_key
from reviewer.core.state import Shown
from reviewer.models import Decision, Finding, FindingPlace, Learning, Proposal, Version
from reviewer.services.as_checked import checked_document
from reviewer.services.events import record
from reviewer.services.findings import next_number
from reviewer.services.ground import Ground
from reviewer.services.lapsing import set_severity, weight_of
from reviewer.services.learnings_given import never_said_in
from reviewer.services.placing import place_finding
from reviewer.services.policy import check_severities, checks_off

SWITCHED_OFF = "The check was switched off."


def check_version(version: Version) -> list[Finding]:
    """Run every check over `version` and store what they find. Returns what stands.

    Safe to repeat: the same version gives the same findings and no new rows.
    """
    ground = Ground(version)
    workspace = version.proposal.workspace
    off = checks_off(workspace)
    document = checked_document(version, ground)
    examined = examine(document, off=off, severities=check_severities(workspace))
    with transaction.atomic():
        # Two workers that check one version must not raise a finding twice.
        Proposal.objects.select_for_update(no_key=True).get(pk=version.proposal_id)
        standing = _settle(version, ground, examined, off)
        _name_learnings(version, standing, examined)
        Version.objects.filter(pk=version.pk).update(
            checked_at=timezone.now(),
            unchecked=_unchecked(examined),
            checked_with=[each.pair for each in document.never_say],
        )
    return standing


def check_again_where_learned(version: Version) -> bool:
    """Check a version anew where what is never said is another than when it was checked."""
    now = [each.pair for each in never_said_in(version.proposal)]
    if [now] == list(Version.objects.filter(pk=version.pk).values_list("checked_with", flat=True)):
        return False
    check_version(version)
    return True


def _name_learnings(version: Version, standing: list[Finding], examined: Examination) -> None:
    """Have each finding name the learning that asked for it; they are in the same order."""
    numbers = {report.learning for report in examined.findings if report.learning}
    if not numbers:
        return
    ids = dict(
        Learning.objects.filter(
            workspace=version.proposal.workspace_id, number__in=numbers
        ).values_list("number", "pk")
    )
    for finding, report in zip(standing, examined.findings, strict=True):
        learning = ids.get(report.learning or 0)
        if learning is not None and finding.learning_id != learning:
            finding.learning_id = learning
            finding.save(update_fields=["learning"])


def _unchecked(examined: Examination) -> dict[str, list[str]]:
    """Codes of the checks that could say nothing of this version, by the reason."""
    return {
        "language": sorted(examined.not_for_this_language),
        "broke": sorted(failure.check for failure in examined.failures),
    }


Key = tuple[str, str]


def _key(check: str, quote: str, text: str) -> Key:
    """What makes a check's finding the same one on another version: check, and its words."""
    return check, text_key(quote or text)


def _settle(
    version: Version, ground: Ground, examined: Examination, off: set[str]
) -> list[Finding]:
    known: dict[Key, list[Finding]] = defaultdict(list)
    raised = Finding.objects.shown().filter(
        proposal_id=version.proposal_id, raised=Finding.Raised.CHECK
    )
    for finding in raised.prefetch_related("sightings", "merged").order_by("number"):
        known[_key(finding.check_code, finding.quote, finding.text)].append(finding)
    carried = _carried_to(version)
    standing: list[Finding] = []
    for report in examined.findings:
        same = known.get(_key(report.check, report.quote, report.finding)) or []
        met = _nearest(same, report) or _moved(known, report, carried, ground)
        if met is not None:
            known[_key(met.check_code, met.quote, met.text)].remove(met)
            _stand(met, version, report)
        finding = met or _raise(version, report)
        FindingPlace.objects.filter(finding=finding, version=version).delete()
        place_finding(finding, ground)
        standing.append(finding)
    # A check that broke, or could not read this language, says nothing by its silence.
    mute = {failure.check for failure in examined.failures} | set(examined.not_for_this_language)
    for silent in (finding for rest in known.values() for finding in rest):
        if silent.check_code in off:
            _end_with_its_check(silent, version)
        elif silent.check_code not in mute:
            _end(silent, version)
    return standing


def _end(finding: Finding, version: Version) -> None:
    finding.recheck = Finding.Verdict.DOES_NOT_HOLD
    finding.evidence = Finding.Evidence.GONE
    finding.checked_version = version
    finding.save(update_fields=["recheck", "evidence", "checked_version"])
    FindingPlace.objects.filter(finding=finding, version=version).delete()


def _end_with_its_check(finding: Finding, version: Version) -> None:
    """What is open holds nothing any more; what people decided stays as they decided it."""
    if finding.status in Finding.DECIDED or finding.shown_state == Shown.FIXED:
        return
    before = finding.shown_state
    _end(finding, version)
    Decision.objects.create(
        finding=finding,
        version=version,
        act=Decision.Act.CHECK_OFF,
        reason=SWITCHED_OFF,
        status_before=finding.status,
        status_after=finding.status,
        actor=None,
    )
    record(
        workspace=version.proposal.workspace_id,
        subject=finding,
        verb=Decision.Act.CHECK_OFF.label,
        by=None,
        from_state=before,
        to_state=finding.shown_state,
        why=SWITCHED_OFF,
        proposal_id=version.proposal_id,
    )


def _carried_to(version: Version) -> dict[int, FindingPlace]:
    places = FindingPlace.objects.filter(
        version=version, position=0, finding__raised=Finding.Raised.CHECK
    )
    return {place.finding_id: place for place in places}


def _nearest(same: list[Finding], report: CheckFinding) -> Finding | None:
    return min(same, key=lambda finding: abs(finding.sheet - report.sheet), default=None)


def _moved(
    known: dict[Key, list[Finding]],
    report: CheckFinding,
    carried: dict[int, FindingPlace],
    ground: Ground,
) -> Finding | None:
    """A finding of the same check whose carried place the report's words overlap."""
    span = ground.find(report.quote, report.sheet)
    place = ground.place(report.sheet, span, finding_id=0) if span else None
    if place is None:
        return None
    for finding in (finding for rest in known.values() for finding in rest):
        was = carried.get(finding.pk)
        if (
            finding.check_code == report.check
            and was is not None
            and was.sheet == place.sheet
            and was.first_word <= place.last_word
            and place.first_word <= was.last_word
        ):
            return finding
    return None


def _raise(version: Version, report: CheckFinding) -> Finding:
    return Finding.objects.create(
        proposal_id=version.proposal_id,
        number=next_number(version.proposal_id),
        severity=report.severity.value,
        rule=report.rule,
        sheet=report.sheet,
        quote=report.quote,
        text=report.finding,
        edit=report.fix,
        also=[place.model_dump() for place in report.also],
        raised=Finding.Raised.CHECK,
        check_code=report.check,
        first_version=version,
        checked_version=version,
    )


def _stand(finding: Finding, version: Version, report: CheckFinding) -> None:
    finding.sheet, finding.quote, finding.text = report.sheet, report.quote, report.finding
    finding.edit = report.fix
    finding.also = [place.model_dump() for place in report.also]
    is_back = finding.recheck == Finding.Verdict.DOES_NOT_HOLD
    if is_back or finding.checked_version_id != version.pk:
        finding.recheck = Finding.Verdict.HOLDS
    finding.evidence = Finding.Evidence.PRESENT
    finding.checked_version = version
    # Only what the machine saw: somebody may be deciding it at this moment.
    finding.save(
        update_fields=[
            "sheet",
            "quote",
            "text",
            "edit",
            "also",
            "recheck",
            "evidence",
            "checked_version",
        ]
    )
    # A manager may have made the check graver or lighter since.
    set_severity(finding, weight_of(finding, raised_as=report.severity.value), version)

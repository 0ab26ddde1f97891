"""The gate of one version, judged from rows: what holds it, and what is probably left."""

from collections import Counter, defaultdict

from reviewer.core import gate
from reviewer.core.estimate import NoEstimate, Residual, Seen, residual
from reviewer.core.rounds import Plan, Standing, standing
from reviewer.core.state import Verdict
from reviewer.models import Finding, Reading, Review, Version
from reviewer.models.review import Purpose, ReviewQuerySet
from reviewer.services.coverage import is_censored, is_complete, plan_for
from reviewer.services.policy import fit_that_holds
from reviewer.services.reviews import passes_for

Kind, Status = Reading.Kind, Reading.Status


def gate_of(version: Version) -> gate.Gate:
    """Why `version` may not leave, in order, with what is stated beside the yes."""
    holds = fit_that_holds(version.proposal.workspace)
    findings = list(Finding.objects.shown().filter(proposal=version.proposal_id))
    return gate.judge(
        fit=[
            gate.FitFault(fault["code"], fault["sheet"], fault["message"], fault["code"] in holds)
            for fault in version.fit
        ],
        unread=[
            gate.UnreadSheet(sheet.number, sheet.get_unread_display())
            for sheet in version.sheets.for_desk().exclude(unread__in=["", "blank"])
        ],
        findings=[finding.record() for finding in findings],
        due=due_on(version),
        residual=residual_of(version, findings),
    )


def due_on(version: Version) -> Plan | None:
    """What a review would still have to do; None where no model ever read the proposal."""
    newest = _live_reviews(version).last()
    if newest is None:
        return None
    return plan_for(version, passes=passes_for(newest.depth))


def residual_of(version: Version, findings: list[Finding]) -> Residual | NoEstimate:
    """What is probably left, from the blind passes over this proposal's text."""
    first = (
        _live_reviews(version)
        .filter(purpose__in=[Purpose.DISCOVERY, Purpose.WIDENING])
        .exclude(status=Review.Status.CANCELLED)
        .last()
    )
    if first is None:
        return NoEstimate("No estimate: no model has read this document.")
    readings = list(first.readings.filter(kind__in=[Kind.PASS, Kind.SWEEP]))
    follow: dict[int, list[Reading]] = defaultdict(list)
    for reading in readings:
        if reading.follows_id:
            follow[reading.follows_id].append(reading)
    roots = [r for r in readings if r.kind == Kind.PASS and r.follows_id is None]
    sighted = [finding for finding in findings if 0 < finding.votes <= first.passes]
    upheld = [f for f in sighted if standing(f.record()) is Standing.UPHELD]
    refuted = Counter(
        f.severity for f in sighted if f.votes >= 2 and f.verdict == Verdict.DOES_NOT_HOLD
    )
    return residual(
        [Seen(finding.severity, finding.votes) for finding in upheld],
        first.passes,
        refuted_twice=refuted,
        censored=sum(is_censored(root, follow) for root in roots),
        failed=sum(
            root.status != Status.DONE or not is_complete(root, follow)
            for root in roots
            if not root.is_censored
        ),
    )


def _live_reviews(version: Version) -> ReviewQuerySet:
    return Review.objects.filter(
        version__proposal=version.proposal_id, provenance=Review.Provenance.LIVE
    ).order_by("pk")

"""All that a review record says, taken from the rows at one moment, as plain data.

Dates are in UTC, to the second. What is not in here is not in the record, but for what the
making of the files itself tells: what was taken out, and the hash of the client's PDF.
"""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from reviewer.core.rubric import rule_title
from reviewer.models import Export, Finding, FindingPlace, Reading, Review, Version
from reviewer.services.approvals import Seen
from reviewer.services.exceptions import Exceptional
from reviewer.services.naming import name_of
from reviewer.services.receipts import receipt_of, residual_sentence

STATES = {
    "open": "open",
    "fix_claimed": "fix claimed",
    "fixed": "fixed, confirmed",
    "still_there": "still there",
    "dismissed": "dismissed",
    "accepted": "accepted",
}


def facts_of(export: Export, now: Seen) -> dict[str, Any]:
    """What the record of `export` says of the version as it is seen now."""
    version, proposal, approval = now.version, now.version.proposal, export.approval
    return {
        "number": export.number,
        "workspace": export.workspace.name,
        "title": proposal.title,
        "client": proposal.client,
        "kind": proposal.get_kind_display(),
        "is_gated": now.is_gated,
        "version": version.number,
        "original_name": version.original_name,
        "layout_approximate": version.layout_approximate,
        "made_by": name_of(export.made_by),
        "made_at": moment(export.created_at),
        "approval": {
            "by": name_of(approval.decided_by),
            "at": moment(approval.decided_at),
            "said": approval.reason,
            "asked_by": name_of(approval.asked_by) if approval.asked_at else "",
            "asked_at": moment(approval.asked_at),
            "note": approval.note,
        }
        if approval
        else None,
        "residual": residual_sentence(now.gate),
        "held": [reason.text for reason in now.gate.reasons],
        "hashes": {
            "The file as uploaded, sha256": version.sha256,
            "The PDF that was read": now.bytes_hash.rsplit("-", 1)[-1],
            "The gate": now.gate.key,
            "The policy": now.policy_key,
        },
        "receipt": receipt_of(version, now.gate),
        "reviews": [_review(review) for review in _reviews(version)],
        "unread": _unread(version),
        "fit": [f"{_where(fault['sheet'])}: {fault['message']}" for fault in version.fit],
        "exceptions": [_exception(each) for each in now.exceptions],
        "keeps": list(export.keeps),
        "findings": _findings(version),
        "sheets": [
            {"number": s.number, "width": s.width, "height": s.height, "image": s.image.name}
            for s in version.sheets.for_desk()
        ],
    }


def moment(at: datetime | None) -> str:
    """`28 November 2026, 14:05 UTC`; empty for None."""
    return "" if at is None else f"{at.astimezone(UTC):%-d %B %Y, %H:%M} UTC"


def _where(sheet: int) -> str:
    return f"Sheet {sheet}" if sheet else "Document"


def _reviews(version: Version) -> list[Review]:
    rows = Review.objects.filter(version__proposal=version.proposal_id)
    return list(
        rows.filter(version__number__lte=version.number)
        .select_related("version", "started_by")
        .prefetch_related("readings")
        .order_by("pk")
    )


def _review(review: Review) -> dict[str, Any]:
    done = [r for r in review.readings.all() if r.status == Reading.Status.DONE]
    outcomes = Counter(reading.outcome or "no outcome" for reading in done)
    models = sorted({reading.model for reading in done if reading.model}) or [review.model]
    return {
        "version": review.version.number,
        "purpose": review.get_purpose_display(),
        "depth": review.depth,
        "provenance": review.get_provenance_display(),
        "models": ", ".join(models),
        "server": review.server,
        "passes": review.passes,
        "readings": len(done),
        "outcomes": ", ".join(f"{n} {o.replace('_', ' ')}" for o, n in sorted(outcomes.items())),
        "by": name_of(review.started_by) if review.provenance == Review.Provenance.LIVE else "",
        "at": moment(review.started_at or review.created_at),
        "state": review.get_status_display(),
        "rubric": review.rubric_hash,
    }


def _unread(version: Version) -> list[str]:
    return [
        f"Sheet {sheet.number}: {sheet.get_unread_display()}."
        for sheet in version.sheets.for_desk().exclude(unread="")
    ]


def _exception(each: Exceptional) -> dict[str, Any]:
    return {
        "what": each.what,
        "finding": each.finding,
        "where": _where(each.sheet) if each.finding or each.sheet else "",
        "severity": each.severity,
        "about": each.about,
        "who": each.who,
        "why": each.why,
        "at": moment(each.at),
        "until": each.until,
    }


def _findings(version: Version) -> list[dict[str, Any]]:
    boxes: dict[int, list[dict[str, Any]]] = {}
    places = FindingPlace.objects.filter(version=version).order_by("finding", "position")
    for place in places:
        boxes.setdefault(place.finding_id, []).append({"sheet": place.sheet, "boxes": place.boxes})
    rows = (
        Finding.objects.shown()
        .filter(proposal=version.proposal_id)
        .select_related("decided_by")
        .order_by("sheet", "number")
    )
    return [_finding(finding, boxes.get(finding.pk, [])) for finding in rows]


def _finding(finding: Finding, places: list[dict[str, Any]]) -> dict[str, Any]:
    raised = finding.get_raised_display()
    if finding.raised == Finding.Raised.MODEL and finding.passes:
        raised = f"a model, in {finding.votes} of {finding.passes} passes"
    return {
        "number": finding.number,
        "severity": finding.severity,
        "rule": rule_title(finding.rule),
        "sheet": finding.sheet,
        "quote": finding.quote,
        "text": finding.text,
        "edit": finding.edit,
        "raised": raised,
        "verdict": finding.get_verdict_display() if finding.verdict != Finding.Verdict.NONE else "",
        "state": STATES[finding.shown_state],
        "is_late": finding.is_late,
        "by": name_of(finding.decided_by) if finding.decided_at else "",
        "at": moment(finding.decided_at),
        "reason": finding.decision_reason,
        "places": places,
    }

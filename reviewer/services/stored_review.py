"""A review from the command line that is kept: the services of the pages, run to their end."""

import time

from django.core.files.uploadedfile import SimpleUploadedFile

from reviewer.core.gate import ReasonKind
from reviewer.core.outcomes import Outcome
from reviewer.documents.errors import UnreadableFile
from reviewer.models import Finding, Reading, Review, Version
from reviewer.services.connection import connection
from reviewer.services.conversion import convert_version
from reviewer.services.coverage import History
from reviewer.services.gates import fit_faults, gate_of
from reviewer.services.oneoff import Asked, Found, OneOff, gravest_first, outcome_of
from reviewer.services.proposals import add_source
from reviewer.services.readings import perform_reading
from reviewer.services.receipts import receipt_of
from reviewer.services.rests import not_made_good
from reviewer.services.reviews import advance_review, start_review
from reviewer.services.system import system_member
from reviewer.services.uploads import upload_proposal

LOOK_AGAIN_SECONDS = 0.5


def review_in_workspace(*, slug: str, asked: Asked) -> OneOff:
    """Upload, convert, check and read in the workspace, as its system actor.

    Raises UnreadableFile as `oneoff.review_file` does; the upload is kept with its reason.
    """
    by = system_member(slug)
    version = upload_proposal(
        by=by,
        file=SimpleUploadedFile(asked.name, asked.path.read_bytes()),
        client=asked.client,
        kind=asked.kind,
        checks_only=asked.provider is None,
    )
    for name, text in asked.sources:
        add_source(by=by, proposal=version.proposal, file=SimpleUploadedFile(name, text.encode()))
    _convert(version)
    if version.status == Version.Status.UNREADABLE:
        raise UnreadableFile("unreadable", version.reason)
    review = None
    if asked.provider is not None and connection(by.workspace_id) is not None:
        review = start_review(by=by, version=version, passes=asked.passes, model=asked.model)
        _read_to_its_end(review)
    return _result(version, review)


def _convert(version: Version) -> None:
    """Convert here, or wait for a worker that was faster."""
    while not version.is_settled:
        if convert_version(version.pk) is None:
            time.sleep(LOOK_AGAIN_SECONDS)
        version.refresh_from_db()


def _read_to_its_end(review: Review) -> None:
    """Read here what no worker has, and wait for what one has."""
    while review.is_running:
        free = Reading.objects.claimable().filter(review=review).order_by("pk").first()
        if free is None:
            advance_review(review.pk)
        if free is None or perform_reading(free.pk) is None:
            time.sleep(LOOK_AGAIN_SECONDS)
        review.refresh_from_db()


def _result(version: Version, review: Review | None) -> OneOff:
    """What is kept, judged by the gate that the pages show."""
    history = History(version)
    gate = gate_of(version, history=history)
    readings = list(review.readings.all()) if review else []
    # What asked for the rest of an answer may have brought it: the gate goes by that too.
    failed = {reading.pk for reading in not_made_good(readings)}
    unread = any(reason.kind is ReasonKind.UNREAD for reason in gate.reasons)
    findings = [_found(finding) for finding in history.findings]
    return OneOff(
        outcome=outcome_of(
            Outcome(r.outcome or Outcome.NOT_RUN) if r.pk in failed else Outcome.READ
            for r in readings
        ),
        models=(review.model,) if review else (),
        passes=review.passes if review else 0,
        fit=tuple(fit_faults(version)),
        findings=tuple(sorted(findings, key=gravest_first)),
        keeps=tuple(review.keeps) if review else (),
        gate=gate,
        sheets=version.sheet_count,
        fully_read=bool(review) and not failed and not unread,
        receipt=receipt_of(version, gate),
    )


def _found(finding: Finding) -> Found:
    return Found(
        record=finding.record(),
        rule=finding.rule,
        quote=finding.quote,
        finding=finding.text,
        fix=finding.edit,
        check=finding.check_code,
    )

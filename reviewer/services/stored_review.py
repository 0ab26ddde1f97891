"""A review from the command line that is kept: the services of the pages, run to their end."""

from django.core.files.uploadedfile import SimpleUploadedFile

from reviewer.core.gate import FitFault, UnreadSheet, judge
from reviewer.core.rounds import Plan
from reviewer.documents.errors import UnreadableFile
from reviewer.documents.fit import HOLD_BY_DEFAULT
from reviewer.models import Finding, Reading, Review, Version
from reviewer.services.connection import connection
from reviewer.services.conversion import convert_version
from reviewer.services.errors import Refused
from reviewer.services.oneoff import Asked, Found, OneOff
from reviewer.services.proposals import add_source
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import start_review
from reviewer.services.system import system_member
from reviewer.services.uploads import upload_proposal


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
    done = convert_version(version.pk)
    if done is None:
        raise Refused("A worker is converting the file already; look at it in the workspace.")
    if done.status == Version.Status.UNREADABLE:
        raise UnreadableFile("unreadable", done.reason)
    review = None
    if asked.provider is not None and connection(by.workspace_id) is not None:
        review = start_review(by=by, version=done, passes=asked.passes, model=asked.model)
        for pk in review.readings.order_by("pass_number", "sheet").values_list("pk", flat=True):
            perform_reading(pk)
        review.refresh_from_db()
    return _result(done, review)


def _result(version: Version, review: Review | None) -> OneOff:
    findings = [_found(f) for f in Finding.objects.shown().filter(proposal=version.proposal_id)]
    fit = tuple(
        FitFault(f["code"], f["sheet"], f["message"], f["code"] in HOLD_BY_DEFAULT)
        for f in version.fit
    )
    unread = [
        UnreadSheet(sheet.number, sheet.get_unread_display())
        for sheet in version.sheets.for_desk()
        if sheet.unread not in {"", "blank"}
    ]
    readings = list(review.readings.all()) if review else []
    failed = [r for r in readings if r.status != Reading.Status.DONE or r.outcome != "read"]
    due = Plan(passes={r.sheet: 1 for r in failed}) if review else None
    return OneOff(
        outcome="not_run" if not review else "partly_read" if failed else "read",
        models=(review.model,) if review else (),
        passes=review.passes if review else 0,
        fit=fit,
        findings=tuple(sorted(findings, key=lambda f: (f.record.severity, f.record.sheet))),
        keeps=tuple(review.keeps) if review else (),
        gate=judge(fit=fit, unread=unread, findings=[f.record for f in findings], due=due),
        sheets=version.sheet_count,
        fully_read=bool(review) and not failed and not unread,
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

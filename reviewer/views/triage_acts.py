"""What is decided less often, on a page of its own: how grave, closed as fixed, merged, until when.

Every act is a plain form. A signature alone is also a button and a key on the desk, since an
undecided block waits for it.
"""

from collections.abc import Callable, Mapping
from datetime import date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from reviewer.core.schema import Severity
from reviewer.core.typed import typed_number
from reviewer.models import Finding, Membership, Version
from reviewer.services import findings, triage
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.rubric import rule_titles
from reviewer.views.access import asked_finding, finding_or_404, in_workspace
from reviewer.views.answering import wants_part
from reviewer.views.desk import act_answer, desk_url

Said = Mapping[str, str]
Done = tuple[str, Finding]
"""What is said of the act, and the finding at which the person goes on."""
NO_SUCH_FINDING = "There is no finding of that number on this proposal. Nothing was merged."
NO_SUCH_DAY = "That is no day or version. Write the day as 2031-05-30, or leave it empty."


@require_safe
@in_workspace
def more(
    request: HttpRequest, membership: Membership, proposal: int, number: int, finding: int
) -> HttpResponse:
    """Everything else that can be done with a finding, and a way to its history."""
    version, on = asked_finding(membership, proposal, number, finding)
    return _page(request, membership, version, on)


@require_POST
@in_workspace
def triage_act(
    request: HttpRequest,
    membership: Membership,
    proposal: int,
    number: int,
    finding: int,
    act: str,
) -> HttpResponse:
    """Sign, close, change severity, merge, take apart, or accept until a day or a version."""
    if act not in _ACTS:
        raise Http404
    version, on = asked_finding(membership, proposal, number, finding)
    try:
        said, at = _ACTS[act](membership, on, version, request.POST)
    except Refused as error:
        if wants_part(request):
            return act_answer(request, membership, version, error.message, status=422)
        return _page(request, membership, version, on, refused=error.message)
    except MovedMeanwhile as error:
        return act_answer(request, membership, version, error.message, status=409)
    return act_answer(request, membership, version, said, at=at.number)


def _page(
    request: HttpRequest, membership: Membership, version: Version, on: Finding, refused: str = ""
) -> HttpResponse:
    is_open = on.status == Finding.Status.OPEN
    has_changed = on.evidence != Finding.Evidence.PRESENT or on.other_changed
    context = {
        "section": "proposals",
        "proposal": version.proposal,
        "version": version,
        "finding": on,
        "rule": rule_titles(membership.workspace_id).get(on.rule, on.rule),
        "severities": [one.value for one in Severity if one != on.severity],
        "may_sign": triage.may_sign(membership, on) and not on.is_upheld,
        "may_close": triage.may_sign(membership, on) and has_changed,
        "may_accept": is_open and findings.may_accept(membership, on),
        "may_merge": triage.may_merge(membership, on) and on.merged_into is None,
        "merged": list(on.merged.all()),
        "refused": refused,
        "back": desk_url(request, membership, version) + f"#finding-{on.number}",
    }
    return render(request, "desk/more.html", context, status=422 if refused else 200)


def _sign(by: Membership, on: Finding, version: Version, said: Said) -> Done:
    triage.uphold(by=by, finding=on, version=version, reason=said.get("reason", ""))
    return f"Signed: {on} stands.", on


def _close(by: Membership, on: Finding, version: Version, said: Said) -> Done:
    triage.close_as_fixed(by=by, finding=on, version=version, reason=said.get("reason", ""))
    return f"Closed as fixed: {on}.", on


def _severity(by: Membership, on: Finding, version: Version, said: Said) -> Done:
    triage.change_severity(
        by=by,
        finding=on,
        version=version,
        severity=said.get("severity", ""),
        reason=said.get("reason", ""),
    )
    return f"{on} is now: {on.severity}.", on


def _merge(by: Membership, on: Finding, version: Version, said: Said) -> Done:
    named = typed_number(said.get("into", "").strip().removeprefix("#"))
    if named is None:
        raise Refused(NO_SUCH_FINDING)
    try:
        into = finding_or_404(version.proposal, named)
    except Http404 as error:
        raise Refused(NO_SUCH_FINDING) from error
    triage.merge(by=by, finding=on, into=into, version=version, reason=said.get("reason", ""))
    return f"{on} was merged into {into}. It can be taken apart under More of {into}.", into


def _apart(by: Membership, on: Finding, version: Version, said: Said) -> Done:
    triage.take_apart(by=by, finding=on, version=version)
    return f"{on} stands for itself again.", on


def _accept(by: Membership, on: Finding, version: Version, said: Said) -> Done:
    day, last = said.get("until", "").strip(), said.get("until_version", "").strip()
    try:
        until = date.fromisoformat(day) if day else None
    except ValueError as error:
        raise Refused(NO_SUCH_DAY) from error
    until_version = typed_number(last)
    if last and until_version is None:
        raise Refused(NO_SUCH_DAY)
    findings.accept(
        by=by,
        finding=on,
        version=version,
        reason=said.get("reason", ""),
        until=until,
        until_version=until_version,
    )
    return f"Accepted: {on}.", on


_ACTS: dict[str, Callable[[Membership, Finding, Version, Said], Done]] = {
    "sign": _sign,
    "close": _close,
    "severity": _severity,
    "merge": _merge,
    "apart": _apart,
    "accept": _accept,
}

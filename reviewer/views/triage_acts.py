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
from reviewer.views.desk_lines import Asked

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
        return _page(request, membership, version, on, refused={act: error.message})
    except MovedMeanwhile as error:
        return act_answer(request, membership, version, error.message, status=409)
    return act_answer(request, membership, version, said, at=at.number, can_undo=act == "accept")


def _page(
    request: HttpRequest,
    membership: Membership,
    version: Version,
    on: Finding,
    refused: Mapping[str, str] | None = None,
) -> HttpResponse:
    """The page; what was refused stands in its own form, with all that was typed there."""
    refused = refused or {}
    forms = _forms(membership, on)
    context = {
        "section": "proposals",
        "proposal": version.proposal,
        "version": version,
        "finding": on,
        "rule": rule_titles(membership.workspace_id).get(on.rule, on.rule),
        "forms": forms,
        "severities": _severities(membership, on),
        "may_lower": triage.may_lower(membership, on),
        "merged": list(on.merged.all()),
        "refused": refused,
        "refused_elsewhere": [told for act, told in refused.items() if act not in forms],
        "typed": dict.fromkeys(refused, request.POST),
        "query": Asked.of(request.GET).query(),
        "back": desk_url(request, membership, version) + f"#finding-{on.number}",
    }
    return render(request, "desk/more.html", context, status=422 if refused else 200)


def _forms(by: Membership, on: Finding) -> set[str]:
    """The acts that this person can do with the finding as it is now."""
    has_changed = on.evidence != Finding.Evidence.PRESENT or on.other_changed
    may_sign = triage.may_sign(by, on)
    can = {
        "sign": may_sign and triage.awaits_signature(on),
        "close": may_sign and has_changed and on.raised != Finding.Raised.CHECK,
        "severity": bool(_severities(by, on)),
        "accept": on.status == Finding.Status.OPEN and findings.may_accept(by, on),
        "merge": triage.may_merge(by, on) and on.merged_into is None,
    }
    return {act for act, offered in can.items() if offered}


def _severities(by: Membership, on: Finding) -> list[str]:
    """What this person may make of it: anything graver, and, where they may lower it, less."""
    now, may_lower = Severity(on.severity), triage.may_lower(by, on)
    return [one.value for one in Severity if one.rank < now.rank or (may_lower and one != now)]


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

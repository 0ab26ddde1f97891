"""What people do to a learning: approve, decline, retire, word anew, set its last day, dismiss an offer."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from reviewer.core.typed import typed_number
from reviewer.learning_forms import DismissForm, ExpiryForm, WhyForm
from reviewer.models import Learning, Membership
from reviewer.services import learnings as services
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.learnings_dismissed import dismiss_offer
from reviewer.views.access import findings_named, in_workspace, learning_or_404, triage_only
from reviewer.views.learning_pages import one_page
from reviewer.views.promoting import waits


@require_POST
@in_workspace
def learning_act(
    request: HttpRequest, membership: Membership, number: int, act: str
) -> HttpResponse:
    """Approve, decline, retire, word anew, or set its last day."""
    if act not in _ACTS:
        raise Http404
    one = learning_or_404(membership, number)
    try:
        said = _ACTS[act](membership, one, request)
    except (Refused, MovedMeanwhile) as error:
        status = 409 if isinstance(error, MovedMeanwhile) else 422
        fresh = learning_or_404(membership, number)
        return one_page(request, membership, fresh, status=status, refused=error.message, tried=act)
    messages.success(request, said)
    return redirect("learning", membership.workspace.slug, number)


@require_POST
@in_workspace
def offer_dismiss(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Turn down an offer, with the reason."""
    triage_only(membership)
    form = DismissForm(request.POST)
    findings = findings_named(membership, request.POST.getlist("finding"))
    if not form.is_valid() or not findings:
        messages.warning(request, "Say why it is no rule. Nothing was dismissed.")
        return redirect("learnings", membership.workspace.slug)
    try:
        made = dismiss_offer(
            actor=membership,
            workspace=membership.workspace,
            findings=findings,
            **form.cleaned_data,
        )
    except Refused as error:
        messages.warning(request, error.message)
    else:
        messages.success(
            request,
            f"Dismissed, and kept as learning {made.number}, declined. It is not offered again.",
        )
    return redirect("learnings", membership.workspace.slug)


def _approve(by: Membership, one: Learning, request: HttpRequest) -> str:
    services.approve(learning=one, actor=by, based_on=_seen(request))
    return f"Approved. Reviews that start from now on are given learning {one.number}."


def _decline(by: Membership, one: Learning, request: HttpRequest) -> str:
    services.decline(learning=one, actor=by, why=_why(request), based_on=_seen(request))
    return "Declined. The reason stands here, and nothing is given to readings that was not before."


def _retire(by: Membership, one: Learning, request: HttpRequest) -> str:
    services.retire(learning=one, actor=by, why=_why(request))
    return f"Retired. Reviews that start from now on are not given learning {one.number}."


def _revise(by: Membership, one: Learning, request: HttpRequest) -> str:
    said = request.POST
    made = services.revise(
        learning=one,
        actor=by,
        text=said.get("text", ""),
        phrase=said.get("phrase", ""),
        instead=said.get("instead", ""),
        why=said.get("why", ""),
        based_on=_seen(request),
    )
    return f"Version {made.number} was proposed. {waits(one)}"


def _expiry(by: Membership, one: Learning, request: HttpRequest) -> str:
    form = ExpiryForm(request.POST)
    if not form.is_valid():
        raise Refused("That is no day. Write it as 2031-05-30, or leave it empty.")
    services.set_expiry(learning=one, actor=by, expires_on=form.cleaned_data["expires_on"])
    return "The last day was changed."


def _seen(request: HttpRequest) -> int | None:
    """The newest wording on the page that was acted on; None where a script names none."""
    return typed_number(request.POST.get("based_on", ""))


def _why(request: HttpRequest) -> str:
    form = WhyForm(request.POST)
    form.is_valid()
    return str(form.cleaned_data.get("why", ""))


_ACTS: dict[str, Callable[[Membership, Learning, HttpRequest], str]] = {
    "approve": _approve,
    "decline": _decline,
    "retire": _retire,
    "revise": _revise,
    "expiry": _expiry,
}

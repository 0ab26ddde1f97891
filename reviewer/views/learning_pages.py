"""The learnings of a workspace: what is in force, what is offered, and what each did."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from reviewer.learning_forms import LearningSearchForm
from reviewer.models import Learning, Membership
from reviewer.services import learnings as services
from reviewer.services.learnings_effect import effect_of
from reviewer.services.learnings_offered import offers_of
from reviewer.services.rubric import rule_titles
from reviewer.views.access import (
    events_of,
    findings_named,
    held_back_by,
    in_workspace,
    learning_or_404,
    learnings_of,
    triage_only,
)
from reviewer.views.answering import page_or_part, wants_part
from reviewer.views.learning_lines import (
    NO_EFFECT,
    chart_of_points,
    line_of,
    lines_of,
    said_of_points,
)
from reviewer.views.paging import page_of
from reviewer.views.promoting import attempt, form_for, waits

OFFERS_AT_ONCE = 5
HOUSE_CHART = {"width": 520, "height": 90}


@require_safe
@in_workspace
def learnings(request: HttpRequest, membership: Membership) -> HttpResponse:
    """The page, or its table for htmx."""
    search = LearningSearchForm(request.GET)
    wanted = search.wanted()
    page = page_of(
        request,
        learnings_of(membership, words=wanted["q"], kind=wanted["kind"], status=wanted["status"]),
    )
    effects = effect_of(membership.workspace, series_of={one.pk for one in page.object_list})
    context = {
        "search": search,
        "words": wanted["q"],
        "searched": any(wanted.values()),
        "page": page,
        "lines": lines_of(page.object_list, effects.of),
        "effects": effects,
    }
    if not wants_part(request):
        context |= _offered(membership) | {
            "house": chart_of_points(effects.house, **HOUSE_CHART),
            "house_title": said_of_points(effects.house, "learned patterns"),
        }
    response = page_or_part(request, "learnings/list.html", "learnings/_list.html", context)
    if request.headers.get("HX-Trigger") == "search":
        query = urlencode({name: value for name, value in wanted.items() if value})
        response["HX-Replace-Url"] = f"{request.path}?{query}".rstrip("?")
    return response


def _offered(membership: Membership) -> dict[str, Any]:
    """What may be learned, for those who may say so; what is left over is counted."""
    if not membership.may_triage:
        return {}
    offers = offers_of(membership.workspace)
    return {
        "candidates": offers.candidates[:OFFERS_AT_ONCE],
        "repeated": offers.repeated[:OFFERS_AT_ONCE],
        "to_compare": offers.questions[:OFFERS_AT_ONCE],
        "more_offers": max(0, len(offers.candidates) - OFFERS_AT_ONCE)
        + max(0, len(offers.repeated) - OFFERS_AT_ONCE),
        "compare_count": len(offers.questions),
        "more_questions": max(0, len(offers.questions) - OFFERS_AT_ONCE),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def learning_new(request: HttpRequest, membership: Membership) -> HttpResponse:
    """A learning of one's own, or from the findings that `?finding=` names."""
    triage_only(membership)
    asked = request.POST if request.method == "POST" else request.GET
    findings = findings_named(membership, asked.getlist("finding"))
    context: dict[str, Any] = {"findings": findings}
    if request.method != "POST":
        initial = {name: asked.get(name, "") for name in ("kind", "text", "rule", "client")}
        form = form_for(membership, initial={k: v for k, v in initial.items() if v})
        return render(request, "learnings/new.html", context | {"form": form})
    tried = attempt(request, membership, form_for(membership, request.POST), findings)
    if tried.made is not None:
        messages.success(request, tried.said)
        return redirect("learning", membership.workspace.slug, tried.made.number)
    status = 422 if tried.refused or tried.form.errors else 200
    more = {"form": tried.form, "tried": tried}
    return render(request, "learnings/new.html", context | more, status=status)


@require_safe
@in_workspace
def learning(request: HttpRequest, membership: Membership, number: int) -> HttpResponse:
    return one_page(request, membership, learning_or_404(membership, number))


def one_page(
    request: HttpRequest,
    membership: Membership,
    one: Learning,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    effects = effect_of(membership.workspace, series_of={one.pk})
    line = line_of(one, effects.of.get(one.pk, NO_EFFECT))
    context = {
        "learning": one,
        "line": line,
        "newest": one.newest.number,
        "waits": waits(one) if one.pending_id else "",
        "rule": rule_titles(membership.workspace_id).get(one.rule, ""),
        "versions": list(one.versions.select_related("by").order_by("-number")),
        "sources": list(one.sources.select_related("proposal", "finding", "by")),
        "events": events_of(membership, one),
        "held": page_of(request, held_back_by(one)),
        "large": chart_of_points(line.effect.series, **HOUSE_CHART),
        "is_stale": one.pk in {each.pk for each in effects.stale},
        "is_contested": one.pk in {each.pk for each in effects.contested},
        "against": [c for c in effects.contradicting if one.pk in (c.first.pk, c.second.pk)],
        "may_approve": services.may_approve(membership, one),
        "may_decline": services.may_decline(membership, one),
        "may_retire": services.may_retire(membership, one),
        "may_revise": services.may_promote(membership) and one.status in services.OPEN,
        "may_expire": membership.is_manager and one.status in services.OPEN,
        "said": request.POST,
        **more,
    }
    return render(request, "learnings/learning.html", context, status=status)

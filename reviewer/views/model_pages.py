"""Models: what was asked, what came back, what was lost; who reads, and the queue."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from reviewer.forms import AnswersForm
from reviewer.models import Membership
from reviewer.services.errors import Refused
from reviewer.services.model_stats import WINDOWS, model_stats
from reviewer.services.queue_view import queue_of, retry_reading
from reviewer.services.replay import ENDED, last_replay, start_replay
from reviewer.services.telling import what_happened
from reviewer.views.access import (
    answer_or_404,
    answers_of,
    in_workspace,
    managers_only,
    reading_or_404,
    triage_only,
)
from reviewer.views.answering import page_or_part
from reviewer.views.model_lines import alarms, shown_lines
from reviewer.views.paging import page_of
from reviewer.views.raw_answers import raw_parts


@require_safe
@in_workspace
def models(request: HttpRequest, membership: Membership) -> HttpResponse:
    days = 7 if request.GET.get("days") == "7" else 30
    stats = model_stats(membership.workspace, days=days)
    context = {
        "stats": stats,
        "lines": shown_lines(stats),
        "alarms": alarms(stats),
        "windows": WINDOWS,
        "replayed": last_replay(membership.workspace_id) if membership.is_manager else None,
        "replay_ended": ENDED,
    }
    return render(request, "models/models.html", context)


@require_safe
@in_workspace
def answers(request: HttpRequest, membership: Membership) -> HttpResponse:
    triage_only(membership)
    wanted = AnswersForm(request.GET).wanted()
    context = {"page": page_of(request, answers_of(membership, **wanted)), **wanted}
    return render(request, "models/answers.html", context)


@require_safe
@in_workspace
def answer(request: HttpRequest, membership: Membership, pk: int) -> HttpResponse:
    triage_only(membership)
    one = answer_or_404(membership, pk)
    said, move = what_happened(one.reading)
    context = {"answer": one, "parts": raw_parts(one), "sentence": said, "next_move": move}
    return render(request, "models/answer.html", context)


@require_POST
@in_workspace
def replay(request: HttpRequest, membership: Membership) -> HttpResponse:
    try:
        start_replay(by=membership)
        messages.success(
            request,
            "The stored answers are being read again. What is recovered is added to its proposals.",
        )
    except Refused as error:
        messages.error(request, error.message)
    return redirect("models", membership.workspace.slug)


@require_safe
@in_workspace
def queue(request: HttpRequest, membership: Membership) -> HttpResponse:
    managers_only(membership)
    context = {"queue": queue_of(membership.workspace)}
    return page_or_part(request, "models/queue.html", "models/_queue.html", context)


@require_POST
@in_workspace
def queue_retry(request: HttpRequest, membership: Membership, pk: int) -> HttpResponse:
    managers_only(membership)
    try:
        retry_reading(by=membership, reading=reading_or_404(membership, pk))
        messages.success(request, "It is being read again.")
    except Refused as error:
        messages.error(request, error.message)
    return redirect("queue", membership.workspace.slug)

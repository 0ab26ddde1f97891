"""Wording a learning: nothing is kept before the likest ones were shown.

A person first says what the learning is to be. Those that are alike, and the nearest others,
are then shown to merge into or to supersede; with the same words a second time, or where there
are none, it is proposed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.defaultfilters import date as dated

from reviewer.core.rubric import OTHER
from reviewer.core.typed import typed_number
from reviewer.learning_forms import LearningForm
from reviewer.models import Finding, Learning, Membership
from reviewer.services.errors import Refused
from reviewer.services.learnings import merge_into, promote
from reviewer.services.learnings_alike import Near, near
from reviewer.services.rubric import rule_titles
from reviewer.views.access import learning_or_404

MERGE, SUPERSEDE, KEEP = "merge", "supersede", "new"


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of it: a learning and what was said, or what has to be shown first."""

    form: LearningForm
    near: Near | None = None
    seen: str = ""
    """The words for which `near` is shown; sent back, they say that the person has seen it."""
    refused: str = ""
    made: Learning | None = None
    said: str = ""


def form_for(
    membership: Membership,
    data: Any = None,
    *,
    initial: dict[str, Any] | None = None,
    clients: Sequence[str] = (),
    name: str = "id",
) -> LearningForm:
    """The form, with the rules of the workspace to choose from."""
    titles = rule_titles(membership.workspace_id)
    titles.pop(OTHER)
    return LearningForm(data, rules=titles.items(), initial=initial, clients=clients, name=name)


def attempt(
    request: HttpRequest, membership: Membership, form: LearningForm, findings: Sequence[Finding]
) -> Attempt:
    """Propose what the form says, or merge the findings into the learning that was chosen."""
    act, _, number = request.POST.get("do", "").partition(":")
    named = typed_number(number)
    chosen = None if named is None else learning_or_404(membership, named)
    try:
        if act == MERGE and chosen is not None:
            return _merged(membership, form, chosen, findings)
        if not form.is_valid():
            return Attempt(form)
        said = dict(form.cleaned_data)
        words = said["text"] or said["phrase"]
        found = near(workspace=membership.workspace, text=words)
        was_seen = request.POST.get("seen") == words and act in {KEEP, SUPERSEDE}
        if (found.alike or found.nearest) and not was_seen:
            return Attempt(form, near=found, seen=words)
        made = promote(
            actor=membership,
            workspace=membership.workspace,
            findings=findings,
            supersedes=chosen if act == SUPERSEDE else None,
            **said,
        )
    except Refused as error:
        return Attempt(form, refused=error.message)
    return Attempt(form, made=made, said=f"Proposed as learning {made.number}. {waits(made)}")


def _merged(
    membership: Membership, form: LearningForm, into: Learning, findings: Sequence[Finding]
) -> Attempt:
    added = merge_into(learning=into, findings=findings, actor=membership)
    said = "It came from this finding already." if not added else "It has one more source."
    return Attempt(form, made=into, said=f"Merged into learning {into.number}. {said}")


def waits(learning: Learning) -> str:
    """What has to happen before it is in force."""
    if learning.pending_from is None:
        return "It waits for another manager to approve it."
    day = dated(learning.pending_from, "j F Y")
    return f"It is in force from {day}, or once another manager approves it."

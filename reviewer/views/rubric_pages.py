"""The rubric: the ten rules, what the house adds and bans, and what each version changed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from reviewer.core.rubric import RULES, Rule
from reviewer.core.typed import typed_number
from reviewer.models import Membership
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.rubric import (
    BannedPhrase,
    Beside,
    banned_phrases,
    beside,
    change_rubric,
    house_rules,
    rubric_versions,
)
from reviewer.views.access import in_workspace, managers_only

EMPTY_ROWS = 2
INSTEAD = "=>"


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def rubric(request: HttpRequest, membership: Membership) -> HttpResponse:
    if request.method == "POST":
        managers_only(membership)
        return _save(request, membership)
    return _page(request, membership)


def _save(request: HttpRequest, membership: Membership) -> HttpResponse:
    said = request.POST
    try:
        made = change_rubric(
            by=membership,
            house_rules=_rules(said),
            banned=_phrases(said.get("banned", "")),
            note=said.get("note", ""),
            based_on=_number(said.get("based_on", "")),
        )
    except Refused as error:
        return _page(request, membership, refused=error.message, status=422)
    except MovedMeanwhile as error:
        against = beside(
            membership.workspace,
            rules=_rules(said),
            banned=_phrases(said.get("banned", "")),
            based_on=_number(said.get("based_on", "")),
        )
        return _page(request, membership, refused=error.message, against=against, status=409)
    messages.success(
        request,
        f"Version {made.number} is in force for what is read and checked from now on. What was "
        "read before still counts.",
    )
    return redirect("rubric", membership.workspace.slug)


def _page(
    request: HttpRequest,
    membership: Membership,
    *,
    refused: str = "",
    against: Beside | None = None,
    status: int = 200,
) -> HttpResponse:
    """`against` is the comparison; only a form that was shown with it names the newer version."""
    versions = rubric_versions(membership.workspace)
    in_force = versions[0].rubric if versions else None
    rules, phrases, note = house_rules(in_force), banned_phrases(in_force), ""
    banned = "\n".join(_line(phrase) for phrase in phrases)
    number = based_on = in_force.number if in_force else 0
    if refused:
        # What was typed stays, whatever could not be used of it, and over which version.
        rules, banned = tuple(_rules(request.POST)), request.POST.get("banned", "")
        note = request.POST.get("note", "")
        based_on = _number(request.POST.get("based_on", ""))
    if against is not None:
        rules, based_on = against.rules, number
        banned = "\n".join(_line(phrase) for phrase in against.banned)
    context = {
        "rules": RULES,
        "house_rules": rules,
        "rows": [*rules, *(Rule("", "", "") for _ in range(EMPTY_ROWS))],
        "phrases": phrases,
        "banned": banned,
        "note": note,
        "versions": versions,
        "number": number,
        "based_on": based_on,
        "against": against,
        "refused": refused,
    }
    return render(request, "rubric/rubric.html", context, status=status)


def _rules(said: QueryDict) -> list[Rule]:
    """The rows that were filled in; a row that was emptied is a rule removed."""
    rows = zip(said.getlist("code"), said.getlist("title"), said.getlist("text"), strict=False)
    return [Rule(*row) for row in rows if row[1].strip() or row[2].strip()]


def _phrases(lines: str) -> list[BannedPhrase]:
    found = []
    for line in lines.splitlines():
        phrase, _, instead = line.partition(INSTEAD)
        if phrase.strip() or instead.strip():
            found.append(BannedPhrase(phrase.strip(), instead.strip()))
    return found


def _line(phrase: BannedPhrase) -> str:
    return f"{phrase.phrase} {INSTEAD} {phrase.instead}" if phrase.instead else phrase.phrase


def _number(text: str) -> int:
    return typed_number(text) or 0

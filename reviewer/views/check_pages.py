"""The built-in checks: what each finds, and which run for the workspace."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from reviewer.core.rubric import rule_title
from reviewer.core.schema import Severity
from reviewer.models import Membership
from reviewer.services.errors import Refused
from reviewer.services.policy import CheckChoice, change_checks, check_choices, number_forms
from reviewer.views.access import in_workspace, managers_only

FORMS = (
    ("", "as the document itself tells; a date that reads two ways is left alone"),
    ("en-US", "American: 04/03/2026 is 3 April, 12,500.75"),
    ("en-GB", "British: 03/04/2026 is 3 April, 12,500.75"),
    ("ISO", "ISO: 2026-04-03, 12 500.75 or 12 500,75"),
)
"""Each way of writing dates and numbers, with an example of it."""


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def checks(request: HttpRequest, membership: Membership) -> HttpResponse:
    choices = check_choices(membership.workspace)
    if request.method == "POST":
        managers_only(membership)
        said = {
            choice.check.code: (
                request.POST.get(f"on-{choice.check.code}") == "on",
                request.POST.get(f"severity-{choice.check.code}", choice.severity),
            )
            for choice in choices
        }
        try:
            change_checks(by=membership, choices=said, forms=request.POST.get("forms"))
            messages.success(request, "Saved. It counts from the next version that is checked.")
        except Refused as error:
            messages.error(request, error.message)
        return redirect("checks", membership.workspace.slug)
    context = {
        "groups": _by_rule(choices),
        "severities": [each.value for each in Severity],
        "forms": FORMS,
        "chosen_forms": number_forms(membership.workspace),
    }
    return render(request, "checks/checks.html", context)


def _by_rule(choices: list[CheckChoice]) -> list[tuple[str, list[CheckChoice]]]:
    """The checks under the titles of their rules, both in their own order."""
    groups: dict[str, list[CheckChoice]] = {}
    for choice in choices:
        groups.setdefault(rule_title(choice.check.rule), []).append(choice)
    return list(groups.items())

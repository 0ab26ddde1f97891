"""Who is in the workspace: everybody may look, a manager may change."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from reviewer.forms import InvitationForm, MemberForm, RoleForm
from reviewer.models import Membership
from reviewer.services.errors import Refused
from reviewer.services.members import add_member, change_role, remove_member
from reviewer.views.access import in_workspace, managers_only, team_of, teammate_or_404


@require_http_methods(["GET", "HEAD", "POST"])
@in_workspace
def members(request: HttpRequest, membership: Membership) -> HttpResponse:
    form = MemberForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        managers_only(membership)
        if form.is_valid():
            try:
                added, is_new = add_member(by=membership, **form.cleaned_data)
                _welcome(request, added, is_new)
                return redirect("members", membership.workspace.slug)
            except Refused as error:
                form.add_error(None, error.message)
    team = [
        (one, RoleForm(initial={"role": one.role}, auto_id=f"id_%s_{one.pk}"))
        for one in team_of(membership)
    ]
    context = {"team": team, "form": form}
    return render(request, "members/members.html", context, status=422 if form.errors else 200)


@require_POST
@in_workspace
def member_change(request: HttpRequest, membership: Membership, pk: int) -> HttpResponse:
    managers_only(membership)
    one = teammate_or_404(membership, pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "That role is not known, so nothing was changed.")
        return redirect("members", membership.workspace.slug)
    try:
        change_role(by=membership, membership=one, role=form.cleaned_data["role"])
        messages.success(
            request, f"{one.user.get_username()} is a {one.get_role_display()} from now on."
        )
    except Refused as error:
        messages.error(request, error.message)
    return redirect("members", membership.workspace.slug)


@require_POST
@in_workspace
def member_remove(request: HttpRequest, membership: Membership, pk: int) -> HttpResponse:
    managers_only(membership)
    one = teammate_or_404(membership, pk)
    try:
        remove_member(by=membership, membership=one)
        messages.success(
            request, f"{one.user.get_username()} is no longer in this workspace. Their work stays."
        )
    except Refused as error:
        messages.error(request, error.message)
    if one.user_id == membership.user_id:
        return redirect("home")
    return redirect("members", membership.workspace.slug)


def _welcome(request: HttpRequest, added: Membership, is_new: bool) -> None:
    name = added.user.get_username()
    if not is_new:
        messages.success(request, f"{name} is a {added.get_role_display()} here now.")
        return
    form = InvitationForm(added.user)
    form.is_valid()
    named: dict[str, Any] = {"workspace": added.workspace, "by": request.user}
    form.save(
        request=request,
        subject_template_name="registration/invitation_subject.txt",
        email_template_name="registration/invitation_mail.txt",
        extra_email_context=named,
    )
    where = f"sent to {added.user.email}"
    if settings.EMAIL_BACKEND.endswith("console.EmailBackend"):
        where = "written to the server's output, because no mail server is set (EMAIL_URL)"
    messages.success(
        request, f"{name} has an account now. The link to choose a password was {where}."
    )

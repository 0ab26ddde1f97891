"""Who is in a workspace: everybody sees, a manager changes, the last manager stays."""

from django.contrib.auth.models import User
from django.urls import reverse

from reviewer.models import Membership
from tests.factories import Cast, make_person


def page_of(cast: Cast) -> str:
    return reverse("members", args=[cast.workspace.slug])


def test_everybody_sees_who_is_in_and_only_a_manager_sees_buttons(cast: Cast, client_of) -> None:
    for member in cast.members:
        page = client_of(member).get(page_of(cast)).content.decode()
        assert all(name in page for name in ("Wen", "Rae", "Max"))
        assert "Ola" not in page
        assert ("Add a member" in page) is member.is_manager


def test_a_new_person_gets_an_account_and_a_link_for_a_password(
    cast: Cast, client_of, client, mailoutbox
) -> None:
    client_of(cast.max).post(
        page_of(cast), {"username": "ida", "email": "ida@example.com", "role": "writer"}
    )
    ida = User.objects.get(username="ida")
    assert Membership.objects.get(user=ida).role == "writer"
    (mail,) = mailoutbox
    assert mail.to == ["ida@example.com"]
    assert mail.subject == "Reviewer: you are in the workspace Field Systems"
    assert "Max added you" in mail.body
    link = next(line for line in mail.body.splitlines() if "/password/reset/" in line)
    page = client.get(link.removeprefix("http://testserver"), follow=True)
    fresh = "a phrase nobody would guess"
    client.post(page.request["PATH_INFO"], {"new_password1": fresh, "new_password2": fresh})
    assert client.login(request=page.wsgi_request, username="ida", password=fresh)


def test_without_a_mail_server_the_page_says_where_the_link_is(
    cast: Cast, client_of, settings, capsys
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    data = {"username": "ida", "email": "ida@example.com", "role": "writer"}
    page = client_of(cast.max).post(page_of(cast), data, follow=True).content.decode()
    assert "written to the server" in page
    assert "/password/reset/" in capsys.readouterr().out


def test_somebody_with_an_account_is_added_without_mail(cast: Cast, client_of, mailoutbox) -> None:
    client_of(cast.max).post(page_of(cast), {"username": "ola", "role": "reviewer"})
    assert Membership.objects.get(workspace=cast.workspace, user=cast.ola.user).role == "reviewer"
    assert not mailoutbox


def test_who_cannot_be_added_is_said_with_the_reason(cast: Cast, client_of) -> None:
    max_ = client_of(cast.max)
    already = max_.post(page_of(cast), {"username": "wen", "role": "manager"})
    assert already.status_code == 422
    assert "wen is a member already" in already.content.decode()
    without_mail = max_.post(page_of(cast), {"username": "ida", "role": "writer"})
    assert without_mail.status_code == 422
    assert "Give an e-mail address" in without_mail.content.decode()
    assert Membership.objects.filter(workspace=cast.workspace).count() == 3


def test_a_manager_changes_a_role(cast: Cast, client_of) -> None:
    url = reverse("member-change", args=[cast.workspace.slug, cast.wen.pk])
    client_of(cast.max).post(url, {"role": "reviewer"})
    cast.wen.refresh_from_db()
    assert cast.wen.role == "reviewer"
    client_of(cast.max).post(url, {"role": "owner"})
    cast.wen.refresh_from_db()
    assert cast.wen.role == "reviewer"


def test_the_last_manager_stays_a_manager(cast: Cast, client_of) -> None:
    max_ = client_of(cast.max)
    for name, data in (("member-change", {"role": "writer"}), ("member-remove", {})):
        url = reverse(name, args=[cast.workspace.slug, cast.max.pk])
        answer = max_.post(url, data, follow=True)
        cast.max.refresh_from_db()
        assert cast.max.is_manager
        assert "only manager" in answer.content.decode()


def test_who_is_removed_is_out(cast: Cast, client_of) -> None:
    url = reverse("member-remove", args=[cast.workspace.slug, cast.wen.pk])
    client_of(cast.max).post(url)
    assert client_of(cast.wen).get(page_of(cast)).status_code == 404


def test_a_person_in_no_workspace_is_told_what_to_ask_for(client, db) -> None:
    client.force_login(make_person("nora"), backend="django.contrib.auth.backends.ModelBackend")
    page = client.get(reverse("home")).content.decode()
    assert "You are in no workspace yet" in page
    assert "<b>nora</b>" in page

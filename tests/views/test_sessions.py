"""Sign-in, sign-out, passwords and the lock after failed tries."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import PASSWORD, Cast

SIGN_IN = "/sign-in/"


def sign_in(client: Client, password: str = PASSWORD, **more: str):
    return client.post(SIGN_IN, {"username": "wen", "password": password, **more})


def test_the_right_password_leads_to_where_one_was_going(cast: Cast, client: Client) -> None:
    wanted = reverse("members", args=[cast.workspace.slug])
    asked = client.get(wanted)
    assert asked.url == f"{SIGN_IN}?next={wanted}"
    assert f'value="{wanted}"' in client.get(asked.url).content.decode()
    assert sign_in(client, next=wanted).url == wanted
    assert client.get(wanted).status_code == 200


def test_a_way_on_to_another_site_is_not_taken(cast: Cast, client: Client) -> None:
    assert sign_in(client, next="https://elsewhere.example/").url == reverse("home")


def test_a_wrong_password_says_what_to_do_and_not_which_part_was_wrong(
    cast: Cast, client: Client
) -> None:
    wrong = sign_in(client, "not this one at all")
    unknown = client.post(SIGN_IN, {"username": "nobody", "password": PASSWORD})
    for answer in (wrong, unknown):
        assert "do not go together" in answer.content.decode()


def test_after_repeated_failures_even_the_right_password_waits(
    cast: Cast, client: Client, settings
) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        answer = sign_in(client, "not this one at all")
    assert answer.status_code == 429
    answer = sign_in(client)
    assert answer.status_code == 429
    said = " ".join(answer.content.decode().split())
    assert "Sign-in is locked for a while" in said
    assert "8 failed tries for “wen” from this address" in said
    assert "for 15 minutes" in said


def test_another_person_is_not_locked_out_with_them(cast: Cast, client: Client, settings) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        sign_in(client, "not this one at all")
    assert client.post(SIGN_IN, {"username": "rae", "password": PASSWORD}).status_code == 302


def test_signing_out_takes_a_post(cast: Cast, client_of) -> None:
    wen = client_of(cast.wen)
    assert wen.get(reverse("sign-out")).status_code == 405
    assert wen.post(reverse("sign-out")).url == SIGN_IN
    assert wen.get(reverse("home")).status_code == 302


def test_a_part_asked_for_after_the_session_ended_reloads_the_page(
    cast: Cast, client: Client
) -> None:
    url = reverse("proposals", args=[cast.workspace.slug])
    answer = client.get(url, headers={"HX-Request": "true"}, follow=True)
    assert answer["HX-Refresh"] == "true"
    assert answer.content == b""


def test_a_forgotten_password_is_set_through_the_mail(
    cast: Cast, client: Client, mailoutbox
) -> None:
    client.post(reverse("password-reset"), {"email": cast.wen.user.email})
    (mail,) = mailoutbox
    assert mail.subject == "Reviewer: choose a new password"
    link = re.search(r"http://testserver(\S+)", mail.body).group(1)
    form = client.get(link, follow=True)
    fresh = "a phrase nobody would guess"
    path = form.request["PATH_INFO"]
    done = client.post(path, {"new_password1": fresh, "new_password2": fresh})
    assert done.url == SIGN_IN
    assert sign_in(client, fresh).status_code == 302
    # The link has done its work.
    assert "does not work any more" in Client().get(link, follow=True).content.decode()


def test_an_unknown_address_is_answered_like_a_known_one(
    cast: Cast, client: Client, mailoutbox
) -> None:
    answers = [
        client.post(reverse("password-reset"), {"email": email}, follow=True)
        for email in (cast.wen.user.email, "nobody@example.com")
    ]
    assert answers[0].redirect_chain == answers[1].redirect_chain
    assert len(mailoutbox) == 1


@pytest.mark.parametrize(
    ("weak", "why"),
    [("short", "at least 12"), ("123456789012", "entirely numeric"), ("passwordpassword", "")],
)
def test_a_weak_password_is_not_taken(weak: str, why: str, cast: Cast, client_of) -> None:
    wen = client_of(cast.wen)
    data = {"old_password": PASSWORD, "new_password1": weak, "new_password2": weak}
    answer = wen.post(reverse("password-change"), data)
    cast.wen.user.refresh_from_db()
    assert cast.wen.user.check_password(weak) is (not why)
    assert why in answer.content.decode()


def test_a_changed_password_ends_the_other_sessions(cast: Cast, client_of) -> None:
    here, there = client_of(cast.wen), client_of(cast.wen)
    fresh = "a phrase nobody would guess"
    here.post(
        reverse("password-change"),
        {"old_password": PASSWORD, "new_password1": fresh, "new_password2": fresh},
    )
    assert here.get(reverse("members", args=[cast.workspace.slug])).status_code == 200
    assert there.get(reverse("members", args=[cast.workspace.slug])).status_code == 302


def test_a_form_without_its_token_says_to_send_it_again(cast: Cast) -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = sign_in(strict)
    assert answer.status_code == 403
    assert "Please send it again" in answer.content.decode()


def test_every_page_forbids_inline_script_and_style(cast: Cast, client: Client, client_of) -> None:
    listed = reverse("proposals", args=[cast.workspace.slug])
    for answer in (client.get(SIGN_IN), client_of(cast.wen).get(listed)):
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        body = answer.content.decode()
        assert not re.search(r"<script(?![^>]*src=)", body)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", body)


def test_cookies_are_kept_from_scripts_and_other_sites(cast: Cast, client: Client) -> None:
    client.get(SIGN_IN)
    sign_in(client)
    for name in ("sessionid", "csrftoken"):
        assert client.cookies[name]["httponly"]
        assert client.cookies[name]["samesite"] == "Lax"

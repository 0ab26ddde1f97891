"""`manage.py workspace`: a new installation gets its first manager."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from reviewer.models import Event, Membership, Role, Workspace

pytestmark = pytest.mark.django_db


def made(*words: str) -> dict[str, str]:
    out = StringIO()
    call_command("workspace", *words, stdout=out)
    return dict(line.split(maxsplit=1) for line in out.getvalue().splitlines())


def refused(capsys, *words: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        call_command("workspace", *words)
    assert stopped.value.code == 1
    return capsys.readouterr().err


def test_its_manager_signs_in_with_the_password_that_was_printed(client):
    told = made("Field Systems", "--manager", "mia", "--email", "mia@example.com")
    assert told["workspace"] == "Field Systems, at /w/field-systems/"
    client.post("/sign-in/", {"username": told["manager"], "password": told["password"]})
    assert client.get("/w/field-systems/members/").status_code == 200
    (member,) = Membership.objects.all()
    assert (member.role, member.user.email) == (Role.MANAGER, "mia@example.com")
    assert Event.objects.get().verb == "member added"


def test_who_has_an_account_manages_another_workspace_with_it():
    User.objects.create_user("mia", password="her own")
    told = made("Second Team", "--manager", "Mia", "--slug", "second")
    assert "password" not in told
    assert Membership.objects.get().user.check_password("her own")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["One", "--manager", "mia", "--slug", "taken"], "exists already"),
        (["One", "--manager", "mia", "--slug", "not a slug"], "No workspace was made"),
        (["\u4f60\u597d", "--manager", "mia"], "No workspace was made"),
        (["x" * 121, "--manager", "mia"], "No workspace was made"),
        (["One", "--manager", "system.taken"], "belong to Reviewer itself"),
        (["One", "--manager", "no spaces"], "Nobody was added"),
        (["One", "--manager", "mia", "--email", "nowhere"], "Nobody was added"),
    ],
)
def test_what_cannot_be_makes_nothing(capsys, words, sentence):
    Workspace.objects.create(name="Taken", slug="taken")
    assert sentence in refused(capsys, *words)
    assert Workspace.objects.count() == 1
    assert not User.objects.exists()

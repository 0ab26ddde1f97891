"""Who is in a workspace: managers say so, and one of them always stays."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection

from reviewer.models import Event, Membership, Role
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.members import add_member, change_role, create_workspace, remove_member
from reviewer.services.system import system_member
from tests.factories import make_member, make_person


@pytest.mark.parametrize("who", ["wen", "rae"])
def test_only_managers_change_who_is_in_the_workspace(cast, who):
    by = getattr(cast, who)
    with pytest.raises(NotAllowed):
        add_member(by=by, username="new", email="new@example.com", role=Role.WRITER)
    with pytest.raises(NotAllowed):
        change_role(by=by, membership=cast.wen, role=Role.MANAGER)
    with pytest.raises(NotAllowed):
        remove_member(by=by, membership=cast.rae)
    assert cast.workspace.memberships.count() == 3


def test_a_person_without_an_account_gets_one_that_nobody_knows_the_password_of(cast):
    membership, created = add_member(
        by=cast.max, username=" nia ", email="nia@example.com", role=Role.REVIEWER
    )
    assert created
    assert (membership.user.username, membership.role) == ("nia", Role.REVIEWER)
    assert membership.user.has_usable_password()
    event = Event.objects.get(verb="member added")
    assert (event.actor, event.to_state, event.why) == (cast.max.user, "reviewer", "nia")


def test_a_person_with_an_account_is_found_by_name_in_any_case(cast):
    membership, created = add_member(by=cast.max, username="OLA", email="", role=Role.WRITER)
    assert (created, membership.user) == (False, cast.ola.user)
    assert User.objects.filter(username__iexact="ola").count() == 1


@pytest.mark.parametrize(
    ("username", "email", "role", "words"),
    [
        ("", "a@example.com", "writer", "user name"),
        ("nia", "a@example.com", "owner", "user name and a role"),
        ("nia", "", "writer", "e-mail"),
        ("wen", "", "reviewer", "member already"),
        ("nia o'hara/<b>", "a@example.com", "writer", "Nobody was added"),
        ("n" * 151, "a@example.com", "writer", "Nobody was added"),
    ],
)
def test_what_cannot_be_added_is_refused_with_a_sentence(cast, username, email, role, words):
    with pytest.raises(Refused, match=words):
        add_member(by=cast.max, username=username, email=email, role=role)
    assert cast.workspace.memberships.count() == 3
    assert User.objects.count() == 4


def test_a_role_is_changed_and_the_change_is_told(cast):
    change_role(by=cast.max, membership=cast.wen, role=Role.REVIEWER)
    assert Membership.objects.get(pk=cast.wen.pk).role == Role.REVIEWER
    event = Event.objects.get(verb="role changed")
    assert (event.from_state, event.to_state) == ("writer", "reviewer")


def test_the_last_manager_is_neither_lowered_nor_removed(cast):
    for act in (
        lambda: change_role(by=cast.max, membership=cast.max, role=Role.WRITER),
        lambda: remove_member(by=cast.max, membership=cast.max),
    ):
        with pytest.raises(Refused, match="only manager"):
            act()
    assert Membership.objects.get(pk=cast.max.pk).role == Role.MANAGER


def test_the_command_line_is_no_manager_to_be_left_alone_with(cast):
    assert system_member(cast.workspace.slug).is_manager
    with pytest.raises(Refused, match="only manager"):
        remove_member(by=cast.max, membership=cast.max)


def test_with_a_second_manager_the_first_may_go(cast):
    make_member(cast.workspace, Role.MANAGER)
    remove_member(by=cast.max, membership=cast.max)
    assert not cast.workspace.memberships.filter(user=cast.max.user).exists()
    assert Event.objects.get(verb="member removed").why == "max"


@pytest.mark.django_db(transaction=True)
def test_of_two_managers_who_lower_each_other_at_once_one_stays(cast):
    other = make_member(cast.workspace, Role.MANAGER, user=make_person("mia"))
    start, refused = threading.Barrier(2), []

    def lower(by: int, whom: int) -> None:
        members = Membership.objects.select_related("user", "workspace").in_bulk([by, whom])
        start.wait(5)
        try:
            change_role(by=members[by], membership=members[whom], role=Role.WRITER)
        except Refused as error:
            refused.append(error)
        finally:
            connection.close()

    threads = [
        threading.Thread(target=lower, args=pair)
        for pair in ((cast.max.pk, other.pk), (other.pk, cast.max.pk))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert cast.workspace.memberships.filter(role=Role.MANAGER).count() == 1


def test_a_short_name_is_given_once(db):
    create_workspace(name="One", slug="one")
    with pytest.raises(Refused, match="exists already"):
        create_workspace(name="Another", slug="one")


def test_the_command_line_acts_as_one_who_cannot_sign_in(cast, client):
    member = system_member(cast.workspace.slug)
    assert member == system_member(cast.workspace.slug)
    assert not member.user.is_active
    assert not member.user.has_usable_password()


@pytest.mark.parametrize("name", ["system.field-systems", " System.Anything"])
def test_nobody_is_added_under_the_name_of_an_actor(cast, name):
    system_member(cast.workspace.slug)
    with pytest.raises(Refused, match="belong to Reviewer itself"):
        add_member(by=cast.ola, username=name, email="ola@example.org", role="writer")
    assert cast.ola.workspace.memberships.count() == 1


def test_who_is_called_like_an_actor_is_given_nothing(cast):
    name = f"system.{cast.workspace.slug}"
    User.objects.create_user(name, "somebody@example.org", "a password of theirs")
    with pytest.raises(Refused, match="somebody can sign in with"):
        system_member(cast.workspace.slug)
    assert not cast.workspace.memberships.filter(user__username=name).exists()


def test_there_is_no_actor_of_a_workspace_that_does_not_exist(db):
    with pytest.raises(Refused, match="no workspace “nowhere”"):
        system_member("nowhere")
    assert not User.objects.exists()

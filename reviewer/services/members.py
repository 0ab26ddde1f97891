"""Who is in a workspace, with which role."""

import secrets

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from reviewer.models import Membership, Role, Workspace
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.system import PREFIX


def create_workspace(*, name: str, slug: str, is_demo: bool = False) -> Workspace:
    """A new, empty workspace. Raises Refused where the slug is taken or is none."""
    workspace = Workspace(name=name.strip(), slug=slug, is_demo=is_demo)
    try:
        workspace.clean_fields()
        with transaction.atomic():
            workspace.save()
            return workspace
    except ValidationError as error:
        what = "; ".join(f"{field}: {' '.join(why)}" for field, why in error.message_dict.items())
        raise Refused(f"{what} No workspace was made.") from error
    except IntegrityError as error:
        raise Refused(f"A workspace “{slug}” exists already. Choose another short name.") from error


def begin_workspace(
    *, name: str, slug: str, manager: str, email: str = ""
) -> tuple[Membership, str]:
    """A new workspace and its first manager, by user name, with an account where there is none.

    Returns the membership, and the password of the account that was made, else "". Raises
    Refused, with nothing made, where the workspace or the account cannot be.
    """
    username, password = _person_name(manager), ""
    with transaction.atomic():
        workspace = create_workspace(name=name, slug=slug)
        user = User.objects.filter(username__iexact=username).first()
        if user is None:
            password = password_to_show()
            user = _new_account(username, email.strip(), password)
        membership = Membership.objects.create(workspace=workspace, user=user, role=Role.MANAGER)
        record(
            workspace=workspace,
            subject=membership,
            verb="member added",
            by=None,
            to_state=Role.MANAGER,
            why=user.get_username(),
        )
    return membership, password


def password_to_show() -> str:
    """A random password of 72 bits that a person can type from a screen."""
    return "-".join(secrets.token_hex(3) for _ in range(3))


def _person_name(username: str) -> str:
    """A user name that a person may have."""
    if username.strip().lower().startswith(PREFIX):
        raise Refused(
            f"Names that begin with “{PREFIX}” belong to Reviewer itself. Nobody was added: choose "
            "another."
        )
    return username.strip()


def add_member(*, by: Membership, username: str, email: str, role: str) -> tuple[Membership, bool]:
    """Add a person by user name; one who has no account gets one, and sets a password by mail.

    Returns the membership and whether an account was created.
    """
    _managers_only(by)
    username, email = _person_name(username), email.strip()
    if not username or role not in Role.values:
        raise Refused("Give a user name and a role. Nobody was added.")
    with transaction.atomic():
        user = User.objects.filter(username__iexact=username).first()
        created = user is None
        if user is None:
            if not email:
                raise Refused(
                    f"“{username}” has no account yet. Give an e-mail address, so that they can "
                    "set a password."
                )
            # A password nobody knows, rather than none: only an account that has one
            # can be sent the mail with which to choose another.
            user = _new_account(username, email, secrets.token_urlsafe(32))
        try:
            with transaction.atomic():
                membership = Membership.objects.create(workspace=by.workspace, user=user, role=role)
        except IntegrityError as error:
            raise Refused(
                f"{user.get_username()} is a member already. Change the role instead."
            ) from error
        _tell(by, membership, "member added", to_state=role)
    return membership, created


def _new_account(username: str, email: str, password: str) -> User:
    try:
        User._meta.get_field("username").run_validators(username)
        if email:
            validate_email(email)
        with transaction.atomic():
            return User.objects.create_user(username, email, password)
    except ValidationError as error:
        raise Refused(f"{' '.join(error.messages)} Nobody was added.") from error
    except IntegrityError as error:
        raise Refused(f"“{username}” was added a moment ago. Look at the list.") from error


def change_role(*, by: Membership, membership: Membership, role: str) -> Membership:
    """Give a member another role. A workspace keeps at least one manager."""
    _managers_only(by)
    if role not in Role.values:
        raise Refused("That role is not known, so nothing was changed.")
    with transaction.atomic():
        before = membership.role
        if before == Role.MANAGER and role != Role.MANAGER:
            _keep_a_manager(membership)
        membership.role = role
        membership.save(update_fields=["role"])
        _tell(by, membership, "role changed", from_state=before, to_state=role)
    return membership


def remove_member(*, by: Membership, membership: Membership) -> None:
    """Take a member out of the workspace; what they did stays with their name."""
    _managers_only(by)
    with transaction.atomic():
        if membership.is_manager:
            _keep_a_manager(membership)
        _tell(by, membership, "member removed", from_state=membership.role)
        membership.delete()


def _managers_only(by: Membership) -> None:
    if not by.is_manager:
        raise NotAllowed("Only a manager can change who is in the workspace.")


def _keep_a_manager(membership: Membership) -> None:
    # The command line acts as a manager who cannot sign in: nobody is left with it alone.
    managers = Membership.objects.select_for_update(of=("self",), no_key=True).filter(
        workspace=membership.workspace_id, role=Role.MANAGER, user__is_active=True
    )
    if not [manager for manager in managers if manager.pk != membership.pk]:
        raise Refused(
            "This is the workspace's only manager, so nothing was changed. "
            "Make somebody else a manager first."
        )


def _tell(
    by: Membership, membership: Membership, verb: str, *, from_state: str = "", to_state: str = ""
) -> None:
    record(
        workspace=by.workspace_id,
        subject=membership,
        verb=verb,
        by=by,
        from_state=from_state,
        to_state=to_state,
        why=membership.user.get_username(),
    )

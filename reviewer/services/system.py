"""The house itself as an actor: commands that store act as it, and it cannot sign in."""

from django.contrib.auth import get_user_model
from django.db import transaction

from reviewer.models import Membership, Role, Workspace
from reviewer.services.errors import Refused

PREFIX = "system."
"""How the user names of system actors begin, and nobody else's."""


def system_member(slug: str) -> Membership:
    """The system actor of a workspace, made when first needed.

    Raises Refused where there is no such workspace, and where somebody who can sign in has the
    name, so that nobody is given a workspace by being called like its actor.
    """
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise Refused(f"There is no workspace “{slug}”. Nothing was stored.")
    with transaction.atomic():
        user, made = get_user_model().objects.get_or_create(
            username=f"{PREFIX}{slug}", defaults={"is_active": False, "first_name": "Command line"}
        )
        if made:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        if user.is_active or user.has_usable_password():
            raise Refused(
                f"“{user.username}” is an account that somebody can sign in with, so it cannot act "
                "for the workspace. Nothing was stored. Rename it and try again."
            )
        membership, _ = Membership.objects.get_or_create(
            workspace=workspace, user=user, defaults={"role": Role.MANAGER}
        )
    return membership

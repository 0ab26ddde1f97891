"""The house itself as an actor: commands that store act as it, and it cannot sign in."""

from django.contrib.auth import get_user_model
from django.db import transaction

from reviewer.models import Membership, Role, Workspace
from reviewer.services.errors import Refused


def system_member(slug: str) -> Membership:
    """The system actor of a workspace, made when first needed. Raises Refused for no such."""
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise Refused(f"There is no workspace “{slug}”. Nothing was stored.")
    with transaction.atomic():
        user, made = get_user_model().objects.get_or_create(
            username=f"system.{slug}", defaults={"is_active": False, "first_name": "Command line"}
        )
        if made:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        membership, _ = Membership.objects.get_or_create(
            workspace=workspace, user=user, defaults={"role": Role.MANAGER}
        )
    return membership

"""What every template may use: the membership at hand, the other workspaces, who reads."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from reviewer.services.connection import connection
from reviewer.views.access import memberships_of


def house(request: HttpRequest) -> dict[str, Any]:
    """Nothing here costs a query unless a template uses it.

    `membership` is set by `access.member_or_404`, so it is absent outside a workspace;
    `memberships` are all of the person's own; `connection` is None without a model.
    """
    user = getattr(request, "user", None)
    signed_in = user is not None and user.is_authenticated
    return {
        "membership": getattr(request, "membership", None),
        "memberships": SimpleLazyObject(lambda: memberships_of(user)) if signed_in else [],
        "connection": connection(),
    }

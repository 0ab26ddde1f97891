"""What every template may use: the membership at hand, the other workspaces, who reads."""

from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from reviewer.documents.office import installed
from reviewer.services.approvals import asked_of
from reviewer.services.connection import connection_by, key_is_shut, loaded_settings
from reviewer.services.model_stats import lost_alarm
from reviewer.views.access import memberships_of

ACCEPT = ".pdf,.docx,.md,.markdown,.html,.htm,.txt"
"""What a file dialogue offers; the type of a file is found by its content, never by its name."""


@cache
def _types() -> tuple[str, str]:
    """What may be uploaded, in words and for a file dialogue; slides need LibreOffice."""
    if installed() is None:
        return "PDF, Word, Markdown, HTML or text", ACCEPT
    return "PDF, Word, PowerPoint, Markdown, HTML or text", f"{ACCEPT},.pptx"


MODEL_PAGES = frozenset(
    {"models", "answers", "answer", "queue", "model-settings", "model-prices", "try-model"}
)
LEARNING_PAGES = frozenset(
    {
        "learnings",
        "learning",
        "learning-act",
        "learning-new",
        "learnings-import",
        "offer-dismiss",
    }
)


def house(request: HttpRequest) -> dict[str, Any]:
    """Nothing here costs a query unless a template uses it.

    `membership` and `memberships`, all of the person's own, are set by `access.member_or_404`,
    so that the first is absent outside a workspace and the others are asked for there;
    `connection` is None without a model.
    """
    user = getattr(request, "user", None)
    signed_in = user is not None and user.is_authenticated
    membership = getattr(request, "membership", None)
    memberships = getattr(request, "memberships", None)
    if memberships is None:
        memberships = SimpleLazyObject(lambda: memberships_of(user)) if signed_in else []
    own = loaded_settings(membership.workspace) if membership else None
    return {
        "membership": membership,
        "memberships": memberships,
        "connection": SimpleLazyObject(lambda: connection_by(own)),
        "key_is_shut": SimpleLazyObject(lambda: key_is_shut(own)),
        "lost_alarm": SimpleLazyObject(
            lambda: (
                lost_alarm(membership.workspace)
                if membership is not None and membership.is_manager
                else ""
            )
        ),
        "limits": _limits(),
        "section": _section(request),
        "questions": SimpleLazyObject(lambda: asked_of(membership) if membership else []),
    }


def _limits() -> dict[str, str | int]:
    types, accept = _types()
    return {
        "mb": settings.MAX_UPLOAD_MB,
        "sheets": settings.MAX_SHEETS,
        "types": types,
        "accept": accept,
    }


def _section(request: HttpRequest) -> str:
    """Which part of the house the address belongs to, for the top bar."""
    match = request.resolver_match
    name = (match.url_name or "") if match else ""
    if name.startswith("member"):
        return "members"
    if name in {"policy", "checks", "rubric"}:
        return name
    if name in LEARNING_PAGES:
        return "learnings"
    if name in {"exports", "export"}:
        return "exports"
    return "models" if name in MODEL_PAGES else "proposals"

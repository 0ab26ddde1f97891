"""What a manager sets about models: server, key, model, depth, limits."""

from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from django.core.cache import cache
from django.db import transaction

from reviewer.models import Membership, ModelSettings, Workspace
from reviewer.models.model_settings import Depth
from reviewer.providers.address import NO_ADDRESS, is_address
from reviewer.providers.prices import PRICES_OF
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.locking import hold_row
from reviewer.services.sealing import seal

__all__ = ["PRICES_OF", "change_model_settings", "forget_key", "settings_of"]


def alarm_key(workspace_id: int) -> str:
    """Under which name the sentence on lost answers is kept for a while."""
    return f"lost-alarm-{workspace_id}"


def settings_of(workspace: Workspace) -> ModelSettings:
    """The workspace's settings, or the defaults, unsaved."""
    return ModelSettings.objects.filter(workspace=workspace).first() or ModelSettings(
        workspace=workspace
    )


def held_settings(workspace: Workspace) -> ModelSettings:
    """The settings as they stand now, the defaults where there are none, nobody else's to change
    until the running transaction ends."""
    hold_row(Workspace, workspace.pk)
    return settings_of(workspace)


def set_settings(row: ModelSettings, **said: Any) -> None:
    """Store these fields and no other, so that nothing is written back that somebody changed."""
    for name, value in said.items():
        setattr(row, name, value)
    row.save(update_fields=None if row.pk is None else list(said))


def change_model_settings(
    *,
    by: Membership,
    base_url: str = "",
    api_key: str = "",
    model: str = "",
    second_model: str = "",
    depth: str = Depth.STANDARD,
    calls_at_once: int = 8,
    monthly_limit: str = "",
    keep_answers_days: int = 90,
    lost_alarm_percent: int = 5,
) -> ModelSettings:
    """Set all of it; an empty `api_key` keeps the one that is stored.

    A new server takes the old key with it only where the key is given again, so that a key
    never goes to a server for which it was not entered.
    """
    _managers_only(by)
    base_url, api_key = base_url.strip().rstrip("/"), api_key.strip()
    _refuse_address(base_url)
    if not (api_key.isascii() and api_key.isprintable()) or " " in api_key:
        raise Refused(
            "A key has letters, digits and signs in one line, and this has something else. "
            "Nothing was changed. Copy it again."
        )
    if depth not in Depth.values or calls_at_once < 1 or keep_answers_days < 1:
        raise Refused("One of the values is out of its range, so nothing was changed.")
    if not 0 <= lost_alarm_percent <= 100:
        raise Refused("One of the values is out of its range, so nothing was changed.")
    said: dict[str, Any] = {
        "base_url": base_url,
        "model": model.strip(),
        "second_model": second_model.strip(),
        "depth": depth,
        "calls_at_once": calls_at_once,
        "monthly_limit": _money(monthly_limit),
        "keep_answers_days": keep_answers_days,
        "lost_alarm_percent": lost_alarm_percent,
    }
    with transaction.atomic():
        row = held_settings(by.workspace)
        if api_key:
            said |= {"api_key": seal(api_key), "key_ends": api_key[-4:]}
        elif base_url != row.base_url:
            said |= {"api_key": "", "key_ends": ""}
        set_settings(row, **said)
        _tell(by, "model settings changed", f"{row.base_url} {row.model} {row.depth}".strip())
    # Another share may be one that is not passed, and nobody likes to wait for an alarm to end.
    cache.delete(alarm_key(by.workspace_id))
    return row


def forget_key(*, by: Membership) -> ModelSettings:
    """Remove the stored key."""
    _managers_only(by)
    with transaction.atomic():
        row = held_settings(by.workspace)
        set_settings(row, api_key="", key_ends="")
        _tell(by, "model key removed", "")
    return row


def _managers_only(by: Membership) -> None:
    if not by.is_manager:
        raise NotAllowed("Only a manager can change the workspace's models.")


def _refuse_address(base_url: str) -> None:
    """Raise Refused for what no request could be sent to, or what would put a password here.

    Only the form is judged: whether anything answers there, a trial shows.
    """
    if not base_url:
        return
    if not is_address(base_url):
        raise Refused(f"{NO_ADDRESS} Nothing was changed.")
    parts = urlsplit(base_url)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise Refused(
            "The server's address may hold no user name, password, “?” or “#”; a key has its "
            "own field. Nothing was changed."
        )


def _money(text: str) -> Decimal | None:
    if not text.strip():
        return None
    try:
        amount = Decimal(text.strip())
    except InvalidOperation as error:
        raise Refused(f"“{text}” is not an amount, so nothing was changed.") from error
    if not amount.is_finite() or amount < 0:
        raise Refused("A limit cannot be negative, so nothing was changed.")
    return amount.quantize(Decimal("0.01"))


def _tell(by: Membership, verb: str, why: str) -> None:
    record(workspace=by.workspace_id, subject=by.workspace, verb=verb, by=by, why=why)

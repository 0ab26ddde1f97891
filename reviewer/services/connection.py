"""Which model reads for a workspace, and to which server its text goes."""

import functools
from dataclasses import dataclass

from django.conf import settings

from reviewer.models import ModelSettings, Workspace
from reviewer.models.model_settings import Depth
from reviewer.providers.address import host_of
from reviewer.providers.base import Provider
from reviewer.services.sealing import unseal
from reviewer.services.ways import StoredWays

HOME_SERVER = "api.anthropic.com"

NO_MODEL = (
    "No model is connected, so nothing was started; the built-in checks have run. A manager can "
    "connect one under Models, Settings; or whoever runs Reviewer sets ANTHROPIC_API_KEY, or "
    "ANTHROPIC_BASE_URL for a server of its own, and restarts it."
)
KEY_IS_SHUT = (
    "The workspace's key cannot be opened: it was stored under another SECRET_KEY of this "
    "installation than today's. Nothing was started; the built-in checks have run. A manager "
    "can enter the key again under Models, Settings."
)


@dataclass(frozen=True, slots=True)
class Connection:
    """A model that can be asked. `server` is the host as people are told it."""

    model: str
    server: str
    base_url: str
    api_key: str
    second_model: str = ""
    depth: str = Depth.STANDARD
    is_named: bool = True
    """Whether somebody said which model is asked; else it is the default's name."""

    @property
    def is_by_price_list(self) -> bool:
        """Whether the public price list can be true of its answers.

        A server of one's own that was told no model answers with whatever it has.
        """
        return self.is_named or self.server == HOME_SERVER

    def provider(self, *, stored: bool = True) -> Provider:
        """The client for this connection, shared by every reading of this process.

        `stored` False touches no database: what is learned of the server is forgotten.
        """
        return _provider(self.api_key, self.base_url, self.server if stored else "")


def connection(workspace: Workspace | int | None = None) -> Connection | None:
    """The workspace's own connection, else the installation's, else None.

    A server of one's own needs no key, so a base URL alone connects. Where the workspace has a
    key that cannot be opened there is none: its text goes to no other server in the meantime.
    """
    return connection_by(own_settings(workspace))


def connection_by(own: ModelSettings | None) -> Connection | None:
    """The connection that a workspace's settings give, or the installation's without any."""
    if key_is_shut(own):
        return None
    depth = own.depth if own else Depth.STANDARD
    second = own.second_model if own else ""
    key = (unseal(own.api_key) or "") if own and own.api_key else ""
    base_url = own.base_url if own else ""
    is_named = bool(own and own.model)
    if not key and not base_url:
        key, base_url = settings.MODEL_API_KEY, settings.MODEL_BASE_URL
        is_named = is_named or settings.MODEL_IS_NAMED
    if not key and not base_url:
        return None
    return Connection(
        model=(own.model if own else "") or settings.MODEL_NAME,
        server=server_name(base_url),
        base_url=base_url,
        api_key=key,
        second_model=second,
        depth=depth,
        is_named=is_named,
    )


def key_is_shut(own: ModelSettings | None) -> bool:
    """Whether a key is stored that was sealed under another secret than today's."""
    return own is not None and bool(own.api_key) and unseal(own.api_key) is None


def why_not_connected(workspace: Workspace | int | None) -> str:
    """The sentence for who wanted a reading where `connection` gives none."""
    return KEY_IS_SHUT if key_is_shut(own_settings(workspace)) else NO_MODEL


def server_name(base_url: str) -> str:
    """The host of an address as people are told it, without user name or password."""
    return host_of(base_url) if base_url else HOME_SERVER


def loaded_settings(workspace: Workspace) -> ModelSettings | None:
    """The settings of a workspace that was loaded with them, as a claimed reading's is."""
    return getattr(workspace, "model_settings", None)


def own_settings(workspace: Workspace | int | None) -> ModelSettings | None:
    """The settings of a workspace, None where it has none; one query."""
    if workspace is None:
        return None
    pk = workspace.pk if isinstance(workspace, Workspace) else workspace
    return ModelSettings.objects.filter(workspace=pk).first()


@functools.lru_cache(maxsize=32)
def _provider(api_key: str, base_url: str, server: str) -> Provider:
    from reviewer.providers.messages import MessagesProvider

    return MessagesProvider(
        api_key=api_key,
        base_url=base_url or None,
        max_retries=settings.MODEL_RETRIES,
        timeout=float(settings.MODEL_TIMEOUT_SECONDS),
        ways=StoredWays(server) if server else None,
    )

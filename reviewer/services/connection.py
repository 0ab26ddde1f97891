"""Which model reads for this installation, and to which server its text goes."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from reviewer.providers.base import Provider

HOME_SERVER = "api.anthropic.com"


@dataclass(frozen=True, slots=True)
class Connection:
    """A model that can be asked. `server` is the host as people are told it."""

    model: str
    server: str
    base_url: str
    api_key: str

    def provider(self) -> Provider:
        """The client for this connection; the SDK is loaded here, not before."""
        from reviewer.providers.messages import MessagesProvider

        return MessagesProvider(
            api_key=self.api_key,
            base_url=self.base_url or None,
            max_retries=settings.MODEL_RETRIES,
            timeout=float(settings.MODEL_TIMEOUT_SECONDS),
        )


def connection() -> Connection | None:
    """The connection from the environment, or None where neither key nor server is set.

    A server of one's own needs no key, so a base URL alone connects.
    """
    key, base_url = settings.MODEL_API_KEY, settings.MODEL_BASE_URL
    if not key and not base_url:
        return None
    host = urlsplit(base_url).netloc.rpartition("@")[2] if base_url else HOME_SERVER
    return Connection(
        model=settings.MODEL_NAME, server=host or base_url, base_url=base_url, api_key=key
    )

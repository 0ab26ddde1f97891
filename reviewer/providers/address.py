"""Whether a text is an address that a model's server can be asked at. No request is made."""

from urllib.parse import urlsplit

NO_ADDRESS = (
    "The server's address is not one: it reads like http://127.0.0.1:8080 or "
    "https://models.example.com."
)


def is_address(base_url: str) -> bool:
    """Whether a request could be sent there; an empty text is none."""
    try:
        parts = urlsplit(base_url)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bracket that is not closed, a port that is no number
        return False
    return sound and base_url.isprintable() and " " not in base_url


def host_of(base_url: str) -> str:
    """The host and port of an address, without user name or password; else the text itself."""
    try:
        return urlsplit(base_url).netloc.rpartition("@")[2] or base_url
    except ValueError:
        return base_url

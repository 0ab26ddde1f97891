"""Secrets at rest: sealed with a key made from the installation's own secret."""

import base64

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


def seal(secret: str) -> str:
    """`secret` as text that only this installation can open."""
    return _box().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str | None:
    """The secret, or None where it was sealed under another installation's secret."""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken:
        return None


def _box() -> Fernet:
    # HKDF as in RFC 5869, so that the cookie-signing use of the same secret shares no key.
    derive = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"reviewer.model-key")
    return Fernet(base64.urlsafe_b64encode(derive.derive(settings.SECRET_KEY.encode())))

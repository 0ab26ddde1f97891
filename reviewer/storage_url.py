"""Where files are kept, from `STORAGE_URL`; read by the settings, so it imports nothing of Django's
apps."""

from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

FORM = "s3://bucket/folder?endpoint=https://host&region=name"


def storage_of(url: str) -> dict[str, Any]:
    """The default storage for Django: this machine's files for an empty `url`, else a bucket.

    `s3://[key:secret@]bucket[/folder][?endpoint=…&region=…]`; without a key, the SDK's own
    environment and roles count. Raises ImproperlyConfigured with what to do.
    """
    if not url:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    parts = urlsplit(url)
    asked = parse_qs(parts.query)
    if parts.scheme != "s3" or not parts.hostname or set(asked) - {"endpoint", "region"}:
        raise ImproperlyConfigured(f"STORAGE_URL is not an address of the form {FORM}.")
    if find_spec("storages") is None or find_spec("boto3") is None:
        raise ImproperlyConfigured(
            "STORAGE_URL needs packages that are not installed. Install them: "
            "pip install --require-hashes -r requirements-s3.txt"
        )
    return {
        "BACKEND": "reviewer.storage.BucketStorage",
        "OPTIONS": {
            "bucket_name": parts.netloc.rpartition("@")[2],
            "location": parts.path.strip("/"),
            "access_key": unquote(parts.username) if parts.username else None,
            "secret_key": unquote(parts.password) if parts.password else None,
            "endpoint_url": asked.get("endpoint", [None])[0],
            "region_name": asked.get("region", [None])[0],
        },
    }

"""Files in an S3 bucket, where several hosts serve one installation.

Promises what the file system does: a name that is taken is not overwritten, what is not there
is a FileNotFoundError, and what fails is an OSError; a bucket that cannot be reached or refuses is
a ConnectionError.
"""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from storages.backends.s3 import S3Storage

P = ParamSpec("P")
R = TypeVar("R")
SECONDS_TO_CONNECT, SECONDS_TO_ANSWER, ATTEMPTS = 5, 60, 3


def _as_os_errors(act: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(act)
    def done(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return act(*args, **kwargs)
        except (BotoCoreError, Boto3Error, ClientError) as error:
            raise ConnectionError(f"The bucket of STORAGE_URL failed: {error}") from error

    return done


class BucketStorage(S3Storage):
    """Django's storage on a bucket that nobody but Reviewer reads."""

    def __init__(self, **options: Any) -> None:
        # Servers other than Amazon's have one host for all buckets, and know no checksums of
        # theirs but those that a request cannot do without.
        config = Config(
            signature_version="s3v4",
            connect_timeout=SECONDS_TO_CONNECT,
            read_timeout=SECONDS_TO_ANSWER,
            retries={"max_attempts": ATTEMPTS, "mode": "standard"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={"addressing_style": "path" if options.get("endpoint_url") else "auto"},
        )
        super().__init__(
            **options, client_config=config, file_overwrite=False, default_acl=None, gzip=False
        )

    _open = _as_os_errors(S3Storage._open)
    _save = _as_os_errors(S3Storage._save)
    delete = _as_os_errors(S3Storage.delete)
    exists = _as_os_errors(S3Storage.exists)
    listdir = _as_os_errors(S3Storage.listdir)
    size = _as_os_errors(S3Storage.size)

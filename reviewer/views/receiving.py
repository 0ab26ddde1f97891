"""Files on their way in: one that is too big is dropped while it arrives, and named."""

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile


class SizeGuard(FileUploadHandler):
    """Stands before Django's own handlers, so that no more than the limit is ever kept.

    Names of dropped files are left in `request.too_big`; the other files of the same
    form arrive as if the big one had not been there.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self._received += len(raw_data)
        if self._received > settings.MAX_UPLOAD_MB * 1024 * 1024:
            request: Any = self.request
            request.too_big = [*getattr(request, "too_big", []), self.file_name]
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None

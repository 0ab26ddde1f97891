"""Files on their way in: one that is too big is dropped while it arrives, and named; one whose
name is in no encoding that the web has keeps a name that can be read.
"""

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import QueryDict
from django.http.multipartparser import MultiPartParser
from django.utils.datastructures import MultiValueDict

_LONGEST_HEAD = 16 * 1024


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


class ReadableNames(FileUploadHandler):
    """Stands before all others. Without it, a part of the form whose head is not UTF-8 would
    not be there at all, and a file would be lost without a word."""

    _reading = False

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,
        content_length: int,
        boundary: Any,
        encoding: str | None = None,
    ) -> tuple[QueryDict, MultiValueDict[str, Any]] | None:
        if self._reading:
            return None
        self._reading = True
        request: Any = self.request
        heads: Any = Heads(input_data, boundary)  # nothing but `read` is asked of it
        return MultiPartParser(META, heads, request.upload_handlers, encoding).parse()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


class Heads:
    """The stream of a form's parts, with the head of each in UTF-8 and all else as it came."""

    def __init__(self, stream: Any, boundary: bytes) -> None:
        self._stream = stream
        self._mark = b"--" + boundary + b"\r\n"
        self._held = b""
        self._in_head = False
        self._ended = False

    def read(self, size: int | None = None, /) -> bytes:
        """About `size` bytes, 64 KB where none is given; none at the end alone."""
        out = b""
        while not out and not self._ended:
            piece = self._stream.read(size or 64 * 1024)
            self._ended = not piece
            self._held += piece
            out = self._ready()
        return out

    def _ready(self) -> bytes:
        """What is held and complete: whole heads, and bodies but for what may begin a mark."""
        out = []
        while True:
            end, after = self._next()
            if end < 0:
                break
            out.append(self._in_utf_8(self._held[:end]))
            self._held, self._in_head = self._held[end:], after
        keep = 0 if self._ended else _LONGEST_HEAD if self._in_head else len(self._mark) - 1
        at = max(0, len(self._held) - keep)
        if at and (self._ended or not self._in_head or len(self._held) > _LONGEST_HEAD):
            out.append(self._in_utf_8(self._held[:at]))
            self._held, self._in_head = self._held[at:], False
        return b"".join(out)

    def _next(self) -> tuple[int, bool]:
        """Where what is being read ends, -1 where it does not yet; whether a head comes next."""
        wanted = b"\r\n\r\n" if self._in_head else self._mark
        at = self._held.find(wanted)
        return (-1, False) if at < 0 else (at + len(wanted), not self._in_head)

    def _in_utf_8(self, part: bytes) -> bytes:
        if not self._in_head:
            return part
        try:
            part.decode("utf-8")
        except UnicodeDecodeError:
            return part.decode("cp1252", "replace").encode("utf-8")
        return part

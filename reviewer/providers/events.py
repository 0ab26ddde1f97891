"""Server-sent events, read from bytes as they come.

Promises the data of every event that arrived whole, in order, whatever the chunks were
cut at, and refuses a stream that grows without end. Event names are not needed: the
Messages API repeats the type inside the data, and some servers leave the name out.
"""

from collections.abc import Iterable, Iterator

MAX_STREAM_BYTES = 32 * 1024 * 1024


class StreamTooLarge(ValueError):
    """A stream passed `MAX_STREAM_BYTES`; no answer is that long."""


def event_data(chunks: Iterable[bytes], limit: int = MAX_STREAM_BYTES) -> Iterator[str]:
    """The data of each whole event in `chunks`; an event cut by the end is not given.

    A line may end in CR, LF or both. Bytes that are no UTF-8 become replacement marks, so
    that one of them cannot cost the rest of an answer. Raises `StreamTooLarge`.
    """
    lines: list[bytes] = []
    for line in _lines(chunks, limit):
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                lines.append(value.removeprefix(b" "))
        elif lines:
            yield b"\n".join(lines).decode("utf-8", "replace")
            lines = []


def _lines(chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """Whole lines without their ends; what follows the last end is not given."""
    rest, received, ended_in_cr = b"", 0, False
    for chunk in chunks:
        received += len(chunk)
        if received > limit:
            raise StreamTooLarge(f"The stream passed {limit} bytes.")
        if ended_in_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        if not chunk:
            continue
        ended_in_cr = chunk.endswith(b"\r")
        whole = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        head, newline, tail = whole.rpartition(b"\n")
        if not newline:
            rest += tail
            continue
        yield from (rest + head).split(b"\n")
        rest = tail

"""A real HTTP server that speaks the Messages API, and misbehaves when told to.

It answers the real SDK over a socket on 127.0.0.1, streamed and not, counts and bills
tokens as the real one does, refuses what the real one refuses, and keeps every request.

    with MessagesServer(finds([finding()])) as server:
        MessagesProvider(api_key="test", base_url=server.url).ask(request)
        server.requests[0].billed.units

What it answers is a `Reply`, a list of them in order (the last one repeats), or a function
of the request it has seen.
"""

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.fakes.billing import Billed, PromptCache, count_tokens
from tests.fakes.refusals import refusal_of
from tests.fakes.replies import Reply, fails, finds, text_of

_HOLD = -1.0
"""In place of a delay: wait until the test lets go."""
_HELD_AT_MOST = 90.0

Script = Reply | Sequence[Reply] | Callable[["Seen"], Reply]


@dataclass
class Seen:
    """A request as the server received it."""

    body: dict[str, Any]
    headers: dict[str, str]
    billed: Billed
    began: float
    """Seconds since the server started."""
    ended: float | None = None
    status: int = 0
    number: int = 0
    """From 1, in the order of arrival."""

    @property
    def model(self) -> str:
        """The model asked for."""
        return str(self.body["model"])

    @property
    def task(self) -> str:
        """The last text block that is not how to answer: what this reading is to do."""
        texts = [
            block["text"]
            for block in self.body["messages"][-1]["content"]
            if block["type"] == "text" and not block["text"].startswith("There is no tool")
        ]
        return str(texts[-1])

    @property
    def sheet(self) -> int | None:
        """The sheet this reading is about, where it is about one."""
        named = re.search(r"\bsheet (\d+)\b", self.task)
        return int(named[1]) if named else None

    @property
    def prompt(self) -> str:
        """All text of the request, in its order."""
        system = [block["text"] for block in self.body.get("system", ())]
        user = [
            block["text"]
            for message in self.body["messages"]
            for block in message["content"]
            if block["type"] == "text"
        ]
        return "\n".join([*system, *user])


@dataclass
class Rules:
    """What the server refuses. Empty collections and None refuse nothing."""

    key: str | None = None
    models: Collection[str] = ()
    does_not_take: Collection[str] = ()
    """Of: forced_tool, tools, strict, output_format, eager_input_streaming, cache_control."""
    context_tokens: int | None = None
    output_tokens: int | None = None
    """Every answer is cut after so many tokens, whatever room the request leaves it."""


class MessagesServer:
    """The server; use it as a context manager, or `start` and `stop` it."""

    def __init__(self, script: Script | None = None, *, port: int = 0, **rules: Any) -> None:
        self.script: Script = finds() if script is None else script
        self.rules = Rules(**rules)
        self.cache = PromptCache()
        self.requests: list[Seen] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self.started = time.monotonic()
        self.stopping = threading.Event()
        self.released = threading.Event()
        """Lets go of every answer that is held by `hold_after`."""
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The address to give as `base_url`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def start(self) -> Self:
        """Begin to answer."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop answering and drop every connection."""
        self.stopping.set()
        self.released.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()

    @property
    def billed(self) -> float:
        """Input of all answered requests as billed, in tokens at the plain price."""
        return sum(seen.billed.units for seen in self.requests if seen.status == 200)

    @property
    def unbilled(self) -> int:
        """Input of the same requests without a cache."""
        return sum(seen.billed.tokens for seen in self.requests if seen.status == 200)

    def receive(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[Seen, Reply]:
        """Keep a request and choose its answer."""
        billed, begin = self.cache.bill(body)
        seen = Seen(body, headers, billed, began=time.monotonic() - self.started)
        with self._lock:
            self.requests.append(seen)
            seen.number = len(self.requests)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        reply = refusal_of(seen, self.rules) or self._scripted(seen)
        if self.rules.output_tokens is not None:
            reply = reply.cut_to(self.rules.output_tokens)
        seen.status = reply.status
        if reply.latency:
            self.stopping.wait(reply.latency)
        if reply.status == 200:
            begin()
        return seen, reply

    def done(self, seen: Seen) -> None:
        """Note that the answer to `seen` has ended."""
        with self._lock:
            self._at_once -= 1
            seen.ended = time.monotonic() - self.started

    def _scripted(self, seen: Seen) -> Reply:
        if isinstance(self.script, Reply):
            return self.script
        if callable(self.script):
            return self.script(seen)
        return self.script[min(seen.number, len(self.script)) - 1]


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    owner: MessagesServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no trouble of the server."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""

    def do_POST(self) -> None:
        """Answer a request, whatever its path; only /v1/messages is a page here."""
        owner = self.server.owner
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.partition("?")[0] != "/v1/messages":
            self._send(fails(404, "not_found_error", "Not found"), [(b"{}", 0.0)])
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen, reply = owner.receive(json.loads(raw), headers)
        try:
            self._send(reply, _frames(reply, seen))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            owner.done(seen)

    def _send(self, reply: Reply, frames: Sequence[tuple[bytes, float]]) -> None:
        bad = reply.cut_after is not None or reply.stall_after is not None
        self.send_response(reply.status)
        self.send_header("request-id", "req_test")
        for name, value in _headers(reply).items():
            self.send_header(name, value)
        closes = bad and reply.cut_cleanly
        chunked = not closes
        if chunked:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("connection", "close")
        self.end_headers()
        left = reply.cut_after if reply.cut_after is not None else reply.stall_after
        owner = self.server.owner
        for frame, delay in frames:
            if delay == _HOLD:
                owner.released.wait(_HELD_AT_MOST)
            elif delay and owner.stopping.wait(delay):
                break
            part = frame if left is None else frame[:left]
            if part:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
                self.wfile.flush()
            if left is not None:
                left -= len(part)
                if left <= 0:
                    break
        if reply.stall_after is not None:
            owner.stopping.wait(_HELD_AT_MOST)
        if bad:
            self.close_connection = True
            self._drop()
        elif chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _drop(self) -> None:
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            self.close_connection = True


def _headers(reply: Reply) -> dict[str, str]:
    return {"content-type": "text/event-stream", **_default_type(reply), **reply.headers}


def _default_type(reply: Reply) -> dict[str, str]:
    return {"content-type": "application/json"} if reply.streamed is False else {}


def _frames(reply: Reply, seen: Seen) -> Sequence[tuple[bytes, float]]:
    """The body in pieces, each with the seconds to wait before it."""
    if reply.body is not None:
        return [(reply.body, 0.0)]
    message = _message(reply, seen)
    if reply.streamed is False:
        return [(_as_json(message, reply), 0.0)]
    return list(_events(message, reply))


def _message(reply: Reply, seen: Seen) -> dict[str, Any]:
    produced = "".join(text_of(block) for block in reply.content)
    output = reply.output_tokens if reply.output_tokens is not None else count_tokens(produced)
    return {
        "id": "msg_test",
        "type": "message",
        "role": "assistant",
        "model": reply.model or seen.model,
        "content": [dict(block) for block in reply.content],
        "stop_reason": reply.stop_reason,
        "stop_sequence": None,
        "stop_details": dict(reply.stop_details) if reply.stop_details else None,
        "usage": {
            "input_tokens": seen.billed.fresh,
            "cache_creation_input_tokens": seen.billed.written,
            "cache_read_input_tokens": seen.billed.read,
            "output_tokens": output,
        },
    }


def _as_json(message: dict[str, Any], reply: Reply) -> bytes:
    """The message as one body, with raw input put in as it is."""
    raw = [str(block.pop("raw_input", "")) for block in message["content"]]
    body = json.dumps(message, ensure_ascii=False)
    for text in filter(None, raw):
        body = body.replace('"input": {}', f'"input": {text}', 1)
    return body.encode()


def _events(message: dict[str, Any], reply: Reply) -> Iterator[tuple[bytes, float]]:
    for number, (event, delay) in enumerate(_whole_stream(message, reply)):
        if reply.error_event and number == reply.error_after:
            kind, told = reply.error_event
            yield _event("error", {"error": {"type": kind, "message": told}}), 0.0
            return
        yield event, delay


def _whole_stream(message: dict[str, Any], reply: Reply) -> Iterator[tuple[bytes, float]]:
    usage = message["usage"]
    begun = message | {"content": [], "stop_reason": None, "stop_details": None}
    begun["usage"] = usage | {"output_tokens": 1}
    yield _event("message_start", {"message": begun}), 0.0
    yield _event("ping", {}), 0.0
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block, reply)
    delta = {key: message[key] for key in ("stop_reason", "stop_sequence", "stop_details")}
    counted = {"output_tokens": usage["output_tokens"]}
    yield _event("message_delta", {"delta": delta, "usage": counted}), 0.0
    yield _event("message_stop", {}), 0.0


_DELTAS = {
    "tool_use": ("input_json_delta", "partial_json", {"input": {}}),
    "text": ("text_delta", "text", {"text": ""}),
    "thinking": ("thinking_delta", "thinking", {"thinking": "", "signature": ""}),
}


def _block_events(index: int, block: dict[str, Any], reply: Reply) -> Iterator[tuple[bytes, float]]:
    kind, name, empty = _DELTAS[block["type"]]
    started = {key: value for key, value in block.items() if key != "raw_input"} | empty
    yield _event("content_block_start", {"index": index, "content_block": started}), 0.0
    text = text_of(block)
    speed = reply.characters_per_second
    for number, at in enumerate(range(0, len(text), reply.piece)):
        piece = text[at : at + reply.piece]
        delay = len(piece) / speed if speed else 0.0
        delta = {"type": kind, name: piece}
        yield (
            _event("content_block_delta", {"index": index, "delta": delta}),
            _HOLD if number == reply.hold_after else delay,
        )
    yield _event("content_block_stop", {"index": index}), 0.0


def _event(kind: str, data: dict[str, Any]) -> bytes:
    told = json.dumps({"type": kind, **data}, ensure_ascii=False)
    return f"event: {kind}\ndata: {told}\n\n".encode()

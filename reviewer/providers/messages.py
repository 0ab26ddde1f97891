"""The one client: the Anthropic SDK, for Anthropic and for servers that speak its API.

Promises an answer to every request, with what was received kept and what went wrong named;
never to send sampling parameters; never to follow a redirect, so that text goes to the
server that was named and to no other; and to take nothing from the environment: key,
address and headers are those it was given. Retries are the SDK's, bounded in number and in
the wait a server may ask for. This is the only module that imports the SDK, when first used.
"""

import codecs
import functools
import importlib
import threading
import time
import warnings
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from reviewer.core.raw import FaultKind, ProviderFault, RawAnswer, Way
from reviewer.providers.asking import EAGER, OPTIONAL, parameters
from reviewer.providers.base import Fragment, Request, StopAsking
from reviewer.providers.collect import Collector, error_code
from reviewer.providers.events import MAX_STREAM_BYTES, StreamTooLarge, event_data
from reviewer.providers.faults import fault_of_error, retry_after, shortened
from reviewer.providers.ways import MemoryWays, WayStore, first_way, next_way, refuses_way

if TYPE_CHECKING:
    import ssl

    import anthropic
    import httpx2
    from anthropic import APIRequest, APIResponse, CallNext

DEFAULT_BASE_URL = "https://api.anthropic.com"
DEFAULT_MAX_RETRIES = 2
DEFAULT_STALL = 120.0
MAX_WAIT = 30.0
"""Seconds a server may make one retry wait; beyond it the fault is told at once."""

_CONNECT = 10.0
_WAIT_HEADERS = {"retry-after", "retry-after-ms"}
_NO_KEY = "no-key"
_OUR_HEADERS = frozenset(
    {
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "user-agent",
        "anthropic-version",
    }
)


def load_sdk() -> None:
    """Import the SDK, which takes a second, ahead of the first request."""
    importlib.import_module("anthropic")


@functools.cache
def _certificates() -> "ssl.SSLContext":
    """Whom to trust; read once, since reading it takes longer than a short answer."""
    import httpx2

    return httpx2.create_ssl_context()


class MessagesProvider:
    """Asks a server that speaks the Messages API; Anthropic's own where no `base_url` is given.

    Safe to share between threads.
    `timeout` bounds a request's own, in seconds; `stall` is how long a silent connection is
    waited for. An empty `api_key` is for servers that need none. `ways` remembers which way
    of asking a model takes, and belongs to this server's address.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str | None = None,
        max_retries: int = DEFAULT_MAX_RETRIES,
        timeout: float = 600.0,
        stall: float = DEFAULT_STALL,
        ways: WayStore | None = None,
    ) -> None:
        self._key = api_key.strip()
        self._base_url = base_url or DEFAULT_BASE_URL
        self._max_retries = max_retries
        self._timeout = timeout
        self._stall = stall
        self._ways: WayStore = ways if ways is not None else MemoryWays()
        self._lock = threading.Lock()
        self._made: anthropic.Anthropic | None = None
        self._not_taken: set[str] = set()
        self._call = threading.local()

    @property
    def server(self) -> str:
        """The host that text is sent to, as people know it."""
        try:
            return urlsplit(self._base_url).netloc.rpartition("@")[2] or self._base_url
        except ValueError:
            return self._base_url

    def close(self) -> None:
        """Let go of the connections; a later request opens new ones."""
        with self._lock:
            if self._made is not None:
                self._made.close()
                self._made = None

    def ask(
        self,
        request: Request,
        *,
        on_fragment: Fragment | None = None,
        should_stop: StopAsking | None = None,
    ) -> RawAnswer:
        """The answer to `request`, in the first way of asking that this model takes."""
        until = time.monotonic() + min(request.timeout, self._timeout)
        way: Way | None = self._ways.way_of(request.model) or first_way(request.model)
        while True:
            assert way is not None
            answer = self._ask_in(way, request, until, on_fragment, should_stop)
            fault = answer.fault
            if fault is None:
                return answer
            unknown = self._unknown_to_server(fault)
            if unknown:
                self._not_taken.add(unknown)
                continue
            if not refuses_way(way, fault):
                return answer
            way = next_way(way)
            if way is None:
                return answer
            self._ways.remember(request.model, way)

    def _unknown_to_server(self, fault: ProviderFault) -> str | None:
        """The optional parameter that a 400 names, where it was still being sent."""
        if fault.status not in {400, 422}:
            return None
        named = (name for name in OPTIONAL if name in fault.message)
        return next((name for name in named if name not in self._not_taken), None)

    def _ask_in(
        self,
        way: Way,
        request: Request,
        until: float,
        on_fragment: Fragment | None,
        should_stop: StopAsking | None,
    ) -> RawAnswer:
        import anthropic
        import httpx2

        collector = Collector(model=request.model, way=way, on_fragment=on_fragment)
        if should_stop and should_stop():
            return collector.answer()
        if not (self._key.isascii() and self._key.replace(" ", "").isprintable()):
            collector.fault = ProviderFault(
                FaultKind.WRONG_KEY, "The key has characters that no key has."
            )
            return collector.answer()
        try:
            self._receive(collector, way, request, until, should_stop)
        except anthropic.APIError as error:
            collector.fault = self._fault_of(error)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, StreamTooLarge) as error:
            collector.fault = self._fault_of_transport(error)
        return self._without_key(collector.answer())

    def _receive(
        self,
        collector: Collector,
        way: Way,
        request: Request,
        until: float,
        should_stop: StopAsking | None,
    ) -> None:
        """Ask and collect until the answer ends; raises what the SDK and the transport raise."""
        self._call.until = until
        without = self._not_taken | ({EAGER} if not self._may_know_eager(request.model) else set())
        with self._client().messages.create(
            **parameters(request, way, without=without), stream=True
        ) as stream:
            response = stream.response
            collector.request_id = response.headers.get("request-id", "")
            stopped = _Stopped()
            chunks = _until(response.iter_bytes(), until, should_stop, stopped)
            if "event-stream" in response.headers.get("content-type", ""):
                _take_events(collector, chunks)
            else:
                _take_body(collector, chunks)
            if not stopped.by_caller:
                collector.close()

    def _client(self) -> "anthropic.Anthropic":
        with self._lock:
            if self._made is None:
                import anthropic
                import httpx2

                # A model that is announced to end still answers; the SDK would warn each time.
                warnings.filterwarnings("ignore", r"The model '.*' is deprecated")
                key = self._key or _NO_KEY
                self._made = anthropic.Anthropic(
                    api_key=key,
                    base_url=self._base_url,
                    max_retries=self._max_retries,
                    timeout=self._timeout,
                    open_telemetry=False,
                    middleware=[self._in_time],
                    http_client=httpx2.Client(
                        verify=_certificates(),
                        follow_redirects=False,
                        event_hooks={
                            "request": [
                                functools.partial(_only_ours, key=key),
                                self._bound_attempt,
                            ],
                            "response": [self._bound_wait],
                        },
                    ),
                )
                weakref.finalize(self, self._made.close)
            return self._made

    def _in_time(self, request: "APIRequest", attempt: "CallNext") -> "APIResponse[Any]":
        """Make one attempt, and none when the time of the whole is up.

        What is raised here instead is not of the kinds that the SDK retries.
        """
        import httpx2

        if time.monotonic() >= self._call.until:
            raise httpx2.ReadTimeout("The answer took longer than it may.")
        return attempt(request)

    def _bound_attempt(self, request: "httpx2.Request") -> None:
        """Give each attempt no more than the time that is left of the whole."""
        import httpx2

        left = max(0.001, self._call.until - time.monotonic())
        limits = httpx2.Timeout(min(self._stall, left), connect=min(_CONNECT, left))
        request.extensions = {**request.extensions, "timeout": limits.as_dict()}

    def _bound_wait(self, response: "httpx2.Response") -> None:
        """Keep the SDK from waiting too long for a retry; what it would retry is told instead."""
        if response.status_code < 400 or not _WAIT_HEADERS & response.headers.keys():
            return
        wait = retry_after(response.headers)
        longest = min(MAX_WAIT, self._call.until - time.monotonic())
        if wait is None or wait > longest:
            response.headers["x-should-retry"] = "false"

    def _may_know_eager(self, model: str) -> bool:
        """Whether to ask for tool input unbuffered: of Anthropic, and of gateways to it."""
        return self.server.endswith("anthropic.com") or "claude" in model.casefold()

    def _fault_of(self, error: "anthropic.APIError") -> ProviderFault:
        import anthropic

        if isinstance(error, anthropic.APIStatusError):
            body = error.body if isinstance(error.body, dict) else {}
            told = body.get("error")
            told = told if isinstance(told, dict) else {"message": told or body.get("detail")}
            message = str(told.get("message") or error.response.reason_phrase or "")
            wait = retry_after(error.response.headers)
            return fault_of_error(
                error.status_code,
                str(told.get("type") or error.type or ""),
                message,
                error_code(told),
                **({} if wait is None else {"retry_after": wait}),
            )
        if isinstance(error, anthropic.APIResponseValidationError):
            return ProviderFault(FaultKind.GARBAGE, shortened(str(error)))
        return self._fault_of_transport(error.__cause__ or error)

    def _fault_of_transport(self, error: BaseException) -> ProviderFault:
        return ProviderFault(_transport_kind(error), shortened(str(error) or type(error).__name__))

    def _without_key(self, answer: RawAnswer) -> RawAnswer:
        """`answer` whose fault does not repeat the key, should the server have echoed it."""
        if answer.fault is None or not self._key:
            return answer
        message = shortened(answer.fault.message, self._key)
        return replace(answer, fault=replace(answer.fault, message=message))


def _take_events(collector: Collector, chunks: Iterator[bytes]) -> None:
    for data in event_data(chunks):
        collector.take_event(data)
        if collector.ended or collector.fault:
            return


def _take_body(collector: Collector, chunks: Iterator[bytes]) -> None:
    """Take what did not come as events, or as events under another name."""
    received: list[bytes] = []
    size, complete = 0, False
    try:
        for chunk in chunks:
            size += len(chunk)
            if size > MAX_STREAM_BYTES:
                raise StreamTooLarge(f"The answer passed {MAX_STREAM_BYTES} bytes.")
            received.append(chunk)
        complete = True
    finally:
        body = b"".join(received)
        if body.lstrip().startswith((b"event:", b"data:")):
            _take_events(collector, iter([body]))
        else:
            # A character that the end cut in two is dropped, as nobody has seen it whole.
            text = codecs.getincrementaldecoder("utf-8")("replace").decode(body)
            collector.take_body(text, complete=complete)


class _Stopped:
    """Whether the caller ended an answer."""

    by_caller = False


def _until(
    chunks: Iterator[bytes], until: float, should_stop: StopAsking | None, stopped: _Stopped
) -> Iterator[bytes]:
    """`chunks` as long as the answer is wanted and in time; a server may trickle for ever."""
    import httpx2

    for chunk in chunks:
        yield chunk
        if should_stop and should_stop():
            stopped.by_caller = True
            return
        if time.monotonic() > until:
            raise httpx2.ReadTimeout("The answer took longer than it may.")


def _transport_kind(error: BaseException) -> FaultKind:
    import anthropic
    import httpx2

    if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.InvalidURL)):
        return FaultKind.UNREACHABLE
    if isinstance(error, (httpx2.UnsupportedProtocol, httpx2.ProxyError)):
        return FaultKind.UNREACHABLE
    if isinstance(error, (httpx2.TimeoutException, anthropic.APITimeoutError)):
        return FaultKind.TIMEOUT
    if isinstance(error, (httpx2.DecodingError, StreamTooLarge)):
        return FaultKind.GARBAGE
    if isinstance(error, httpx2.RemoteProtocolError) and "illegal" in str(error):
        return FaultKind.GARBAGE
    if isinstance(error, httpx2.HTTPError):
        return FaultKind.BROKEN_STREAM
    return FaultKind.UNREACHABLE


def _only_ours(request: "httpx2.Request", *, key: str) -> None:
    """Send the headers this client means to send and no others.

    The SDK adds headers from the environment, which could name another key. Servers that
    are not Anthropic's look for the key in either place.
    """
    for name in list(request.headers):
        if name not in _OUR_HEADERS and not name.startswith("x-stainless-"):
            del request.headers[name]
    request.headers["authorization"] = f"Bearer {key}"
    request.headers["x-api-key"] = key

"""A provider that gives prepared answers: for tests, and for the demo that says so.

It opens no connection. Answers are taken in order; one that is a callable gets the request
and makes the answer. Every request is kept in `history`.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace

from reviewer.core.raw import RawAnswer
from reviewer.providers.base import Fragment, Request, StopAsking

Scripted = RawAnswer | Callable[[Request], RawAnswer]


class ScriptedProvider:
    """Answers from a queue, or from `always` when the queue is empty.

    Raises `LookupError` where neither has one, since a test that asks more than it
    scripted is wrong. Safe to share between threads.
    """

    def __init__(
        self,
        answers: Iterable[Scripted] = (),
        *,
        always: Scripted | None = None,
        fragment_size: int = 40,
        streams: bool = True,
    ) -> None:
        self._queue = deque(answers)
        self._always = always
        self._fragment_size = fragment_size
        self._streams = streams
        self._lock = threading.Lock()
        self.history: list[Request] = []

    def ask(
        self,
        request: Request,
        *,
        on_fragment: Fragment | None = None,
        should_stop: StopAsking | None = None,
    ) -> RawAnswer:
        """The next prepared answer, handed out in pieces to `on_fragment` first if it streams."""
        with self._lock:
            self.history.append(request)
            scripted = self._queue.popleft() if self._queue else self._always
        if scripted is None:
            raise LookupError(f"No answer is scripted for request {len(self.history)}.")
        answer = scripted if isinstance(scripted, RawAnswer) else scripted(request)
        if not self._streams:
            return answer
        whole = answer.text + "".join(call.raw_input for call in answer.calls)
        for start in range(0, len(whole), self._fragment_size):
            if should_stop and should_stop():
                return _cut(answer, start)
            if on_fragment:
                on_fragment(whole[start : start + self._fragment_size])
        return answer


def _cut(answer: RawAnswer, length: int) -> RawAnswer:
    """`answer` as it stands after its first `length` characters."""
    text, left, calls = answer.text[:length], max(0, length - len(answer.text)), []
    for call in answer.calls:
        if left:
            calls.append(replace(call, raw_input=call.raw_input[:left]))
        left = max(0, left - len(call.raw_input))
    return replace(answer, text=text, calls=tuple(calls), stop_reason=None)

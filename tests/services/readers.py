"""Models that tests script: whoever is asked, in the place of a provider."""

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from reviewer.core.raw import FaultKind, ProviderFault, RawAnswer, RawToolCall, Usage
from reviewer.core.schema import TOOL_NAME
from reviewer.core.verdicts import VERDICTS_TOOL_NAME
from reviewer.models import Reading, Review
from reviewer.providers.base import Fragment, Request, StopAsking
from reviewer.services.readings import perform_reading

Findings = Mapping[int, Iterable[Mapping[str, Any]]]
USAGE = Usage(input_tokens=100, output_tokens=50, cache_read_tokens=900)


def said(report: Mapping[str, Any] | str, *, tool: str = TOOL_NAME, **more: Any) -> RawAnswer:
    """A native call with this report; text is sent as it is."""
    raw = report if isinstance(report, str) else json.dumps(report, ensure_ascii=False)
    more.setdefault("stop_reason", "tool_use")
    return RawAnswer(model="scripted-1", calls=(RawToolCall(tool, raw),), usage=USAGE, **more)


def found(*findings: Mapping[str, Any], keeps: Iterable[str] = (), **more: Any) -> RawAnswer:
    """A report of findings."""
    return said({"findings": list(findings), "keeps": list(keeps)}, **more)


def failed(kind: FaultKind, message: str = "", **fault: Any) -> RawAnswer:
    """An answer that is a fault of the provider."""
    return RawAnswer(model="scripted-1", fault=ProviderFault(kind, message, **fault))


def task_of(request: Request) -> str:
    """What this request is to do, in the prompt's own words."""
    return request.user[-1].text


def sheet_of(request: Request) -> int | None:
    """The sheet that a pass is about; None for other readings."""
    named = re.search(r"^Read sheet (\d+) with", task_of(request), re.MULTILINE)
    return int(named[1]) if named else None


class Reader:
    """Finds what it is told to find on each sheet (0: as a whole), and upholds everything.

    `answer`, where given, makes the answers of passes instead. `during` is called in the
    middle of each answer, once its first finding may have been heard.
    """

    def __init__(
        self,
        findings: Findings | None = None,
        *,
        answer: Callable[[Request], RawAnswer] | None = None,
        during: Callable[[Request], None] | None = None,
        verdict: str = "holds",
        piece: int = 40,
    ) -> None:
        self._findings = {sheet: list(on) for sheet, on in (findings or {}).items()}
        self._answer, self._during = answer, during
        self._verdict, self._piece = verdict, piece
        self._lock = threading.Lock()
        self.asked: list[Request] = []

    def ask(
        self,
        request: Request,
        *,
        on_fragment: Fragment | None = None,
        should_stop: StopAsking | None = None,
    ) -> RawAnswer:
        with self._lock:
            self.asked.append(request)
        answer = self._answer_to(request)
        whole = answer.text + "".join(call.raw_input for call in answer.calls)
        told = self._during is None
        for at in range(0, len(whole), self._piece):
            if should_stop and should_stop():
                cut = RawToolCall(TOOL_NAME, whole[:at])
                return RawAnswer(model=answer.model, calls=(cut,), usage=answer.usage)
            if on_fragment:
                on_fragment(whole[at : at + self._piece])
            if not told and "}" in whole[: at + self._piece]:
                self._during(request)
                told = True
        if not told:
            self._during(request)
        return answer

    def _answer_to(self, request: Request) -> RawAnswer:
        if request.tool == VERDICTS_TOOL_NAME:
            numbers = re.findall(r'<finding[^>]* number="(\d+)"', task_of(request))
            verdicts = [
                {"number": int(number), "why": "Looked for it.", "verdict": self._verdict}
                for number in numbers
            ]
            return said({"verdicts": verdicts}, tool=VERDICTS_TOOL_NAME)
        sheet = sheet_of(request)
        if sheet is not None and self._answer:
            return self._answer(request)
        of_document = "two things only" in task_of(request)
        return found(*self._findings.get(0 if of_document else sheet or -1, ()))


def read_all(review: Review, reader: Reader) -> Review:
    """Perform every reading as workers would, one after the other, to the review's end."""
    for _ in range(1000):
        waiting = review.readings.filter(status=Reading.Status.WAITING)
        pk = waiting.order_by("pk").values_list("pk", flat=True).first()
        if pk is None:
            break
        perform_reading(pk, provider=reader)
    review.refresh_from_db()
    return review

"""The reader of answers: whatever a model sent back becomes findings and one outcome.

Promises: every finding that was closed and valid is kept, whatever became of the rest; none
is half-read; nothing raises, whatever the answer holds. A native call is read first, then a
call written as text, then JSON in the text. What could not be read is named in `reason` and
`dropped`. Refused are answers that can be read in more than one way.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from reviewer.core.defuse import carries_markup
from reviewer.core.entries import (
    Dropped,
    ReadFinding,
    SheetTexts,
    judge,
    only_given,
    read_entry,
    read_keep,
)
from reviewer.core.guards import guard, shown
from reviewer.core.json_strict import after_space
from reviewer.core.json_text import JsonReport, find_report
from reviewer.core.outcomes import Outcome, WayRead
from reviewer.core.raw import RawAnswer, RawToolCall
from reviewer.core.report_json import End, ReportWalk, Stop, walk_report
from reviewer.core.schema import TOOL_NAME
from reviewer.core.text_call import NO_MARKUP, Found, Refused, find_call, refuse
from reviewer.core.text_report import text_report
from reviewer.core.wording import counted

__all__ = ["AnswerRead", "Dropped", "ReadFinding", "raw_from_message", "read_answer"]

ENDED_BY_ITSELF = frozenset({"end_turn", "tool_use", "stop_sequence"})
"""Stop reasons by which the model, not the room or the connection, ended the answer."""


class AnswerRead(NamedTuple):
    """One answer as it was read.

    `list_whole` tells whether the list of findings was closed, so that nothing of it can be
    missing beyond what `dropped` names.
    """

    outcome: Outcome
    way: WayRead | None
    reason: str
    findings: tuple[ReadFinding, ...] = ()
    keeps: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    list_whole: bool = False

    def as_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {
            "outcome": self.outcome.value,
            "way": self.way.value if self.way else None,
            "reason": self.reason,
            "findings": [finding.as_dict() for finding in self.findings],
            "keeps": list(self.keeps),
            "dropped": [dropped.as_dict() for dropped in self.dropped],
        }


@dataclass(slots=True)
class Gathered:
    """What an answer held, before its entries are judged."""

    way: WayRead | None = None
    walks: list[ReportWalk] = field(default_factory=list)
    refused: str = ""
    """Why a call written as text was refused."""
    invalid: str = ""
    """Why a report was not read at all."""


def read_answer(
    raw: RawAnswer,
    *,
    sheets: Mapping[int, str] | None = None,
    document: str | None = None,
    function: str = TOOL_NAME,
    learnings: Collection[int] | None = None,
) -> AnswerRead:
    """Read `raw` as a report on a document.

    `sheets` are the texts by sheet number; where they are given, findings on sheets that do
    not exist are dropped and `on_sheet` is told. `document` is all text that the model was
    given as the document and its sources, if that is more than the sheets. `learnings` are the
    numbers of those it was given; where they are given, a finding that names another keeps all
    but that.
    """
    texts = SheetTexts(sheets) if sheets is not None else None
    gathered = _gather(raw, sheets, document, function)
    findings: list[ReadFinding] = []
    dropped: list[Dropped] = []
    kept: list[str] = []
    keeps_lost = False
    whole = bool(gathered.walks)
    for walk in gathered.walks:
        _judge_all(walk, findings, dropped, texts)
        keeps = [read_keep(element) for element in walk.keeps]
        kept += [keep for keep in keeps if keep and not keep.isspace()]
        keeps_lost = keeps_lost or None in keeps
        whole = whole and walk.list_closed
    if learnings is not None:
        findings = [only_given(finding, learnings) for finding in findings]
    losses = _losses(raw, gathered, dropped, keeps_lost=keeps_lost)
    outcome, reason = _decide(
        raw, gathered, losses, some=bool(findings), bad=bool(dropped), whole=whole
    )
    return AnswerRead(
        outcome, gathered.way, reason, tuple(findings), tuple(kept), tuple(dropped), whole
    )


def _judge_all(
    walk: ReportWalk,
    findings: list[ReadFinding],
    dropped: list[Dropped],
    texts: SheetTexts | None,
) -> None:
    """Add what the entries of `walk` are; their index counts on from those before."""
    first = len(findings) + len(dropped)
    entries = (
        (judge(index, element, texts) for index, element in enumerate(walk.elements, first))
        if walk.plain is None
        else (read_entry(index, value, texts) for index, value in enumerate(walk.plain, first))
    )
    for entry in entries:
        if isinstance(entry, ReadFinding):
            findings.append(entry)
        else:
            dropped.append(entry)


def _gather(
    raw: RawAnswer, sheets: Mapping[int, str] | None, document: str | None, function: str
) -> Gathered:
    found = find_call(raw.text) if "<" in raw.text else NO_MARKUP
    if raw.calls:
        return _gather_native(raw, found, function)
    before = find_report(raw.text[: found.start.wrapper_at], function) if found.start else None
    if found.start and not (before and before.walk.stop.end is End.CUT):
        try:
            refuse(report_before_call(before))
            refuse(markup_in_document(sheets, document))
            may_keep = raw.stop_reason not in ENDED_BY_ITSELF
            walk = text_report(raw.text, found, function, may_keep=may_keep)
        except Refused as refused:
            return Gathered(WayRead.TEXT_CALL, refused=refused.why)
        return Gathered(WayRead.TEXT_CALL, [walk])
    report = find_report(raw.text, function)
    if report and not report_in_shown_call(report.start, found.first):
        walks = [] if report.refused else [report.walk]
        return Gathered(WayRead.JSON_TEXT, walks, invalid=report.refused)
    if found.begun and raw.stop_reason not in ENDED_BY_ITSELF:
        return Gathered(WayRead.TEXT_CALL, [ReportWalk(called=True)])
    return Gathered()


def _gather_native(raw: RawAnswer, found: Found, function: str) -> Gathered:
    """The reports in the native calls; a call written beside them is refused."""
    walks = [native_walk(call) for call in raw.calls if call.name == function]
    gathered = Gathered(WayRead.NATIVE, walks, refused=beside_native(found))
    if not walks:
        name = shown(raw.calls[0].name)
        gathered.invalid = f"it called “{name}”, which it was not offered"
    return gathered


@guard
def beside_native(found: Found) -> str:
    """Of a native call and one written beside it, only the native one cannot be forged."""
    return "a call is written as text beside a native call" if found.start else ""


@guard
def report_before_call(before: JsonReport | None) -> str:
    """A report as JSON and then a call leave open which is the answer."""
    return "there is a report before the call" if before else ""


@guard
def markup_in_document(sheets: Mapping[int, str] | None, document: str | None) -> str:
    """About a document that carries call markup, a call may be the document's own words."""
    texts = [document or "", *(sheets or {}).values()]
    if any(carries_markup(text) for text in texts):
        return "the document itself holds call markup, so a call written as text may be its words"
    return ""


@guard
def report_in_shown_call(start: int, first_markup: int) -> str:
    """A report behind call markup that makes no call is part of what is shown there."""
    return "the report stands in a call that is only shown" if first_markup < start else ""


def native_walk(call: RawToolCall) -> ReportWalk:
    """The report that a native call's input is, as far as it came."""
    text = call.raw_input
    start = 0 if text.startswith("{") else after_space(text, 0)
    if start >= len(text):
        return ReportWalk(called=True)
    if text[start] != "{":
        return ReportWalk(called=True, stop=Stop(End.BROKEN, start, "its input is not an object"))
    walk = walk_report(text, start, lenient=True)
    walk.called = True
    end = walk.stop.at
    if end < len(text) and walk.stop.end is End.CLOSED and after_space(text, end) < len(text):
        walk.stop = Stop(End.BROKEN, end, "something stands behind the report")
    return walk


def _decide(
    raw: RawAnswer, gathered: Gathered, losses: list[str], *, some: bool, bad: bool, whole: bool
) -> tuple[Outcome, str]:
    """The one outcome, by the order in which outcomes are asked for, and its reason.

    `some` tells that findings were kept, `bad` that entries were dropped, `whole` that the
    list was closed.
    """
    if not some and raw.fault is not None:
        return Outcome.PROVIDER_ERROR, raw.fault.message
    if not some and raw.stop_reason == "refusal":
        return Outcome.REFUSAL, raw.refusal_category
    if some or (whole and not bad):
        return (Outcome.PARTLY_READ if losses else Outcome.READ), "; ".join(losses)
    if gathered.refused:
        return Outcome.REFUSED_TEXT_CALL, gathered.refused
    if not gathered.walks and not gathered.invalid:
        if raw.stop_reason == "max_tokens" and not raw.text.strip():
            return Outcome.OUT_OF_ROOM, "the room ended before anything was written"
        return Outcome.NO_CALL, ""
    cut = any(walk.stop.end is End.CUT for walk in gathered.walks)
    if cut and not bad and raw.stop_reason not in ENDED_BY_ITSELF:
        return Outcome.OUT_OF_ROOM, ""
    return Outcome.INVALID_CALL, gathered.invalid or "; ".join(losses)


def _losses(
    raw: RawAnswer, gathered: Gathered, dropped: list[Dropped], *, keeps_lost: bool
) -> list[str]:
    """What of the answer is not kept, and why, each in words for a person."""
    losses = [gathered.refused] if gathered.refused else []
    if dropped:
        many = counted(len(dropped), "entry was dropped", "entries were dropped")
        losses.append(f"{many} (entry {dropped[0].index + 1}: {dropped[0].why})")
    for walk in gathered.walks:
        losses.extend(walk.notes)
        if walk.stop.end is End.CUT:
            place = "after" if walk.list_closed else "in the middle of"
            losses.append(f"the answer was cut off {place} its list of findings")
        elif walk.stop.end is End.BROKEN:
            losses.append(f"reading stopped where the answer is not strict JSON: {walk.stop.why}")
        elif not walk.has_list:
            losses.append("it has no list of findings")
    if keeps_lost:
        losses.append("some of what should be kept is not text")
    if raw.stop_reason == "refusal":
        losses.append("the provider then stopped the answer")
    return losses


def raw_from_message(message: dict[str, Any]) -> RawAnswer:
    """A stored message of the Messages API as a raw answer.

    A call's `input` may be an object, as the API gives it, or the raw text of one.
    """
    texts: list[str] = []
    calls: list[RawToolCall] = []
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif block.get("type") == "tool_use":
            given = block.get("input")
            text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
            calls.append(RawToolCall(str(block.get("name", "")), text))
    details = message.get("stop_details")
    category = details.get("category") if isinstance(details, dict) else None
    stop = message.get("stop_reason")
    return RawAnswer(
        model=str(message.get("model") or ""),
        text="".join(texts),
        calls=tuple(calls),
        stop_reason=stop if isinstance(stop, str) else None,
        refusal_category=category if isinstance(category, str) else "",
    )

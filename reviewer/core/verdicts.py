"""The form in which a check reports, and the reading of it.

A check gives a verdict on findings that others reported. Reading follows the rules of
every answer: each verdict on its own, a bad one never costs its siblings, a cut keeps what
was closed, and a number given two different verdicts has none. A finding without a verdict
stays unchecked; nothing here takes silence for agreement.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.calls import read_call
from reviewer.core.json_strict import after_space
from reviewer.core.outcomes import Outcome
from reviewer.core.raw import RawAnswer, RawToolCall
from reviewer.core.report_json import Element, End, Stop, walk_list, walk_members
from reviewer.core.schema import Severity

VERDICTS_TOOL_NAME = "report_verdicts"


class Verdict(StrEnum):
    """What a fresh check says of a finding."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does_not_hold"
    UNSURE = "unsure"


class ReportedVerdict(BaseModel):
    """One verdict, as one check reported it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    number: Annotated[int, Field(ge=1, description="Number of the finding, as listed.")]
    why: Annotated[str, Field(description="What you looked for and found, in under 40 words.")]
    verdict: Annotated[Verdict, Field(strict=False, description="holds, does_not_hold or unsure.")]
    severity: Annotated[
        Severity | None,
        Field(default=None, strict=False, description="The severity the finding deserves."),
    ] = None


def verdicts_tool_definition() -> dict[str, Any]:
    """The tool as the Messages API takes it; its schema has no references."""
    return {
        "name": VERDICTS_TOOL_NAME,
        "description": (
            "Report one verdict for every finding that was listed to be checked. "
            "Call it exactly once, and only where a reading asks for verdicts."
        ),
        "input_schema": _schema(),
    }


def _schema() -> dict[str, Any]:
    values = [verdict.value for verdict in Verdict]
    fields = ReportedVerdict.model_fields
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["verdicts"],
        "properties": {
            "verdicts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["number", "why", "verdict"],
                    "properties": {
                        "number": {
                            "type": "integer",
                            "minimum": 1,
                            "description": fields["number"].description,
                        },
                        "why": {"type": "string", "description": fields["why"].description},
                        "verdict": {
                            "type": "string",
                            "enum": values,
                            "description": fields["verdict"].description,
                        },
                        "severity": {
                            "anyOf": [
                                {"type": "string", "enum": [s.value for s in Severity]},
                                {"type": "null"},
                            ],
                            "description": fields["severity"].description,
                        },
                    },
                },
            }
        },
    }


_LOOSE = {
    "type": "object",
    "properties": {"verdicts": {"type": "array", "items": {}}},
    "required": ["verdicts"],
}
"""What is asked of a call in text before its entries are judged, each on its own."""


@dataclass(frozen=True, slots=True)
class DroppedVerdict:
    """An entry that could not be used, by its place in the answer, and why."""

    index: int
    why: str


@dataclass(frozen=True, slots=True)
class VerdictsRead:
    """What an answer to a check says.

    `verdicts` has at most one a number, and only for numbers that were asked; `missing` are
    those asked and not answered, which stay without a verdict.
    """

    outcome: Outcome
    reason: str
    verdicts: dict[int, ReportedVerdict]
    missing: tuple[int, ...]
    dropped: tuple[DroppedVerdict, ...] = ()


def read_verdict_answer(
    raw: RawAnswer, asked: Collection[int], *, document: str | None = None
) -> VerdictsRead:
    """Read `raw` as the answer to a check of the findings numbered `asked`.

    `document` is all text that the model was given, so that a call that the document itself
    holds is not taken for the model's.
    """
    calls = [call for call in raw.calls if call.name == VERDICTS_TOOL_NAME]
    if calls:
        elements, lost = _native_elements(calls)
    else:
        read = read_call(raw, schema=_LOOSE, function=VERDICTS_TOOL_NAME, document=document)
        if read.arguments is None:
            return VerdictsRead(read.outcome, read.reason, {}, tuple(sorted(set(asked))))
        elements = [Element(entry) for entry in read.arguments["verdicts"]]
        lost = read.reason
    verdicts, dropped = _judged(elements, asked)
    missing = tuple(sorted(set(asked) - verdicts.keys()))
    outcome, reason = _decide(raw, bool(verdicts), lost, missing, dropped)
    return VerdictsRead(outcome, reason, verdicts, missing, dropped)


def _native_elements(calls: Sequence[RawToolCall]) -> tuple[list[Element], str]:
    """The closed entries of native calls, and what of them was cut or broken."""
    elements: list[Element] = []
    lost: list[str] = []
    for call in calls:
        text = call.raw_input

        def take(name: str, at: int, text: str = text) -> Stop:
            if name != "verdicts" or text[at] != "[":
                return Stop(End.BROKEN, at, f"it has no list of verdicts but “{name[:40]}”")
            found, stop = walk_list(text, at, lenient=True)
            elements.extend(found)
            return stop

        start = after_space(text, 0)
        if not text.startswith("{", start):
            lost.append("the answer was cut off" if start >= len(text) else "it is not an object")
            continue
        stop = walk_members(text, start, take)
        if stop.end is End.CUT:
            lost.append("the answer was cut off")
        elif stop.end is End.BROKEN:
            lost.append(stop.why)
    return elements, "; ".join(lost)


def _judged(
    elements: Iterable[Element], asked: Collection[int]
) -> tuple[dict[int, ReportedVerdict], tuple[DroppedVerdict, ...]]:
    """The verdicts among `elements`, each judged on its own.

    The same verdict twice counts once; two that differ for one number cancel each other,
    since which of them was meant would be a guess.
    """
    read: dict[int, ReportedVerdict] = {}
    disputed: set[int] = set()
    dropped: list[DroppedVerdict] = []
    for index, element in enumerate(elements):
        if element.why:
            dropped.append(DroppedVerdict(index, element.why))
            continue
        try:
            verdict = ReportedVerdict.model_validate(element.value)
        except ValidationError as error:
            dropped.append(DroppedVerdict(index, _reason(error)))
            continue
        number = verdict.number
        if number not in asked:
            dropped.append(DroppedVerdict(index, f"finding {number} was not asked about"))
        elif number in read and read[number].verdict is not verdict.verdict:
            disputed.add(number)
            dropped.append(DroppedVerdict(index, f"finding {number} has two verdicts"))
        else:
            read.setdefault(number, verdict)
    kept = {number: verdict for number, verdict in read.items() if number not in disputed}
    return kept, tuple(dropped)


def _decide(
    raw: RawAnswer,
    any_kept: bool,
    lost: str,
    missing: Collection[int],
    dropped: Sequence[DroppedVerdict],
) -> tuple[Outcome, str]:
    reasons = [lost] if lost else []
    if dropped:
        reasons.append(f"entry {dropped[0].index + 1} was dropped: {dropped[0].why}")
    if missing:
        reasons.append(f"no verdict on {', '.join(str(number) for number in sorted(missing))}")
    reason = "; ".join(reasons)
    if any_kept:
        return (Outcome.PARTLY_READ if reasons else Outcome.READ), reason
    if raw.fault is not None:
        return Outcome.PROVIDER_ERROR, raw.fault.message
    if raw.stop_reason == "refusal":
        return Outcome.REFUSAL, raw.refusal_category
    if raw.stop_reason == "max_tokens" and not dropped:
        return Outcome.OUT_OF_ROOM, reason
    return (Outcome.INVALID_CALL, reason) if reasons else (Outcome.READ, "")


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "entry"
    return f"{where}: {first['msg']}"

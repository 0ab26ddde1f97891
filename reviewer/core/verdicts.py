"""The form in which a check reports, and the reading of it.

A check gives a verdict on findings that others reported. Reading follows the rules of
every answer: each verdict on its own, a bad one never costs its siblings, a cut keeps what
was closed, and a number given two different verdicts has none.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

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

    verdicts: dict[int, ReportedVerdict]
    missing: tuple[int, ...]
    dropped: tuple[DroppedVerdict, ...]


def read_verdicts(entries: Iterable[object], asked: Collection[int]) -> VerdictsRead:
    """Verdicts from the closed entries of a `verdicts` list, each judged on its own.

    The same verdict twice counts once; two that differ for one number cancel each other,
    since which of them was meant would be a guess.
    """
    read: dict[int, ReportedVerdict] = {}
    disputed: set[int] = set()
    dropped: list[DroppedVerdict] = []
    for index, entry in enumerate(entries):
        try:
            verdict = ReportedVerdict.model_validate(entry)
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
    missing = tuple(sorted(number for number in set(asked) if number not in kept))
    return VerdictsRead(kept, missing, tuple(dropped))


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "entry"
    return f"{where}: {first['msg']}"

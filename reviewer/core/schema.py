"""The one form in which findings are reported, by whoever reports them.

The tool schema that a model is given is generated from these models, and so are what
the reader of answers validates, what storage keeps and what a receipt prints.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from reviewer.core.rubric import RULE_CODES

TOOL_NAME = "report_findings"

FINDINGS_ALLOWED = 15
"""How many findings one reading may return before it counts as censored."""


class Severity(StrEnum):
    """How much a finding matters to a buyer; `block` can hold an export."""

    BLOCK = "block"
    FIX = "fix"
    CONSIDER = "consider"

    @property
    def rank(self) -> int:
        """0 for the gravest, so that sorting by rank puts blocks first."""
        return list(Severity).index(self)


class Place(BaseModel):
    """Another place that the finding speaks of: words on a sheet."""

    model_config = ConfigDict(extra="forbid")

    sheet: Annotated[int, Field(ge=0, description="Sheet number; 0 is the whole document.")]
    quote: Annotated[str, Field(description="The words, verbatim from that sheet.")]


class ReportedFinding(BaseModel):
    """One fault, as one reader reported it."""

    model_config = ConfigDict(extra="forbid")

    sheet: Annotated[
        int,
        Field(ge=0, description="Sheet number; 0 for what is missing from the whole document."),
    ]
    severity: Annotated[Severity, Field(description="block, fix or consider.")]
    rule: Annotated[
        str,
        Field(
            description="Code of the rule that is broken.",
            json_schema_extra={"enum": list(RULE_CODES)},
        ),
    ]
    quote: Annotated[
        str,
        Field(description="The faulty words, verbatim from the sheet; empty for what is missing."),
    ]
    finding: Annotated[str, Field(description="What is wrong, in under 60 words.")]
    fix: Annotated[str, Field(description="The edit that answers it.")]
    also: Annotated[
        list[Place] | None,
        Field(default=None, description="The other places of a contradiction."),
    ] = None
    learning: Annotated[
        str | None,
        Field(default=None, description="Number of the learning it was raised under, if any."),
    ] = None


class Report(BaseModel):
    """The whole of one answer: the input of the one tool."""

    model_config = ConfigDict(extra="forbid")

    findings: list[ReportedFinding]
    keeps: Annotated[
        list[str],
        Field(default_factory=list, description="What is good and should stay, a phrase each."),
    ]


def tool_definition() -> dict[str, Any]:
    """The tool as the Messages API takes it: name, description, input schema."""
    return {
        "name": TOOL_NAME,
        "description": (
            "Report every fault found on the sheets that were due, one fault a finding, "
            "and what should be kept as it is. Call it exactly once."
        ),
        "input_schema": input_schema(),
    }


def input_schema() -> dict[str, Any]:
    """JSON schema of the tool's input with references resolved, since some servers take none.

    `findings` and `keeps` are required, so that an answer without them is told from an
    empty one.
    """
    schema = Report.model_json_schema()
    definitions = schema.pop("$defs", {})
    resolved: dict[str, Any] = _resolve(schema, definitions)
    resolved["required"] = ["findings", "keeps"]
    return resolved


def _resolve(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, dict):
        if "$ref" in node:
            target = definitions[node["$ref"].rsplit("/", 1)[-1]]
            rest = {key: value for key, value in node.items() if key != "$ref"}
            return _resolve({**target, **rest}, definitions)
        return {
            key: _resolve(value, definitions)
            for key, value in node.items()
            if key not in {"title", "default"} or isinstance(value, dict)
        }
    if isinstance(node, list):
        return [_resolve(item, definitions) for item in node]
    return node

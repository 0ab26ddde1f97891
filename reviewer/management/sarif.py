"""Findings as SARIF 2.1.0, for tools that show results of checks beside a file.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

from typing import Any
from urllib.parse import quote

from reviewer.core.rubric import RULES
from reviewer.services.oneoff import OneOff

LEVELS = {"block": "error", "fix": "warning", "consider": "note"}


def as_sarif(result: OneOff, name: str) -> dict[str, Any]:
    """One run with a result a finding; the sheet is given as a logical location."""
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Reviewer",
                        "rules": [
                            {
                                "id": rule.code,
                                "name": rule.title,
                                "fullDescription": {"text": rule.text},
                            }
                            for rule in RULES
                        ],
                    }
                },
                "results": [
                    {
                        "ruleId": found.rule,
                        "level": LEVELS[found.record.severity],
                        "message": {"text": f"{found.finding} {found.fix}".strip()},
                        "locations": [
                            {
                                "physicalLocation": {"artifactLocation": {"uri": quote(name)}},
                                "logicalLocations": [
                                    {"name": f"sheet {found.record.sheet}", "kind": "page"}
                                ],
                            }
                        ],
                        "properties": {"quote": found.quote},
                    }
                    for found in result.findings
                ],
            }
        ],
    }

"""The review record of an export, from its facts: parts of HTML, laid out in a child process.

A part holds a few sheets, so neither the worker nor the child ever holds the whole record.
"""

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.template.loader import render_to_string

from reviewer.core.legible import legible
from reviewer.documents.leaving import Rewritten, print_bundle
from reviewer.documents.limits import MIB, Limits
from reviewer.models import Export
from reviewer.services.limits import room_to_convert

Progress = Callable[[str, int, int], None]
SHEETS_A_PART = 24
FINDINGS_A_PART = 60
"""A part starts with little to do beside its pages, and its pages are held until it is done."""
PIXELS, PIXELS_BARE = 760, 480
"""Pixels across a sheet's picture: some 210 dots an inch as wide as it is shown on paper."""
LIMITS = Limits(max_bytes=1024 * MIB, seconds=900, memory_bytes=1024 * MIB, output_bytes=512 * MIB)
WIDE, LINE, GAP, LETTERS_BESIDE = 92.0, 4.6, 6.5, 42
"""Millimetres: a picture's width, a line's height, what is between findings; and the letters of
a line beside a picture. `record.css` sets these."""
LONGEST = 2000
"""Letters of one text on paper; what is longer is cut, and says so."""
_LONG_WORD = re.compile(r"(\S{50})(?=\S)")
_MAY_BREAK = "\u200b"
"""Without it a word of thousands of letters is sought through letter by letter for its lines."""


def make_record(export: Export, made: Rewritten, target: Path, on_progress: Progress) -> int:
    """Write the record of `export` to `target`; returns its number of pages."""
    with target.with_name("client.pdf").open("rb") as client:
        client_hash = hashlib.file_digest(client, "sha256").hexdigest()
    facts = on_paper(export.facts)
    # What stands in the margin goes into a style sheet, so it holds nothing that people typed.
    facts["running"] = f"Review record {export.number} · version {export.version.number}"
    facts["last_rubric"] = facts["reviews"][-1]["rubric"] if facts["reviews"] else ""
    bundle = target.with_name("bundle.zip")
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_STORED) as packed:
        packed.writestr("style.css", render_to_string("record/record.css", {"facts": facts}))
        for number, html in enumerate(parts_of(facts, made, client_hash), start=1):
            packed.writestr(f"part-{number:04}.html", html)
        for sheet in facts["sheets"]:
            with default_storage.open(sheet["image"], "rb") as stored:
                packed.writestr(f"sheet-{sheet['number']}.image", stored.read())
    with room_to_convert():
        pages = print_bundle(
            bundle,
            target,
            title=f"Review record {facts['number']}: {facts['title']}",
            identifier=client_hash,
            limits=LIMITS,
            on_progress=on_progress,
        )
    bundle.unlink()
    return pages


def parts_of(facts: dict[str, Any], made: Rewritten, client_hash: str) -> Iterator[str]:
    """The record's HTML, in order: what was decided, sheet by sheet, what has no sheet."""
    placed, elsewhere = _by_sheet(facts)
    yield render_to_string(
        "record/front.html",
        {
            "facts": facts,
            "removed": made.removed,
            "described": made.described,
            "client_hash": client_hash,
            "states": _states(facts),
        },
    )
    for number, leaves in enumerate(_in_parts(facts["sheets"], placed)):
        yield render_to_string(
            "record/sheets.html", {"facts": facts, "leaves": leaves, "is_first": number == 0}
        )
    for first in range(0, len(elsewhere), FINDINGS_A_PART):
        yield render_to_string(
            "record/elsewhere.html",
            {
                "facts": facts,
                "findings": elsewhere[first : first + FINDINGS_A_PART],
                "is_first": first == 0,
            },
        )


def _in_parts(sheets: list[Any], placed: dict[int, list[Any]]) -> Iterator[list[dict[str, Any]]]:
    """The sheets as the page shows them, so many at a time that a part stays small."""
    part: list[dict[str, Any]] = []
    held = 0
    for sheet in sheets:
        findings = placed.get(sheet["number"], [])
        if part and (len(part) >= SHEETS_A_PART or held + len(findings) > FINDINGS_A_PART):
            yield part
            part, held = [], 0
        held += len(findings)
        is_wide = sheet["width"] > sheet["height"]
        many = 0 if is_wide else _beside(findings, WIDE * sheet["height"] / sheet["width"])
        part.append(
            {
                **sheet,
                "findings": findings,
                "beside": findings[:many],
                "under": findings[many:],
                "is_wide": is_wide,
                "pixels": PIXELS if findings else PIXELS_BARE,
                "numbers": _numbers(findings),
            }
        )
    if part:
        yield part


def _beside(findings: list[Any], height: float) -> int:
    """How many of the findings fit beside a picture so many millimetres high, by their letters.

    None is to stand half beside it and half below.
    """
    used = 0.0
    for count, finding in enumerate(findings):
        told = (finding["rule"] + finding["state"], finding["quote"], finding["text"],
                finding["edit"])  # fmt: skip
        lines = sum(-(-len(text) // LETTERS_BESIDE) for text in told)
        small = -(-(60 + len(finding["by"] + finding["reason"])) // LETTERS_BESIDE)
        used += LINE * (lines + small) + GAP
        if used > height:
            return count
    return len(findings)


def _numbers(findings: list[Any]) -> list[dict[str, Any]]:
    """The findings' numbers beside the first of their boxes; those at one place on one line."""
    by_place: dict[tuple[int, int], dict[str, Any]] = {}
    for finding in findings:
        for box in finding["boxes"][:1]:
            place = round(box["x"] / 12), round(box["y"] / 9)
            met = by_place.setdefault(
                place,
                {
                    "x": round(box["x"] - 2, 2),
                    "y": round(box["y"] + 9, 2),
                    "severity": finding["severity"],
                    "numbers": [],
                },
            )
            met["numbers"].append(str(finding["number"]))
    return [{**met, "said": ", ".join(met["numbers"])} for met in by_place.values()]


def on_paper(value: Any) -> Any:
    """The facts with every text as paper takes it: at most `LONGEST` letters, nothing in it
    that turns the direction of writing or cannot be seen, and no word that no line can hold.

    The receipt is bounded as it is made, so it is not cut.
    """
    if isinstance(value, dict):
        return {
            key: _plain(each)
            if key == "receipt"
            else each  # a hash is copied from the page, so nothing is put into it
            if key == "hashes"
            else on_paper(each)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [on_paper(each) for each in value]
    if isinstance(value, str):
        text = _plain(value)
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]} … ({len(text) - LONGEST} more letters)"
        return text
    return value


def _plain(text: str) -> str:
    return _LONG_WORD.sub(f"\\1{_MAY_BREAK}", legible(text))


def _by_sheet(facts: dict[str, Any]) -> tuple[dict[int, list[Any]], list[Any]]:
    """The findings that have a place on a sheet, by sheet, and the others; gravest first."""
    ranks = {"block": 0, "fix": 1, "consider": 2}
    there = {sheet["number"] for sheet in facts["sheets"]}
    placed: dict[int, list[Any]] = {}
    elsewhere: list[Any] = []
    for finding in sorted(facts["findings"], key=lambda f: (ranks[f["severity"]], f["number"])):
        own = finding["places"][0]["sheet"] if finding["places"] else 0
        if own not in there:
            elsewhere.append(finding)
            continue
        placed.setdefault(own, []).append(
            {**finding, "boxes": [b for p in finding["places"] if p["sheet"] == own
                                  for b in _rectangles(p["boxes"])]}
        )  # fmt: skip
    return placed, elsewhere


def _rectangles(boxes: list[list[float]]) -> list[dict[str, float]]:
    return [
        {"x": round(x0, 2), "y": round(y0, 2), "w": round(x1 - x0, 2), "h": round(y1 - y0, 2)}
        for x0, y0, x1, y1 in boxes
    ]


def _states(facts: dict[str, Any]) -> list[tuple[str, list[int]]]:
    """How many findings of each severity are in each state, for a table."""
    rows: dict[str, list[int]] = {}
    for finding in facts["findings"]:
        column = ("block", "fix", "consider").index(finding["severity"])
        rows.setdefault(finding["state"], [0, 0, 0])[column] += 1
    return sorted(rows.items())

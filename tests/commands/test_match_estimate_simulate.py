"""`match`, `estimate` and `simulate`: one JSON to standard output, and a sentence when not."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

SIGHTINGS = Path(__file__).parent.parent / "cases" / "sightings_bundled.json"


def printed(*command: Any) -> dict[str, Any]:
    out, err = StringIO(), StringIO()
    call_command(*map(str, command), stdout=out, stderr=err)
    assert err.getvalue() == ""
    found = json.loads(out.getvalue())
    assert isinstance(found, dict)
    return found


def stored(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "stored.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def test_match_prints_every_sighting_in_one_group() -> None:
    sightings = json.loads(SIGHTINGS.read_text("utf-8"))["sightings"]

    groups = printed("match", SIGHTINGS)["groups"]
    assert sorted(id for group in groups for id in group) == sorted(s["id"] for s in sightings)
    assert 20 <= len(groups) <= 30


def test_match_needs_no_document(tmp_path: Path) -> None:
    fee = {"sheet": 1, "severity": "fix", "rule": "grounding", "quote": "fee", "finding": "x"}
    path = stored(
        tmp_path, {"sightings": [fee | {"id": "a", "pass": 1}, fee | {"id": "b", "pass": 2}]}
    )

    assert printed("match", path) == {"groups": [["a", "b"]]}


def test_estimate_prints_the_six_figures(tmp_path: Path) -> None:
    path = stored(tmp_path, {"passes": [["a", "b"], ["a", "c"], ["a"]]})

    found = printed("estimate", path)
    assert list(found) == ["seen", "chao2", "low", "high", "coverage", "passes"]
    assert (found["seen"], found["passes"]) == (3, 3)
    assert found["chao2"] == pytest.approx(3 + 2 / 3)


def test_simulate_prints_a_row_for_each_policy_and_the_settings() -> None:
    arguments = "--documents 2 --seed 5 --findings 20 --cap 9 --spread 0.5 --false 1 --cure 0.9"
    found = printed(
        "simulate", *arguments.split(), "--break", "0.2", "--reflow", "--format", "json"
    )

    assert found["settings"] == {
        "documents": 2,
        "seed": 5,
        "findings": 20,
        "cap": 9,
        "spread": 0.5,
        "false": 1.0,
        "cure": 0.9,
        "break": 0.2,
        "reflow": True,
    }
    names = [row["policy"] for row in found["policies"]]
    assert names == ["until clean", "until no block", "two passes intersected", "ours"]
    assert {"rounds", "calls", "cost", "blocks_missed", "false_blocks_holding", "needs_manager"} < (
        found["policies"][0].keys()
    )


def test_simulate_prints_a_table_for_people() -> None:
    out = StringIO()
    call_command("simulate", "--documents", "1", stdout=out)

    assert out.getvalue().startswith("| policy |")
    assert len(out.getvalue().splitlines()) == 6


REFUSED = [
    ("match", "no json", "is not JSON"),
    ("match", [], "holds no JSON object"),
    ("match", {"sightings": [{"id": "a"}]}, "expected form"),
    ("match", {"sightings": None}, "expected form"),
    ("estimate", {}, "needs 'passes'"),
    ("estimate", {"passes": ["a"]}, "needs 'passes'"),
    ("estimate", {"passes": [["a"]]}, "at least two passes"),
]


@pytest.mark.parametrize(("command", "content", "says"), REFUSED)
def test_a_file_of_another_form_is_refused_in_a_sentence(
    tmp_path: Path, command: str, content: object, says: str
) -> None:
    with pytest.raises(CommandError, match=says):
        call_command(command, str(stored(tmp_path, content)))


@pytest.mark.parametrize("command", ["match", "estimate"])
def test_a_file_that_is_not_there_is_said(command: str) -> None:
    with pytest.raises(CommandError, match="cannot be opened"):
        call_command(command, "/no/such/file.json")


@pytest.mark.parametrize(
    "argument",
    ["--documents=0", "--cure=1.2", "--break=-0.1", "--spread=nan", "--false=many", "--cap=0"],
)
def test_simulate_refuses_what_cannot_be(argument: str) -> None:
    with pytest.raises((CommandError, SystemExit)):
        call_command("simulate", argument)

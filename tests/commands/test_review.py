"""`manage.py review`: what it prints, how it ends, and that it keeps nothing unless asked."""

import json
import re
import subprocess
import sys
import threading
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from reviewer.core.prompts import ReadingKind, recipe_of
from reviewer.models import Calibration, Event, Finding, Proposal, Reading, Review, Version
from reviewer.services import oneoff
from reviewer.services.conversion import convert_version
from reviewer.services.readings import perform_reading
from tests.fakes.messages_server import MessagesServer
from tests.fakes.replies import fails, finding, finds
from tests.fakes.workers import two_faults_a_sheet
from tests.services.documents import plain_document

ROOT = Path(__file__).resolve().parents[2]
CLEAN = """# A control tower for Northwind Logistics

The pilot runs for twelve weeks. Northwind pays $72,000, invoiced when each step is accepted.
Northwind owns what is built. Please sign by 4 May 2099 so that work starts on 18 May 2099.
"""
FAULTY = f"{CLEAN}\nDear [CLIENT NAME], we will cut your costs by 40%.\n"
BLOCK = finding(severity="block", quote="The pilot runs for twelve weeks")


@pytest.fixture
def proposal(tmp_path: Path, monkeypatch) -> Path:
    """A clean proposal; converted without the process that reads files."""

    def read(path: Path, workdir: Path, **options: object):
        return plain_document(path.read_text(), workdir)

    monkeypatch.setattr(oneoff, "read_file", read)
    monkeypatch.setattr("reviewer.services.conversion.read_file", read)
    file = tmp_path / "the offer.md"
    file.write_text(CLEAN)
    return file


@pytest.fixture
def reads(settings, start_server):
    """`reads(reply)` connects a server that gives this reply, or follows this script."""

    def connect(script) -> MessagesServer:
        server = start_server(script)
        settings.MODEL_BASE_URL, settings.MODEL_RETRIES = server.url, 0
        return server

    return connect


def _review(*arguments: object, status: int) -> str:
    told, wrong = StringIO(), StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("review", *map(str, arguments), stdout=told, stderr=wrong)
    assert ended.value.code == status, wrong.getvalue() or told.getvalue()
    return told.getvalue() or wrong.getvalue()


def _json(*arguments: object, status: int) -> dict:
    return json.loads(_review(*arguments, "--format", "json", status=status))


# How it ends ----------------------------------------------------------------------------------


def test_a_clean_proposal_that_was_fully_read_ends_with_0(proposal, reads):
    reads(finds())
    assert _json(proposal, "--passes", 1, status=0)["gate"] == {"open": True, "reasons": []}


def test_something_that_holds_it_ends_with_1(proposal, reads):
    reads(finds([BLOCK]))
    result = _json(proposal, "--passes", 2, status=1)
    assert not result["gate"]["open"]
    assert result["gate"]["reasons"][0]["kind"] == "blocks_open"


def test_a_fault_that_a_check_found_holds_it_offline_too(proposal):
    proposal.write_text(FAULTY)
    result = _json(proposal, "--offline", "--client", "Northwind Logistics", status=1)
    assert {f["source"] for f in result["findings"]} == {"check"}


def test_offline_it_is_never_fully_read(proposal, reads):
    server = reads(finds())
    result = _json(proposal, "--offline", status=2)
    assert result["reading"] == {"outcome": "not_run", "models": [], "passes": 0}
    assert server.requests == []


def test_without_a_model_it_is_not_fully_read(proposal):
    assert _json(proposal, status=2)["reading"]["outcome"] == "not_run"


def test_a_reading_that_failed_leaves_it_not_fully_read(proposal, reads):
    reads(lambda seen: finds() if seen.number == 1 else fails(500))
    result = _json(proposal, "--passes", 2, status=2)
    assert result["reading"]["outcome"] == "partly_read"
    reads(fails(401, "authentication_error"))
    assert _json(proposal, "--passes", 1, status=2)["reading"]["outcome"] == "provider_error"


def test_an_answer_as_long_as_allowed_leaves_it_not_fully_read(proposal, reads):
    full = [finding(severity="consider", quote="", finding=f"Fault {n}.") for n in range(15)]
    reads(finds(full))
    result = _json(proposal, "--passes", 1, status=2)
    assert not result["gate"]["open"]
    told = _review(proposal, "--passes", 1, status=2)
    assert "sheet 1, 1 of 1 passes: as many findings as it may return" in told
    reads(finds(full[:14]))
    assert _json(proposal, "--passes", 1, status=0)["gate"]["open"]


def test_a_file_that_cannot_be_read_ends_with_3_and_its_sentence(tmp_path):
    file = tmp_path / "a.pdf"
    file.write_bytes(b"%PDF-1.7 and nothing more")
    assert re.search(r"\. [A-Z]", _review(file, "--offline", status=3))
    assert "is not a file" in _review(tmp_path / "nothing.md", status=3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--passes", "0"], "1 or more"),
        (["--source", "/nowhere/notes.md"], "cannot be opened"),
        (["--workspace", "nowhere"], "no workspace"),
    ],
)
def test_what_was_asked_wrongly_is_no_result_of_a_review(db, proposal, arguments, words):
    with pytest.raises(CommandError, match=words) as refused:
        call_command("review", str(proposal), *arguments)
    assert refused.value.returncode == 64


# What it prints -------------------------------------------------------------------------------


def test_the_json_is_of_the_form_that_scripts_rely_on(proposal, reads):
    proposal.write_text(FAULTY)
    reads(finds([BLOCK], keeps=["A clear price."]))
    result = _json(proposal, "--passes", 2, "--client", "Northwind Logistics", status=1)
    assert list(result) == ["reading", "fit", "findings", "gate"]
    assert list(result["reading"]) == ["outcome", "models", "passes"]
    assert list(result["gate"]) == ["open", "reasons"]
    common = {"sheet", "severity", "rule", "quote", "finding", "fix", "source", "state"}
    by = {"check": common | {"check"}, "model": common | {"votes"}}
    assert {f["source"] for f in result["findings"]} == set(by)
    for found in result["findings"]:
        assert set(found) == by[found["source"]]
    model = next(f for f in result["findings"] if f["source"] == "model")
    assert model["votes"] == [2, 2]
    assert model["state"] == "open"
    ranks = [["block", "fix", "consider"].index(f["severity"]) for f in result["findings"]]
    assert ranks == sorted(ranks)


def test_standard_output_holds_json_and_nothing_else(tmp_path):
    """The real command, the real reader of files, no model."""
    file = tmp_path / "offer.md"
    file.write_text(FAULTY)
    ran = subprocess.run(
        [sys.executable, "manage.py", "review", str(file), "--offline", "--format", "json"],
        cwd=ROOT,
        env={
            "PATH": "/usr/bin:/bin",
            "REVIEWER_VAR": str(tmp_path / "var"),
            "DATABASE_URL": f"sqlite:///{tmp_path}/none/none.sqlite3",
            "LOG_LEVEL": "DEBUG",
            "SECRET_KEY": "only-for-this-test",
        },
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1, ran.stderr
    assert json.loads(ran.stdout)["findings"]
    assert not (tmp_path / "none").exists()


def test_the_receipt_names_who_read_it_and_what_holds_it(proposal, reads, settings):
    reads(finds([BLOCK], keeps=["A clear price."]))
    receipt = _review(proposal, "--passes", 2, status=1)
    head, *lines = receipt.splitlines()
    assert head == f"the offer.md · 1 sheet · read by {settings.MODEL_NAME} in 2 passes · 1 block"
    assert f"1. [BLOCK] sheet 1 · GROUNDING: {BLOCK['finding']} → {BLOCK['fix']}" in lines
    assert "Keep: A clear price." in lines
    assert "Holds: 1 block open." in lines


def test_the_receipt_says_when_no_model_has_read_it(proposal):
    assert "built-in checks only, no model has read it" in _review(proposal, "--offline", status=2)


def test_sarif_has_the_shape_that_other_tools_read(proposal, reads):
    reads(finds([BLOCK, finding(severity="consider", quote="", sheet=0)]))
    sarif = json.loads(_review(proposal, "--passes", 1, "--format", "sarif", status=1))
    assert sarif["version"] == "2.1.0"
    (run,) = sarif["runs"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert all(rule["fullDescription"]["text"] for rule in rules.values())
    assert [result["level"] for result in run["results"]] == ["error", "note"]
    for result in run["results"]:
        assert result["ruleId"] in rules
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert place["uri"] == "the%20offer.md"


# What is told to the model ----------------------------------------------------------------------


def test_client_kind_sources_and_model_are_told(proposal, reads, tmp_path):
    (tmp_path / "notes.md").write_text("The client has 40 sites.")
    server = reads(finds())
    _review(
        *(proposal, "--client", "Northwind Logistics", "--kind", "scope"),
        *("--source", tmp_path / "notes.md", "--model", "another-1", "--passes", 1),
        status=0,
    )
    seen = server.requests[0]
    assert seen.model == "another-1"
    for told in ("Northwind Logistics", "scope of work", "The client has 40 sites."):
        assert told in seen.prompt


# What it keeps ----------------------------------------------------------------------------------


def test_it_keeps_nothing(cast, proposal, reads, kept_nothing):
    reads(finds([BLOCK]))
    _review(proposal, "--passes", 1, status=1)
    assert not Proposal.objects.exists()
    assert not Event.objects.exists()


def test_in_a_workspace_it_is_kept_and_read_to_its_end(cast, proposal, reads, kept_files):
    reads(two_faults_a_sheet)
    result = _json(
        *(proposal, "--workspace", cast.workspace.slug, "--passes", 1, "--client", "Northwind"),
        status=1,
    )
    version = Version.objects.get()
    assert (version.status, version.original_name) == (Version.Status.READY, "the offer.md")
    assert version.uploaded_by.username == f"system.{cast.workspace.slug}"
    assert Review.objects.get().status == Review.Status.FINISHED
    assert result["reading"]["outcome"] == "read"
    assert len(result["findings"]) == Finding.objects.count()
    severities = [f["severity"] for f in result["findings"]]
    assert severities == sorted(severities, key=["block", "fix", "consider"].index)
    assert kept_files()


@pytest.mark.parametrize(
    ("rest", "status", "outcome"), [(finds(), 0, "read"), (fails(400), 2, "partly_read")]
)
def test_in_a_workspace_an_answer_whose_rest_was_brought_counts_as_read_whole(
    cast, proposal, reads, rest, status, outcome
):
    kept = finding(severity="consider", quote="The pilot runs for twelve weeks")

    def script(seen):
        if "Read sheet 1 with" in seen.task:
            return finds([kept, {"sheet": 1}])
        return rest if "Other readers" in seen.task else two_faults_a_sheet(seen)

    server = reads(script)
    Calibration.objects.create(
        workspace=cast.workspace,
        server=server.url.removeprefix("http://"),
        model="m",
        recipe=recipe_of(ReadingKind.PASS),
        status="done",
        found=10,
        planted=10,
    )
    asked = (proposal, "--workspace", cast.workspace.slug, "--passes", 3, "--model", "m")
    result = _json(*asked, status=status)
    outcomes = Reading.objects.filter(kind="pass").values_list("outcome", flat=True)
    assert list(outcomes) == ["partly_read"] * 3
    assert result["reading"]["outcome"] == outcome


def test_in_a_workspace_a_file_that_cannot_be_read_is_kept_with_its_reason(cast, tmp_path):
    file = tmp_path / "a.pdf"
    file.write_bytes(b"%PDF-1.7 and nothing more")
    _review(file, "--offline", "--workspace", cast.workspace.slug, status=3)
    version = Version.objects.get()
    assert (version.status, bool(version.reason)) == (Version.Status.UNREADABLE, True)


def test_offline_in_a_workspace_the_proposal_is_kept_to_checks(cast, proposal, reads):
    server = reads(finds())
    _review(proposal, "--offline", "--workspace", cast.workspace.slug, status=2)
    assert Proposal.objects.get().checks_only
    assert server.requests == []


@pytest.mark.django_db(transaction=True)
def test_in_a_workspace_workers_may_help_and_the_result_waits_for_them(
    cast, proposal, reads, monkeypatch
):
    """Another worker converts the file and takes every reading it can get."""
    monkeypatch.setattr("reviewer.services.stored_review.LOOK_AGAIN_SECONDS", 0.02)
    reads(lambda seen: two_faults_a_sheet(seen, latency=0.05))
    over = threading.Event()

    def help_out() -> None:
        while not over.wait(0.01):
            for pk in Version.objects.filter(status="waiting").values_list("pk", flat=True):
                convert_version(pk)
            for pk in Reading.objects.claimable().order_by("-pk").values_list("pk", flat=True):
                perform_reading(pk)
        connection.close()

    helper = threading.Thread(target=help_out)
    helper.start()
    try:
        asked = (proposal, "--workspace", cast.workspace.slug, "--passes", 3)
        result = _json(*asked, status=1)
    finally:
        over.set()
        helper.join()
    assert result["reading"]["outcome"] == "read"
    assert Review.objects.get().status == Review.Status.FINISHED
    assert set(Reading.objects.values_list("status", flat=True)) == {"done"}

"""`manage.py read_answer`: a stored answer in, its reading as JSON out, and nothing else."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from reviewer.core.raw import FaultKind, ProviderFault, RawAnswer, RawToolCall, Way
from tests.core.reader_cases import CALLS, as_call, as_json, entry
from tests.core.reader_cases import SCHEMA as SCHEMA_OF_F
from tests.shared_cases import CASES, needs_cases

DOCUMENT = (
    "--- Sheet 1 · Cover ---\nWarehouse control tower.\n"
    "--- Sheet 2 · Why now ---\nOur platform cuts detention\n costs by 30% in a quarter.\n"
)


def read(tmp_path: Path, answer: str, *options: str, document: str | None = None) -> Any:
    """The one reading of `answer`, which is all that is written."""
    path = tmp_path / "answer.json"
    path.write_bytes(answer.encode("utf-8", "surrogatepass"))
    if document is not None:
        (tmp_path / "document.txt").write_text(document, encoding="utf-8")
        options = (*options, "--document", str(tmp_path / "document.txt"))
    return json.loads(_run(str(path), *options))


def _run(*arguments: str) -> str:
    out, errors = io.StringIO(), io.StringIO()
    call_command("read_answer", *arguments, stdout=out, stderr=errors)
    assert errors.getvalue() == ""
    return out.getvalue()


def message(*content: dict[str, Any], **more: Any) -> str:
    """A stored message of the Messages API."""
    return json.dumps({"type": "message", "role": "assistant", "content": list(content), **more})


def test_a_native_answer_is_read_against_its_document(tmp_path: Path) -> None:
    block = {"type": "tool_use", "name": "report_findings", "input": json.loads(as_json(entry()))}
    got = read(tmp_path, message(block, stop_reason="tool_use"), document=DOCUMENT)
    assert set(got) == {"outcome", "way", "reason", "findings", "keeps", "dropped"}
    assert (got["outcome"], got["way"], got["keeps"]) == ("read", "native", ["clear cover"])
    (found,) = got["findings"]
    assert found["on_sheet"] is True
    assert found["rule_as_written"] == "no_outcome_promises"


def test_sheets_that_do_not_exist_are_named(tmp_path: Path) -> None:
    got = read(tmp_path, as_json(entry(), entry(3)), document=DOCUMENT)
    assert got["outcome"] == "partly_read"
    assert got["dropped"] == [{"index": 1, "why": "the document has no sheet 3"}]


def test_raw_text_is_read_as_the_model_wrote_it(tmp_path: Path) -> None:
    got = read(tmp_path, "Here it is.\n" + as_call(json.dumps([entry()])))
    assert (got["outcome"], got["way"]) == ("read", "text_call")
    assert got["findings"][0]["on_sheet"] is None
    assert read(tmp_path, as_json(entry()))["way"] == "json_text"
    assert read(tmp_path, "No faults.") == {
        "outcome": "no_call", "way": None, "reason": "", "findings": [], "keeps": [], "dropped": [],
    }  # fmt: skip


def test_what_a_stored_call_repeats_reaches_the_reader(tmp_path: Path) -> None:
    good = json.dumps(entry())
    twice = good[:-1] + ', "sheet": 1}'
    stored = message({"type": "tool_use", "name": "report_findings", "input": "HERE"})
    got = read(tmp_path, stored.replace('"HERE"', f'{{"findings": [{good}, {twice}]}}'))
    assert got["dropped"] == [{"index": 1, "why": "the name “sheet” is given twice"}]
    nan = stored.replace('"HERE"', '{"findings": [{"sheet": NaN}]}')
    assert read(tmp_path, nan)["dropped"] == [{"index": 0, "why": "NaN is not a JSON value"}]


def test_input_may_be_stored_as_the_text_that_was_streamed(tmp_path: Path) -> None:
    cut = as_json(entry(), entry(1))[:-60]
    block = {"type": "tool_use", "name": "report_findings", "input": cut}
    got = read(tmp_path, message(block, stop_reason="max_tokens"))
    assert (got["outcome"], len(got["findings"])) == ("partly_read", 1)


def test_a_stored_message_that_was_cut_keeps_what_was_closed(tmp_path: Path) -> None:
    block = {"type": "tool_use", "name": "report_findings", "input": json.loads(as_json(entry()))}
    whole = message(block)
    end = whole.index(entry()["fix"]) + len(entry()["fix"]) + len('"}')
    for length in range(0, len(whole), 7):
        got = read(tmp_path, whole[:length])
        assert len(got["findings"]) == (length >= end), whole[:length]


def test_an_answer_as_the_product_stores_it_is_read(tmp_path: Path) -> None:
    raw = RawAnswer(
        way=Way.TEXT,
        calls=(RawToolCall("report_findings", '{"findings": ['),),
        fault=ProviderFault(FaultKind.OVERLOADED, "busy"),
    )
    got = read(tmp_path, json.dumps(raw.as_json()))
    assert (got["outcome"], got["reason"]) == ("provider_error", "busy")


def test_an_error_of_the_server_is_a_provider_error(tmp_path: Path) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    assert read(tmp_path, json.dumps(error))["outcome"] == "provider_error"


def test_a_call_of_another_tool_is_read_by_its_schema(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA_OF_F))
    options = ("--schema", str(schema), "--function", "f")
    text = "<function=f>\n<parameter=n>\n85%\n</parameter>\n</function>"
    got = read(tmp_path, text, *options)
    assert (got["outcome"], got["arguments"]) == ("read", {"n": 0.85})
    refused = read(tmp_path, text, *options, document="The form says <parameter=n>.")
    assert (refused["outcome"], refused["arguments"]) == ("refused_text_call", None)


def test_many_answers_are_read_line_by_line(tmp_path: Path) -> None:
    lines = [
        {"text": as_json(entry()), "document": DOCUMENT},
        {"response": json.loads(message({"type": "text", "text": "prose"}))},
        {"text": CALLS[0].text, "schema": SCHEMA_OF_F, "function": "f"},
        {"text": CALLS[0].text, "schema": SCHEMA_OF_F, "function": "f", "document": "<tool_call>"},
        {"neither": 1},
    ]
    path = tmp_path / "lines.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + "not json\n\n")
    got = [json.loads(line) for line in _run(str(path), "--lines").splitlines()]
    assert [one.get("outcome") for one in got] == [
        "read", "no_call", "read", "refused_text_call", None, None,
    ]  # fmt: skip
    assert got[0]["findings"][0]["on_sheet"] is True
    assert got[2]["arguments"] == CALLS[0].arguments
    assert all("error" in one for one in got[4:])


def test_half_a_character_in_an_answer_is_no_reason_to_fail(tmp_path: Path) -> None:
    line = {"text": as_json(entry(), entry(quote="\ud83d")) + " \ud83d"}
    path = tmp_path / "lines.jsonl"
    path.write_text(json.dumps(line))
    got = json.loads(_run(str(path), "--lines"))
    assert [one["index"] for one in got["findings"]] == [0]
    got["reason"].encode()


def test_a_document_without_marks_is_read_as_the_product_reads_it(tmp_path: Path) -> None:
    source = tmp_path / "proposal.md"
    source.write_text("# Cover\n\nWarehouse tower.\n\n---\n\n# Why now\n\nWe cut costs.\n")
    answer = tmp_path / "answer.txt"
    answer.write_text(as_json(entry(2, quote="We cut costs."), entry(1, quote="We cut costs.")))
    got = json.loads(_run(str(answer), "--document", str(source)))
    assert [found["on_sheet"] for found in got["findings"]] == [True, False]


@pytest.mark.parametrize("option", ["--document", "--schema"])
def test_a_file_that_cannot_be_read_says_so(tmp_path: Path, option: str) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text("prose")
    with pytest.raises(CommandError, match="Nothing was read"):
        _run(str(answer), option, str(tmp_path / "missing"))
    with pytest.raises(CommandError, match="Nothing was read"):
        _run(str(tmp_path / "missing"))


def test_a_schema_that_is_none_says_so(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text("[]")
    with pytest.raises(CommandError, match="is not a JSON schema"):
        _run("-", "--schema", str(schema))


@needs_cases
def test_the_shared_cases_through_the_command(tmp_path: Path) -> None:
    assert CASES is not None
    shared = json.loads((CASES / "text_call.json").read_text())
    recorded = [json.loads(path.read_text()) for path in sorted((CASES / "answers").glob("*.json"))]
    lines: list[dict[str, Any]] = [
        {**{name: case[name] for name in ("text", "document")}, "schema": shared["schema"],
         "function": shared["function"]}
        for case in shared["cases"]
    ]  # fmt: skip
    lines += [{"response": case["response"], "document": case["document"]} for case in recorded]
    path = tmp_path / "lines.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    got = [json.loads(line) for line in _run(str(path), "--lines").splitlines()]
    assert len(got) == len(lines)
    for case, reading in zip(shared["cases"], got, strict=False):
        assert (reading["outcome"], reading["arguments"]) == (case["outcome"], case["arguments"])
    for case, reading in zip(recorded, got[len(shared["cases"]) :], strict=True):
        assert reading["outcome"] in case["expect"]["outcome"]
        kept = [
            {"sheet": one["sheet"], "severity": one["severity"], "rule": one["rule_as_written"],
             "quote": one["quote"], "on_sheet": one["on_sheet"]}
            for one in reading["findings"]
        ]  # fmt: skip
        assert kept == case["expect"]["kept"]

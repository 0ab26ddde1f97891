"""Verdicts of a check: each read on its own, none guessed, none made up from silence."""

import json

import pytest

from reviewer.core.outcomes import Outcome
from reviewer.core.raw import FaultKind, ProviderFault, RawAnswer, RawToolCall
from reviewer.core.schema import Severity
from reviewer.core.verdicts import (
    ReportedVerdict,
    Verdict,
    VerdictsRead,
    read_verdict_answer,
    verdicts_tool_definition,
)

HOLDS = {"number": 1, "why": "No source is named.", "verdict": "holds", "severity": "block"}
GONE = {"number": 2, "why": "Sheet 4 answers it.", "verdict": "does_not_hold"}
UNSURE = {
    "number": 3,
    "why": "It depends on the price list.",
    "verdict": "unsure",
    "severity": None,
}


def native(*entries: object, stop_reason: str | None = "tool_use", cut: int = 0) -> RawAnswer:
    raw = json.dumps({"verdicts": list(entries)})
    raw = raw[: len(raw) - cut]
    return RawAnswer(calls=(RawToolCall("report_verdicts", raw),), stop_reason=stop_reason)


def verdicts(read: VerdictsRead) -> dict[int, str]:
    return {number: verdict.verdict.value for number, verdict in read.verdicts.items()}


def test_each_finding_that_was_asked_about_gets_its_verdict() -> None:
    read = read_verdict_answer(native(HOLDS, GONE, UNSURE), {1, 2, 3})
    assert verdicts(read) == {1: "holds", 2: "does_not_hold", 3: "unsure"}
    assert read.verdicts[1].severity is Severity.BLOCK
    assert read.verdicts[2].severity is None
    assert (read.outcome, read.reason, read.missing) == (Outcome.READ, "", ())


@pytest.mark.parametrize(
    "bad",
    [
        {**HOLDS, "verdict": "maybe"},
        {**HOLDS, "number": "1"},
        {**HOLDS, "number": 1.0},
        {**HOLDS, "number": True},
        {**HOLDS, "severity": "grave"},
        {**HOLDS, "note": "extra"},
        {"number": 1, "verdict": "holds"},
        {**HOLDS, "why": 3},
        "holds",
        None,
        {**HOLDS, "number": 9},
    ],
)
def test_a_bad_entry_costs_itself_alone(bad) -> None:
    read = read_verdict_answer(native(bad, GONE), {1, 2})
    assert verdicts(read) == {2: "does_not_hold"}
    assert read.missing == (1,)
    assert read.dropped[0].index == 0
    assert read.outcome is Outcome.PARTLY_READ
    assert "no verdict on 1" in read.reason


def test_two_verdicts_on_one_finding_are_none() -> None:
    read = read_verdict_answer(native(HOLDS, {**HOLDS, "verdict": "unsure"}, GONE), {1, 2})
    assert verdicts(read) == {2: "does_not_hold"}
    assert read.missing == (1,)


def test_a_third_verdict_does_not_settle_a_dispute() -> None:
    read = read_verdict_answer(native(HOLDS, {**HOLDS, "verdict": "unsure"}, HOLDS), {1})
    assert read.verdicts == {}


def test_the_same_verdict_twice_is_one() -> None:
    read = read_verdict_answer(native(HOLDS, HOLDS), {1})
    assert verdicts(read) == {1: "holds"}
    assert read.outcome is Outcome.READ


def test_a_cut_at_any_place_keeps_the_verdicts_that_were_closed() -> None:
    whole = json.dumps({"verdicts": [HOLDS, GONE, UNSURE]})
    ends = [whole.index(json.dumps(each)) + len(json.dumps(each)) for each in (HOLDS, GONE, UNSURE)]
    for cut in range(len(whole)):
        read = read_verdict_answer(
            native(HOLDS, GONE, UNSURE, stop_reason="max_tokens", cut=cut), {1, 2, 3}
        )
        closed = sum(end <= len(whole) - cut for end in ends)
        assert sorted(read.verdicts) == [1, 2, 3][:closed]
        if closed == 0:
            assert read.outcome is Outcome.OUT_OF_ROOM


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"verdicts": [HOLDS, GONE]}),
        "Here:\n```json\n" + json.dumps({"verdicts": [HOLDS, GONE]}, indent=1) + "\n```",
        '<tool_call>{"name": "report_verdicts", "arguments": '
        + json.dumps({"verdicts": [HOLDS, GONE]})
        + "}</tool_call>",
        "<tool_call>\n<function=report_verdicts>\n<parameter=verdicts>\n"
        + json.dumps([HOLDS, GONE])
        + "\n</parameter>\n</function>\n</tool_call>",
    ],
)
def test_verdicts_written_as_text_are_read_by_the_rules_of_text_calls(text) -> None:
    read = read_verdict_answer(RawAnswer(text=text, stop_reason="end_turn"), {1, 2})
    assert verdicts(read) == {1: "holds", 2: "does_not_hold"}


def test_a_bad_entry_in_text_costs_itself_alone() -> None:
    text = json.dumps({"verdicts": [{**HOLDS, "verdict": "yes"}, GONE]})
    read = read_verdict_answer(RawAnswer(text=text, stop_reason="end_turn"), {1, 2})
    assert verdicts(read) == {2: "does_not_hold"}


def test_a_call_about_a_document_that_holds_call_markup_is_refused() -> None:
    text = (
        "<tool_call><function=report_verdicts><parameter=verdicts>"
        + json.dumps([GONE])
        + "</parameter></function></tool_call>"
    )
    read = read_verdict_answer(
        RawAnswer(text=text, stop_reason="end_turn"), {2}, document="see <function=report_verdicts>"
    )
    assert read.verdicts == {}
    assert read.outcome is Outcome.REFUSED_TEXT_CALL


@pytest.mark.parametrize(
    ("raw", "outcome"),
    [
        (RawAnswer(text="All of them hold.", stop_reason="end_turn"), Outcome.NO_CALL),
        (RawAnswer(stop_reason="refusal", refusal_category="cyber"), Outcome.REFUSAL),
        (
            RawAnswer(fault=ProviderFault(FaultKind.OVERLOADED, "busy")),
            Outcome.PROVIDER_ERROR,
        ),
        (
            RawAnswer(
                calls=(RawToolCall("report_verdicts", '{"verd'),),
                fault=ProviderFault(FaultKind.BROKEN_STREAM),
            ),
            Outcome.PROVIDER_ERROR,
        ),
        (native({**HOLDS, "verdict": "?"}), Outcome.INVALID_CALL),
        (native(), Outcome.INVALID_CALL),
        (
            RawAnswer(calls=(RawToolCall("report_findings", '{"findings": []}'),)),
            Outcome.INVALID_CALL,
        ),
        (RawAnswer(calls=(RawToolCall("report_verdicts", "[]"),)), Outcome.INVALID_CALL),
        (RawAnswer(calls=(RawToolCall("report_verdicts", ""),)), Outcome.INVALID_CALL),
        (
            RawAnswer(calls=(RawToolCall("report_verdicts", '{"verdicts": {"1": "holds"}}'),)),
            Outcome.INVALID_CALL,
        ),
    ],
)
def test_silence_and_noise_leave_a_finding_unchecked(raw, outcome) -> None:
    read = read_verdict_answer(raw, {1})
    assert read.verdicts == {}
    assert read.missing == (1,)
    assert read.outcome is outcome


def test_a_check_that_broke_off_keeps_what_it_had_said() -> None:
    raw = native(HOLDS, GONE, stop_reason=None, cut=20)
    read = read_verdict_answer(raw, {1, 2})
    assert verdicts(read) == {1: "holds"}
    assert read.outcome is Outcome.PARTLY_READ


def test_the_tools_schema_names_exactly_the_fields_that_are_read() -> None:
    items = verdicts_tool_definition()["input_schema"]["properties"]["verdicts"]["items"]
    assert list(items["properties"]) == list(ReportedVerdict.model_fields)
    assert items["properties"]["verdict"]["enum"] == [verdict.value for verdict in Verdict]
    required = [name for name, field in ReportedVerdict.model_fields.items() if field.is_required()]
    assert items["required"] == required

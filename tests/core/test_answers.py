"""An answer becomes findings and one outcome, whatever it holds."""

import json

import pytest

from reviewer.core.answers import raw_from_message, read_answer
from reviewer.core.outcomes import Outcome, WayRead
from reviewer.core.raw import RawAnswer, RawToolCall
from reviewer.core.schema import Severity
from tests.core.reader_cases import REPORTS, SHEETS, ReportCase, as_json, entry
from tests.shared_cases import CASES, needs_cases


@pytest.mark.parametrize("case", REPORTS, ids=lambda case: case.name)
def test_an_answer_is_read_as_it_should_be(case: ReportCase) -> None:
    read = case.read()
    assert (read.outcome, tuple(found.index for found in read.findings)) == (
        case.outcome,
        case.kept,
    ), read.reason
    assert case.holds()


@pytest.mark.parametrize("case", REPORTS, ids=lambda case: case.name)
def test_every_reading_can_be_written_as_json(case: ReportCase) -> None:
    written = json.dumps(case.read().as_dict(), ensure_ascii=False).encode()
    assert set(json.loads(written)) == {
        "outcome", "way", "reason", "findings", "keeps", "dropped",
    }  # fmt: skip


@pytest.mark.parametrize("case", REPORTS, ids=lambda case: case.name)
def test_what_is_not_read_whole_says_why_unless_the_outcome_says_all(case: ReportCase) -> None:
    read = case.read()
    if read.outcome in {Outcome.PARTLY_READ, Outcome.REFUSED_TEXT_CALL, Outcome.INVALID_CALL}:
        assert read.reason


def test_a_finding_carries_all_that_was_said() -> None:
    given = entry(
        also=[{"sheet": 1, "quote": "Warehouse control tower"}],
        learning="L3",
        rule=" No outcome promises ",
        severity="Block",
    )
    (found,) = read_answer(_native(as_json(given)), sheets=SHEETS).findings
    assert found.severity is Severity.BLOCK
    assert (found.rule, found.rule_as_written) == ("no_outcome_promises", " No outcome promises ")
    assert [(place.sheet, place.quote) for place in found.also] == [(1, "Warehouse control tower")]
    assert found.learning == "L3"
    assert found.on_sheet is True
    assert (found.shortened, found.left_out) == ((), ())


def test_a_quote_is_told_apart_from_one_that_is_not_on_the_sheet() -> None:
    report = as_json(
        entry(quote="CUTS   detention\ncosts"),
        entry(quote="cuts carbon"),
        entry(1, quote="cuts detention costs"),
        entry(0, quote="cuts detention costs"),
        entry(0, quote=""),
    )
    read = read_answer(_native(report), sheets=SHEETS)
    assert [found.on_sheet for found in read.findings] == [True, False, False, True, None]
    unknown = read_answer(_native(report))
    assert {found.on_sheet for found in unknown.findings} == {None}


def test_the_list_is_whole_only_where_it_was_closed() -> None:
    whole = as_json(entry(), entry(1))
    assert read_answer(_native(whole)).list_whole
    assert read_answer(_native(whole[: whole.index('"keeps"')])).list_whole
    assert not read_answer(_native(whole[: whole.index('"keeps"') - 4])).list_whole
    assert not read_answer(RawAnswer(text="prose")).list_whole


@pytest.mark.parametrize(
    ("raw", "way"),
    [
        (RawAnswer(calls=(RawToolCall("report_findings", as_json(entry())),)), WayRead.NATIVE),
        (RawAnswer(text=as_json(entry())), WayRead.JSON_TEXT),
        (
            RawAnswer(
                text="<function=report_findings><parameter=findings>[]</parameter></function>"
            ),
            WayRead.TEXT_CALL,
        ),
        (
            RawAnswer(
                text='<tool_call>{"name": "report_findings", "arguments": {"findings": []}}'
                "</tool_call>"
            ),
            WayRead.TEXT_CALL,
        ),
        (RawAnswer(text="prose"), None),
    ],
)
def test_the_way_it_was_read_is_told(raw: RawAnswer, way: WayRead | None) -> None:
    assert read_answer(raw).way == way


def test_keeps_are_phrases_and_others_are_named() -> None:
    report = '{"findings": [], "keeps": ["clear", "", 3, "short"]}'
    read = read_answer(_native(report))
    assert read.keeps == ("clear", "short")
    assert read.outcome is Outcome.PARTLY_READ


def test_a_stored_message_becomes_a_raw_answer() -> None:
    message = {
        "model": "m-1",
        "stop_reason": "refusal",
        "stop_details": {"type": "refusal", "category": "cyber"},
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "one "},
            {"type": "text", "text": "two"},
            {"type": "tool_use", "name": "report_findings", "input": {"findings": ["é"]}},
            {"type": "tool_use", "name": "report_findings", "input": '{"findings": [1'},
            "not a block",
        ],
    }
    raw = raw_from_message(message)
    assert (raw.model, raw.text, raw.stop_reason) == ("m-1", "one two", "refusal")
    assert raw.refusal_category == "cyber"
    assert [call.raw_input for call in raw.calls] == ['{"findings": ["é"]}', '{"findings": [1']


@pytest.mark.parametrize(
    "message", [{}, {"content": None}, {"content": "words", "stop_reason": 3, "model": None}]
)
def test_a_message_that_lacks_things_is_read_as_far_as_it_goes(message: dict[str, object]) -> None:
    assert read_answer(raw_from_message(message)).outcome is Outcome.NO_CALL


@needs_cases
def test_recorded_answers_are_read_as_a_careful_person_reads_them() -> None:
    assert CASES is not None
    from reviewer.management.stored import sheets_of

    recorded = sorted((CASES / "answers").glob("*.json"))
    assert len(recorded) >= 12
    for path in recorded:
        case = json.loads(path.read_text())
        sheets = sheets_of(case["document"])
        read = read_answer(
            raw_from_message(case["response"]), sheets=sheets, document=case["document"]
        )
        kept = [
            {
                "sheet": found.sheet,
                "severity": found.severity.value,
                "rule": found.rule_as_written,
                "quote": found.quote,
                "on_sheet": found.on_sheet,
            }
            for found in read.findings
        ]
        assert read.outcome in case["expect"]["outcome"], path.name
        assert kept == case["expect"]["kept"], path.name


def _native(written: str) -> RawAnswer:
    return RawAnswer(calls=(RawToolCall("report_findings", written),), stop_reason="tool_use")

"""Trying a model: what a person is told of it, for models that work and for those that do not."""

import json

import pytest

from reviewer.core.prompts import render
from reviewer.core.raw import Way
from reviewer.providers.probe import PLANTED, told, try_model
from tests.fakes.replies import Reply, fails, finding, finds, refuses, says
from tests.providers.asks import LOCAL, NEWEST, OLDER, a_provider

SEEN = [
    finding(quote="in total $82,500"),
    finding(quote="detention costs will fall by 30%", severity="block"),
]


def test_the_planted_faults_stand_on_the_page() -> None:
    page = render("probe_sheet")
    assert all(words in page for words in PLANTED)
    assert 18_000 + 54_000 + 9_500 != 82_500


def test_a_model_that_works_is_told_with_what_it_saw_and_what_it_cost(start_server) -> None:
    server = start_server(finds(SEEN, output_tokens=200))
    trial = try_model(a_provider(server.url), NEWEST, today="2026-11-30")
    lines = told(trial, server="models.example")
    assert trial.works
    assert lines[0] == "claude-opus-5-5 was asked by offering the tool with a strict schema."
    assert "It reported 2 findings and saw 2 of the 3 faults that the page has." in lines
    assert trial.cost is not None
    assert f"it cost ${trial.cost:.4f}" in lines[-1]
    assert "2026-11-30" in server.requests[0].prompt


def test_a_way_that_is_refused_is_told(start_server) -> None:
    server = start_server(finds(SEEN), does_not_take={"forced_tool", "strict"})
    trial = try_model(a_provider(server.url), OLDER)
    assert trial.refused == (Way.FORCED_TOOL, Way.STRICT_TOOL)
    assert "It could not be asked by forcing the tool." in told(trial, server="s")


def test_a_small_model_that_answers_in_text_is_read_and_has_no_price(start_server) -> None:
    text = "```json\n" + json.dumps({"findings": SEEN, "keeps": []}) + "\n```"
    trial = try_model(a_provider(start_server(says(text)).url), LOCAL)
    assert trial.works
    assert trial.as_dict()["way"] == "json_text"
    assert "its price is not known" in told(trial, server="s")[-1]


@pytest.mark.parametrize(
    ("reply", "outcome", "words"),
    [
        (fails(401, "authentication_error", "bad key"), "provider_error", "did not accept the key"),
        (says("It looks fine to me."), "no_call", "gave no list of findings"),
        (refuses("cyber"), "refusal", "cyber"),
        (Reply(stop_reason="max_tokens"), "out_of_room", "cut off"),
    ],
)
def test_a_model_that_does_not_work_is_told_with_a_next_move(
    start_server, reply, outcome, words
) -> None:
    trial = try_model(a_provider(start_server(reply).url), NEWEST)
    lines = told(trial, server="models.example")
    assert not trial.works
    assert trial.read.outcome.value == outcome
    assert any(words in line for line in lines)
    assert all(line.rstrip()[-1] in ".!?" or line.startswith("In its own") for line in lines)


def test_a_trial_can_be_written_as_json(start_server) -> None:
    trial = try_model(a_provider(start_server(finds(SEEN)).url), NEWEST)
    again = json.loads(json.dumps(trial.as_dict()))
    assert again["planted_found"] == 2
    assert again["raw"]["calls"][0]["name"] == "report_findings"

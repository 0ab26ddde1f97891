"""Later rounds: what changed is read, what is cleared is not, and what is found late is late."""

import time
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from reviewer.models import (
    Decision,
    Event,
    Finding,
    FindingPlace,
    ModelSettings,
    Proposal,
    Reading,
    Review,
    Sighting,
    Version,
)
from reviewer.services.errors import Refused
from reviewer.services.model_stats import effort_of
from reviewer.services.offers import offers_of
from reviewer.services.offers import spent as spent_sentence
from reviewer.services.proposals import add_source as attach
from reviewer.services.proposals import change_details, remove_source
from reviewer.services.reviews import cancel_review, start_review
from reviewer.services.rubric import BannedPhrase, Rule, change_rubric
from reviewer.services.signing import waive
from reviewer.services.standing import standing_of
from reviewer.views.gate_lines import gate_context
from tests.rounds.house import Fault, House, Kind, kinds, reasons, sheets_read, the

TEXT = """Discovery takes four weeks at both sites.

The team joins on site.
---
The fee is 82,500 dollars in all.

Invoices follow each stage.
---
The kick-off is at your office.
"""


def _rows() -> list[list[dict[str, Any]]]:
    kept = (Review, Reading, Finding, FindingPlace, Sighting, Decision, Event, Version, Proposal)
    return [list(model.objects.order_by("pk").values()) for model in kept]


def test_a_review_of_an_unchanged_version_makes_no_call_and_changes_nothing(house: House):
    house.reader.faults = [Fault("each stage", "block"), Fault("four weeks", passes={2})]
    version = house.upload(TEXT)
    house.read(version)
    before, calls, began = _rows(), house.calls, time.monotonic()
    with pytest.raises(Refused, match="no call was made"):
        start_review(by=house.cast.wen, version=version)
    assert time.monotonic() - began < 1
    assert (_rows(), house.calls) == (before, calls)


def test_the_same_file_uploaded_again_is_read_already(house: House):
    house.reader.faults = [Fault("each stage")]
    first = house.upload(TEXT)
    house.read(first)
    again = house.upload(TEXT, of=first.proposal)
    with pytest.raises(Refused, match="no call was made"):
        start_review(by=house.cast.wen, version=again)
    assert reasons(house.gate(again)) == reasons(house.gate(first)) == ["fixes_undecided"]


def test_after_one_edited_paragraph_its_sheet_alone_is_read(house: House):
    house.reader.faults = [
        Fault("each stage", later="holds"),
        Fault("joins on site"),
        Fault("at your office"),
    ]
    first = house.upload(TEXT)
    house.read(first)
    second = house.upload(TEXT.replace("each stage", "every stage"), of=first.proposal)
    assert reasons(house.gate(second)) == ["fixes_undecided", "not_cleared"]
    review = house.read(second)
    assert sheets_read(review) == {2}
    assert kinds(review) == {"pass": 3, "document": 1, "recheck": 1}
    asked = review.readings.get(kind=Kind.RECHECK)
    assert asked.candidates == [the(first.proposal, "each stage").number]
    assert reasons(house.gate(second)) == ["fixes_undecided"]


def test_passes_of_a_later_round_look_in_orders_not_used_yet(house: House):
    first = house.upload(TEXT)
    house.read(first)
    second = house.upload(TEXT.replace("each stage", "each stage in May"), of=first.proposal)
    review = house.read(second)
    numbers = review.readings.filter(kind=Kind.PASS).values_list("pass_number", flat=True)
    assert sorted(numbers) == [4, 5, 6]


def test_a_typo_on_every_sheet_raises_nothing_new_on_the_rest_but_late(house: House):
    first = house.upload(TEXT)
    house.read(first)
    typos = TEXT.replace("joins", "comes").replace("each", "every").replace("kick-off", "start")
    house.reader.faults = [
        Fault("four weeks"),
        Fault("82,500", "block", passes={4}),
        Fault("every stage"),
        Fault("start is at"),
    ]
    second = house.upload(typos, of=first.proposal)
    review = house.read(second)
    assert sheets_read(review) == {1, 2, 3}
    late = set(Finding.objects.filter(is_late=True).values_list("quote", flat=True))
    assert late == {"four weeks", "82,500"}
    gate = house.gate(second)
    held = {number for reason in gate.reasons for number in reason.findings}
    of = first.proposal
    assert held == {str(the(of, quote).number) for quote in ("every stage", "start is at")}
    assert standing_of(second).late == 2


@pytest.mark.parametrize(
    ("passes", "verdict", "holds"),
    [({4, 5}, "holds", True), ({4}, "holds", False), ({4, 5}, "does_not_hold", False)],
    ids=["two votes and a check", "one vote", "refuted"],
)
def test_a_late_block_holds_with_two_votes_and_an_upheld_check(house, passes, verdict, holds):
    first = house.upload(TEXT)
    house.read(first)
    house.reader.faults = [Fault("82,500", "block", passes=passes, verdict=verdict)]
    second = house.upload(TEXT.replace("each", "every"), of=first.proposal)
    house.read(second)
    assert the(first.proposal, "82,500").is_late
    assert house.gate(second).is_open is not holds


def test_a_late_finding_that_can_hold_nothing_costs_no_check(house: House):
    first = house.upload(TEXT)
    house.read(first)
    house.reader.faults = [Fault("82,500", "consider", passes={4}), Fault("82,500 d", passes={5})]
    review = house.read(house.upload(TEXT.replace("each", "every"), of=first.proposal))
    assert "check" not in kinds(review)


def test_a_contradiction_is_not_late_where_its_other_place_changed(house: House):
    first = house.upload(TEXT)
    house.read(first)
    house.reader.faults = [
        Fault("four weeks", "block", also=[(2, "five weeks")], kinds=[Kind.DOCUMENT])
    ]
    text = TEXT.replace("each stage", "each stage, after five weeks")
    second = house.upload(text, of=first.proposal)
    house.read(second)
    assert not the(first.proposal, "four weeks").is_late
    assert reasons(house.gate(second)) == ["blocks_open"]


# What failed, and what was cut short --------------------------------------------------------


def test_of_a_review_in_which_one_window_failed_only_that_is_read_again(house: House):
    house.reader.faults = [Fault("each stage")]
    house.reader.fails_on(lambda r: (r.kind, r.pass_number, r.sheet) == ("pass", 2, 3))
    version = house.upload(TEXT)
    review = house.read(version)
    assert review.status == Review.Status.FINISHED
    stand = standing_of(version)
    assert [(lost.sheets, lost.count) for lost in stand.not_read] == [((3,), 1)]
    assert stand.untold == ()  # the desk tells it of the review itself
    assert "failed" in stand.sentence
    held = next(r for r in stand.gate.reasons if r.kind == "not_cleared")
    assert held.sheets == (3,)
    house.reader.replies.clear()
    again = house.read(version)
    assert [(r.kind, r.sheet) for r in again.readings.all()] == [("pass", 3)]
    assert standing_of(version).not_read == ()
    assert reasons(house.gate(version)) == ["fixes_undecided"]


def test_what_a_cancelled_review_read_is_not_read_again_and_the_next_is_still_round_one(house):
    house.reader.faults = [Fault("each stage")]
    version = house.upload(TEXT)
    review = start_review(by=house.cast.wen, version=version)
    for reading in review.readings.order_by("pk")[:5]:
        house.perform(reading)
    cancel_review(by=house.cast.wen, review=Review.objects.get(pk=review.pk))
    again = house.read(version)
    assert again.purpose == "discovery"
    assert kinds(again) == {"pass": 4, "document": 1, "sweep": 1}
    found = the(version.proposal, "each stage")
    assert (found.votes, found.passes, found.is_late) == (3, 3, False)
    assert "not_cleared" not in reasons(house.gate(version))


# Whose reading counts ----------------------------------------------------------------------------


def test_empty_answers_of_an_uncalibrated_model_clear_nothing(bare_house, silent_checks):
    version = bare_house.upload(TEXT)
    bare_house.read(version)
    gate = bare_house.gate(version)
    assert reasons(gate) == ["not_cleared"]
    assert "reader-1 read this version and is not calibrated" in gate.reasons[0].text
    bare_house.calibrate(found=7)
    assert not bare_house.gate(version).is_open
    waive(by=bare_house.cast.max, version=version, kind="not_cleared", reason="Read by hand.")
    assert bare_house.gate(version).is_open
    in_order = gate_context(bare_house.cast.max, version)["in_order"]
    assert "The reading of this version is complete" not in in_order


def test_what_an_uncalibrated_model_read_is_not_paid_for_twice(bare_house, silent_checks):
    version = bare_house.upload(TEXT)
    bare_house.read(version)
    with pytest.raises(Refused, match="not calibrated"):
        start_review(by=bare_house.cast.wen, version=version)
    bare_house.calibrate()
    assert bare_house.gate(version).is_open


def test_a_calibration_on_another_server_counts_for_nothing(bare_house, silent_checks):
    bare_house.calibrate(server="elsewhere.example")
    version = bare_house.upload(TEXT)
    bare_house.read(version)
    assert not bare_house.gate(version).is_open


def test_a_model_that_the_server_swapped_in_mid_review_clears_nothing_of_what_it_read(house: House):
    version = house.upload(TEXT)
    review = start_review(by=house.cast.wen, version=version)
    for number, reading in enumerate(review.readings.order_by("pk")):
        house.reader.model = "cheaper-2" if number >= 6 else ""
        house.perform(reading)
    house.reader.model = ""
    house.finish(review)
    gate = house.gate(version)
    assert reasons(gate) == ["not_cleared"]
    assert "cheaper-2" in gate.reasons[0].text
    again = house.read(version)
    assert kinds(again) == {"pass": 3, "document": 1}
    assert house.gate(version).is_open


# What changed beside the text --------------------------------------------------------------------


def _rule(title: str) -> Rule:
    return Rule("", title, f"Look whether {title.lower()} is kept.")


def _change_rubric(house: House, *rules: Rule, based_on: int = 0) -> None:
    change_rubric(by=house.cast.max, house_rules=rules, banned=(), based_on=based_on)


def test_a_changed_rubric_is_for_what_is_read_later_and_a_re_read_is_offered(house: House):
    first = house.upload(TEXT)
    house.read(first)
    _change_rubric(house, _rule("Plain prices"))
    assert house.gate(first).is_open
    offers = offers_of(first)
    assert offers.read.calls == 0
    assert offers.anew is not None
    assert (offers.anew.calls, offers.anew.sheets) == (10, (1, 2, 3))
    assert "The rubric changed since this text was read" in offers.anew.sentence
    assert "The rubric changed" in standing_of(first).notes[0]
    second = house.upload(TEXT.replace("each", "every"), of=first.proposal)
    review = house.read(second)
    assert sheets_read(review) == {2}
    assert "Plain prices" in house.server.requests[-1].prompt
    assert house.gate(second).is_open


def test_reading_anew_reads_all_under_todays_rubric_and_finds_nothing_late(house: House):
    version = house.upload(TEXT)
    house.read(version)
    _change_rubric(house, _rule("Plain prices"))
    house.reader.faults = [Fault("82,500", rule="Plain prices")]
    review = house.read(version, anew=True)
    assert (review.purpose, kinds(review)["pass"]) == ("rereading", 9)
    found = the(version.proposal, "82,500")
    assert (found.rule, found.is_late) == ("plain_prices", False)
    assert offers_of(version).anew is None


def test_banned_phrases_are_codes_to_find_and_no_reason_to_read_anew(house: House):
    version = house.upload(TEXT)
    house.read(version)
    phrases = [BannedPhrase("each stage", "every milestone")]
    change_rubric(by=house.cast.max, house_rules=(), banned=phrases, based_on=0)
    assert offers_of(version).anew is None


def test_another_client_is_another_document(house: House):
    version = house.upload(TEXT)
    house.read(version)
    of = version.proposal
    change_details(
        by=house.cast.max,
        proposal=of,
        title=of.title,
        client="Harbor Mutual",
        kind=of.kind,
        checks_only=False,
    )
    fresh = Version.objects.get(pk=version.pk)
    assert reasons(house.gate(fresh)) == ["not_cleared"]
    assert kinds(house.read(fresh))["pass"] == 9


def _source(name: str, text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


def _add_source(house: House, of: Proposal, text: str = "Notes of the call in May.") -> None:
    attach(by=house.cast.wen, proposal=of, file=_source("notes.txt", text))


def test_a_new_source_asks_about_what_is_unsourced_and_nothing_else(house: House, monkeypatch):
    monkeypatch.setattr("reviewer.services.proposals.text_of", lambda data, name: data.decode())
    house.reader.faults = [Fault("82,500", rule="grounding", later="does_not_hold"), Fault("stage")]
    version = house.upload(TEXT)
    house.read(version)
    _add_source(house, version.proposal)
    assert "not_cleared" in reasons(house.gate(version))
    review = house.read(version)
    assert kinds(review) == {"recheck": 1}
    assert "Notes of the call" in house.server.requests[-1].prompt
    assert the(version.proposal, "82,500").shown_state == "fixed"
    remove_source(by=house.cast.wen, source=version.proposal.sources.get())
    assert "not_cleared" not in reasons(house.gate(version))


# Widening ----------------------------------------------------------------------------------------


def test_widening_adds_passes_over_everything_and_votes_add_up(house: House):
    house.reader.faults = [Fault("each stage"), Fault("four weeks", passes={5})]
    version = house.upload(TEXT)
    house.read(version)
    assert offers_of(version, widen_by=2).widen.calls == 6
    review = house.read(version, widen=2)
    assert (review.purpose, kinds(review)["pass"]) == ("widening", 6)
    assert "document" not in kinds(review)
    known, late = the(version.proposal, "each stage"), the(version.proposal, "four weeks")
    assert (known.votes, known.passes) == (5, 5)
    assert (late.votes, late.passes, late.is_late) == (1, 5, True)
    assert [(p.label, p.added) for p in standing_of(version).passes] == [
        ("Pass 1", 1),
        ("Pass 2", 0),
        ("Pass 3", 0),
        ("Pass 4, more passes over the same text", 0),
        ("Pass 5, more passes over the same text", 1),
    ]


def test_what_reading_costs_is_told_before_and_after(house: House):
    ModelSettings.objects.create(
        workspace=house.cast.workspace,
        prices={
            "reader-1": {"input": "100", "output": "500", "cache_write": "125", "cache_read": "10"}
        },
    )
    version = house.upload(TEXT)
    assert offers_of(version).read.dollars is None
    review = house.read(version)
    spent = effort_of(review.readings.all())
    assert spent.readings == house.calls == 11
    assert spent.cost is not None
    assert spent_sentence(spent).startswith(f"It took 11 calls, ${spent.cost:.2f}: ")
    widen = offers_of(version).widen
    assert widen.dollars is not None
    assert float(widen.dollars) == pytest.approx(3 * float(spent.cost) / 11, rel=0.3)
    assert f"about ${widen.dollars}" in widen.sentence


def test_a_version_that_is_not_the_newest_is_not_read(house: House):
    first = house.upload(TEXT)
    house.upload(TEXT.replace("each", "every"), of=first.proposal)
    with pytest.raises(Refused, match="A newer version"):
        start_review(by=house.cast.wen, version=first)

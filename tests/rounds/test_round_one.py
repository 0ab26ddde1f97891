"""Round one: blind passes, what is full asked again, checks, the document, sweeps."""

import pytest

from reviewer.models import Finding, ModelSettings, Reading, Review
from reviewer.services.errors import Refused
from reviewer.services.findings import dismiss
from reviewer.services.reviews import start_review
from reviewer.services.standing import standing_of
from tests.fakes.replies import finding, finds
from tests.rounds.house import Fault, House, Kind, kinds, reasons, the

TEXT = """Discovery takes four weeks at both sites.

The team joins on site.
---
The fee is 82,500 dollars in all.

Invoices follow each stage.
---
The kick-off is at your office.
"""
OPEN = Fault("other tools as needed")


def _passes(review: Review) -> list[Reading]:
    return list(review.readings.filter(kind=Kind.PASS).order_by("pk"))


def test_every_sheet_is_read_by_three_blind_passes_and_the_document_once(house):
    house.reader.faults = [Fault("joins on site", "block"), Fault("each stage")]
    review = house.read(house.upload(TEXT))
    assert sorted((r.pass_number, r.sheet) for r in _passes(review)) == [
        (number, sheet) for number in (1, 2, 3) for sheet in (1, 2, 3)
    ]
    assert kinds(review)["document"] == 1
    assert review.status == Review.Status.FINISHED
    blind = [s.prompt for s in house.server.requests[:9]]
    assert not any("is left open" in prompt for prompt in blind)


def test_what_all_passes_saw_needs_no_check_but_a_block_always_does(house):
    house.reader.faults = [
        Fault("joins on site", "block"),
        Fault("each stage"),
        Fault("at your office", passes={1, 3}),
    ]
    version = house.upload(TEXT)
    review = house.read(version)
    checked = {
        number
        for numbers in review.readings.filter(kind=Kind.CHECK).values_list("candidates", flat=True)
        for number in numbers
    }
    of = version.proposal
    assert checked == {the(of, "joins on site").number, the(of, "at your office").number}
    assert the(of, "each stage").is_agreed
    assert (the(of, "at your office").votes, the(of, "at your office").passes) == (2, 3)


def test_checks_are_batched_by_sheet(house):
    house.reader.faults = [
        Fault("joins on site", "block"),
        Fault("four weeks", "block"),
        Fault("82,500", "block"),
    ]
    review = house.read(house.upload(TEXT))
    checks = review.readings.filter(kind=Kind.CHECK).order_by("sheet")
    assert [(c.sheet, len(c.candidates)) for c in checks] == [(1, 2), (2, 1)]


def _fifteen(reading: Reading):
    return finds(
        [
            finding(sheet=1, quote="", rule=rule, finding=f"Fault {n} of {rule}.")
            for rule in ("grounding", "structure", "one_decision")
            for n in range(5)
        ]
    )


def test_an_answer_that_is_full_is_asked_again_by_halves_of_the_rubric_until_none_is(house):
    full = _fifteen(None)
    house.reader.fails_on(
        lambda r: r.kind == Kind.PASS and (r.pass_number, r.sheet, r.part) == (1, 1, ""), full
    )
    house.reader.fails_on(
        lambda r: r.kind == Kind.PASS and (r.pass_number, r.sheet, r.part) == (1, 1, "a"), full
    )
    version = house.upload(TEXT)
    review = house.read(version)
    parts = review.readings.filter(kind=Kind.PASS, pass_number=1, sheet=1).order_by("pk")
    assert [(r.part, len(r.rules)) for r in parts] == [
        ("", 0),
        ("a", 5),
        ("b", 5),
        ("aa", 2),
        ("ab", 3),
    ]
    assert standing_of(version).gate.residual is not None
    assert "not_cleared" not in reasons(house.gate(version))


def test_what_stays_full_down_to_one_rule_is_said_and_clears_nothing(house):
    house.reader.fails_on(
        lambda r: r.kind == Kind.PASS and (r.pass_number, r.sheet) == (1, 1), _fifteen(None)
    )
    version = house.upload(TEXT)
    house.read(version)
    stand = standing_of(version)
    assert "as many findings as allowed" in stand.sentence
    assert stand.not_read[0].sheets == (1,)
    assert "as many findings as it may" in stand.not_read[0].sentence
    assert "not_cleared" in reasons(stand.gate)


def test_one_sweep_follows_a_cut_answer_and_makes_it_good(house):
    def cut(reading):
        return finds([OPEN.as_reported(1)], stop_reason="max_tokens", output_tokens=8000)

    house.reader.replies.append(
        (
            lambda r: r.kind == Kind.PASS and (r.pass_number, r.sheet) == (2, 1),
            finds([finding(sheet=1, quote="four weeks"), {"sheet": 1}]),
        )
    )
    version = house.upload(TEXT)
    review = house.read(version)
    lost = review.readings.get(kind=Kind.PASS, pass_number=2, sheet=1)
    assert lost.outcome == "partly_read"
    follow = review.readings.get(follows=lost)
    assert (follow.kind, follow.sheet, follow.outcome) == (Kind.SWEEP, 1, "read")
    assert follow.candidates == [the(version.proposal, "four weeks").number]
    assert "not_cleared" not in reasons(house.gate(version))


def test_a_sweep_is_told_what_is_known_and_is_real_but_no_vote(house):
    house.reader.faults = [
        Fault("each stage"),
        Fault("at your office", kinds=[Kind.SWEEP], says="Whose office is not said."),
    ]
    version = house.upload(TEXT)
    review = house.read(version)
    sweep = review.readings.get(kind=Kind.SWEEP)
    assert sweep.candidates == [the(version.proposal, "each stage").number]
    assert "each stage" in house.server.requests[sweep.pk - review.readings.first().pk].prompt
    swept = the(version.proposal, "at your office")
    assert (swept.votes, swept.swept, swept.verdict) == (0, 1, "holds")
    assert review.readings.filter(kind=Kind.CHECK, candidates=[swept.number]).exists()


def test_a_sweep_that_names_a_block_it_was_not_told_of_is_its_second_vote(house):
    house.reader.faults = [
        Fault(
            "at your office",
            "block",
            passes={1},
            kinds=[Kind.PASS, Kind.SWEEP],
            verdict="does_not_hold",
        )
    ]
    version = house.upload(TEXT)
    house.read(version)
    block = the(version.proposal, "at your office")
    assert (block.votes, block.swept) == (1, 1)
    assert "blocks_undecided" in reasons(house.gate(version))


def test_a_block_that_one_pass_named_and_the_check_refuted_holds_nothing(house):
    house.reader.faults = [Fault("at your office", "block", passes={2}, verdict="does_not_hold")]
    version = house.upload(TEXT)
    house.read(version)
    assert house.gate(version).is_open


def test_where_a_minority_says_block_the_check_decides(house):
    grave = Fault("at your office", "block", passes={1}, weighs="fix")
    house.reader.faults = [grave, Fault("at your office", "fix", passes={2, 3}, says=grave.text)]
    version = house.upload(TEXT)
    house.read(version)
    assert the(version.proposal, "at your office").severity == "fix"


# Depth ------------------------------------------------------------------------------------


def test_a_quick_look_is_one_call_checks_nothing_and_says_that_it_clears_nothing(house):
    house.reader.faults = [Fault("each stage", "block", kinds=[Kind.SWEEP])]
    version = house.upload(TEXT)
    review = house.read(version, depth="quick")
    assert (kinds(review), house.calls) == ({"sweep": 1}, 1)
    stand = standing_of(version)
    assert "A quick look clears nothing" in stand.notes[0]
    assert reasons(stand.gate) == ["blocks_undecided", "not_cleared"]
    with pytest.raises(Refused, match="Nothing has changed"):
        start_review(by=house.cast.wen, version=version, depth="quick")


def test_after_a_quick_look_a_standard_review_is_round_one(house):
    house.reader.faults = [Fault("each stage", kinds=[Kind.SWEEP, Kind.PASS])]
    version = house.upload(TEXT)
    house.read(version, depth="quick")
    review = house.read(version)
    assert review.purpose == "discovery"
    assert kinds(review)["pass"] == 9
    kept = the(version.proposal, "each stage")
    assert (kept.votes, kept.passes, kept.is_late) == (3, 3, False)


def test_a_thorough_review_makes_four_passes_by_two_models_and_sweeps_twice(house):
    house.calibrate("reader-2")
    ModelSettings.objects.create(
        workspace=house.cast.workspace,
        base_url=house.server.url,
        model="reader-1",
        second_model="reader-2",
        depth="thorough",
    )
    house.reader.faults = [Fault("each stage")]
    version = house.upload(TEXT)
    review = house.read(version)
    asked = {(r.pass_number, r.model) for r in _passes(review)}
    assert asked == {(1, "reader-1"), (2, "reader-2"), (3, "reader-1"), (4, "reader-2")}
    assert kinds(review)["sweep"] == 2
    assert reasons(house.gate(version)) == ["fixes_undecided"]


def test_passes_of_a_second_model_that_is_not_calibrated_do_not_clear(house):
    ModelSettings.objects.create(
        workspace=house.cast.workspace,
        base_url=house.server.url,
        model="reader-1",
        second_model="reader-2",
        depth="thorough",
    )
    version = house.upload(TEXT)
    house.read(version)
    gate = house.gate(version)
    assert reasons(gate) == ["not_cleared"]
    assert "reader-2" in gate.reasons[0].text


def test_a_finding_on_words_that_stand_nowhere_is_kept_and_a_block_among_them_is_undecided(house):
    astray = finds([finding(sheet=1, severity="block", quote="words of another document")])
    house.reader.fails_on(lambda r: r.kind == Kind.PASS and r.sheet == 1, astray)
    version = house.upload(TEXT)
    house.read(version)
    block = Finding.objects.get(severity="block")
    assert not block.is_on_sheet
    gate = house.gate(version)
    assert "blocks_undecided" in reasons(gate)
    assert "whose words are not on the sheet" in " ".join(r.text for r in gate.reasons)


def test_a_sheet_from_which_a_third_of_the_quotes_is_not_found_counts_as_unread(house: House):
    house.reader.faults = [Fault("four weeks"), Fault("joins on site")]
    astray = [finding(sheet=1, quote=f"no such words {n}", finding=f"Fault {n}.") for n in (1, 2)]
    seen = [fault.as_reported(1) for fault in house.reader.faults]
    house.reader.fails_on(lambda r: r.kind == Kind.PASS and r.sheet == 1, finds([*seen, *astray]))
    version = house.upload(TEXT)
    house.read(version)
    held = house.gate(version).reasons[0]
    assert (held.kind.value, held.sheets) == ("unread", (1,))
    for found in Finding.objects.all():
        dismiss(by=house.cast.rae, finding=found, version=version, reason="It is no fault.")
    assert house.in_list(version) == "1 sheet not read"

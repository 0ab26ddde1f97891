"""What is fixed, and what only looks so: a finding is closed as designed and in no other way."""

import pytest

from reviewer.core.checks import CHECKS_BY_CODE
from reviewer.core.verdicts import ReportedVerdict, Verdict
from reviewer.models import Calibration, Finding, ModelSettings, Proposal, Version
from reviewer.services.errors import Refused
from reviewer.services.findings import mark_fixed
from reviewer.services.reviews import start_review
from reviewer.services.standing import standing_of
from reviewer.services.triage import close_as_fixed
from reviewer.services.verdicts import apply_verdicts
from tests.fakes.replies import fails
from tests.rounds.house import Fault, House, Kind, kinds, reasons, the

TEXT = """Discovery takes four weeks at both sites.
---
The fee is 82,500 dollars, and other tools as needed.
"""
OPEN_SCOPE = "other tools as needed"
CURED = TEXT.replace(", and other tools as needed", "; nothing else is part of it")


@pytest.fixture
def block(house: House) -> Finding:
    """A block on sheet 2 that every pass sees and the check upholds."""
    house.reader.faults = [Fault(OPEN_SCOPE, "block")]
    version = house.upload(TEXT)
    house.read(version)
    return the(version.proposal, OPEN_SCOPE)


def _now(finding: Finding) -> Finding:
    return Finding.objects.select_related("proposal").get(pk=finding.pk)


def _newest(of: Proposal) -> Version:
    return of.versions.order_by("number").last()


def test_what_changed_and_what_the_check_agrees_is_gone_is_fixed(house, block):
    second = house.upload(CURED, of=block.proposal)
    assert _now(block).shown_state == "open"
    assert "blocks_open" in reasons(house.gate(second))
    house.read(second)
    assert _now(block).shown_state == "fixed"
    assert house.gate(second).is_open


@pytest.mark.parametrize(("later", "shown"), [("unsure", "fix_claimed"), ("holds", "still_there")])
def test_what_the_check_does_not_agree_to_is_not_fixed(house, block, later, shown):
    house.reader.faults[0].later = later
    mark_fixed(by=house.cast.wen, finding=block, version=_newest(block.proposal))
    second = house.upload(CURED, of=block.proposal)
    house.read(second)
    assert _now(block).shown_state == shown
    assert reasons(house.gate(second)) == ["blocks_open"]


def test_not_seen_again_is_not_fixed(house, block):
    house.reader.faults = []
    text = TEXT.replace("82,500", "82,900")
    second = house.upload(text, of=block.proposal)
    house.read(second)
    kept = _now(block)
    assert (kept.shown_state, kept.votes, kept.passes) == ("open", 3, 3)
    assert reasons(house.gate(second)) == ["blocks_open"]


def test_a_run_that_covered_less_closes_nothing(house, block):
    house.reader.faults = []
    second = house.upload(TEXT.replace("four", "five"), of=block.proposal)
    review = house.read(second)
    assert set(review.readings.filter(kind=Kind.PASS).values_list("sheet", flat=True)) == {1}
    house.reader.fails_on(lambda r: True)
    third = house.upload(CURED, of=block.proposal)
    house.read(third)
    assert _now(block).shown_state == "open"
    assert "blocks_open" in reasons(house.gate(third))


def test_a_block_whose_words_vanished_still_holds_until_it_is_checked(house, block):
    house.reader.faults[0].later = "unsure"
    gone = TEXT.split("---")[0] + "---\nInvoices follow the work, stage by stage, in euro.\n"
    second = house.upload(gone, of=block.proposal)
    assert _now(block).is_lost
    assert "blocks_open" in reasons(house.gate(second))
    house.read(second)
    assert "blocks_open" in reasons(house.gate(second))
    assert _now(block).is_lost


def test_a_check_that_could_not_be_made_leaves_the_claim_and_is_made_by_the_next_review(
    house, block
):
    house.reader.fails_on(lambda r: r.kind == Kind.RECHECK, fails(529, "overloaded_error"))
    second = house.upload(CURED, of=block.proposal)
    house.read(second)
    gate = house.gate(second)
    assert reasons(gate) == ["blocks_open", "not_cleared"]
    assert "1 finding not checked since the text changed" in gate.reasons[1].text
    house.reader.replies.clear()
    assert kinds(house.read(second)) == {"recheck": 1}
    assert house.gate(second).is_open


# Claims without a change -----------------------------------------------------------------------


def test_a_fix_claimed_on_unchanged_text_opens_no_gate_and_falls_with_the_next_version(house):
    house.reader.faults = [Fault(OPEN_SCOPE)]
    version = house.upload(TEXT)
    house.read(version)
    found = the(version.proposal, OPEN_SCOPE)
    mark_fixed(by=house.cast.wen, finding=found, version=version)
    assert reasons(house.gate(version)) == ["fixes_undecided"]
    second = house.upload(TEXT.replace("four", "five"), of=version.proposal)
    assert (_now(found).shown_state, _now(found).times_still_there) == ("still_there", 1)
    assert "recheck" not in kinds(house.read(second))
    assert reasons(house.gate(second)) == ["fixes_undecided"]


def test_a_check_is_not_asked_again_about_words_that_stand_as_they_were_judged(house, block):
    house.reader.faults[0].later = "holds"
    second = house.upload(TEXT.replace("needed", "required"), of=block.proposal)
    house.read(second)
    house.reader.faults[0].later = "does_not_hold"
    mark_fixed(by=house.cast.wen, finding=_now(block), version=second)
    with pytest.raises(Refused, match="no call was made"):
        start_review(by=house.cast.wen, version=second)
    assert reasons(house.gate(second)) == ["blocks_open"]


def test_a_comma_edited_five_times_does_not_get_a_block_through(house, block):
    house.reader.faults[0].later = "does_not_hold"
    for text in ("tools, as", "tools as, ", "tools; as", "tools: as", "tools. as"):
        version = house.upload(TEXT.replace("tools as", text), of=block.proposal)
        if _now(block).status == "open":
            mark_fixed(by=house.cast.wen, finding=_now(block), version=version)
        house.read(version)
        assert reasons(house.gate(version)) == ["blocks_open"]
    assert _now(block).shown_state == "still_there"


def test_a_word_edited_five_times_does_not_get_a_block_through_either(house, block):
    house.reader.faults[0].lives = "needed"
    for word in ("where", "if", "when", "wherever", "whenever"):
        version = house.upload(TEXT.replace("as needed", f"{word} needed"), of=block.proposal)
        if _now(block).status == "open":
            mark_fixed(by=house.cast.wen, finding=_now(block), version=version)
        house.read(version)
        assert reasons(house.gate(version)) == ["blocks_open"]
    kept = _now(block)
    assert (kept.shown_state, kept.times_still_there) == ("still_there", 5)
    assert standing_of(version).for_manager == (block.number,)


# After one "still there" -------------------------------------------------------------------------


@pytest.fixture
def contested(house, block) -> Version:
    """The version on which a model says that a block is gone that was still there before."""
    house.reader.faults[0].later = "holds"
    house.read(house.upload(TEXT.replace("needed", "required"), of=block.proposal))
    house.reader.faults[0].later = "does_not_hold"
    return house.upload(CURED, of=block.proposal)


def test_after_one_still_there_one_model_does_not_close_a_block(house, block, contested):
    house.read(contested)
    assert _now(block).recheck == "does_not_hold"
    assert reasons(house.gate(contested)) == ["blocks_open"]


def test_after_one_still_there_a_second_model_is_asked_where_there_is_one(house, block, contested):
    house.calibrate("reader-2")
    ModelSettings.objects.create(
        workspace=house.cast.workspace,
        base_url=house.server.url,
        model="reader-1",
        second_model="reader-2",
    )
    review = house.read(contested)
    rechecks = review.readings.filter(kind=Kind.RECHECK).order_by("pk")
    assert [r.model for r in rechecks] == ["reader-1", "reader-2"]
    assert _now(block).gone_by == ["reader-1", "reader-2"]
    assert house.gate(contested).is_open


def test_after_one_still_there_a_reviewer_closes_a_block(house, block, contested):
    house.read(contested)
    close_as_fixed(
        by=house.cast.rae, finding=_now(block), version=contested, reason="The scope is closed."
    )
    assert house.gate(contested).is_open


def test_words_that_come_back_are_at_fault_again_whoever_closed_it(house, block, contested):
    house.read(contested)
    close_as_fixed(by=house.cast.rae, finding=_now(block), version=contested, reason="Closed.")
    again = house.upload(TEXT, of=block.proposal)
    kept = _now(block)
    assert (kept.shown_state, kept.evidence) == ("open", "present")
    assert kept.places.filter(version=again).exists()
    assert reasons(house.gate(again)) == ["blocks_open"]


def test_a_finding_that_lost_its_place_does_not_take_that_of_the_same_words_elsewhere(house):
    twice = TEXT + "---\nTravel, and other tools as needed, are billed at cost.\n"
    house.reader.faults = [Fault(OPEN_SCOPE, "block")]
    first = house.upload(twice)
    house.read(first)
    on_two = Finding.objects.get(sheet=2)
    one_left = twice.replace(TEXT, CURED)
    for text in (one_left, one_left.replace("four", "five")):
        version = house.upload(text, of=first.proposal)
        places = Finding.objects.get(pk=on_two.pk).places.filter(version=version, position=0)
        assert 3 not in places.values_list("sheet", flat=True)


def test_what_blind_passes_name_again_outweighs_a_check_that_says_it_is_gone(house, block):
    rephrased = Fault("other tools where", "block", says=block.text, later="does_not_hold")
    house.reader.faults = [rephrased]
    second = house.upload(TEXT.replace("tools as", "tools where"), of=block.proposal)
    house.read(second)
    kept = _now(block)
    assert (kept.recheck, kept.seen_again) == ("does_not_hold", 3)
    assert kept.shown_state == "open"
    assert reasons(house.gate(second)) == ["blocks_open"]


def test_a_verdict_on_an_older_version_says_nothing_of_words_that_changed_since(house, block):
    second = house.upload(TEXT.replace("needed", "required"), of=block.proposal)
    review = start_review(by=house.cast.wen, version=second)
    house.upload(TEXT.replace("as needed", "as you may need them"), of=block.proposal)
    recheck = review.readings.select_related("review__version").get(kind=Kind.RECHECK)
    said = ReportedVerdict(number=block.number, why="Gone.", verdict=Verdict.DOES_NOT_HOLD)
    apply_verdicts(recheck, {block.number: said})
    assert _now(block).recheck == "none"


# What is missing ---------------------------------------------------------------------------------

TERMS = "\n---\nPayment: half at the start, half at the end, within 30 days of the invoice.\n"


def test_deleting_the_terms_sheet_brings_the_missing_terms_finding_of_the_check(bare_house):
    check = CHECKS_BY_CODE["unsaid_terms"]
    full, priced = (text.replace("\f", "\n---\n") for text in (check.good, check.bad))

    def unsaid() -> list[Finding]:
        return list(Finding.objects.filter(check_code="unsaid_terms"))

    first = bare_house.upload(full)
    assert unsaid() == []
    second = bare_house.upload(priced, of=first.proposal)
    assert [(one.sheet, one.shown_state) for one in unsaid()] == [(0, "open")]
    number = str(unsaid()[0].number)
    held = next(r for r in bare_house.gate(second).reasons if r.kind == "fixes_undecided")
    assert number in held.findings
    third = bare_house.upload(full, of=first.proposal)
    assert [one.shown_state for one in unsaid()] == ["fixed"]
    assert number not in {n for r in bare_house.gate(third).reasons for n in r.findings}


def test_deleting_the_terms_sheet_brings_the_finding_of_the_document_reading(house: House):
    house.reader.missing = {"within 30 days": "Nothing says when an invoice is due."}
    first = house.upload(TEXT + TERMS)
    house.read(first)
    assert house.gate(first).is_open
    second = house.upload(TEXT, of=first.proposal)
    assert kinds(house.read(second)) == {"document": 1, "check": 1}
    assert reasons(house.gate(second)) == ["blocks_open"]
    third = house.upload(TEXT + TERMS, of=first.proposal)
    house.read(third)
    assert Finding.objects.get(sheet=0).shown_state == "fixed"
    assert house.gate(third).is_open


def test_what_is_missing_is_asked_about_once_anything_new_came(house: House):
    house.reader.missing = {"within 30 days": "Nothing says when an invoice is due."}
    first = house.upload(TEXT)
    house.read(first)
    second = house.upload(TEXT.replace("four", "five"), of=first.proposal)
    review = house.read(second)
    assert kinds(review)["recheck"] == 1
    assert Finding.objects.get(sheet=0).times_still_there == 1
    assert Calibration.objects.count() == 1

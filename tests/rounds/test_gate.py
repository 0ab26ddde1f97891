"""What holds a version after a review, who can open it, and what the desk says of it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviewer.models import Finding, Version
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.findings import accept, dismiss, dismiss_kind, mark_fixed
from reviewer.services.standing import standing_of
from reviewer.services.triage import change_severity, merge, raise_own, uphold
from tests.fakes.replies import fails
from tests.rounds.house import Fault, House, Kind, kinds, reasons, the

TEXT = """Discovery takes four weeks at both sites.

The team joins on site.
---
The fee is 82,500 dollars in all.

Invoices follow each stage.
---
The kick-off is at your office.
"""


def _number(finding: Finding) -> str:
    return str(finding.number)


@pytest.fixture
def unchecked(house: House) -> Version:
    """A version with a block that one pass missed and whose check could not be made."""
    house.reader.faults = [Fault("each stage", "block", passes={1, 2})]
    house.reader.fails_on(lambda r: r.kind == Kind.CHECK, fails(529, "overloaded_error"))
    version = house.upload(TEXT)
    house.read(version)
    return version


def test_a_check_that_could_not_be_made_leaves_its_block_undecided_and_the_gate_shut(unchecked):
    stand = standing_of(unchecked)
    assert reasons(stand.gate) == ["blocks_undecided"]
    assert "not checked: no answer came" in stand.gate.reasons[0].text
    assert stand.held[0].findings[0].why == "not checked: no answer came"
    assert stand.held[0].findings[0].sheet == 2


def test_a_signature_that_it_stands_makes_it_a_block_to_be_fixed(house, unchecked):
    block = the(unchecked.proposal, "each stage")
    uphold(by=house.cast.rae, finding=block, version=unchecked)
    assert reasons(house.gate(unchecked)) == ["blocks_open"]


@pytest.mark.parametrize("decide", [dismiss, accept])
def test_a_persons_decision_opens_the_gate(house, unchecked, decide):
    block = the(unchecked.proposal, "each stage")
    decide(by=house.cast.rae, finding=block, version=unchecked, reason="It is in the contract.")
    assert house.gate(unchecked).is_open


def test_the_next_review_asks_the_check_again_and_nothing_else(house, unchecked):
    house.reader.replies.clear()
    assert kinds(house.read(unchecked)) == {"check": 1}
    assert reasons(house.gate(unchecked)) == ["blocks_open"]


def test_a_decision_for_a_whole_kind_never_touches_a_block(house, unchecked):
    kind = {"rule": "unambiguous_scope", "reason": "All of them are in the contract."}
    of = {"by": house.cast.max, "proposal": unchecked.proposal, "version": unchecked}
    with pytest.raises(Refused, match="one by one"):
        dismiss_kind(**of, **kind, severity="block")
    assert dismiss_kind(**of, **kind, severity="fix") == 0
    assert reasons(house.gate(unchecked)) == ["blocks_undecided"]


def test_where_all_checks_are_unsure_blocks_are_undecided_and_the_rest_holds_only_if_agreed(house):
    house.reader.faults = [
        Fault("each stage", "block", verdict="unsure"),
        Fault("four weeks", passes={1, 2}, verdict="unsure"),
        Fault("at your office", verdict="unsure"),
    ]
    version = house.upload(TEXT)
    house.read(version)
    gate = house.gate(version)
    assert reasons(gate) == ["blocks_undecided", "fixes_undecided"]
    assert "of which the check is unsure" in gate.reasons[0].text
    assert gate.reasons[1].findings == (_number(the(version.proposal, "at your office")),)


def test_reasons_come_in_their_order_with_numbers_and_sheets(house):
    house.reader.faults = [
        Fault("each stage", "block"),
        Fault("at your office", "block", passes={1, 2}, verdict="does_not_hold"),
        Fault("four weeks"),
        Fault("joins on site", "consider"),
    ]
    house.reader.fails_on(lambda r: (r.kind, r.sheet, r.pass_number) == ("pass", 2, 1))
    version = house.upload(TEXT)
    Version.objects.filter(pk=version.pk).update(
        fit=[{"code": "clipped", "sheet": 1, "message": "Sheet 1: 3 words are cut off."}]
    )
    house.read(version)
    stand = standing_of(Version.objects.select_related("proposal__workspace").get(pk=version.pk))
    assert reasons(stand.gate)[-4:] == [
        "blocks_open",
        "blocks_undecided",
        "fixes_undecided",
        "not_cleared",
    ]
    held = {h.reason.kind.value: [(f.number, f.sheet) for f in h.findings] for h in stand.held}
    assert held["blocks_open"] == [(the(version.proposal, "each stage").number, 2)]
    assert held["blocks_undecided"] == [(the(version.proposal, "at your office").number, 3)]


# What is left -----------------------------------------------------------------------------------


def test_what_is_left_is_one_sentence_and_each_pass_says_what_it_added(house):
    house.reader.faults = [
        Fault("each stage", "block"),
        Fault("82,500", "block", passes={1, 2}),
        Fault("four weeks", passes={1}),
        Fault("joins on site", passes={2}),
        Fault("at your office", passes={2, 3}),
        Fault("The kick-off", "consider", rule="structure", passes={3}),
    ]
    version = house.upload(TEXT)
    house.read(version)
    stand = standing_of(version)
    blocks = stand.left[0]
    assert (blocks.severity, blocks.seen, blocks.due) == ("block", 2, 2)
    assert blocks.high is not None
    assert stand.sentence.startswith(f"2 blocks seen, at most {blocks.high} likely by this reader")
    assert [(p.label, p.seen, p.added) for p in stand.passes] == [
        ("Pass 1", 3, 3),
        ("Pass 2", 4, 2),
        ("Pass 3", 3, 1),
    ]
    assert dict(stand.passes[0].by_severity) == {"block": 2, "fix": 1, "consider": 0}


def test_fixing_what_was_met_once_does_not_make_the_rest_look_cleaner(house):
    house.reader.faults = [
        Fault(quote, passes=passes)
        for quote, passes in (
            ("four weeks", {1}),
            ("joins on site", {2}),
            ("82,500", {3}),
            ("each stage", {1, 2, 3}),
            ("at your office", {1, 2}),
        )
    ]
    first = house.upload(TEXT)
    house.read(first)
    before = standing_of(first).left
    second = house.upload(TEXT.replace("four weeks", "a month"), of=first.proposal)
    assert "has not been read as it stands now" in standing_of(second).sentence
    house.read(second)
    after = standing_of(second).left
    assert [one.high for one in after] == [one.high for one in before]
    assert after[1].due == before[1].due - 1


def test_the_desk_asks_as_much_for_many_findings_and_readings_as_for_few(house):
    house.reader.faults = [Fault("each stage", "block")]
    version = house.upload(TEXT)
    house.read(version)

    def queries() -> int:
        fresh = Version.objects.select_related("proposal__workspace").get(pk=version.pk)
        with CaptureQueriesContext(connection) as asked:
            standing_of(fresh)
        return len(asked)

    few = queries()
    house.reader.faults += [
        Fault("four weeks"),
        Fault("joins on site", passes={4}),
        Fault("82,500", "block", passes={5}, verdict="unsure"),
    ]
    house.read(version, widen=2)
    assert queries() == few <= 12


# Two people at once -------------------------------------------------------------------------------


def _seen(finding: Finding) -> Finding:
    return Finding.objects.select_related("proposal").get(pk=finding.pk)


@pytest.fixture
def two(house) -> tuple[Version, Finding, Finding]:
    house.reader.faults = [Fault("each stage", "block"), Fault("four weeks")]
    version = house.upload(TEXT)
    house.read(version)
    return version, the(version.proposal, "each stage"), the(version.proposal, "four weeks")


def test_of_two_who_change_a_severity_at_once_one_is_told(house, two):
    version, block, _ = two
    mine, theirs = _seen(block), _seen(block)
    why = {"version": version, "reason": "It is small."}
    change_severity(by=house.cast.rae, finding=mine, severity="fix", **why)
    with pytest.raises(MovedMeanwhile):
        change_severity(by=house.cast.max, finding=theirs, severity="consider", **why)
    assert _seen(block).severity == "fix"


def test_what_was_decided_meanwhile_is_not_signed_over(house, two):
    version, block, _ = two
    mine, theirs = _seen(block), _seen(block)
    mark_fixed(by=house.cast.wen, finding=mine, version=version)
    with pytest.raises(MovedMeanwhile):
        uphold(by=house.cast.rae, finding=theirs, version=version)


def test_of_two_who_merge_at_once_one_is_told(house, two):
    version, block, fix = two
    stale_block, stale_fix = _seen(block), _seen(fix)
    merge(by=house.cast.rae, finding=_seen(fix), into=_seen(block), version=version)
    with pytest.raises(Refused, match="merged already"):
        merge(by=house.cast.max, finding=stale_block, into=stale_fix, version=version)


# Own findings -------------------------------------------------------------------------------------


def _price_of(house: House, version: Version) -> Finding:
    """What Wen raises on the price."""
    return raise_own(
        by=house.cast.wen,
        proposal=version.proposal,
        version=version,
        sheet=2,
        first_word=2,
        last_word=4,
        severity="block",
        rule="commercial_clarity",
        text="The contract says 85,000.",
    )


def test_what_is_raised_on_a_page_of_an_older_version_is_carried_to_the_newest(house):
    first = house.upload(TEXT)
    moved = house.upload(f"A new beginning.\n---\n{TEXT}", of=first.proposal)
    cut = house.upload(TEXT.replace("82,500", "85,000"), of=first.proposal)
    own = _price_of(house, first)
    places = own.places.order_by("version").values_list("version__number", "sheet")
    assert list(places)[:2] == [(first.number, 2), (moved.number, 3)]
    assert _seen(own).evidence == "changed"
    assert reasons(house.gate(cut))[0] == "blocks_open"


def test_what_a_person_raises_on_selected_words_holds_like_any_other_and_is_never_late(house):
    version = house.upload(TEXT)
    house.read(version)
    own = _price_of(house, version)
    assert own.quote == "is 82,500 dollars"
    assert reasons(house.gate(version)) == ["blocks_open"]
    with pytest.raises(NotAllowed):
        dismiss(by=house.cast.wen, finding=_seen(own), version=version, reason="I was wrong.")

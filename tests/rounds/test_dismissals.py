"""What was dismissed is not raised again in the same words, and is when they change."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviewer.models import Decision, Finding, Version
from reviewer.services.findings import accept, dismiss
from tests.rounds.house import Fault, House, Kind, reasons, the

TEXT = """The pilot covers both sites. It takes in other tools as needed by the team.

The kick-off is at your office.
---
The fee is 82,500 dollars. It takes in other tools as needed by the team.
"""
QUOTE = "other tools as needed"


@pytest.fixture
def version(house: House) -> Version:
    """A version on which the open scope of sheet 1 was dismissed."""
    house.reader.faults = [Fault(QUOTE)]
    house.reader.fails_on(lambda r: r.kind == Kind.PASS and r.sheet == 2)
    version = house.upload(TEXT)
    house.read(version)
    house.reader.replies.clear()
    found = Finding.objects.get()
    dismiss(by=house.cast.rae, finding=found, version=version, reason="The list is in annex 2.")
    return version


def _open(version: Version) -> list[tuple[int, str]]:
    shown = Finding.objects.shown().filter(proposal=version.proposal)
    return sorted((f.sheet, f.quote) for f in shown if f.shown_state == "open")


def _dismissed() -> Finding:
    return Finding.objects.order_by("number").first()


def test_no_pass_raises_the_same_words_again_whatever_it_says_of_them(house, version):
    again = Fault("It takes in other", says="Nobody can say where this ends.")
    house.reader.faults = [again, Fault("as needed by the team", says="Which team decides?")]
    house.reader.fails_on(lambda r: r.kind == Kind.PASS and r.sheet == 2)
    house.read(version, widen=1)
    assert _open(version) == []
    assert Finding.objects.count() == 1
    assert _dismissed().sightings.count() > 3


def test_the_same_sentence_at_another_place_is_another_finding(house, version):
    house.read(version)
    assert _open(version) == [(2, QUOTE)]


def test_the_same_words_under_another_rule_are_another_finding(house, version):
    house.reader.faults = [Fault("by the team", rule="grounding", says="No source names a team.")]
    house.reader.fails_on(lambda r: r.kind == Kind.PASS and r.sheet == 2)
    house.read(version, widen=1)
    assert _open(version) == [(1, "by the team")]


def test_changed_words_are_raised_again(house, version):
    changed = TEXT.replace(QUOTE, "further tools as needed", 1)
    house.reader.faults = [Fault("tools as needed")]
    second = house.upload(changed, of=version.proposal)
    assert _dismissed().status == "open"
    assert Decision.objects.get(act="lapse").reason == "The words it was about have changed."
    house.read(second)
    assert (1, "other tools as needed") in _open(second) or (1, "tools as needed") in _open(second)
    assert "fixes_undecided" in reasons(house.gate(second))


def test_a_dismissal_stays_where_other_words_change(house, version):
    second = house.upload(TEXT.replace("82,500", "82,900"), of=version.proposal)
    house.reader.faults = [Fault(QUOTE)]
    house.read(second)
    assert _dismissed().status == "dismissed"
    assert _open(second) == [(2, QUOTE)]


def test_a_dismissal_lapses_where_its_other_place_changes(house: House):
    house.reader.faults = [Fault("both sites", also=[(2, "82,500 dollars")])]
    first = house.upload(TEXT)
    house.read(first)
    found = the(first.proposal, "both sites")
    dismiss(by=house.cast.rae, finding=found, version=first, reason="They agree.")
    house.upload(TEXT.replace("82,500 dollars", "90,000 euro"), of=first.proposal)
    assert the(first.proposal, "both sites").status == "open"


def test_a_dismissal_lapses_where_what_is_seen_is_graver(house, version):
    house.reader.faults = [Fault(QUOTE, "block")]
    house.reader.fails_on(lambda r: r.kind == Kind.PASS and r.sheet == 2)
    house.read(version, widen=4)
    graver = _dismissed()
    assert (graver.status, graver.severity) == ("open", "block")
    assert (
        Decision.objects.get(act="lapse").reason
        == "it was decided as a fix and is seen as a block now"
    )


def test_one_pass_that_says_block_does_not_undo_a_dismissal_that_the_check_agrees_with(
    house, version
):
    fault = Fault(QUOTE, "block", passes={4}, weighs="fix", verdict="does_not_hold")
    house.reader.faults = [fault]
    house.reader.fails_on(lambda r: r.kind == Kind.PASS and r.sheet == 2)
    house.read(version, widen=1)
    assert (_dismissed().status, _dismissed().severity) == ("dismissed", "fix")


# Acceptances --------------------------------------------------------------------------------------


def test_an_acceptance_ends_with_its_last_day(house: House):
    house.reader.faults = [Fault("both sites", "block")]
    version = house.upload(TEXT)
    house.read(version)
    found = the(version.proposal, "both sites")
    today = timezone.localdate()
    accept(by=house.cast.rae, finding=found, version=version, reason="For now.", until=today)
    assert house.gate(version).is_open
    Finding.objects.update(accepted_until=today - timedelta(days=1))
    assert the(version.proposal, "both sites").shown_state == "open"
    assert reasons(house.gate(version)) == ["blocks_open"]


def test_an_acceptance_ends_after_its_last_version(house: House):
    house.reader.faults = [Fault("both sites", "block")]
    version = house.upload(TEXT)
    house.read(version)
    found = the(version.proposal, "both sites")
    accept(by=house.cast.rae, finding=found, version=version, reason="For now.", until_version=2)
    second = house.upload(TEXT.replace("82,500", "82,900"), of=version.proposal)
    assert the(version.proposal, "both sites").status == "accepted"
    house.upload(TEXT, of=second.proposal)
    assert the(version.proposal, "both sites").status == "open"

"""The same text as a new proposal: its findings are met again, and nothing is paid for twice."""

import pytest

from reviewer.models import Finding, Reading, Version
from reviewer.services.findings import dismiss
from reviewer.services.model_stats import effort_of
from reviewer.services.offers import READ_ELSEWHERE, offers_of, spent
from reviewer.services.proposals import delete_proposal
from tests.factories import make_source
from tests.rounds.house import Fault, House, reasons, the

TEXT = "Discovery takes four weeks.\n---\nThe fee follows each stage.\n"


@pytest.fixture
def read(house: House) -> Version:
    """A block that was dismissed, and a fix that only one pass saw, on a text that was read."""
    house.reader.faults = [Fault("each stage", "block"), Fault("four weeks", passes={1})]
    version = house.upload(TEXT)
    house.read(version)
    block = the(version.proposal, "each stage")
    dismiss(by=house.cast.rae, finding=block, version=version, reason="It is in the contract.")
    return version


def _met(version: Version) -> list[tuple[str, str, int, int, str, str]]:
    rows = Finding.objects.filter(proposal=version.proposal).order_by("number")
    return [(f.quote, f.severity, f.votes, f.passes, f.verdict, f.status) for f in rows]


def test_it_meets_the_same_findings_open_and_makes_no_call(house, read):
    before = house.calls
    again = house.upload(TEXT)
    assert READ_ELSEWHERE in offers_of(again).read.sentence
    review = house.read(again)
    assert house.calls == before
    assert [one[:5] for one in _met(again)] == [one[:5] for one in _met(read)]
    assert {one[5] for one in _met(again)} == {"open"}
    assert reasons(house.gate(again)) == ["blocks_open", "fixes_undecided"]
    assert not review.readings.filter(answered_by=None).exists()
    said = spent(effort_of(review.readings.all()))
    assert said == (
        f"{review.readings.count()} answers had been given to the same text on another proposal, "
        "and took no call."
    )


def test_a_text_that_differs_on_one_sheet_is_another_question_on_every_sheet(house, read):
    before = house.calls
    again = house.upload(TEXT.replace("four", "five"))
    review = house.read(again)
    # Every reading has the whole document in view.
    assert house.calls == before + review.readings.count()
    assert READ_ELSEWHERE not in offers_of(again).read.sentence


@pytest.mark.parametrize("other", ["client", "source", "model", "workspace"])
def test_under_anything_else_it_is_asked(house, read, other, settings):
    again = house.upload(TEXT)
    if other == "client":
        again.proposal.client = "Harbor Mutual"
        again.proposal.save()
    elif other == "source":
        make_source(again.proposal)
    elif other == "model":
        settings.MODEL_NAME = "reader-2"
    else:
        read.proposal.workspace = house.cast.ola.workspace
        read.proposal.save()
    before = house.calls
    review = house.read(Version.objects.select_related("proposal__workspace").get(pk=again.pk))
    assert house.calls == before + review.readings.count() > before


def test_passes_of_one_proposal_are_each_asked_though_the_text_is_the_same(house, read):
    before = house.calls
    review = house.read(read, widen=1)
    assert house.calls == before + review.readings.count() > before
    assert not Reading.objects.exclude(answered_by=None).exists()


def test_an_answer_outlives_the_proposal_it_was_first_given_to(house, read):
    again = house.upload(TEXT)
    house.read(again)
    delete_proposal(by=house.cast.max, proposal=read.proposal)
    before = house.calls
    house.read(house.upload(TEXT))
    assert house.calls == before

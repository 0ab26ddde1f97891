"""The rows that tests stand on are rows the database accepts, and go where they say."""

import socket

import pytest

from reviewer.models import Finding, Review, Version
from tests.factories import (
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_sighting,
    make_version,
)


def test_a_finding_is_placed_at_its_quote(cast):
    version = make_version(make_proposal(cast.workspace, owner=cast.wen))
    finding = make_finding(version, quote="cut detention costs by 30%")
    place = finding.places.get()
    words = version.sheets.get(number=1).words
    assert [w[0] for w in words[place.first_word : place.last_word + 1]] == [
        "cut",
        "detention",
        "costs",
        "by",
        "30%",
    ]
    assert len(place.boxes) == 2


def test_every_state_of_a_version_and_a_review_can_be_made(cast):
    proposal = make_proposal(cast.workspace)
    versions = [make_version(proposal, status=status) for status in Version.Status.values]
    assert [v.number for v in versions] == [1, 2, 3, 4]
    for version, status in zip(versions, Review.Status.values, strict=True):
        assert make_review(version, status=status).status == status


def test_a_decided_finding_says_who_and_why(cast):
    version = make_version(make_proposal(cast.workspace))
    finding = make_finding(version, status=Finding.Status.DISMISSED, decided_by=cast.rae)
    assert finding.decided_by == cast.rae.user
    assert finding.decision_reason


def test_a_reading_keeps_its_answer_and_what_it_saw(cast):
    version = make_version(make_proposal(cast.workspace))
    reading = make_reading(make_review(version), sheet=1, raw={"text": "{}"})
    sighting = make_sighting(reading, make_finding(version))
    assert reading.answer.raw == {"text": "{}"}
    assert sighting.index == 0


def test_a_test_reaches_no_address_but_this_machine():
    with pytest.raises(UserWarning, match=r"192\.0\.2\.1"):
        socket.create_connection(("192.0.2.1", 80), timeout=0.1)

"""A gate, a receipt and a record say which learnings a version was read and checked with."""

import pytest
from django.urls import reverse
from django.utils import timezone

from reviewer.models import Pinned, Review, Version
from reviewer.services.gates import gate_of
from reviewer.services.learnings_used import named, used_on
from reviewer.services.receipts import receipt_of
from tests.factories import make_proposal, make_review, make_version

pytestmark = pytest.mark.django_db


def _read(version: Version, *pairs: list[int], **review) -> Review:
    made = make_review(version, **review)
    today = timezone.localdate()
    Pinned.objects.create(
        review=made, kind="proposal", language="en", today=today, learnings=list(pairs)
    )
    return made


def test_what_was_read_with_is_named_by_number_and_version(cast, client_of):
    proposal = make_proposal(cast.workspace)
    first = make_version(proposal)
    _read(first, [12, 1], [31, 2])
    second = make_version(proposal, checked_with=[[15, 1]])
    _read(second, [12, 2])
    _read(second, [99, 1], provenance=Review.Provenance.RECORDED)
    assert named(used_on(first)) == "12 v1, 31 v2"
    assert named(used_on(second)) == "12 v1, 12 v2, 15 v1, 31 v2"
    assert "\nLearnings: 12 v1, 12 v2, 15 v1, 31 v2\n" in receipt_of(second, gate_of(second))
    address = reverse(
        "gate", kwargs={"workspace": "field-systems", "proposal": proposal.pk, "number": 2}
    )
    assert "· learnings 12, 15, 31</p>" in client_of(cast.wen).get(address).content.decode()


def test_where_nothing_was_learned_nothing_is_said(cast):
    version = make_version(make_proposal(cast.workspace))
    assert used_on(version) == []
    assert "Learnings" not in receipt_of(version, gate_of(version))

"""What a manager signs for ends when it said, and covers what was looked at, nothing more."""

from datetime import timedelta

import pytest
from django.db import IntegrityError
from django.utils import timezone

from reviewer.core.gate import ReasonKind
from reviewer.core.rounds import Plan
from reviewer.models import Event, Waiver
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.gates import gate_of
from reviewer.services.signing import take_back, waive
from reviewer.services.waivers import due_as_json, is_signed_for, waivers_on
from tests.factories import make_proposal, make_version, make_waiver

pytestmark = pytest.mark.django_db
CLIPPED = {"code": "clipped", "sheet": 2, "message": "Text is cut off at the foot."}


def kinds(version) -> set[ReasonKind]:
    return {reason.kind for reason in gate_of(version).reasons}


@pytest.fixture
def version(cast):
    return make_version(make_proposal(cast.workspace, owner=cast.wen), fit=[CLIPPED])


def test_a_fault_of_layout_is_signed_for_with_a_reason_and_the_gate_says_so(cast, version) -> None:
    assert ReasonKind.FIT in kinds(version)
    waive(by=cast.max, version=version, kind="fit", code="clipped", sheet=2, reason="Only a line.")
    gate = gate_of(version)
    assert ReasonKind.FIT not in {reason.kind for reason in gate.reasons}
    assert gate.signed == ("Waived: Text is cut off at the foot.",)
    event = Event.objects.get(verb="waived")
    assert (event.actor, event.proposal_id) == (cast.max.user, version.proposal_id)


@pytest.mark.parametrize("who", ["wen", "rae"])
def test_only_a_manager_signs_and_only_one_takes_it_back(cast, version, who) -> None:
    by = getattr(cast, who)
    with pytest.raises(NotAllowed):
        waive(by=by, version=version, kind="fit", code="clipped", sheet=2, reason="No matter.")
    signed = make_waiver(version, cast.max)
    with pytest.raises(NotAllowed):
        take_back(by=by, waiver=signed)
    assert waivers_on(version) == [signed]


@pytest.mark.parametrize(
    "asked",
    [
        {"kind": "fit", "code": "clipped", "sheet": 2, "reason": " "},
        {"kind": "fit", "code": "clipped", "sheet": 1, "reason": "Another sheet."},
        {"kind": "fit", "code": "fonts_not_embedded", "sheet": 0, "reason": "Holds nothing."},
        {"kind": "unread", "sheet": 1, "reason": "It was read."},
        {"kind": "nothing", "reason": "No such thing."},
        {"kind": "fit", "code": "clipped", "sheet": 2, "reason": "Later.", "later_versions": True},
        {"kind": "not_cleared", "reason": "All.", "later_versions": True,
         "until_date": timezone.localdate()},
        {"kind": "fit", "code": "clipped", "sheet": 2, "reason": "Over.",
         "until_date": timezone.localdate() - timedelta(days=1)},
    ],
)  # fmt: skip
def test_what_holds_nothing_has_no_reason_or_no_end_is_not_signed(cast, version, asked) -> None:
    with pytest.raises(Refused):
        waive(by=cast.max, version=version, **asked)
    assert not Waiver.objects.exists()


def test_it_ends_with_its_version_unless_it_has_a_later_day(cast, version) -> None:
    day = timezone.localdate() + timedelta(days=3)
    asked = {"kind": "fit", "code": "clipped", "sheet": 2, "reason": "Known."}
    waive(by=cast.max, version=version, **asked)
    following = make_version(version.proposal, fit=[CLIPPED])
    assert ReasonKind.FIT in kinds(following)
    waive(by=cast.max, version=following, **asked, later_versions=True, until_date=day)
    third = make_version(version.proposal, fit=[CLIPPED])
    other = make_version(version.proposal, fit=[{**CLIPPED, "message": "Another line is cut."}])
    assert ReasonKind.FIT not in kinds(third)
    assert ReasonKind.FIT in kinds(other)
    Waiver.objects.update(until_date=timezone.localdate() - timedelta(days=1))
    assert ReasonKind.FIT in kinds(third)


def test_a_sheet_that_was_not_read_is_signed_for_by_its_picture(cast, version) -> None:
    version.sheets.filter(number=3).update(unread="no_text")
    day = timezone.localdate() + timedelta(days=3)
    waive(by=cast.max, version=version, kind="unread", sheet=3, reason="A signed letter.",
          later_versions=True, until_date=day)  # fmt: skip
    assert ReasonKind.UNREAD not in kinds(version)
    same = make_version(version.proposal)
    same.sheets.filter(number=3).update(unread="no_text")
    assert ReasonKind.UNREAD not in kinds(same)
    sheet = same.sheets.get(number=3)
    with sheet.image.open("rb") as picture:
        data = picture.read()
    with open(sheet.image.path, "wb") as other:  # noqa: PTH123
        other.write(data + b"another")
    assert ReasonKind.UNREAD in kinds(same)


def test_a_signature_for_a_review_covers_what_was_due_then_and_no_more(cast, version) -> None:
    due = Plan(passes={1: 3, 2: 1}, document=True, checks=("4",))
    signed = make_waiver(version, cast.max, seen=due_as_json(due))
    less = Plan(passes={2: 2}, checks=("4",))
    assert is_signed_for(due, version, [signed])
    assert is_signed_for(less, version, [signed])
    assert not is_signed_for(Plan(passes={3: 1}), version, [signed])
    assert not is_signed_for(Plan(checks=("5",)), version, [signed])
    assert not is_signed_for(None, version, [signed])
    later = make_version(version.proposal)
    assert not is_signed_for(less, later, [signed])


def test_it_is_taken_back_once_and_then_holds_again(cast, version) -> None:
    signed = make_waiver(version, cast.max)
    assert ReasonKind.NOT_CLEARED not in kinds(version)
    take_back(by=cast.max, waiver=signed)
    assert ReasonKind.NOT_CLEARED in kinds(version)
    with pytest.raises(MovedMeanwhile):
        take_back(by=cast.max, waiver=signed)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"reason": ""}, "waiver_has_a_reason"),
        ({"until_version": None}, "waiver_has_an_end"),
        ({"kind": "x"}, "waiver_kind_is_known"),
        ({"until_version": None, "until_date": timezone.localdate()},
         "waiver_of_a_review_is_for_one_version"),
        ({"taken_back_at": timezone.now()}, "waiver_taken_back_by_somebody"),
    ],
)  # fmt: skip
def test_the_database_refuses_what_must_never_be(cast, version, fields, name) -> None:
    with pytest.raises(IntegrityError, match=name):
        make_waiver(version, cast.max, **fields)

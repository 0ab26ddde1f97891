"""A sheet without text, read from its picture: asked for, told before, cleared by the rules."""

import base64

import pytest
from django.db import IntegrityError
from django.urls import reverse

from reviewer.core.gate import ReasonKind
from reviewer.models import Event, Finding, Paragraph, Proposal, Reading, Review, Version
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.offers import offers_of
from reviewer.services.pictures import read_picture
from reviewer.services.queue_view import retry_reading
from tests.fakes.replies import fails, finding, finds
from tests.rounds.house import House, kinds, reasons
from tests.views.html import html_of

TEXT = "Discovery takes four weeks.\n---\nThe plan as a drawing.\n---\nThe kick-off is in May.\n"
SEEN = finding(sheet=2, severity="block", quote="Total 12 weeks", finding="It is 14 weeks.")


@pytest.fixture
def drawn(house: House) -> Version:
    """Read in round one, all but its second sheet, which is a picture."""
    version = _without_text(house.upload(TEXT))
    house.read(version)
    assert reasons(house.gate(version)) == ["unread"]
    assert house.in_list(version) == "1 sheet not read"
    return version


def _without_text(version: Version, sheet: int = 2) -> Version:
    Paragraph.objects.filter(sheet__version=version, sheet__number=sheet).delete()
    version.sheets.filter(number=sheet).update(unread="no_text", text="", words=[])
    return version


def _sees(house: House, *found: dict, **how) -> None:
    house.reader.replies = [(lambda r: r.kind == "picture", finds(found, **how))]


def _read(house: House, version: Version) -> Review:
    return house.finish(read_picture(by=house.cast.rae, version=version, sheet=2))


def test_the_request_carries_the_picture_and_the_sheet_then_counts_as_read(house, drawn):
    _sees(house)
    before = house.calls
    review = _read(house, drawn)
    assert kinds(review) == {"picture": 3}
    assert house.calls == before + 3
    sent = house.server.requests[-1].body["messages"][-1]["content"]
    (image,) = [block["source"] for block in sent if block["type"] == "image"]
    with drawn.sheets.get(number=2).image.open("rb") as stored:
        assert base64.b64decode(image["data"]) == stored.read()
    assert image["media_type"] == "image/png"
    assert "Read sheet 2 from the picture" in house.server.requests[-1].prompt
    assert house.gate(drawn).is_open
    assert house.in_list(drawn) == "clear"


def test_what_it_finds_marks_no_words_and_waits_for_a_person(house, drawn, client_of):
    _sees(house, SEEN)
    _read(house, drawn)
    found = Finding.objects.get()
    assert (found.is_from_picture, found.is_on_sheet, found.sheet) == (True, False, 2)
    assert not found.places.exists()
    (held,) = house.gate(drawn).reasons
    assert held.text == "1 block undecided (1 read from a picture), each to be signed by a person."
    at = (house.cast.workspace.slug, drawn.proposal_id, drawn.number)
    html = html_of(client_of(house.cast.rae).get(reverse("desk-version", args=at)))
    assert "Read from its picture: there are no words on the sheet to mark." in html
    assert "Sign: it stands" in html


def test_a_model_that_is_not_calibrated_leaves_it_unread_and_is_not_asked_twice(
    bare_house, silent_checks
):
    version = _without_text(bare_house.upload(TEXT))
    bare_house.read(version)
    _sees(bare_house)
    _read(bare_house, version)
    unread = next(r for r in bare_house.gate(version).reasons if r.kind is ReasonKind.UNREAD)
    assert unread.sheets == (2,)
    assert "0 of 3 passes over it count for the gate" in unread.text
    assert bare_house.in_list(version) == "1 sheet not read"
    before = bare_house.calls
    with pytest.raises(Refused, match="no call was made"):
        _read(bare_house, version)
    assert bare_house.calls == before
    bare_house.calibrate()
    assert bare_house.gate(version).is_open


def test_passes_that_failed_or_were_full_do_not_count_and_are_asked_for_again(house, drawn):
    house.reader.replies = [
        (lambda r: r.kind == "picture" and r.pass_number == 1, fails(400, "invalid_request_error")),
        (lambda r: r.kind == "picture" and r.pass_number == 2, finds([SEEN] * 15)),
        (lambda r: r.kind == "picture" and r.pass_number >= 3, finds()),
    ]
    _read(house, drawn)
    assert "unread" in reasons(house.gate(drawn))
    again = _read(house, drawn)
    assert sorted(again.readings.values_list("pass_number", flat=True)) == [4, 5]
    assert "unread" not in reasons(house.gate(drawn))


@pytest.mark.parametrize("text_was_read", [True, False])
def test_one_that_failed_and_is_tried_again_asks_for_that_picture_alone(house, text_was_read):
    version = _without_text(house.upload(TEXT))
    if text_was_read:
        house.read(version)
    house.reader.replies = [
        (lambda r: r.kind == "picture" and r.pass_number == 1, fails(400, "invalid_request_error")),
        (lambda r: r.kind == "picture" and r.pass_number >= 2, finds()),
    ]
    failed = _read(house, version).readings.get(outcome="provider_error")
    retry_reading(by=house.cast.max, reading=failed)
    again = version.reviews.latest("pk")
    assert again.purpose == "picture"
    assert list(again.readings.values_list("kind", "sheet", "pass_number")) == [("picture", 2, 4)]


def test_what_fails_beside_a_running_review_is_not_told_as_one(house, drawn, monkeypatch):
    def fails(*_: object) -> None:
        raise IntegrityError("another constraint")

    monkeypatch.setattr("reviewer.services.pictures.pin", fails)
    with pytest.raises(IntegrityError, match="another constraint"):
        read_picture(by=house.cast.rae, version=drawn, sheet=2)


def test_only_a_reviewer_asks_for_it_and_only_for_a_sheet_without_text(house, drawn, settings):
    with pytest.raises(NotAllowed):
        read_picture(by=house.cast.wen, version=drawn, sheet=2)
    with pytest.raises(NotAllowed):
        read_picture(by=house.cast.ola, version=drawn, sheet=2)
    for sheet in (0, 1, 9):
        with pytest.raises(Refused, match="nothing was started"):
            read_picture(by=house.cast.rae, version=drawn, sheet=sheet)
    Proposal.objects.update(checks_only=True)
    with pytest.raises(Refused, match="kept to built-in checks"):
        read_picture(by=house.cast.rae, version=drawn, sheet=2)
    settings.MODEL_BASE_URL = ""
    with pytest.raises(Refused, match="No model is connected"):
        read_picture(by=house.cast.rae, version=drawn, sheet=2)
    assert not Reading.objects.filter(kind="picture").exists()


def test_it_is_offered_with_what_it_takes_to_reviewers_alone(house, drawn, client_of):
    at = (house.cast.workspace.slug, drawn.proposal_id, drawn.number)
    ((sheet, offer),) = offers_of(drawn).pictures
    assert (sheet, offer.calls) == (2, 3)
    assert offer.sentence == "Sheet 2, by a model that can read pictures: 3 calls at least."
    shown = {
        who: html_of(client_of(getattr(house.cast, who)).get(reverse("standing", args=at)))
        for who in ("wen", "rae")
    }
    assert offer.sentence in shown["rae"]
    assert "Read this sheet from its picture" not in shown["wen"]
    answer = client_of(house.cast.rae).post(reverse("read", args=at) + "?how=picture&sheet=2")
    assert answer.status_code == 302
    assert drawn.reviews.latest("pk").purpose == "picture"
    assert Event.objects.filter(verb="started", why__contains="picture").count() == 1


def test_a_document_of_pictures_alone_can_be_read_and_round_one_is_still_to_come(house):
    version = house.upload(TEXT)
    for sheet in (1, 2, 3):
        _without_text(version, sheet)
    _sees(house)
    for sheet in (1, 2, 3):
        assert reasons(house.gate(version))[0] == "unread"
        house.finish(read_picture(by=house.cast.rae, version=version, sheet=sheet))
    assert house.gate(version).is_open
    written = house.upload(TEXT, of=version.proposal)
    assert house.read(written).purpose == "discovery"


def test_the_same_picture_on_a_new_version_is_read_and_another_is_not(house, drawn):
    _sees(house)
    _read(house, drawn)
    same = _without_text(house.upload(TEXT, of=drawn.proposal))
    assert "unread" not in reasons(house.gate(same))
    with same.sheets.get(number=2).image.open("wb") as stored:
        stored.write(b"another picture")
    assert "unread" in reasons(house.gate(same))

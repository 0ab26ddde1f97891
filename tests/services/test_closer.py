"""The larger image of a sheet: drawn once, when it is asked for, and never in its place."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from PIL import Image

from reviewer.services import closer
from reviewer.services.closer import closer_image, closer_width
from reviewer.services.limits import room_to_convert
from tests.documents.making import HandPdf, text_at
from tests.factories import make_proposal, make_version


@pytest.fixture
def sheet(cast, tmp_path):
    """The second sheet of a PDF, on its side."""
    version = make_version(make_proposal(cast.workspace), texts=["One", "Two"])
    pdf = HandPdf([text_at(72, 500, "One"), text_at(72, 500, "Two")], size=(800, 600))
    version.pdf.delete(save=False)
    version.pdf.save("rendered.pdf", ContentFile(pdf.write(tmp_path / "made.pdf").read_bytes()))
    version.sheets.update(width=800, height=600)
    return version.sheets.select_related("version").get(number=2)


def test_it_is_twice_the_size_of_the_page_image(sheet):
    with closer_image(sheet).open("rb") as drawn, Image.open(drawn) as image:
        assert image.size == (3200, 2400)
    assert closer_width(sheet) == 3200


def test_it_is_drawn_once_and_goes_with_the_version(sheet, monkeypatch):
    first = closer_image(sheet).name
    assert first == f"proposals/{sheet.version.proposal_id}/v1/closer/2.png"
    monkeypatch.setattr(closer, "draw_sheet", None)
    assert closer_image(sheet).name == first


def test_of_two_who_ask_at_once_one_image_is_kept(sheet, monkeypatch):
    draw = closer.draw_sheet

    def while_another_draws(*args, **kwargs):
        drawn = draw(*args, **kwargs)
        default_storage.save(
            f"proposals/{sheet.version.proposal_id}/v1/closer/2.png", ContentFile(b"theirs")
        )
        return drawn

    monkeypatch.setattr(closer, "draw_sheet", while_another_draws)
    with closer_image(sheet).open("rb") as kept:
        assert kept.read() == b"theirs"
    folder = f"proposals/{sheet.version.proposal_id}/v1/closer"
    assert default_storage.listdir(folder) == ([], ["2.png"])


def test_where_other_files_are_being_read_the_page_image_is_shown(sheet, monkeypatch, settings):
    settings.CONVERSIONS_AT_ONCE = 1
    with monkeypatch.context() as patched, room_to_convert():
        patched.setattr(closer, "LONGEST_SECONDS", 0.1)
        patched.setattr(closer, "draw_sheet", lambda *_, **__: pytest.fail("it was drawn"))
        assert closer_image(sheet).name == sheet.image.name
    assert closer_image(sheet).name != sheet.image.name


def test_a_sheet_that_cannot_be_drawn_is_shown_as_it_is(cast):
    version = make_version(make_proposal(cast.workspace))
    sheet = version.sheets.select_related("version").get(number=1)
    assert closer_image(sheet).name == sheet.image.name  # its PDF is no PDF
    version.pdf.delete()
    sheet.version.refresh_from_db()
    assert closer_image(sheet).name == sheet.image.name


def test_a_huge_sheet_is_drawn_as_large_as_may_be(sheet):
    sheet.width, sheet.height = 4000.0, 100.0
    assert closer_width(sheet) == 6000

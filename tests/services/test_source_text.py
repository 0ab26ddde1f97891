"""What a source may be, and what is told where none can be read from it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from reviewer.services import source_text
from reviewer.services.errors import Refused
from reviewer.services.limits import room_to_convert
from reviewer.services.proposals import add_source
from reviewer.services.source_text import text_of
from tests.factories import make_proposal
from tests.services.documents import plain_document


def test_a_source_is_read_like_any_document():
    text = text_of(b"# Notes\n\nTwo sites, said the client.\n", "notes.md")
    assert text.split() == ["Notes", "Two", "sites,", "said", "the", "client."]


def test_a_source_that_cannot_be_read_is_refused_with_the_reason():
    with pytest.raises(Refused, match=r"“a\.bin” was not added\. .*Upload"):
        text_of(b"\x7fELF" + bytes(300), "a.bin")


def test_a_source_that_is_empty_or_too_big_is_not_opened(settings):
    settings.MAX_UPLOAD_MB = 1
    for data in (b"", b"x" * (1024 * 1024 + 1)):
        with pytest.raises(Refused, match="empty or larger than 1 MB"):
            text_of(data, "notes.txt")


def test_where_other_files_are_being_read_it_is_refused_in_time(settings):
    settings.CONVERSIONS_AT_ONCE = settings.CONVERSION_SECONDS = 1
    with room_to_convert(), pytest.raises(Refused, match="many other files are being read"):
        text_of(b"Two sites.", "notes.txt")
    assert text_of(b"Two sites.", "notes.txt") == "Two sites."


@pytest.mark.django_db(transaction=True)
def test_no_connection_is_held_while_a_source_is_read(cast, monkeypatch):
    held: list[object] = []

    def read(path, workdir, **options):
        held.append(connection.connection)
        return plain_document(path.read_text(), workdir)

    monkeypatch.setattr(source_text, "read_file", read)
    file = SimpleUploadedFile("notes.txt", b"Two sites, said the client.")
    source = add_source(by=cast.wen, proposal=make_proposal(cast.workspace), file=file)
    assert source.text == "Two sites, said the client."
    assert held == [None]

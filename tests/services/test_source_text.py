"""What a source may be, and what is told where none can be read from it."""

import pytest

from reviewer.services.errors import Refused
from reviewer.services.source_text import text_of


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

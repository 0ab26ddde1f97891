"""Stored files: to members only, under the name they came with, never as a page of this site."""

from typing import Any
from urllib.parse import quote

import pytest
from django.urls import reverse

from reviewer.models import Version
from tests.factories import Cast, make_proposal, make_version

NAMES = [
    "Control tower.md",
    "Überblick für Müller & Söhne.docx",
    'quotes " and \\ slashes.pdf',
    "line\r\nSet-Cookie: x=1.html",
    "提案書.pdf",
]


def make(cast: Cast, **fields: Any) -> Version:
    return make_version(make_proposal(cast.workspace, owner=cast.wen), **fields)


def url_of(cast: Cast, name: str, pk: int) -> str:
    return reverse(name, args=[cast.workspace.slug, pk])


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


@pytest.fixture
def wen(cast: Cast, client_of) -> Any:
    return client_of(cast.wen)


@pytest.mark.parametrize("name", NAMES)
def test_the_original_comes_back_byte_for_byte_under_its_own_name(
    name: str, cast: Cast, wen
) -> None:
    content = b"<script>alert(1)</script>\x00\xff"
    version = make(cast, original_name=name, content=content)
    answer = wen.get(url_of(cast, "original", version.pk))
    assert body(answer) == content
    disposition = answer["Content-Disposition"]
    assert disposition.startswith("attachment;")
    assert "\r" not in disposition
    assert "\n" not in disposition
    if not name.isascii():
        assert quote(name) in disposition


def test_an_upload_is_never_opened_as_a_page(cast: Cast, wen) -> None:
    version = make(cast, original_name="page.html", content=b"<script>alert(1)</script>")
    for name in ("original", "pdf"):
        answer = wen.get(url_of(cast, name, version.pk))
        body(answer)
        assert answer["Content-Type"] in {"application/octet-stream", "application/pdf"}
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert answer["Content-Disposition"].startswith("attachment;")


def test_the_rendered_pdf_is_named_after_the_original_and_its_version(cast: Cast, wen) -> None:
    version = make(cast, original_name="Control tower.docx")
    answer = wen.get(url_of(cast, "pdf", version.pk))
    assert body(answer).startswith(b"%PDF")
    assert 'filename="Control tower v1.pdf"' in answer["Content-Disposition"]


def test_a_pdf_that_does_not_exist_yet_is_not_there(cast: Cast, wen) -> None:
    version = make(cast, status=Version.Status.WAITING)
    assert wen.get(url_of(cast, "pdf", version.pk)).status_code == 404


def test_a_file_that_went_missing_is_not_there(cast: Cast, wen) -> None:
    version = make(cast)
    version.original.storage.delete(version.original.name)
    assert wen.get(url_of(cast, "original", version.pk)).status_code == 404


@pytest.mark.parametrize("name", ["sheet-image", "sheet-thumb"])
def test_a_sheet_is_shown_as_a_picture(name: str, cast: Cast, wen) -> None:
    sheet = make(cast).sheets.get(number=2)
    answer = wen.get(url_of(cast, name, sheet.pk))
    assert body(answer).startswith(b"\x89PNG")
    assert answer["Content-Type"] == "image/png"
    assert "attachment" not in answer.headers.get("Content-Disposition", "")


def test_without_a_small_picture_the_large_one_serves(cast: Cast, wen) -> None:
    sheet = make(cast).sheets.get(number=1)
    with sheet.image.open() as stored:
        large = stored.read()
    sheet.thumb = ""
    sheet.save()
    assert body(wen.get(url_of(cast, "sheet-thumb", sheet.pk))) == large


def test_a_browser_keeps_what_it_has_and_no_cache_between_does(cast: Cast, wen) -> None:
    version = make(cast)
    sheets = [sheet.pk for sheet in version.sheets.order_by("number")]
    tags = set()
    for name, pk in (
        ("sheet-image", sheets[0]),
        ("sheet-image", sheets[1]),
        ("sheet-thumb", sheets[0]),
        ("original", version.pk),
        ("pdf", version.pk),
    ):
        url = url_of(cast, name, pk)
        first = wen.get(url)
        body(first)
        assert first["Cache-Control"].startswith("private,")
        tags.add(first["ETag"])
        again = wen.get(url, headers={"If-None-Match": first["ETag"]})
        assert again.status_code == 304
        assert not again.content
    assert len(tags) == 5


def test_the_tag_follows_the_content(cast: Cast, wen) -> None:
    one, same, other = (
        make(cast, content=b"one"),
        make(cast, content=b"one"),
        make(cast, content=b"other"),
    )
    tags = []
    for version in (one, same, other):
        answer = wen.get(url_of(cast, "original", version.pk))
        body(answer)
        tags.append(answer["ETag"])
    assert tags[0] == tags[1] != tags[2]


def test_knowing_the_tag_opens_nothing_to_an_outsider(cast: Cast, wen, client_of) -> None:
    url = url_of(cast, "original", make(cast).pk)
    answer = wen.get(url)
    body(answer)
    ola = client_of(cast.ola).get(url, headers={"If-None-Match": answer["ETag"]})
    assert ola.status_code == 404

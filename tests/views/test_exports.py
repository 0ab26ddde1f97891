"""Files that left are saved by members alone, safely named, and can be told from others."""

import hashlib

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from reviewer.models import Export
from tests.factories import make_export, make_proposal, make_version

pytestmark = pytest.mark.django_db
LIST = reverse("exports", args=["field-systems"])


@pytest.fixture
def export(cast) -> Export:
    return make_export(make_version(make_proposal(cast.workspace, title="Tower")), cast.wen)


def file_of(export: Export, which: str) -> str:
    return reverse("export-file", args=["field-systems", export.number, which])


def test_a_file_is_saved_and_never_opened_as_a_page(cast, export, client_of) -> None:
    answer = client_of(cast.rae).get(file_of(export, "client"))
    assert b"".join(answer.streaming_content) == b"client"
    assert answer["Content-Disposition"] == 'attachment; filename="Tower - v1.pdf"'
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["ETag"] == f'"{hashlib.sha256(b"client").hexdigest()}"'


@pytest.mark.parametrize("status", ["waiting", "making", "failed"])
def test_there_is_no_file_before_both_are_made(cast, export, client_of, status) -> None:
    Export.objects.update(status=status, reason="It fell.")
    for which in ("client", "record"):
        assert client_of(cast.max).get(file_of(export, which)).status_code == 404
    assert client_of(cast.max).get(file_of(export, "original")).status_code == 404


def test_a_page_asks_for_itself_while_files_are_made_and_stops(cast, export, client_of) -> None:
    url = reverse("export", args=["field-systems", export.number])
    wen = client_of(cast.wen)
    Export.objects.update(status="making", doing="Writing the record", done=3, total=9)
    part = wen.get(url, headers={"HX-Request": "true"}).content.decode()
    assert "Writing the record, 3 of 9." in part
    assert "hx-get" in part
    assert "<html" not in part
    Export.objects.update(status="ready")
    assert "hx-get" not in wen.get(url, headers={"HX-Request": "true"}).content.decode()


def test_a_hash_or_a_file_is_told_from_others(cast, export, client_of) -> None:
    wen = client_of(cast.wen)
    assert b"<b>Yes.</b>" in wen.post(LIST, {"hash": export.record_sha256.upper()}).content
    assert b"<b>Yes.</b>" in wen.post(LIST, {"file": SimpleUploadedFile("a", b"client")}).content
    assert b"<b>No.</b>" in wen.post(LIST, {"file": SimpleUploadedFile("a", b"other")}).content
    assert wen.post(LIST, {"hash": "abc"}).status_code == 422
    assert wen.post(LIST, {}).status_code == 422


def test_the_list_costs_the_same_for_two_and_for_twenty(cast, export, client_of) -> None:
    wen = client_of(cast.wen)
    wen.get(LIST)
    counts = []
    for more in (1, 18):
        for _ in range(more):
            make_export(export.version, cast.wen)
        with CaptureQueriesContext(connection) as queries:
            assert wen.get(LIST).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_an_empty_list_teaches_the_next_step(cast, client_of) -> None:
    assert b"go to its gate" in client_of(cast.wen).get(LIST).content

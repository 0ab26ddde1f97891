"""Files in a bucket: the real SDK against a server of ours, from an upload to its deletion."""

import os

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from reviewer.models import Proposal, Version
from reviewer.services.conversion import convert_version
from reviewer.services.errors import Refused
from reviewer.services.proposals import delete_proposal
from reviewer.services.uploads import upload_proposal
from reviewer.storage_url import storage_of
from tests.fakes.bucket_server import BucketServer


@pytest.fixture
def bucket(settings):
    """A bucket that is the storage of this test."""
    with BucketServer() as server:
        url = f"s3://key:sec%2Fret@files/house?endpoint={server.url}&region=here"
        settings.STORAGES = {**settings.STORAGES, "default": storage_of(url)}
        yield server


def test_a_proposal_lives_in_the_bucket_from_upload_to_deletion(
    bucket, cast, client_of, django_capture_on_commit_callbacks
):
    file = SimpleUploadedFile("a/../tower.md", b"# Tower\n\nThe pilot is fixed.\n")
    version = upload_proposal(by=cast.wen, file=file)
    assert convert_version(version.pk).status == Version.Status.READY
    assert f"house/proposals/{version.proposal_id}/v1/original" in bucket.objects
    assert all(name.startswith("house/proposals/") for name in bucket.objects)
    sheet = version.sheets.get()
    image = client_of(cast.wen).get(reverse("sheet-image", args=(cast.workspace.slug, sheet.pk)))
    assert b"".join(image).startswith(b"\x89PNG")
    original = reverse("original", args=(cast.workspace.slug, version.pk))
    assert b"".join(client_of(cast.wen).get(original)) == file.open().read()
    with django_capture_on_commit_callbacks(execute=True):
        delete_proposal(by=cast.max, proposal=version.proposal)
    assert not bucket.objects


@pytest.mark.parametrize("size", [0, 1, 20 * 1024 * 1024])
def test_what_is_stored_comes_back_byte_for_byte(bucket, size):
    data = os.urandom(size)
    name = default_storage.save("one/file.bin", ContentFile(data))
    with default_storage.open(name) as stored:
        assert stored.read() == data
    assert default_storage.listdir("one") == ([], ["file.bin"])
    assert default_storage.listdir("") == (["one"], [])


def test_a_name_that_is_taken_is_not_overwritten(bucket):
    first = default_storage.save("one", ContentFile(b"first"))
    second = default_storage.save("one", ContentFile(b"second"))
    assert first != second
    with default_storage.open(first) as stored:
        assert stored.read() == b"first"


def test_what_is_not_there_is_a_missing_file(bucket):
    with pytest.raises(FileNotFoundError), default_storage.open("nowhere") as stored:
        stored.read()
    assert not default_storage.exists("nowhere")


def test_a_bucket_that_cannot_be_reached_keeps_nothing_half_and_says_so(bucket, cast, monkeypatch):
    monkeypatch.setattr("botocore.retries.standard.ExponentialBackoff.delay_amount", lambda *_: 0)
    bucket.is_down = True
    with pytest.raises(ConnectionError):
        default_storage.save("one", ContentFile(b"first"))
    with pytest.raises(Refused, match="store of files cannot be reached"):
        upload_proposal(by=cast.wen, file=SimpleUploadedFile("tower.md", b"# Tower\n"))
    assert not Proposal.objects.exists()


@pytest.mark.parametrize(
    "url", ["ftp://host/x", "s3://", "s3:///folder", "s3://bucket?endpoit=x", "bucket", "s3:bucket"]
)
def test_an_address_that_is_none_is_refused_at_start(url):
    with pytest.raises(ImproperlyConfigured, match="STORAGE_URL is not an address of the form"):
        storage_of(url)


def test_packages_that_are_missing_are_named(monkeypatch):
    monkeypatch.setattr("reviewer.storage_url.find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match=r"requirements-s3\.txt"):
        storage_of("s3://bucket")


def test_without_an_address_files_are_on_this_machine():
    assert storage_of("") == {"BACKEND": "django.core.files.storage.FileSystemStorage"}

"""A request that cannot be read is answered with a sentence, never with a bare page."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from reviewer.models import Proposal
from tests.factories import Cast
from tests.views.html import html_of


@pytest.fixture
def upload(cast: Cast, client_of):
    client: Client = client_of(cast.wen)

    def post(**how):
        return client.post(f"/w/{cast.workspace.slug}/upload/", **how)

    return post


def test_too_many_files_at_once_are_named_and_none_is_kept(upload, settings) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 3
    files = [SimpleUploadedFile(f"{n}.md", b"# One") for n in range(4)]
    answer = upload(data={"kind": "proposal", "file": files})
    assert answer.status_code == 413
    assert "More than 3 files were sent at once, so none of them was kept" in html_of(answer)
    assert not Proposal.objects.exists()


def test_a_form_with_too_much_text_says_so(upload, settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = upload(data={"title": "x" * 2000})
    assert answer.status_code == 413
    assert "holds more text than this installation takes" in html_of(answer)


@pytest.mark.parametrize(
    "kind",
    [
        "application/x-www-form-urlencoded; charset=utf-7",
        "multipart/form-data",
        "multipart/form-data; boundary=" + "é" * 3,
    ],
)
def test_a_form_that_cannot_be_read_says_what_to_do(cast: Cast, kind: str) -> None:
    # With the guard against forgery on, as for people: it reads the form before any view.
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.wen.user, backend="django.contrib.auth.backends.ModelBackend")
    client.get("/password/")
    answer = client.post(
        f"/w/{cast.workspace.slug}/upload/", data=b"kind=proposal", content_type=kind
    )
    assert answer.status_code == 400
    assert "nothing was kept or changed" in html_of(answer)


def test_an_address_that_is_not_ours_is_named_as_such(client: Client) -> None:
    answer = client.get("/sign-in/", headers={"Host": "elsewhere.example"})
    assert answer.status_code == 400
    assert "does not answer under this address" in html_of(answer)
    assert "elsewhere.example" not in html_of(answer)

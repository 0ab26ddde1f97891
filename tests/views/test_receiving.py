"""A form as it arrives: a file whose name is not UTF-8 is kept, under a name that can be read."""

import io

import pytest
from django.urls import reverse

from reviewer.models import Version
from reviewer.views.receiving import Heads

BOUNDARY = "part-of-a-form"
BODY = b"# Offer\n\n\xff\xfe and a line that looks like one\r\n\r\n--part-of-a-for\r\n"


def part(head: bytes, content: bytes) -> bytes:
    return b"--" + BOUNDARY.encode() + b"\r\n" + head + b"\r\n\r\n" + content + b"\r\n"


def form(*names: bytes) -> bytes:
    head = b'Content-Disposition: form-data; name="%s"'
    parts = [part(head % b"client", "H\u00e4fen AG".encode()), part(head % b"kind", b"proposal")]
    for name in names:
        opened = head % b"file" + b'; filename="' + name + b'"\r\nContent-Type: text/markdown'
        parts.append(part(opened, b"# Offer of " + name.decode("cp1252", "replace").encode()))
    return b"".join(parts) + b"--" + BOUNDARY.encode() + b"--\r\n"


def test_a_file_whose_name_is_not_utf_8_is_kept_beside_the_others(cast, client_of) -> None:
    names = (b"Angebot f\xfcr Harbor.md", "Gebühren.md".encode(), b"\x81\xfe.md")
    answer = client_of(cast.wen).generic(
        "POST",
        reverse("upload", args=[cast.workspace.slug]),
        form(*names),
        content_type=f"multipart/form-data; boundary={BOUNDARY}",
    )
    assert answer.status_code in (200, 302)
    kept = set(Version.objects.values_list("original_name", flat=True))
    assert kept == {"Angebot für Harbor.md", "Gebühren.md", "\ufffdþ.md"}
    assert set(Version.objects.values_list("proposal__client", flat=True)) == {"Häfen AG"}


@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
def test_bodies_pass_byte_for_byte_in_whatever_pieces_they_come(size: int) -> None:
    head = b'Content-Disposition: form-data; name="file"; filename="a\xfc"'
    sent = part(head, BODY) + part(b"X: y", BODY * 40) + b"--" + BOUNDARY.encode() + b"--\r\n"
    heads = Heads(io.BytesIO(sent), BOUNDARY.encode())
    got = b"".join(iter(lambda: heads.read(size), b""))
    assert got == sent.replace(b"a\xfc", "aü".encode(), 1)


def test_a_head_without_end_is_passed_on_and_not_kept_in_memory() -> None:
    sent = b"--" + BOUNDARY.encode() + b"\r\n" + b"x" * 100_000
    heads = Heads(io.BytesIO(sent), BOUNDARY.encode())
    assert b"".join(iter(lambda: heads.read(1000), b"")) == sent

"""Nothing leaves but through the gate; what leaves is kept, can be checked, and holds no more."""

import hashlib
import io
from datetime import timedelta
from urllib.parse import unquote

import pikepdf
import pytest
from django.db import IntegrityError
from django.urls import reverse
from django.utils import timezone

from reviewer.models import Event, Export, Proposal, Version
from reviewer.services import exports as services
from reviewer.services.approvals import approve
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.exports import (
    exports_with_hash,
    make_export,
    request_export,
    waiting_exports,
)
from reviewer.services.naming import file_name, harmless
from reviewer.services.policy import change_policy
from reviewer.services.proposals import change_details
from reviewer.services.rescue import send_again
from tests.factories import make_export as export_row
from tests.factories import make_finding, make_proposal, make_version
from tests.services.papers import open_version, ready_version, seal_of

pytestmark = pytest.mark.django_db
LONG = "Ω<script>alert(1)</script>\u202e" + "x" * 10_000
OBEYED = "\u202e\u2066\u200b\u0007\u001b"
"""What turns writing or is obeyed by a terminal; none of it may be in a file that leaves."""
ROLES = ("wen", "rae", "max")


def approved(cast, version: Version) -> Version:
    approve(by=cast.max, version=version, seal=seal_of(version))
    return version


@pytest.fixture
def version(cast) -> Version:
    return approved(cast, open_version(cast.wen, cast.max))


@pytest.mark.parametrize("who", ROLES)
def test_nobody_exports_what_nothing_holds_and_nobody_approved(cast, who) -> None:
    version = open_version(cast.wen, cast.max)
    with pytest.raises(Refused):
        request_export(by=getattr(cast, who), version=version, seal=seal_of(version))


def test_what_changes_while_the_files_are_made_lets_nothing_out(cast, version, monkeypatch) -> None:
    export = request_export(by=cast.wen, version=version, seal=seal_of(version))

    def made(export, *rest) -> int:
        make_version(version.proposal)
        (rest[1]).write_bytes(b"%PDF")
        return 1

    monkeypatch.setattr(services, "make_record", made)
    done = make_export(export.pk)
    assert (done.status, done.client_file.name) == ("failed", "")


@pytest.mark.parametrize("seal", ["", "s1-0", "other"])
def test_a_page_that_was_not_seen_lets_nothing_out(cast, version, seal) -> None:
    with pytest.raises(MovedMeanwhile):
        request_export(by=cast.max, version=version, seal=seal)


def test_a_kind_made_gated_after_the_page_was_shown_is_held(cast) -> None:
    proposal = make_proposal(cast.workspace, owner=cast.wen, kind="update")
    version = ready_version(cast.wen, proposal)
    seal = seal_of(version)
    change_details(by=cast.max, proposal=Proposal.objects.get(pk=proposal.pk), title="T",
                   client="C", kind="proposal", checks_only=False)  # fmt: skip
    with pytest.raises(Refused):
        request_export(by=cast.wen, version=version, seal=seal)


def test_a_kind_made_gated_while_an_export_waits_is_held(cast) -> None:
    proposal = make_proposal(cast.workspace, owner=cast.wen, kind="update")
    version = ready_version(cast.wen, proposal)
    export = request_export(by=cast.wen, version=version, seal=seal_of(version))
    change_policy(by=cast.max, gated=["update"])
    assert make_export(export.pk).status == "failed"


def test_an_outsider_exports_nothing(cast, version) -> None:
    with pytest.raises(NotAllowed):
        request_export(by=cast.ola, version=version, seal=seal_of(version))


def test_only_a_manager_leaves_something_in_the_pdf(cast, version) -> None:
    for who in ("wen", "rae"):
        with pytest.raises(NotAllowed):
            request_export(by=getattr(cast, who), version=version, seal=seal_of(version),
                           keeps=["author"])  # fmt: skip
    with pytest.raises(Refused):
        request_export(by=cast.max, version=version, seal=seal_of(version), keeps=["scripts"])


@pytest.fixture
def hostile(cast) -> Version:
    """Approved, with markup, marks that turn writing and endless text wherever people write."""
    proposal = make_proposal(
        cast.workspace,
        owner=cast.wen,
        title="../../etc/passwd\u202e<img src=x onerror=alert(1)>",
        client='A"; }@page{content:"x" & Sons\u0007',
    )
    version = open_version(cast.wen, cast.max, proposal)
    make_finding(version, votes=1, text=LONG, edit=LONG, quote="cut detention costs by 30%")
    make_finding(version, severity="block", status="dismissed", decided_by=cast.rae, text=LONG,
                 decision_reason=LONG, raised="person")  # fmt: skip
    return approved(cast, version)


def test_the_files_are_kept_with_hashes_and_made_again_they_are_the_same(cast, hostile) -> None:
    export = request_export(by=cast.wen, version=hostile, seal=seal_of(hostile))
    done = make_export(export.pk)
    assert (done.status, done.reason) == ("ready", "")
    files = {}
    for name in ("client", "record"):
        with getattr(done, f"{name}_file").open("rb") as stored:
            files[name] = stored.read()
        digest = hashlib.sha256(files[name]).hexdigest()
        assert getattr(done, f"{name}_sha256") == digest
        assert [one.pk for one in exports_with_hash(cast.wen, f"sha256:{digest} ")] == [done.pk]
        assert exports_with_hash(cast.ola, digest) == []
    Export.objects.filter(pk=done.pk).update(status="waiting", attempts=0)
    again = make_export(done.pk)
    assert (again.client_sha256, again.record_sha256) == (done.client_sha256, done.record_sha256)
    with pikepdf.open(io.BytesIO(files["client"])) as client:
        assert "/Author" not in client.docinfo
        assert len(client.pages) == 3
        assert client.docinfo["/Title"] == "../../etc/passwd<img src=x onerror=alert(1)>"
        assert not {"/Names", "/OpenAction", "/AA", "/AF", "/OCProperties"} & set(client.Root)
        assert client.check_pdf_syntax() == []
    with pikepdf.open(io.BytesIO(files["record"])) as record:
        assert record.check_pdf_syntax() == []
        assert not {"/Names", "/OpenAction", "/AA", "/AF", "/OCProperties"} & set(record.Root)
        with record.open_outline() as outline:
            told = [item.title for item in outline.root]
        assert not set("".join([str(record.docinfo["/Title"]), *told])) & set(OBEYED)
    text = text_of(files["record"])
    assert "<script>alert(1)</script>" in text
    assert "more letters)" in text
    assert "onerror=alert(1)>" in text
    assert not set(text) & set(OBEYED)
    assert done.removed == ["Who made the file, when and with what."]
    assert Event.objects.filter(subject="export", to_state="ready").count() == 2


@pytest.mark.parametrize("which", ["client", "record"])
def test_a_header_says_a_harmless_name(cast, hostile, client_of, which) -> None:
    named = file_name(hostile.proposal, hostile)
    row = export_row(hostile, cast.wen, client_name=named, record_name=f"Ω{named}")
    at = reverse("export-file", args=["field-systems", row.number, which])
    answer = client_of(cast.rae).get(at)
    told = unquote(answer["Content-Disposition"])
    assert b"".join(answer.streaming_content) == which.encode()
    assert told.startswith("attachment; filename")
    assert not set(told) & (set(OBEYED) | set("\r\n/\\<>`"))
    assert "etcpasswdimg src=x onerror=alert(1)" in told


def text_of(pdf: bytes) -> str:
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    parts = []
    for page in document:
        held = page.get_textpage()
        parts.append(held.get_text_range())
        held.close()
        page.close()
    document.close()
    return "\n".join(parts)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Control tower", "Control tower - Northwind Logistics - v1.pdf"),
        ("../../etc/passwd", "etcpasswd - Northwind Logistics - v1.pdf"),
        ("a\u202efdp.exe", "afdp.exe - Northwind Logistics - v1.pdf"),
        ("x" * 500, f"{'x' * 60} - Northwind Logistics - v1.pdf"),
        ("\u0000\u200b", "Document - Northwind Logistics - v1.pdf"),
        ('con"; rm -rf $HOME `id`', "con rm -rf HOME id - Northwind Logistics - v1.pdf"),
    ],
)
def test_a_file_is_named_after_what_it_is_and_harmlessly(title, name) -> None:
    proposal = Proposal(title=title, client="Northwind Logistics")
    assert file_name(proposal, Version(number=1)) == name
    assert harmless(name.removesuffix(".pdf")[:60]) in name


def test_numbers_are_given_once_even_after_a_proposal_is_gone(cast) -> None:
    numbers = []
    for _ in range(2):
        proposal = make_proposal(cast.workspace, owner=cast.wen, kind="update")
        version = ready_version(cast.wen, proposal)
        numbers.append(request_export(by=cast.wen, version=version, seal=seal_of(version)).number)
        proposal.delete()
    assert numbers == [1, 2]


def test_an_export_is_made_once_however_often_its_message_comes(cast, version) -> None:
    export = export_row(version, cast.wen, status="making", attempts=1,
                        leased_until=timezone.now() + timedelta(minutes=1))  # fmt: skip
    assert make_export(export.pk) is None
    assert make_export(export.pk + 1) is None
    assert waiting_exports() == []
    Export.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert waiting_exports() == [export.pk]


def test_a_second_click_begins_nothing_new(cast, version) -> None:
    seal = seal_of(version)
    first, second = (request_export(by=cast.wen, version=version, seal=seal) for _ in range(2))
    assert (first.pk, first.number, Event.objects.filter(verb="exported").count()) == (
        second.pk, 1, 1)  # fmt: skip
    other = request_export(by=cast.max, version=version, seal=seal, keeps=["author"])
    assert other.number == 2
    Export.objects.update(status="failed", reason="It fell.")
    assert request_export(by=cast.wen, version=version, seal=seal).number == 3


def test_a_worker_that_died_between_the_files_and_the_row_leaves_no_half_export(
    cast, version, kept_files, client_of, monkeypatch
) -> None:
    export = request_export(by=cast.wen, version=version, seal=seal_of(version))
    with monkeypatch.context() as dying:
        dying.setattr(services, "forget_files", lambda names: None)
        dying.setattr(services, "_move", _dies)
        with pytest.raises(SystemExit):
            make_export(export.pk)
    export.refresh_from_db()
    assert (export.status, export.client_file.name, export.record_sha256) == ("making", "", "")
    for which in ("client", "record"):
        at = reverse("export-file", args=["field-systems", export.number, which])
        assert client_of(cast.max).get(at).status_code == 404
    Export.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    done = make_export(export.pk)
    assert done.status == "ready"
    left = {name for name in kept_files() if name.startswith(f"{done.folder}/")}
    assert left == {done.client_file.name, done.record_file.name}


def _dies(*args: object, **kwargs: object) -> None:
    raise SystemExit(9)


def test_what_lost_its_message_is_sent_again(
    cast, version, published, django_capture_on_commit_callbacks
) -> None:
    export = request_export(by=cast.wen, version=version, seal=seal_of(version))
    Export.objects.update(sent_at=None)
    published.clear()
    with django_capture_on_commit_callbacks(execute=True):
        send_again()
    assert ("make_export", export.pk) in published


def test_a_file_that_takes_three_workers_with_it_gets_no_fourth(cast, version) -> None:
    export = request_export(by=cast.wen, version=version, seal=seal_of(version))
    Export.objects.update(attempts=3)
    done = make_export(export.pk)
    assert (done.status, done.reason) == ("failed", services.OUR_FAULT)


def test_a_hash_that_is_none_is_said_to_be_none(cast) -> None:
    for text in ("", "abc", "g" * 64, "0" * 63):
        with pytest.raises(Refused):
            exports_with_hash(cast.wen, text)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"is_gated": True}, "export_gated_has_an_approval"),
        ({"client_sha256": ""}, "export_ready_has_files_and_hashes"),
        ({"status": "failed"}, "export_failed_says_why"),
        ({"status": "x"}, "export_status_is_known"),
    ],
)
def test_the_database_refuses_what_must_never_be(cast, version, fields, name) -> None:
    with pytest.raises(IntegrityError, match=name):
        export_row(version, cast.wen, **fields)


def test_a_number_is_given_once_a_workspace(cast, version) -> None:
    export_row(version, cast.wen, number=4)
    with pytest.raises(IntegrityError):
        export_row(version, cast.wen, number=4)

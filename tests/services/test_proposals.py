"""A proposal's details and sources, its way to the archive and back, and its end."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, IntegrityError

from reviewer.models import Event, Finding, Proposal, Reading, Source
from reviewer.services import proposals
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.proposals import (
    add_source,
    archive_proposal,
    change_details,
    delete_proposal,
    remove_source,
    restore_proposal,
)
from tests.factories import (
    make_decision,
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_sighting,
    make_source,
    make_version,
)


@pytest.fixture(autouse=True)
def _plain_sources(monkeypatch) -> None:
    """Sources are read without the process that reads files."""

    def text_of(data: bytes, name: str) -> str:
        if not data.strip():
            raise Refused(f"“{name}” has no text to read, so it was not added.")
        return data.decode()

    monkeypatch.setattr(proposals, "text_of", text_of)


@pytest.fixture
def proposal(cast) -> Proposal:
    return make_proposal(cast.workspace, owner=cast.wen, title="Control tower", client="Northwind")


def _details(by, proposal: Proposal, **changed) -> Proposal:
    details = {"title": "Control tower", "client": "Northwind", "kind": "proposal"}
    return change_details(by=by, proposal=proposal, **{**details, "checks_only": False, **changed})


def _source(text: str = "The RFP asks for two sites.") -> SimpleUploadedFile:
    return SimpleUploadedFile("rfp.txt", text.encode())


def test_details_are_changed_and_what_they_were_is_told(cast, proposal):
    _details(cast.wen, proposal, title=" A tower ", client="Harbor", checks_only=True)
    proposal.refresh_from_db()
    assert (proposal.title, proposal.client, proposal.checks_only) == ("A tower", "Harbor", True)
    assert Event.objects.get(verb="details changed").why == "Control tower · Northwind · proposal"


def test_only_a_manager_changes_the_kind(cast, proposal):
    with pytest.raises(NotAllowed):
        _details(cast.rae, proposal, kind="scope")
    assert _details(cast.max, proposal, kind="scope").kind == "scope"


@pytest.mark.parametrize(("changed", "words"), [({"title": " "}, "title"), ({"kind": "x"}, "kind")])
def test_details_that_cannot_be_are_refused(cast, proposal, changed, words):
    with pytest.raises(Refused, match=words):
        _details(cast.max, proposal, **changed)
    proposal.refresh_from_db()
    assert (proposal.title, proposal.kind) == ("Control tower", "proposal")


def test_a_proposal_goes_to_the_archive_and_back_and_each_way_is_told_once(cast, proposal):
    archive_proposal(by=cast.wen, proposal=proposal)
    archive_proposal(by=cast.wen, proposal=proposal)
    assert Proposal.objects.get().archived_at is not None
    restore_proposal(by=cast.rae, proposal=proposal)
    restore_proposal(by=cast.rae, proposal=proposal)
    assert Proposal.objects.get().archived_at is None
    assert list(Event.objects.values_list("verb", flat=True)) == ["archived", "restored"]


# Its end -----------------------------------------------------------------------------------


def _full(cast, proposal: Proposal) -> None:
    version = make_version(proposal)
    reading = make_reading(make_review(version), sheet=1, raw={"text": "{}"})
    finding = make_finding(version, status="dismissed", decided_by=cast.rae)
    make_sighting(reading, finding)
    first = make_decision(finding, cast.rae, act="dismiss")
    make_decision(finding, cast.rae, act="undo", undoes=first)
    add_source(by=cast.wen, proposal=proposal, file=_source())


def test_deleting_removes_rows_and_files_and_the_event_stays(
    cast, proposal, kept_files, django_capture_on_commit_callbacks
):
    _full(cast, proposal)
    default_storage.save(f"proposals/{proposal.pk}/v1/sheets/left.png", ContentFile(b"half"))
    other = make_version(make_proposal(cast.workspace))
    assert len(kept_files()) > 5
    with django_capture_on_commit_callbacks(execute=True):
        delete_proposal(by=cast.max, proposal=proposal)
    assert all(name.startswith(f"proposals/{other.proposal_id}/") for name in kept_files())
    for rows in (Finding, Reading, Source):
        assert not rows.objects.exists()
    deleted = Event.objects.get(verb="deleted")
    assert (deleted.actor, deleted.why) == (cast.max.user, "Control tower · Northwind")
    assert deleted.proposal_id == deleted.subject_id
    assert not Proposal.objects.filter(pk=deleted.proposal_id).exists()


@pytest.mark.parametrize("who", ["wen", "rae"])
def test_only_a_manager_deletes(cast, proposal, who):
    with pytest.raises(NotAllowed, match="Archive"):
        delete_proposal(by=getattr(cast, who), proposal=proposal)
    assert Proposal.objects.filter(pk=proposal.pk).exists()


def test_a_file_that_cannot_be_removed_keeps_none_of_the_others(
    cast, proposal, monkeypatch, kept_files, caplog, django_capture_on_commit_callbacks
):
    _full(cast, proposal)
    real, stuck = default_storage.delete, kept_files()[0]

    def delete(name: str) -> None:
        if name == stuck:
            raise OSError("busy")
        real(name)

    monkeypatch.setattr(
        "django.core.files.storage.FileSystemStorage.delete", lambda s, n: delete(n)
    )
    with django_capture_on_commit_callbacks(execute=True):
        delete_proposal(by=cast.max, proposal=proposal)
    assert kept_files() == [stuck]
    assert "busy" in caplog.text


def test_a_deletion_that_fails_keeps_the_files(cast, proposal, monkeypatch, kept_files):
    _full(cast, proposal)
    before = kept_files()

    def broken(self: Proposal) -> None:
        raise DatabaseError("no")

    monkeypatch.setattr(Proposal, "delete", broken)
    with pytest.raises(DatabaseError):
        delete_proposal(by=cast.max, proposal=proposal)
    assert kept_files() == before
    assert not Event.objects.filter(verb="deleted").exists()


# Sources --------------------------------------------------------------------------------------


def test_a_source_is_kept_with_its_text_and_its_bytes(cast, proposal):
    source = add_source(by=cast.wen, proposal=proposal, file=_source())
    assert (source.name, source.text) == ("rfp.txt", "The RFP asks for two sites.")
    with source.original.open("rb") as kept:
        assert kept.read() == b"The RFP asks for two sites."
    assert Event.objects.get(verb="source added").why == "rfp.txt"


def test_the_same_source_is_attached_once_and_its_file_kept_once(cast, proposal, kept_files):
    add_source(by=cast.wen, proposal=proposal, file=_source())
    with pytest.raises(Refused, match="attached already"):
        add_source(by=cast.rae, proposal=proposal, file=_source())
    assert proposal.sources.count() == len(kept_files()) == 1


def test_what_fails_beside_a_source_is_not_told_as_the_same_source(
    cast, proposal, kept_files, monkeypatch
):
    def fails(*_: object) -> None:
        raise IntegrityError("another constraint")

    monkeypatch.setattr(proposals, "source_came", fails)
    with pytest.raises(IntegrityError, match="another constraint"):
        add_source(by=cast.wen, proposal=proposal, file=_source())
    assert proposal.sources.count() == len(kept_files()) == 0


def test_a_source_for_a_proposal_that_was_deleted_meanwhile_says_so(cast, proposal, kept_files):
    gone = Proposal.objects.get(pk=proposal.pk)
    gone.delete()
    with pytest.raises(Refused, match=r"was deleted meanwhile, so “rfp\.txt” was not attached"):
        add_source(by=cast.wen, proposal=proposal, file=_source())
    assert kept_files() == []


def test_a_source_without_text_is_refused_and_nothing_is_kept(cast, proposal, kept_files):
    with pytest.raises(Refused, match="no text"):
        add_source(by=cast.wen, proposal=proposal, file=_source("  "))
    assert kept_files() == []


def test_a_source_taken_off_takes_its_file_along_and_leaves_findings(
    cast, proposal, kept_files, django_capture_on_commit_callbacks
):
    finding = make_finding(make_version(proposal))
    source = add_source(by=cast.wen, proposal=proposal, file=_source())
    with django_capture_on_commit_callbacks(execute=True):
        remove_source(by=cast.wen, source=source)
    assert not any("sources" in name for name in kept_files())
    assert Finding.objects.filter(pk=finding.pk).exists()
    assert Event.objects.get(verb="source removed").why == "rfp.txt"


def test_a_source_without_a_file_can_be_taken_off(cast, proposal):
    remove_source(by=cast.wen, source=make_source(proposal))
    assert not proposal.sources.exists()

"""Details, sources, archive and deletion of one proposal."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from reviewer.models import Event, Proposal
from tests.factories import Cast, make_finding, make_proposal, make_source, make_version


@pytest.fixture
def proposal(cast: Cast) -> Proposal:
    made = make_proposal(cast.workspace, owner=cast.wen, title="Control tower", client="Northwind")
    make_finding(make_version(made))
    return made


@pytest.fixture
def at(cast: Cast, proposal: Proposal):
    """The address of one of the proposal's pages by its name."""
    return lambda name, *more: reverse(name, args=[cast.workspace.slug, proposal.pk, *more])


def details_of(**changed: Any) -> dict[str, Any]:
    return {"title": "Control tower", "client": "Northwind", "kind": "proposal", **changed}


def test_details_are_shown_and_saved(cast: Cast, proposal, at, client_of) -> None:
    wen = client_of(cast.wen)
    assert 'value="Control tower"' in wen.get(at("details")).content.decode()
    wen.post(at("details"), details_of(title=" Tower ", client="Harbor", checks_only="on"))
    proposal.refresh_from_db()
    assert (proposal.title, proposal.client) == ("Tower", "Harbor")
    assert proposal.checks_only


def test_a_proposal_needs_a_title(cast: Cast, proposal, at, client_of) -> None:
    answer = client_of(cast.wen).post(at("details"), details_of(title="  "))
    proposal.refresh_from_db()
    assert answer.status_code == 422
    assert proposal.title == "Control tower"


def test_only_a_manager_changes_the_kind(cast: Cast, proposal, at, client_of) -> None:
    for member, kind in ((cast.wen, "proposal"), (cast.rae, "proposal"), (cast.max, "scope")):
        client_of(member).post(at("details"), details_of(kind="scope"))
        proposal.refresh_from_db()
        assert proposal.kind == kind


def test_the_archive_takes_and_gives_back(cast: Cast, proposal, at, client_of) -> None:
    wen = client_of(cast.wen)
    listed = reverse("proposals", args=[cast.workspace.slug])
    answer = wen.post(at("archive"), follow=True)
    assert "Nothing of it was lost" in answer.content.decode()
    assert not wen.get(listed).context["rows"]
    assert "Bring it back" in wen.get(at("details")).content.decode()
    wen.post(at("restore"))
    assert [row.proposal for row in wen.get(listed).context["rows"]] == [proposal]


@pytest.mark.parametrize("typed", ["", "control tower", "Control", "Northwind"])
def test_nothing_is_deleted_unless_the_title_is_typed(
    typed: str, cast: Cast, at, client_of
) -> None:
    answer = client_of(cast.max).post(at("delete"), {"confirm": typed})
    assert answer.status_code == 422
    assert Proposal.objects.exists()


def test_a_manager_deletes_for_good_and_the_record_stays(
    cast: Cast, proposal, at, client_of
) -> None:
    make_source(proposal)
    answer = client_of(cast.max).post(at("delete"), {"confirm": "Control  tower "}, follow=True)
    assert "“Control tower” was deleted" in answer.content.decode()
    assert not Proposal.objects.exists()
    event = Event.objects.get(verb="deleted")
    assert event.actor == cast.max.user


def test_a_member_who_may_not_delete_is_told_who_may(cast: Cast, at, client_of) -> None:
    rae = client_of(cast.rae)
    assert "Only a manager can delete" in rae.get(at("details")).content.decode()
    answer = rae.post(at("delete"), {"confirm": "Control tower"})
    assert answer.status_code == 403
    assert "Only a manager can delete a proposal. Archive it instead." in answer.content.decode()


def test_sources_are_added_several_at_once_and_removed(cast: Cast, proposal, at, client_of) -> None:
    wen = client_of(cast.wen)
    assert "Nothing is attached yet" in wen.get(at("sources")).content.decode()
    files = [
        SimpleUploadedFile("rfp.txt", b"The RFP asks for two sites."),
        SimpleUploadedFile("prices.md", b"# Prices\n\nA day is $1,200."),
    ]
    answer = wen.post(at("sources"), {"file": files}, follow=True)
    assert "“rfp.txt” was attached." in answer.content.decode()
    names = [source.name for source in proposal.sources.all()]
    assert names == ["rfp.txt", "prices.md"]
    first = proposal.sources.first()
    wen.post(at("source-remove", first.pk))
    assert [source.name for source in proposal.sources.all()] == ["prices.md"]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], "No file was chosen"),
        ([("same.txt", b"The RFP asks for two sites.")], "attached already"),
        ([("huge.txt", b"x" * (1024 * 1024 + 1))], "“huge.txt” is larger"),
    ],
)
def test_a_source_that_is_refused_says_why(
    files, said: str, cast: Cast, proposal, at, client_of, settings
) -> None:
    settings.MAX_UPLOAD_MB = 1
    make_source(proposal, "The RFP asks for two sites.")
    sent = {"file": [SimpleUploadedFile(*one) for one in files]}
    answer = client_of(cast.wen).post(at("sources"), sent)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert proposal.sources.count() == 1


def test_the_pages_about_a_proposal_lead_to_the_gate_once_it_has_sheets(
    cast: Cast, proposal, at, client_of
) -> None:
    wen = client_of(cast.wen)
    gate = at("gate", 1)
    for page in ("new-version", "sources", "details"):
        assert f'href="{gate}"' in wen.get(at(page)).content.decode()
    make_version(proposal, status="unreadable")
    assert "/gate/" not in wen.get(at("details")).content.decode()

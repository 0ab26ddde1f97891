"""Looking things up: inside one's own workspace only, and nothing is let slip by the way."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory

from reviewer.models import Membership, Proposal
from reviewer.services.errors import NotAllowed
from reviewer.views import access
from tests.factories import (
    Cast,
    make_cast,
    make_finding,
    make_proposal,
    make_source,
    make_version,
)


@pytest.fixture
def asked_by(rf: RequestFactory):
    def request(member: Membership) -> HttpRequest:
        made = rf.get("/")
        made.user = member.user
        made.session = {}
        return made

    return request


def test_a_member_is_found_and_the_workspace_is_remembered(cast: Cast, asked_by) -> None:
    request = asked_by(cast.wen)
    assert access.member_or_404(request, "field-systems") == cast.wen
    assert request.membership == cast.wen
    assert request.session == {"workspace": "field-systems"}


@pytest.mark.parametrize("slug", ["field-systems", "nowhere"])
def test_an_outsider_finds_no_workspace(slug: str, cast: Cast, asked_by) -> None:
    request = asked_by(cast.ola)
    with pytest.raises(Http404):
        access.member_or_404(request, slug)
    assert request.session == {}


def test_nothing_is_found_from_another_workspace(cast: Cast) -> None:
    proposal = make_proposal(cast.workspace)
    version = make_version(proposal)
    for look, key in (
        (access.proposal_or_404, proposal.pk),
        (access.version_by_pk_or_404, version.pk),
        (access.sheet_or_404, version.sheets.get(number=1).pk),
        (access.teammate_or_404, cast.wen.pk),
    ):
        assert look(cast.rae, key).pk == key
        with pytest.raises(Http404):
            look(cast.ola, key)


def test_nothing_is_found_through_another_proposal(cast: Cast) -> None:
    one, other = make_proposal(cast.workspace), make_proposal(cast.workspace)
    finding = make_finding(make_version(one))
    source = make_source(one)
    assert access.version_or_404(one, 1).proposal is one
    assert access.newest_version_or_404(one).number == 1
    assert access.finding_or_404(one, finding.number) == finding
    assert access.source_or_404(one, source.pk) == source
    for look, key in (
        (access.version_or_404, 1),
        (access.finding_or_404, finding.number),
        (access.source_or_404, source.pk),
    ):
        with pytest.raises(Http404):
            look(other, key)
    with pytest.raises(Http404):
        access.newest_version_or_404(other)


def test_the_newest_version_is_the_one_with_the_highest_number(cast: Cast) -> None:
    proposal = make_proposal(cast.workspace)
    make_version(proposal)
    newest = make_version(proposal)
    assert access.newest_version_or_404(proposal) == newest


def test_what_a_service_does_not_allow_is_answered_with_its_sentence(cast: Cast, asked_by) -> None:
    @access.in_workspace
    def view(request: HttpRequest, membership: Membership, what: str) -> HttpResponse:
        raise NotAllowed(f"{what}, {membership.role}.")

    with pytest.raises(PermissionDenied, match=r"Not you, writer\."):
        view(asked_by(cast.wen), workspace="field-systems", what="Not you")


def test_only_a_manager_passes_where_managers_are_asked_for(cast: Cast) -> None:
    access.managers_only(cast.max)
    for member in (cast.wen, cast.rae):
        with pytest.raises(PermissionDenied):
            access.managers_only(member)


@pytest.mark.parametrize("act", ["locks", "saves", "refers"])
@pytest.mark.django_db(transaction=True)
def test_what_was_deleted_while_one_acted_is_not_there(act: str, asked_by) -> None:
    cast = make_cast()
    proposal = make_proposal(cast.workspace)

    @access.in_workspace
    def view(request: HttpRequest, membership: Membership, proposal: int) -> HttpResponse:
        of = access.proposal_or_404(membership, proposal)
        Proposal.objects.filter(pk=of.pk).delete()
        match act:
            case "locks":
                Proposal.objects.select_for_update().get(pk=of.pk)
            case "saves":
                of.save(update_fields=["title"])
            case "refers":
                with transaction.atomic():
                    make_version(of)
        return HttpResponse()

    with pytest.raises(Http404):
        view(asked_by(cast.wen), workspace=cast.workspace.slug, proposal=proposal.pk)


def test_a_database_that_fails_for_another_reason_is_not_called_missing(
    cast: Cast, asked_by
) -> None:
    @access.in_workspace
    def view(request: HttpRequest, membership: Membership, proposal: int) -> HttpResponse:
        raise OperationalError("database is locked")

    with pytest.raises(OperationalError):
        view(
            asked_by(cast.wen),
            workspace="field-systems",
            proposal=make_proposal(cast.workspace).pk,
        )

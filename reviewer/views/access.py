"""Who may see what: the one place in the views that looks things up.

Everything is sought inside the workspace of a membership. What belongs to another
workspace, and a workspace one is not in, does not exist (404). A member who lacks the
right for an act gets 403, with the sentence of the service that refused.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db import DatabaseError
from django.db.models import Case, Q, QuerySet, When
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404

from reviewer.core.outcomes import LOST
from reviewer.core.typed import typed_number
from reviewer.models import (
    Answer,
    Calibration,
    Event,
    Export,
    Finding,
    HeldBack,
    Learning,
    LearningSource,
    Membership,
    Proposal,
    Reading,
    Review,
    Sheet,
    Source,
    Version,
    Waiver,
)
from reviewer.services.errors import NotAllowed
from reviewer.services.list_holds import holds_of
from reviewer.views.rows import Row, is_open, rows_of

P = ParamSpec("P")
LAST_WORKSPACE = "workspace"
NAMED_AT_MOST = 60
"""So many findings an address or a form names at once."""
_OF_A_KEY = 18
"""So many figures of a primary key every database can hold."""


def member_or_404(request: HttpRequest, slug: str) -> Membership:
    """The signed-in person's membership of the workspace, which becomes the last one used.

    Raises Http404 for an outsider and for a workspace that does not exist alike.
    """
    mine = memberships_of(request.user)
    membership = next((one for one in mine if one.workspace.slug == slug), None)
    if membership is None:
        raise Http404
    if request.session.get(LAST_WORKSPACE) != slug:
        request.session[LAST_WORKSPACE] = slug
    request.membership, request.memberships = membership, mine  # type: ignore[attr-defined]
    return membership


def in_workspace(
    view: Callable[Concatenate[Any, Membership, P], HttpResponseBase],
) -> Callable[Concatenate[Any, str, P], HttpResponseBase]:
    """Decorate `view(request, membership, **captured)` for a URL that captures `workspace`.

    A `NotAllowed` that a service raises is answered 403 with its sentence. What somebody
    else deleted between the look-up and the act is not there any more (404).
    """

    @wraps(view)
    def answer(request: Any, workspace: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        membership = member_or_404(request, workspace)
        try:
            return view(request, membership, *args, **kwargs)
        except NotAllowed as refusal:
            raise PermissionDenied(str(refusal)) from refusal
        except (ObjectDoesNotExist, DatabaseError) as error:
            if isinstance(error, DatabaseError) and not _is_gone(membership, kwargs):
                raise
            raise Http404 from error

    return answer


def _is_gone(membership: Membership, named: Mapping[str, Any]) -> bool:
    """Whether the proposal that the address names was there a moment ago and is no more."""
    pk = named.get("proposal")
    return pk is not None and not Proposal.objects.visible_to(membership).filter(pk=pk).exists()


def triage_only(membership: Membership) -> None:
    """Raise PermissionDenied (403) for a writer."""
    if not membership.may_triage:
        raise PermissionDenied("This is for reviewers and managers. Ask one of them.")


def managers_only(membership: Membership) -> None:
    """Raise PermissionDenied (403) for a member who is not a manager."""
    if not membership.is_manager:
        raise PermissionDenied("This is for the managers of the workspace. Ask one of them.")


def memberships_of(user: Any) -> list[Membership]:
    """All workspaces of a person, by name; one query."""
    return list(Membership.objects.of(user))


def team_of(membership: Membership) -> list[Membership]:
    """Everybody in the member's workspace, by name; one query."""
    return list(
        Membership.objects.filter(workspace=membership.workspace)
        .select_related("user", "workspace")
        .order_by("user__first_name", "user__username")
    )


def teammate_or_404(membership: Membership, pk: int) -> Membership:
    """A membership of the same workspace."""
    one: Membership = get_object_or_404(
        Membership.objects.filter(workspace=membership.workspace).select_related(
            "user", "workspace"
        ),
        pk=pk,
    )
    return one


def proposals_of(membership: Membership) -> Any:
    """The proposals that the member may see, as a query set of `Proposal`."""
    return Proposal.objects.visible_to(membership)


def list_rows(membership: Membership, proposals: Sequence[Any]) -> list[Row]:
    """One page of the list (from `for_list`) with versions, reviews, counts and what holds each:
    eight queries, and some more for what is rare (see `list_holds`)."""
    versions = (
        Version.objects.with_answers()
        .select_related("proposal")
        .defer("notes")
        .in_bulk([one.newest_id for one in proposals if one.newest_id])
    )
    reviews = {
        review.version.proposal_id: review
        for review in Review.objects.newest_of([one.pk for one in proposals])
    }
    due = Finding.objects.due_of([one.pk for one in proposals])
    settled = [
        one
        for one in versions.values()
        if one.status == Version.Status.READY and not is_open(due[one.proposal_id])
    ]
    held = holds_of(membership.workspace, settled, reviews.values())
    return rows_of(proposals, versions, reviews, due, held)


def proposal_or_404(membership: Membership, pk: int) -> Proposal:
    """A proposal of the workspace, archived ones too, with owner and workspace loaded."""
    one: Proposal = get_object_or_404(
        Proposal.objects.visible_to(membership).select_related(
            "owner", "workspace__model_settings"
        ),
        pk=pk,
    )
    return one


def version_or_404(proposal: Proposal, number: int) -> Version:
    """One version of a proposal that was already found through `proposal_or_404`."""
    one: Version = get_object_or_404(
        Version.objects.select_related("uploaded_by"), proposal=proposal, number=number
    )
    one.proposal = proposal
    return one


def with_sheets(proposal: Proposal) -> list[Version]:
    """The versions that can be looked at, oldest first; one query."""
    return list(proposal.versions.filter(status=Version.Status.READY).order_by("number"))


def asked_finding(
    membership: Membership, proposal: int, number: int, finding: int
) -> tuple[Version, Finding]:
    """A version and a finding of its proposal, as an address names them; Http404 without."""
    of = proposal_or_404(membership, proposal)
    return version_or_404(of, number), finding_or_404(of, finding)


def newest_version_or_404(proposal: Proposal) -> Version:
    """The version with the highest number."""
    newest = Version.objects.filter(proposal=proposal).order_by("-number")
    one: Version = get_object_or_404(newest.select_related("uploaded_by")[:1])
    one.proposal = proposal
    return one


def version_by_pk_or_404(membership: Membership, pk: int) -> Version:
    """A version anywhere in the workspace, its proposal loaded."""
    one: Version = get_object_or_404(
        Version.objects.visible_to(membership).select_related("proposal"), pk=pk
    )
    return one


def sheet_or_404(membership: Membership, pk: int) -> Sheet:
    """A sheet anywhere in the workspace, without its words."""
    sheets = Sheet.objects.visible_to(membership).select_related("version")
    one: Sheet = get_object_or_404(sheets.defer("words", "text"), pk=pk)
    return one


def sheet_with_text_or_404(membership: Membership, pk: int) -> Sheet:
    """A sheet anywhere in the workspace with its text and words, its proposal loaded."""
    sheets = Sheet.objects.visible_to(membership).select_related("version__proposal")
    one: Sheet = get_object_or_404(sheets, pk=pk)
    return one


def finding_or_404(proposal: Proposal, number: int) -> Finding:
    """A finding by its number on a proposal that was already found."""
    one: Finding = get_object_or_404(
        Finding.objects.select_related("decided_by", "first_version", "checked_version"),
        proposal=proposal,
        number=number,
    )
    one.proposal = proposal
    return one


def sources_of(proposal: Proposal) -> list[Source]:
    """Its sources in the order they were added, without their text."""
    return list(Source.objects.filter(proposal=proposal).defer("text").select_related("added_by"))


def source_or_404(proposal: Proposal, pk: int) -> Source:
    """A source of a proposal that was already found."""
    one: Source = get_object_or_404(Source, proposal=proposal, pk=pk)
    return one


def answers_of(membership: Membership, *, model: str = "", outcome: str = "") -> QuerySet[Answer]:
    """The stored answers of the workspace, newest first, without their raw text.

    `outcome` is one, or "lost" for all those of which nothing could be used.
    """
    rows = (
        Answer.objects.filter(reading__review__version__proposal__workspace=membership.workspace)
        .select_related("reading__review__version__proposal")
        .defer("raw")
        .order_by("-pk")
    )
    if model:
        rows = rows.filter(reading__model=model)
    if outcome == "lost":
        return rows.filter(reading__outcome__in=LOST)
    return rows.filter(reading__outcome=outcome) if outcome else rows


def answer_or_404(membership: Membership, pk: int) -> Answer:
    """A stored answer anywhere in the workspace."""
    rows = Answer.objects.filter(
        reading__review__version__proposal__workspace=membership.workspace
    ).select_related("reading__review__version__proposal")
    one: Answer = get_object_or_404(rows, pk=pk)
    return one


def reading_or_404(membership: Membership, pk: int) -> Reading:
    """A reading anywhere in the workspace."""
    rows = Reading.objects.filter(
        review__version__proposal__workspace=membership.workspace
    ).select_related("review__version__proposal__workspace")
    one: Reading = get_object_or_404(rows, pk=pk)
    return one


def findings_of(proposal: Proposal) -> list[Finding]:
    """The findings of a proposal that stand for themselves, in reading order."""
    return list(Finding.objects.shown().filter(proposal=proposal).order_by("sheet", "number"))


def waiver_or_404(proposal: Proposal, pk: int) -> Waiver:
    """A signature on any version of a proposal that was already found."""
    rows = Waiver.objects.filter(version__proposal=proposal).select_related("version")
    one: Waiver = get_object_or_404(rows, pk=pk)
    return one


def exports_of(membership: Membership) -> QuerySet[Export]:
    """The exports of the workspace, newest first."""
    return Export.objects.visible_to(membership).for_list()


def export_or_404(membership: Membership, number: int) -> Export:
    """An export of the workspace by its number."""
    one: Export = get_object_or_404(exports_of(membership), number=number)
    return one


def calibrations_of(membership: Membership) -> list[Calibration]:
    """The newest calibrations of the workspace, newest first."""
    rows = Calibration.objects.filter(workspace=membership.workspace)
    return list(rows.select_related("run_by")[:10])


def learnings_of(
    membership: Membership, *, words: str = "", kind: str = "", status: str = ""
) -> QuerySet[Learning]:
    """The learnings of the workspace as the page lists them: what waits, what is in force, the rest.

    Every one of `words` is looked for in wording, phrase and client; `12` and `#12` are a number.
    """
    rows = Learning.objects.visible_to(membership).for_list()
    if kind:
        rows = rows.filter(kind=kind)
    if status:
        rows = rows.filter(status=status)
    for word in words.split():
        rows = rows.filter(_says(word))
    waits, given = Learning.Status.PROPOSED, Learning.Status.IN_FORCE
    place = Case(When(status=waits, then=0), When(status=given, then=1), default=2)
    return rows.order_by(place, "number")


def _says(word: str) -> Q:
    found = Q(client__icontains=word)
    for worded in ("current", "pending"):
        found |= Q(**{f"{worded}__text__icontains": word})
        found |= Q(**{f"{worded}__phrase__icontains": word})
    number = typed_number(word.removeprefix("#"))
    return found if number is None else found | Q(number=number)


def learning_or_404(membership: Membership, number: int) -> Learning:
    """A learning of the workspace by its number, its people and wordings loaded."""
    one: Learning = get_object_or_404(
        Learning.objects.visible_to(membership).for_list(), number=number
    )
    one.workspace = membership.workspace
    return one


def findings_named(membership: Membership, given: Iterable[str]) -> list[Finding]:
    """The findings of these ids that are in the workspace, proposals loaded; the rest is left out."""
    ids = [pk for one in given if (pk := typed_number(one, figures=_OF_A_KEY)) is not None]
    rows = Finding.objects.visible_to(membership).select_related("proposal__workspace")
    return list(rows.filter(pk__in=ids[:NAMED_AT_MOST]).order_by("proposal_id", "number"))


def events_of(membership: Membership, learning: Learning) -> list[Event]:
    """What happened to a learning, newest first."""
    rows = Event.objects.filter(
        workspace=membership.workspace, subject="learning", subject_id=learning.pk
    )
    return list(rows.select_related("actor").order_by("-pk"))


def held_back_by(learning: Learning) -> QuerySet[HeldBack]:
    """What a learning that was already found kept from being raised, newest first."""
    return (
        HeldBack.objects.filter(by__learning=learning)
        .select_related("by", "reading__review__version__proposal")
        .order_by("-pk")
    )


def met_on(learnings: Iterable[int]) -> dict[int, int]:
    """On how many proposals each learning was met, raised under it or its source, by its id; one
    query."""
    wanted = set(learnings)
    raised = Finding.objects.shown().filter(learning__in=wanted).order_by()
    came_from = LearningSource.objects.filter(learning__in=wanted, proposal__isnull=False)
    rows = raised.values_list("learning", "proposal").union(
        came_from.order_by().values_list("learning", "proposal")
    )
    return Counter(learning for learning, _ in rows)

"""No way out without the gate: what can hold or change a version, times every way out of it.

Ways out are the button of the page that shows today's state, that of a page shown before, a
page nobody was shown, the manager's yes, and the worker that makes what was asked for before.
No command makes a file for a client.
"""

from pathlib import Path

import pytest
from django.urls import reverse

from reviewer.core.gate import ReasonKind
from reviewer.management import commands
from reviewer.models import Approval, Export, Finding, Proposal, Version
from reviewer.services import exports as services
from reviewer.services.approvals import approve, seen
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.exports import make_export, request_export
from tests.factories import make_finding, make_proposal
from tests.services.papers import open_version, ready_version, seal_of
from tests.services.test_approvals import CHANGES
from tests.views.test_every_url import ALL, TABLE, Scene

pytestmark = pytest.mark.django_db
SHUT = {403, 409, 422}


def hold_by_layout(cast, version) -> None:
    Version.objects.filter(pk=version.pk).update(
        fit=[{"code": "clipped", "sheet": 1, "message": "Text is cut off."}]
    )


def hold_by_an_unread_sheet(cast, version) -> None:
    version.sheets.filter(number=2).update(unread="no_text")


def hold_by_a_block(cast, version) -> None:
    make_finding(version, severity="block", raised=Finding.Raised.CHECK)


def hold_by_an_undecided_block(cast, version) -> None:
    make_finding(version, severity="block", votes=1, verdict="unsure")


def hold_by_a_fix(cast, version) -> None:
    make_finding(version, raised=Finding.Raised.CHECK)


def hold_by_no_review(cast, version) -> None:
    version.waivers.all().delete()


HOLDS = {
    ReasonKind.FIT: hold_by_layout,
    ReasonKind.UNREAD: hold_by_an_unread_sheet,
    ReasonKind.BLOCKS_OPEN: hold_by_a_block,
    ReasonKind.BLOCKS_UNDECIDED: hold_by_an_undecided_block,
    ReasonKind.FIXES_UNDECIDED: hold_by_a_fix,
    ReasonKind.NOT_CLEARED: hold_by_no_review,
}


WAYS_TO_HOLD = {**{kind.value: hold for kind, hold in HOLDS.items()},
                **{change.__name__: change for change in CHANGES}}  # fmt: skip


def test_every_reason_that_the_gate_knows_is_tried_here() -> None:
    assert set(HOLDS) == set(ReasonKind)


@pytest.mark.parametrize("happens", WAYS_TO_HOLD)
def test_every_way_out_is_shut(cast, client_of, happens) -> None:
    version = open_version(cast.wen, cast.max)
    make_finding(version, votes=1)
    approve(by=cast.max, version=version, seal=seal_of(version))
    before = seal_of(version)
    asked_before = request_export(by=cast.wen, version=version, seal=before)

    WAYS_TO_HOLD[happens](cast, version)

    if happens in set(ReasonKind):
        assert [reason.kind for reason in seen(version).gate.reasons] == [happens]
    now = seal_of(version)
    for who in ALL:
        for seal in (now, before):
            with pytest.raises((Refused, MovedMeanwhile)):
                request_export(by=getattr(cast, who), version=version, seal=seal)
    is_shut = not seen(version).gate.is_open or not seen(version).is_newest
    for seal in (now if is_shut else "", before):
        with pytest.raises((Refused, MovedMeanwhile)):
            approve(by=cast.max, version=version, seal=seal)
    for who, way in (("wen", "export-version"), ("max", "gate-approve")):
        answer = client_of(getattr(cast, who)).post(at(version, way), {"seal": before})
        assert answer.status_code in SHUT
    assert Approval.objects.get().status == "fallen"
    made = make_export(asked_before.pk)
    assert (made.status, made.reason, made.client_file.name) == ("failed", services.FELL, "")
    file = reverse("export-file", args=["field-systems", made.number, "client"])
    assert client_of(cast.max).get(file).status_code == 404
    assert Export.objects.count() == 1


def at(version: Version, name: str) -> str:
    return reverse(name, args=["field-systems", version.proposal_id, version.number])


@pytest.mark.parametrize("who", ["wen", "rae"])
def test_who_may_not_ungate_a_kind_opens_no_way_out(cast, client_of, who) -> None:
    version = ready_version(cast.wen, make_proposal(cast.workspace, owner=cast.wen, title="T"))
    browser = client_of(getattr(cast, who))
    details = reverse("details", args=["field-systems", version.proposal_id])
    browser.post(details, {"title": "T", "client": "C", "kind": "update"})
    policy = reverse("policy", args=["field-systems"])
    browser.post(policy, {"gated": ["update"]})
    assert seen(version).is_gated
    answer = browser.post(at(version, "export-version"), {"seal": seal_of(version)})
    assert answer.status_code == 422
    assert not Export.objects.exists()


def test_a_page_of_an_ungated_kind_lets_nothing_out_once_it_is_gated(cast, client_of) -> None:
    proposal = make_proposal(cast.workspace, owner=cast.wen, kind="update")
    version = ready_version(cast.wen, proposal)
    before = seal_of(version)
    waiting = request_export(by=cast.wen, version=version, seal=before)
    Proposal.objects.filter(pk=proposal.pk).update(kind="proposal")
    for who in ALL:
        answer = client_of(getattr(cast, who)).post(at(version, "export-version"), {"seal": before})
        assert answer.status_code in SHUT
    assert make_export(waiting.pk).status == "failed"


def test_only_what_passed_the_gate_working_copies_and_the_houses_rules_can_be_saved(
    client_of,
) -> None:
    scene = Scene.make()
    browser = client_of(scene.cast.max)
    saved = set()
    for line in TABLE:
        if line.gets is None:
            continue
        kwargs = {"workspace": "field-systems", **line.args(scene)}
        answer = browser.get(reverse(line.url, kwargs=kwargs))
        told = answer.headers
        if answer.streaming:
            assert b"".join(answer.streaming_content)
        is_file = "attachment" in told.get("Content-Disposition", "")
        if is_file or "pdf" in told.get("Content-Type", ""):
            saved.add(line.url)
    assert saved == {"export-file", "original", "pdf", "learnings-export"}


def test_no_command_makes_a_file_for_a_client() -> None:
    makers = ("make_export", "request_export", "make_client_pdf", "rewrite_pdf")
    for path in Path(commands.__file__).parent.glob("*.py"):
        assert not any(maker in path.read_text() for maker in makers), path.name

"""The gate page says what holds, who let what through, and acts on nothing that was not shown."""

import re

import pytest
from django.urls import reverse

from reviewer.models import Approval, Export, Waiver
from reviewer.services.approvals import approve
from reviewer.services.asked_mail import send_mails
from tests.factories import make_finding, make_proposal, make_review, make_version
from tests.services.papers import open_version, ready_version, seal_of

pytestmark = pytest.mark.django_db
EVIL = "<script>alert(1)</script>\u202e"


def at(version, name: str = "gate", **more) -> str:
    kwargs = {"workspace": "field-systems", "proposal": version.proposal_id, "number": 1} | more
    return reverse(name, kwargs=kwargs)


def shown_seal(page) -> str:
    return re.search(r'name="seal" value="([^"]+)"', page.content.decode())[1]


@pytest.fixture
def version(cast):
    return open_version(cast.wen, cast.max)


def test_each_reason_has_its_finding_and_its_next_move(cast, client_of) -> None:
    version = ready_version(cast.wen)
    make_finding(version, severity="block", raised="check", text="Promises a result.")
    page = client_of(cast.wen).get(at(version)).content.decode()
    assert "Not yet. 2 things hold it." in page
    assert "Sheet 1: Promises a result." in page
    assert f"{at(version, 'desk-version')}#finding-1" in page
    assert "Fix it and upload a new version, or decide it on the desk." in page
    assert "No estimate: no model has read this document." in page


def test_a_long_list_is_folded_behind_its_blocks(cast, client_of) -> None:
    version = ready_version(cast.wen)
    for number in range(28):
        severity = "block" if number == 27 else "fix"
        make_finding(version, severity=severity, raised="check", text=f"Fault number {number}.")
    shown, _, folded = (
        client_of(cast.max).get(at(version)).content.decode().partition("3 more things hold it")
    )
    assert "Fault number 27." in shown
    assert "No review has read this version." in shown
    assert shown.count('class="m" aria-hidden="true">✕') == 25 + 1
    assert folded.count('class="m" aria-hidden="true">✕') == 3


def test_the_headline_counts_what_is_listed_and_the_desk_counts_the_same(cast, client_of) -> None:
    version = ready_version(
        cast.wen,
        fit=[
            {"code": "clipped", "sheet": sheet, "message": f"{words} words are cut off."}
            for sheet, words in ((1, 3), (1, 4), (0, 5))
        ],
    )
    version.sheets.filter(number__in=[2, 3]).update(unread="no_text")
    make_finding(version, severity="block", raised="check")
    make_finding(version, raised="check")
    client = client_of(cast.wen)
    page = client.get(at(version)).content.decode()
    listed = page.count('<div class="reason">')
    assert listed == 3 + 2 + 1 + 1 + 1
    assert f"Not yet. {listed} things hold it." in page
    desk = client.get(at(version, "standing"), headers={"HX-Request": "true"}).content.decode()
    assert f"{listed} things hold the export" in desk


def test_what_people_wrote_is_shown_as_text(cast, client_of) -> None:
    proposal = make_proposal(cast.workspace, owner=cast.wen, title=EVIL, client=EVIL)
    version = ready_version(cast.wen, proposal)
    make_finding(version, severity="block", raised="check", text=EVIL * 400)
    make_finding(version, status="dismissed", text=EVIL, decision_reason=EVIL)
    page = client_of(cast.max).get(at(version)).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_a_writer_is_offered_to_ask_and_a_manager_to_answer(cast, version, client_of) -> None:
    wen = client_of(cast.wen).get(at(version)).content.decode()
    max_ = client_of(cast.max).get(at(version)).content.decode()
    assert "Ask for approval" in wen
    assert "Say no" not in wen
    assert "Sign for it" not in wen
    assert "Say no" in max_
    assert "Take back" in max_


def test_a_click_on_a_stale_page_shows_todays_state_and_approves_nothing(
    cast, version, client_of
) -> None:
    max_ = client_of(cast.max)
    seal = shown_seal(max_.get(at(version)))
    make_finding(version, severity="block", raised="check", text="Came in between.")
    answer = max_.post(at(version, "gate-approve"), {"seal": seal})
    assert answer.status_code == 409
    assert b"Something changed since this page was shown" in answer.content
    assert b"Came in between." in answer.content
    assert not Approval.objects.exists()


def test_an_export_of_a_stale_page_is_refused_with_todays_state(cast, version, client_of) -> None:
    approve(by=cast.max, version=version, seal=seal_of(version))
    wen = client_of(cast.wen)
    seal = shown_seal(wen.get(at(version)))
    make_version(version.proposal)
    answer = wen.post(at(version, "export-version"), {"seal": seal})
    assert answer.status_code == 409
    assert b"There is a newer version" in answer.content
    assert not Export.objects.exists()


def test_signing_without_a_reason_signs_nothing(cast, client_of) -> None:
    version = ready_version(cast.wen)
    answer = client_of(cast.max).post(at(version, "gate-waive"), {"kind": "not_cleared"})
    assert answer.status_code == 422
    assert not Waiver.objects.exists()


def test_an_approval_that_fell_says_why(cast, version, client_of) -> None:
    approve(by=cast.max, version=version, seal=seal_of(version))
    make_finding(version, severity="block", raised="check", text="Promises a result.")
    page = client_of(cast.wen).get(at(version)).content.decode()
    assert "The approval by Max does not stand any more: Something holds it now: 1 block" in page


def test_a_kind_that_is_not_gated_says_so(cast, client_of) -> None:
    version = ready_version(cast.wen, make_proposal(cast.workspace, owner=cast.wen, kind="update"))
    page = client_of(cast.wen).get(at(version)).content.decode()
    assert "This kind of document is not gated" in page
    assert "Ask for approval" not in page
    assert ">Export</button>" in page


def test_reading_first_is_refused_with_a_sentence_where_no_model_is_connected(
    cast, client_of
) -> None:
    version = ready_version(cast.wen)
    answer = client_of(cast.wen).post(at(version, "gate-read"))
    assert answer.status_code == 422
    assert b"No model is connected" in answer.content


def test_a_version_that_is_not_ready_has_nothing_to_decide(cast, client_of) -> None:
    version = make_version(make_proposal(cast.workspace), status="waiting")
    assert b"not ready" in client_of(cast.wen).get(at(version)).content


def test_a_refused_signature_stands_in_its_line_as_it_was_typed(cast, client_of) -> None:
    version = ready_version(cast.wen)
    typed = {"kind": "not_cleared", "sheet": "0", "reason": "By hand.", "until_date": "2001-01-01"}
    page = client_of(cast.max).post(at(version, "gate-waive"), typed).content.decode()
    form = page.split('<details class="waive" open>', 1)[1].split("</form>", 1)[0]
    assert "That day has passed already, so nothing was signed." in form
    assert 'value="By hand."' in form
    assert 'value="2001-01-01"' in form
    assert page.count('role="alert"') == 1


def test_without_a_model_the_gate_says_how_one_is_connected(cast, client_of) -> None:
    version = ready_version(cast.wen)
    settings = reverse("model-settings", args=["field-systems"])
    page = client_of(cast.max).get(at(version)).content.decode()
    reasons = page.split('class="card reasons"', 1)[1]
    assert reasons.count("No model is connected, so it cannot be read yet.") == 2
    assert reasons.count(settings) == 2
    page = client_of(cast.wen).get(at(version)).content.decode()
    assert "A manager can connect one, and it can be read then." in page
    assert "No sheet is left that holds it" not in page


def test_what_would_hold_a_gated_kind_is_only_told_of_one_that_is_not(cast, client_of) -> None:
    version = ready_version(cast.wen, make_proposal(cast.workspace, owner=cast.wen, kind="update"))
    page = client_of(cast.max).get(at(version)).content.decode()
    assert "No review has read this version." in page
    assert "✕" not in page
    assert "Sign for it" not in page


def test_recorded_answers_are_not_called_no_review(cast, client_of) -> None:
    version = ready_version(cast.wen)
    make_review(version, provenance="recorded")
    page = client_of(cast.wen).get(at(version)).content.decode()
    assert "Only recorded answers were given for this version, and those do not clear it." in page
    assert "No review has read this version." not in page


def test_the_mail_to_managers_leads_to_the_page_on_which_it_was_asked(
    version, client_of, cast, mailoutbox
) -> None:
    client_of(cast.wen).post(at(version, "gate-ask"), {"note": "The client waits."})
    assert send_mails(Approval.objects.get().pk) == 1
    assert f"http://testserver{at(version)}\n" in mailoutbox[0].body

"""What people do to findings on the desk, as plain forms and through htmx."""

import pytest
from django.urls import reverse

from reviewer.models import Decision, Finding
from tests.factories import make_finding, make_proposal, make_version
from tests.views.html import html_of

HTMX = {"HX-Request": "true"}
STATES = {"fixed": "fix_claimed", "dismiss": "dismissed", "accept": "accepted"}


@pytest.fixture
def version(cast):
    return make_version(make_proposal(cast.workspace, owner=cast.wen))


@pytest.fixture
def finding(version):
    return make_finding(version)


def url(version, name, *more):
    at = (version.proposal.workspace.slug, version.proposal_id, version.number, *more)
    return reverse(name, args=at)


def act_url(version, finding, act, query=""):
    return url(version, "finding-act", finding.number, act) + query


def status_of(finding):
    finding.refresh_from_db()
    return finding.status


@pytest.mark.parametrize("act", STATES)
def test_a_plain_form_acts_and_goes_back_to_the_desk(cast, client_of, version, finding, act):
    client = client_of(cast.rae)
    answer = client.post(act_url(version, finding, act), {"reason": "Agreed in the call."})
    assert answer.status_code == 302
    assert answer["Location"].startswith(url(version, "desk-version"))
    assert status_of(finding) == STATES[act]
    page = html_of(client.get(answer["Location"]))
    assert f"#{finding.number}, Grounding." in page


@pytest.mark.parametrize("act", STATES)
def test_htmx_gets_what_changed_in_one_answer(cast, client_of, version, finding, act):
    answer = client_of(cast.rae).post(
        act_url(version, finding, act), {"reason": "Agreed in the call."}, headers=HTMX
    )
    html = html_of(answer)
    assert answer.status_code == 200
    assert status_of(finding) == STATES[act]
    assert "Open 0" in html
    assert f'id="finding-{finding.number}"' not in html
    assert f'id="mark-{finding.number}"' not in html
    assert f"#{finding.number}, Grounding." in html
    assert ">Undo</button>" in html
    assert "HX-Request" in answer["Vary"]


def test_the_tab_the_order_and_the_filter_outlive_an_act(cast, client_of, version, finding):
    make_finding(version, text="The price differs.")
    query = "?tab=open&order=sheet&q=price"
    client = client_of(cast.rae)
    html = html_of(client.post(act_url(version, finding, "fixed", query), headers=HTMX))
    assert "The price differs." in html
    assert "?order=sheet&amp;q=price" in html
    again = client.post(act_url(version, finding, "reopen", query))
    assert "?order=sheet&q=price" in again["Location"]


def test_without_scripts_one_goes_on_at_the_next_finding(cast, client_of, version):
    first, second = (make_finding(version, severity="block") for _ in range(2))
    client = client_of(cast.max)
    assert client.post(act_url(version, first, "fixed"))["Location"].endswith(
        f"#finding-{second.number}"
    )
    assert client.post(act_url(version, second, "fixed"))["Location"].endswith("#findings")


@pytest.mark.parametrize("act", ["dismiss", "accept"])
def test_the_address_of_a_decision_asks_for_its_reason(cast, client_of, version, finding, act):
    page = client_of(cast.rae).get(act_url(version, finding, act, "?tab=lost"))
    html = html_of(page)
    assert page.status_code == 200
    assert finding.text in html
    assert 'name="reason"' in html
    assert f"?tab=lost#finding-{finding.number}" in html


@pytest.mark.parametrize("act", ["dismiss", "accept"])
@pytest.mark.parametrize("reason", ["", "   "])
def test_without_a_reason_nothing_is_decided(cast, client_of, version, finding, act, reason):
    client = client_of(cast.rae)
    plain = client.post(act_url(version, finding, act), {"reason": reason})
    part = client.post(act_url(version, finding, act), {"reason": reason}, headers=HTMX)
    assert plain.status_code == part.status_code == 422
    assert "Say why" in html_of(plain)
    assert "Say why" in html_of(part)
    assert status_of(finding) == "open"


@pytest.mark.parametrize("act", ["fixed", "reopen"])
def test_acts_without_a_question_have_no_page(cast, client_of, version, finding, act):
    assert client_of(cast.rae).get(act_url(version, finding, act)).status_code == 405
    assert status_of(finding) == "open"


def test_an_act_that_does_not_exist_is_not_found(cast, client_of, version, finding):
    assert client_of(cast.rae).post(act_url(version, finding, "burn")).status_code == 404


@pytest.mark.parametrize(
    ("who", "severity", "act", "status"),
    [
        ("wen", "fix", "fixed", 302),
        ("wen", "block", "fixed", 302),
        ("wen", "fix", "dismiss", 403),
        ("wen", "consider", "dismiss", 302),
        ("wen", "consider", "accept", 403),
        ("rae", "block", "dismiss", 302),
        ("max", "block", "accept", 302),
        ("ola", "fix", "fixed", 404),
    ],
)
def test_who_may_do_what(cast, client_of, version, who, severity, act, status):
    finding = make_finding(version, severity=severity)
    client = client_of(getattr(cast, who))
    answer = client.post(act_url(version, finding, act), {"reason": "Agreed."})
    assert answer.status_code == status
    assert (status_of(finding) == "open") == (status != 302)


@pytest.mark.parametrize("act", ["dismiss", "accept"])
def test_a_writer_is_not_asked_why(cast, client_of, version, finding, act):
    assert client_of(cast.wen).get(act_url(version, finding, act)).status_code == 403


def test_the_last_editor_does_not_dismiss_a_block(cast, client_of):
    version = make_version(make_proposal(cast.workspace, owner=cast.rae))
    block = make_finding(version, severity="block")
    answer = client_of(cast.rae).post(act_url(version, block, "dismiss"), {"reason": "No."})
    assert answer.status_code == 403
    assert status_of(block) == "open"


def test_who_comes_second_sees_the_sentence_and_the_state_of_today(
    cast, client_of, version, finding
):
    Finding.objects.filter(pk=finding.pk).update(
        status="dismissed", decision_reason="Rae was first.", decided_by=cast.rae.user
    )
    answer = client_of(cast.max).post(act_url(version, finding, "fixed"), headers=HTMX)
    html = html_of(answer)
    assert answer.status_code == 409
    assert "Settled 1" in html
    assert status_of(finding) == "dismissed"


def test_undo_takes_back_ones_own_last_decision(cast, client_of, version, finding):
    client = client_of(cast.rae)
    client.post(act_url(version, finding, "dismiss"), {"reason": "Agreed."})
    answer = client.post(url(version, "undo"), headers=HTMX)
    assert status_of(finding) == "open"
    assert f"Taken back: #{finding.number} is open again." in html_of(answer)
    assert "desk:select" in answer["HX-Trigger-After-Settle"]
    assert [d.act for d in Decision.objects.order_by("pk")] == ["dismiss", "undo"]


def test_undo_without_a_decision_says_that_there_is_none(cast, client_of, version, finding):
    client_of(cast.max).post(act_url(version, finding, "fixed"))
    answer = client_of(cast.rae).post(url(version, "undo"), headers=HTMX)
    assert "no decision of yours" in html_of(answer)
    assert status_of(finding) == "fix_claimed"


def test_one_reason_dismisses_a_kind_and_leaves_the_rest(cast, client_of, version):
    same = [make_finding(version) for _ in range(4)]
    other = make_finding(version, rule="structure")
    lighter = make_finding(version, severity="consider")
    client = client_of(cast.rae)
    kind = {"rule": "grounding", "severity": "fix"}
    asked = html_of(client.get(url(version, "dismiss-kind"), kind))
    assert "Dismiss all 4" in asked
    answer = client.post(url(version, "dismiss-kind"), kind | {"reason": "Sources are attached."})
    assert answer.status_code == 302
    assert [status_of(one) for one in same] == ["dismissed"] * 4
    assert status_of(other) == status_of(lighter) == "open"


def test_a_kind_is_not_dismissed_without_a_reason(cast, client_of, version, finding):
    kind = {"rule": "grounding", "severity": "fix", "reason": " "}
    client = client_of(cast.rae)
    assert client.post(url(version, "dismiss-kind"), kind).status_code == 422
    assert client.post(url(version, "dismiss-kind"), kind, headers=HTMX).status_code == 422
    assert status_of(finding) == "open"


def test_blocks_are_decided_one_by_one(cast, client_of, version):
    block = make_finding(version, severity="block")
    kind = {"rule": "grounding", "severity": "block", "reason": "All of them."}
    client = client_of(cast.max)
    assert client.get(url(version, "dismiss-kind"), kind).status_code == 403
    assert client.post(url(version, "dismiss-kind"), kind, headers=HTMX).status_code == 422
    assert status_of(block) == "open"


def test_a_writer_does_not_dismiss_a_kind(cast, client_of, version, finding):
    kind = {"rule": "grounding", "severity": "fix", "reason": "All of them."}
    client = client_of(cast.wen)
    assert client.get(url(version, "dismiss-kind"), kind).status_code == 403
    assert client.post(url(version, "dismiss-kind"), kind).status_code == 403
    assert status_of(finding) == "open"


@pytest.mark.parametrize("name", ["undo", "read", "cancel"])
def test_what_changes_something_is_not_a_link(cast, client_of, version, name):
    assert client_of(cast.max).get(url(version, name)).status_code == 405


def test_a_form_from_another_site_changes_nothing(cast, version, finding):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.rae.user, backend="django.contrib.auth.backends.ModelBackend")
    assert client.post(act_url(version, finding, "fixed")).status_code == 403
    assert status_of(finding) == "open"

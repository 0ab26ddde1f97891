"""What is decided less often: each act as a plain form, by whom it may be, and what it says."""

import pytest
from django.urls import reverse

from reviewer.models import Finding
from tests.factories import make_finding, make_proposal, make_version
from tests.views.html import html_of

HTMX = {"HX-Request": "true"}


@pytest.fixture
def version(cast):
    return make_version(make_proposal(cast.workspace, owner=cast.wen, title="Control tower"))


@pytest.fixture
def undecided(version):
    """A block that one of three passes saw and no check has answered."""
    return make_finding(version, severity="block", votes=1, passes=3)


def at(finding, name="finding-more", *rest):
    version = finding.first_version
    slug = version.proposal.workspace.slug
    return reverse(name, args=[slug, version.proposal_id, version.number, finding.number, *rest])


def act(client, finding, name, **said):
    return client.post(at(finding, "triage-act", name), said, follow=True)


def desk(client, version):
    args = [version.proposal.workspace.slug, version.proposal_id, version.number]
    return html_of(client.get(reverse("desk-version", args=args)))


def now(finding):
    return Finding.objects.get(pk=finding.pk)


def test_an_undecided_block_waits_for_a_signature_on_the_desk(cast, client_of, version, undecided):
    assert 'data-act="sign"' in desk(client_of(cast.rae), version)
    assert 'data-act="sign"' not in desk(client_of(cast.wen), version)
    answer = act(client_of(cast.rae), undecided, "sign")
    assert f"Signed: #{undecided.number} stands." in html_of(answer)
    assert now(undecided).is_upheld
    assert 'data-act="sign"' not in desk(client_of(cast.rae), version)


def test_a_writer_may_not_sign(cast, client_of, undecided):
    assert act(client_of(cast.wen), undecided, "sign").status_code == 403
    assert not now(undecided).is_upheld


def test_signing_in_place_brings_the_desk_as_it_stands_now(cast, client_of, undecided):
    answer = client_of(cast.rae).post(at(undecided, "triage-act", "sign"), headers=HTMX)
    assert "Signed:" in html_of(answer)
    assert 'id="list" hx-swap-oob="true"' in html_of(answer)


def test_how_grave_it_is_can_be_changed_with_a_reason(cast, client_of, version):
    fix = make_finding(version)
    client = client_of(cast.rae)
    refused = act(client, fix, "severity", severity="block", reason=" ")
    assert refused.status_code == 422
    assert "Say why" in html_of(refused)
    assert now(fix).severity == "fix"
    answer = act(client, fix, "severity", severity="block", reason="The price depends on it.")
    assert f"#{fix.number} is now: block." in html_of(answer)
    assert now(fix).severity == "block"


def test_a_writer_may_raise_and_not_lower(cast, client_of, version):
    fix = make_finding(version)
    client = client_of(cast.wen)
    assert act(client, fix, "severity", severity="consider", reason="No.").status_code == 403
    assert act(client, fix, "severity", severity="block", reason="Yes.").status_code == 200


def test_what_changed_can_be_closed_as_fixed_and_what_did_not_cannot(cast, client_of, version):
    same, changed = make_finding(version), make_finding(version, evidence="changed")
    client = client_of(cast.rae)
    assert "Close it as fixed" not in html_of(client.get(at(same)))
    assert "Close it as fixed" in html_of(client.get(at(changed)))
    assert act(client, same, "close", reason="Looked.").status_code == 422
    act(client, changed, "close", reason="Looked.")
    assert now(changed).is_closed_by_reviewer
    assert not now(same).is_closed_by_reviewer


def test_two_findings_are_merged_and_taken_apart_again(cast, client_of, version):
    one, other = make_finding(version), make_finding(version, quote="")
    client = client_of(cast.rae)
    act(client, one, "merge", into=f"#{other.number}")
    assert now(one).merged_into == other
    assert f"#{one.number} is merged into it" in html_of(client.get(at(other)))
    act(client, one, "apart")
    assert now(one).merged_into is None


@pytest.mark.parametrize("into", ["", "none", "999", "9" * 30, "²"])
def test_a_number_that_is_no_finding_merges_nothing(cast, client_of, version, into):
    one = make_finding(version)
    answer = act(client_of(cast.rae), one, "merge", into=into)
    assert answer.status_code == 422
    assert "Nothing was merged." in html_of(answer)


def test_it_is_accepted_until_a_day_or_a_version(cast, client_of, version):
    one, other = make_finding(version), make_finding(version)
    client = client_of(cast.rae)
    act(client, one, "accept", reason="Agreed.", until="2099-05-30")
    act(client, other, "accept", reason="Agreed.", until_version="3")
    assert now(one).accepted_until.isoformat() == "2099-05-30"
    assert now(other).accepted_until_version == 3


@pytest.mark.parametrize(
    "end", [{"until": "soon"}, {"until": "2001-01-01"}, {"until_version": "x"}]
)
def test_an_end_that_is_none_accepts_nothing(cast, client_of, version, end):
    one = make_finding(version)
    assert act(client_of(cast.rae), one, "accept", reason="Agreed.", **end).status_code == 422
    assert now(one).status == "open"


def test_the_page_leads_to_the_history_and_back(cast, client_of, version):
    one = make_finding(version)
    html = html_of(client_of(cast.wen).get(at(one)))
    history = reverse(
        "finding-history", args=[cast.workspace.slug, version.proposal_id, one.number]
    )
    assert history in html
    assert f"#finding-{one.number}" in html
    assert history in desk(client_of(cast.wen), version)


def test_an_act_that_is_none_is_not_there(cast, client_of, version):
    assert act(client_of(cast.rae), make_finding(version), "burn").status_code == 404


def test_a_merge_goes_on_at_the_finding_that_stays(cast, client_of, version):
    into, gone = make_finding(version), make_finding(version)
    client = client_of(cast.rae)
    answer = client.post(at(gone, "triage-act", "merge"), {"into": f"#{into.number}"})
    assert answer.url.endswith(f"#finding-{into.number}")
    page = html_of(client.get(answer.url))
    assert f'id="finding-{into.number}"' in page
    assert f"#{gone.number} was merged into #{into.number}." in page


def test_the_way_back_opens_the_tab_in_which_the_finding_now_stands(cast, client_of, version):
    """Loaded once more by the page itself, it would have lost what was said."""
    fix = make_finding(version)
    client = client_of(cast.rae)
    said = {"reason": "Agreed by phone.", "until": "2099-01-15"}
    answer = client.post(at(fix, "triage-act", "accept"), said)
    assert f"?tab=settled#finding-{fix.number}" in answer.url
    page = html_of(client.get(answer.url))
    assert f'id="finding-{fix.number}"' in page
    assert f"Accepted: #{fix.number}." in page


def test_the_way_back_keeps_a_filter_that_shows_the_finding(cast, client_of, version):
    fix = make_finding(version, text="A pale wall.")
    client = client_of(cast.rae)
    said = {"severity": "block", "reason": "The price depends on it."}
    assert "?q=pale#" in client.post(at(fix, "triage-act", "severity") + "?q=pale", said).url
    said = {"severity": "fix", "reason": "It does not."}
    assert "q=" not in client.post(at(fix, "triage-act", "severity") + "?q=green", said).url


def history(client, finding):
    args = [finding.proposal.workspace.slug, finding.proposal_id, finding.number]
    return html_of(client.get(reverse("finding-history", args=args)))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, "Accepted</b> by Rae"),
        ({"until": "2099-01-15"}, "Accepted until 15 January 2099</b> by Rae"),
        ({"until_version": "4"}, "Accepted until version 4</b> by Rae"),
        (
            {"until": "2099-01-15", "until_version": "4"},
            "Accepted until 15 January 2099 or version 4, whichever comes first</b> by Rae",
        ),
    ],
)
def test_until_when_it_is_accepted_stands_beside_it(cast, client_of, version, said, told):
    fix = make_finding(version)
    client = client_of(cast.rae)
    client.post(at(fix, "triage-act", "accept"), {"reason": "Agreed by phone.", **said})
    page = html_of(
        client.get(reverse("desk", args=[cast.workspace.slug, fix.proposal_id]), {"tab": "settled"})
    )
    assert told in page
    end = told.removeprefix("Accepted").removesuffix("</b> by Rae")
    assert f"accepted it{end} ·" in history(client, fix)


@pytest.mark.parametrize(
    ("name", "said", "told"),
    [
        ("merge", {"into": "9999", "reason": "One fault."}, "There is no finding of that number"),
        ("accept", {"until": "2001-01-01", "reason": "One fault."}, "passed"),
        ("accept", {"until_version": "0", "reason": "One fault."}, "accept"),
        ("severity", {"severity": "consider", "reason": " "}, "Say why"),
    ],
)
def test_what_was_refused_stands_in_its_form_with_all_that_was_typed(
    cast, client_of, version, name, said, told
):
    fix = make_finding(version)
    page = html_of(client_of(cast.rae).post(at(fix, "triage-act", name), said))
    form = page.split(f'id="{name}"', 1)[1].split("</form>", 1)[0]
    assert told in form.split('role="alert">', 1)[1].split("</p>", 1)[0]
    assert page.count('role="alert"') == 1
    for key, value in said.items():
        shown = f'value="{value}"' if key != "severity" else f"selected>{value}"
        assert not value.strip() or shown in form


def test_what_was_refused_without_a_form_is_said_above_them(cast, client_of, version):
    fix = make_finding(version)
    page = html_of(client_of(cast.rae).post(at(fix, "triage-act", "apart")))
    assert "there is nothing to take apart" in page.split('role="alert">', 1)[1]


@pytest.mark.parametrize(
    ("fields", "offered"),
    [
        ({"severity": "block", "votes": 1, "passes": 3}, True),
        ({"severity": "block", "votes": 1, "passes": 3, "verdict": "does_not_hold"}, True),
        ({"severity": "fix"}, False),
        ({"severity": "block", "votes": 3, "passes": 3, "verdict": "holds"}, False),
        ({"severity": "block", "raised": "check", "check_code": "one-price"}, False),
        ({"severity": "block", "raised": "person"}, False),
        ({"severity": "block", "votes": 1, "passes": 3, "status": "dismissed"}, False),
    ],
)
def test_a_signature_is_asked_for_where_it_changes_something(
    cast, client_of, version, fields, offered
):
    finding = make_finding(version, decided_by=cast.rae if "status" in fields else None, **fields)
    page = html_of(client_of(cast.max).get(at(finding)))
    assert ("Sign that it stands" in page) is offered


def test_nobody_is_offered_a_severity_that_they_may_not_give(cast, client_of, version):
    block, fix = make_finding(version, severity="block"), make_finding(version)
    page = html_of(client_of(cast.wen).get(at(block)))
    assert "Change how grave it is" not in page
    assert "A reviewer or a manager makes a block less grave." in page
    page = html_of(client_of(cast.wen).get(at(fix)))
    assert "<option>block</option>" in page
    assert "<option>consider</option>" not in page
    assert "<option>consider</option>" in html_of(client_of(cast.rae).get(at(fix)))


def test_what_a_plain_form_did_stands_where_keys_say_it_with_a_way_back(cast, client_of, version):
    fix, other = make_finding(version), make_finding(version)
    client = client_of(cast.rae)

    def said(answer):
        page = html_of(answer)
        assert 'class="message ' not in page
        return page.split('<div id="said"', 1)[1].split("</div>", 1)[0]

    line = said(act(client, fix, "accept", reason="Agreed.", until="2099-01-15"))
    assert f"Accepted: #{fix.number}." in line
    assert ">Undo</button>" in line
    line = said(act(client, other, "severity", severity="block", reason="It is."))
    assert f"#{other.number} is now: block." in line
    assert "Undo" not in line
    assert "<p" not in said(
        client.get(reverse("desk", args=[cast.workspace.slug, fix.proposal_id]))
    )

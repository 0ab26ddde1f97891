"""From a finding on the desk to a learning, and whether it is the same fault as elsewhere."""

import re

import pytest
from django.urls import reverse

from reviewer.models import Finding, Learning, Likeness
from tests.views.html import html_of
from tests.views.learned import RULE, a_version, in_force, met_twice, said_same, upheld

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def learn_url(finding):
    version = finding.first_version
    at = (version.proposal.workspace.slug, version.proposal_id, version.number, finding.number)
    return reverse("finding-learn", args=at)


def alike_url(finding):
    at = (finding.proposal.workspace.slug, finding.proposal_id, finding.number)
    return reverse("finding-alike", args=at)


def desk(client, finding, query=""):
    at = (finding.proposal.workspace.slug, finding.proposal_id, finding.first_version.number)
    return html_of(client.get(reverse("desk-version", args=at) + query))


def test_the_act_is_there_for_those_who_may(cast, client_of):
    finding = upheld(a_version(cast))
    for who, may in (("wen", False), ("rae", True), ("max", True)):
        html = desk(client_of(getattr(cast, who)), finding)
        assert ('data-act="learn"' in html) is may
        assert (alike_url(finding) in html) is may


def test_the_form_begins_with_what_the_finding_says(cast, client_of):
    finding = upheld(a_version(cast))
    rae = client_of(cast.rae)
    whole, part = rae.get(learn_url(finding)), rae.get(learn_url(finding), headers=HTMX)
    assert "<html" in html_of(whole)
    assert html_of(part).startswith(f'<form id="learn-{finding.number}"')
    for html in map(html_of, (whole, part)):
        assert finding.text in html
        assert '<option value="unambiguous_scope" selected' in html
        assert "Northwind Logistics" in html


def test_a_finding_becomes_a_learning_with_those_that_are_the_same(cast, client_of):
    one, other = said_same(cast)
    said = {"kind": "look_for", "text": RULE, "rule": one.rule, "client": ""}
    answer = client_of(cast.rae).post(learn_url(one), said)
    assert answer.status_code == 302
    assert answer.url.endswith(f"#finding-{one.number}")
    made = Learning.objects.get()
    assert {source.finding for source in made.sources.all()} == {one, other}
    assert (made.text, made.status, made.client) == (RULE, "proposed", "")


def test_on_the_desk_the_answer_is_the_desk_as_it_stands(cast, client_of):
    finding = upheld(a_version(cast))
    said = {"kind": "look_for", "text": RULE, "rule": "", "client": "Northwind Logistics"}
    answer = client_of(cast.rae).post(learn_url(finding), said, headers=HTMX)
    html = html_of(answer)
    assert "Proposed as learning 1. It waits for another manager to approve it." in html
    assert 'id="list" hx-swap-oob="true"' in html
    assert Learning.objects.get().client == "Northwind Logistics"


def test_a_client_that_is_not_the_proposals_is_refused(cast, client_of):
    finding = upheld(a_version(cast))
    said = {"kind": "look_for", "text": RULE, "client": "Somebody Else"}
    assert client_of(cast.rae).post(learn_url(finding), said).status_code == 422


def test_the_likest_are_shown_in_place_and_the_finding_is_merged(cast, client_of):
    old = in_force(cast)
    finding = upheld(a_version(cast))
    rae = client_of(cast.rae)
    said = {"kind": "look_for", "text": RULE, "rule": ""}
    shown = html_of(rae.post(learn_url(finding), said, headers=HTMX))
    assert shown.startswith('<form id="learn-')
    assert f'value="merge:{old.number}"' in shown
    done = rae.post(learn_url(finding), said | {"do": f"merge:{old.number}"}, headers=HTMX)
    assert "Merged into learning 1." in html_of(done)
    assert old.sources.get().finding == finding


def test_a_finding_says_under_which_learning_it_was_raised(cast, client_of):
    learning = in_force(cast)
    first = upheld(a_version(cast), learning=learning)
    upheld(a_version(cast), learning=learning)
    html = desk(client_of(cast.wen), first)
    assert re.search(
        rf'<a href="[^"]+/learnings/1/">Learning 1</a>, met on 2 proposals: {re.escape(RULE)}', html
    )


def test_a_person_says_which_are_the_same(cast, client_of):
    one, other = met_twice(cast)
    rae = client_of(cast.rae)
    part = html_of(rae.get(alike_url(one), headers=HTMX))
    assert "Looks like 1 finding on 1 other proposal: the same?" in part
    assert f"?finding={other.number}#finding-{other.number}" in part
    said = html_of(rae.post(alike_url(one), {"other": other.pk, "same": "yes"}, headers=HTMX))
    assert "the same fault" in said
    likeness = Likeness.objects.get()
    assert (likeness.is_same, likeness.by) == (True, cast.rae.user)
    assert "The same fault on 1 other proposal." in desk(client_of(cast.wen), one)
    assert rae.post(alike_url(one), {"other": other.pk, "same": "no"}).status_code == 302
    assert Likeness.objects.get().is_same is False
    assert "not the same" in html_of(rae.get(alike_url(one)))


def test_a_finding_of_another_house_is_not_there(cast, client_of):
    one, _ = met_twice(cast)
    elsewhere = upheld(a_version(type(cast)(cast.ola.workspace, cast.ola, None, None, None)))
    answer = client_of(cast.rae).post(alike_url(one), {"other": elsewhere.pk, "same": "yes"})
    assert answer.status_code == 422
    assert not Likeness.objects.exists()


def test_the_desk_costs_no_query_more_for_twenty_findings_under_learnings(
    cast, client_of, django_assert_max_num_queries
):
    version = a_version(cast)
    rae = client_of(cast.rae)
    first = upheld(version, learning=in_force(cast, "Rule 0 of the house."))

    def queries():
        with django_assert_max_num_queries(15) as counted:
            assert desk(rae, first).count('class="learned"') == Finding.objects.count()
        return len(counted)

    upheld(version, learning=in_force(cast, "Rule 1 of the house."))
    desk(rae, first)
    few = queries()
    for number in range(2, 20):
        upheld(version, learning=in_force(cast, f"Rule {number} of the house."))
    assert queries() == few

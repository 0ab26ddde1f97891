"""The learnings: the table, what is offered, one learning and what is done to it, a file out and in."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from reviewer.models import Event, HeldBack, Learning
from reviewer.services.learnings import promote, retire, revise
from tests.factories import make_finding, make_reading, make_review
from tests.views.html import html_of
from tests.views.learned import RULE, a_version, in_force, met_twice, proposed, said_same

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
NEVER = {"kind": "never_say", "phrase": "industry-leading", "instead": "what we did"}


def url(cast, name="learnings", *args):
    return reverse(name, args=[cast.workspace.slug, *args])


def page(client, cast, query="", **how):
    return html_of(client.get(url(cast) + query, **how))


def one_page(client, cast, learning):
    return html_of(client.get(url(cast, "learning", learning.number)))


def act(client, cast, learning, name, **said):
    return client.post(url(cast, "learning-act", learning.number, name), said)


def test_an_empty_house_is_told_how_it_learns(cast, client_of):
    assert "Nothing learned yet" in page(client_of(cast.wen), cast)


def test_a_row_says_what_it_is_where_it_comes_from_and_who_stands_for_it(cast, client_of):
    day = timezone.localdate() + timedelta(days=90)
    in_force(cast, findings=met_twice(cast), client="Calder Freight", expires_on=day)
    html = page(client_of(cast.wen), cast)
    assert RULE in html
    assert (
        "1 · look for this · from Northwind Logistics, Harbor Mutual · Rae, approved by Max" in html
    )
    assert f"until {day.day} " in html
    assert "Calder Freight" in html
    assert 'aria-current="page">Learnings' in html


def test_what_waits_comes_first_and_says_so(cast, client_of):
    in_force(cast)
    proposed(cast, "Prices have a currency.")
    html = page(client_of(cast.wen), cast)
    assert html.index("Prices have a currency.") < html.index(RULE)
    assert "waits for approval" in html


def test_a_phrase_says_that_code_enforces_it(cast, client_of):
    in_force(cast, "", **NEVER)
    html = page(client_of(cast.wen), cast)
    assert "Never say “industry-leading”." in html
    assert "never say this · enforced by code" in html


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=integration", {RULE}),
        ("?q=%232", {"Never say “industry-leading”."}),
        ("?q=leading", {"Never say “industry-leading”."}),
        ("?kind=look_for", {RULE, "Prices have a currency."}),
        ("?status=proposed", {"Prices have a currency."}),
        ("?kind=nonsense&status=nonsense&page=x", {RULE, "Prices have a currency."}),
        ("?q=integration+currency", set()),
    ],
)
def test_the_table_follows_its_fields(cast, client_of, query, found):
    in_force(cast)
    in_force(cast, "", **NEVER)
    proposed(cast, "Prices have a currency.")
    html = page(client_of(cast.wen), cast, query)
    for text in (RULE, "Never say “industry-leading”.", "Prices have a currency."):
        assert (text in html) == (text in found) or "nonsense" in query
    assert ("Nothing matches" in html) == (not found)


def test_the_same_address_gives_its_table_to_htmx(cast, client_of):
    in_force(cast)
    part = client_of(cast.wen).get(url(cast) + "?q=name", headers=HTMX)
    assert html_of(part).startswith('<div id="learning-list"')
    assert "HX-Request" in part["Vary"]


def test_two_learnings_cost_as_many_queries_as_twenty_and_pages_hold_fifty(cast, client_of):
    rae = client_of(cast.rae)
    sources = met_twice(cast)

    def queries(count):
        while Learning.objects.count() < count:
            in_force(cast, f"Rule {Learning.objects.count()} of the house.", findings=sources)
        with CaptureQueriesContext(connection) as counted:
            html = page(rae, cast)
        assert html.count('class="what"') == min(count, 50)
        return len(counted)

    page(rae, cast)
    two = queries(2)
    assert 5 < queries(20) == two
    assert queries(51) <= two + 1


def test_a_finding_met_on_two_proposals_is_offered_and_promoted(cast, client_of):
    one, other = said_same(cast)
    rae = client_of(cast.rae)
    html = page(rae, cast)
    assert "met on 2 proposals, upheld 2 times" in html
    assert f'name="finding" value="{one.pk}"' in html
    new = url(cast, "learning-new")
    said = {"kind": "look_for", "rule": one.rule, "text": RULE, "finding": [one.pk, other.pk]}
    assert one.proposal.title in html_of(rae.get(new, said))
    answer = rae.post(new, said)
    assert answer.status_code == 302
    made = Learning.objects.get()
    assert [source.finding for source in made.sources.all()] == [one, other]
    assert "upheld 2 times" not in page(rae, cast)


@pytest.mark.parametrize("who", ["rae", "max"])
def test_what_nobody_compared_yet_is_asked_of_reviewers_and_managers(cast, client_of, who):
    _, other = met_twice(cast)
    html = page(client_of(getattr(cast, who)), cast)
    assert "The same fault?" in html
    at = [cast.workspace.slug, other.proposal_id, other.number]
    assert reverse("finding-alike", args=at) in html


def test_an_offer_is_dismissed_with_a_reason_and_not_made_again(cast, client_of):
    one, other = said_same(cast)
    rae = client_of(cast.rae)
    said = {"kind": "look_for", "rule": one.rule, "text": one.text, "finding": [one.pk, other.pk]}
    rae.post(url(cast, "offer-dismiss"), said)
    assert not Learning.objects.exists()
    rae.post(url(cast, "offer-dismiss"), said | {"why": "Both clients asked for it."})
    made = Learning.objects.get()
    assert (made.status, made.ended_why) == ("declined", "Both clients asked for it.")
    html = page(rae, cast)
    assert "upheld 2 times" not in html
    assert "declined" in html


def test_a_writer_is_offered_nothing_to_decide(cast, client_of):
    said_same(cast)
    html = page(client_of(cast.wen), cast)
    assert "Promote" not in html
    assert "New learning" not in html


def test_dismissals_that_repeat_are_offered(cast, client_of):
    for client in ("Northwind Logistics", "Harbor Mutual"):
        make_finding(a_version(cast, client=client), status="dismissed", decided_by=cast.rae)
    html = page(client_of(cast.rae), cast)
    assert "dismissed on 2 proposals for the same reason: The client asked for it." in html


def test_nothing_is_kept_before_the_likest_were_shown(cast, client_of):
    old = in_force(cast)
    rae, new = client_of(cast.rae), url(cast, "learning-new")
    said = {"kind": "look_for", "text": f"{RULE} Always.", "rule": ""}
    shown = html_of(rae.post(new, said))
    assert "Nothing is kept yet" in shown
    assert "Worded much alike" in shown
    assert f"Supersede {old.number}" in shown
    assert Learning.objects.count() == 1
    other = said | {"text": "Prices have a currency.", "do": "new", "seen": f"{RULE} Always."}
    assert "Nothing is kept yet" in html_of(rae.post(new, other))
    rae.post(new, said | {"do": f"supersede:{old.number}", "seen": said["text"]})
    assert Learning.objects.get(number=2).replaces == old


def test_findings_are_merged_into_one_that_is_there(cast, client_of):
    old = in_force(cast)
    one, other = met_twice(cast)
    said = {"kind": "look_for", "text": RULE, "finding": [one.pk, other.pk]}
    rae = client_of(cast.rae)
    shown = html_of(rae.post(url(cast, "learning-new"), said))
    assert f"Merge into {old.number}" in shown
    rae.post(url(cast, "learning-new"), said | {"do": f"merge:{old.number}"})
    assert old.sources.count() == 2
    assert Learning.objects.count() == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"kind": "look_for", "text": " "}, "Say the rule in one sentence."),
        ({"kind": "never_say", "text": "Never."}, "Which words are never said?"),
        ({"kind": "look_for", "text": "x" * 601}, "at most 600"),
        ({"kind": "do_not_raise", "text": "Leave it."}, "at least 2 findings"),
        ({"kind": "look_for", "text": "A rule.", "expires_on": "2001-01-01"}, "after today"),
    ],
)
def test_what_cannot_be_used_keeps_what_was_typed(cast, client_of, said, told):
    answer = client_of(cast.rae).post(url(cast, "learning-new"), said)
    assert answer.status_code == 422
    assert told in html_of(answer)
    assert said["text"].strip() in html_of(answer)
    assert not Learning.objects.exists()


def test_a_reviewer_proposes_and_a_manager_approves(cast, client_of):
    rae, max_ = client_of(cast.rae), client_of(cast.max)
    rae.post(url(cast, "learning-new"), {"kind": "look_for", "text": RULE, "rule": ""})
    made = Learning.objects.get()
    html = one_page(rae, cast, made)
    assert "It waits for another manager to approve it." in html
    assert ">Approve<" not in html
    assert act(rae, cast, made, "approve").status_code == 403
    assert ">Approve<" in one_page(max_, cast, made)
    assert act(max_, cast, made, "approve").status_code == 302
    made.refresh_from_db()
    assert made.approved_by == cast.max.user
    verbs = Event.objects.filter(subject="learning").values_list("verb", flat=True)
    assert list(verbs) == ["proposed", "approved"]
    html = one_page(rae, cast, made)
    assert "<b>Rae</b> proposed" in html
    assert "<b>Max</b> approved" in html


def test_a_manager_does_not_approve_what_is_theirs(cast, client_of):
    mine = promote(actor=cast.max, workspace=cast.workspace, kind="look_for", text=RULE)
    max_ = client_of(cast.max)
    assert "You worded it, so another manager says yes." in one_page(max_, cast, mine)
    assert act(max_, cast, mine, "approve").status_code == 403


def test_a_new_wording_waits_beside_the_one_in_force(cast, client_of):
    one = in_force(cast)
    rae = client_of(cast.rae)
    act(rae, cast, one, "revise", text="Name each integration.", why="Shorter.")
    html = one_page(rae, cast, one)
    assert "A new wording: <b>Name each integration.</b>" in html
    assert "The one in force goes on until then." in html
    assert act(rae, cast, one, "revise", text="Name each integration.").status_code == 422
    act(client_of(cast.max), cast, one, "approve")
    assert '<p class="wording">Name each integration.</p>' in one_page(rae, cast, one)


def test_declining_and_retiring_take_a_reason(cast, client_of):
    max_ = client_of(cast.max)
    waits, given = proposed(cast, "Prices have a currency."), in_force(cast)
    for learning, name in ((waits, "decline"), (given, "retire")):
        refused = act(max_, cast, learning, name, why=" ")
        assert refused.status_code == 422
        assert "Say why" in html_of(refused)
        assert act(max_, cast, learning, name, why="It is not so.").status_code == 302
        assert "“It is not so.”" in one_page(max_, cast, learning)
    assert act(max_, cast, given, "retire", why="Again.").status_code == 422


def test_the_last_day_is_set_and_taken_away(cast, client_of):
    one, max_ = in_force(cast), client_of(cast.max)
    day = timezone.localdate() + timedelta(days=30)
    act(max_, cast, one, "expiry", expires_on=day.isoformat())
    one.refresh_from_db()
    assert one.expires_on == day
    assert act(max_, cast, one, "expiry", expires_on="soon").status_code == 422
    act(max_, cast, one, "expiry", expires_on="")
    one.refresh_from_db()
    assert one.expires_on is None


def test_a_source_keeps_its_words_when_its_proposal_is_gone(cast, client_of):
    one, other = met_twice(cast)
    learning = in_force(cast, findings=[one, other])
    rae = client_of(cast.rae)
    assert f"?finding={one.number}#finding-{one.number}" in one_page(rae, cast, learning)
    one.proposal.delete()
    html = one_page(rae, cast, learning)
    assert "deleted since; its words stay" in html
    assert one.text in html


def test_what_a_learning_held_back_is_listed(cast, client_of):
    findings = [
        make_finding(a_version(cast), status="dismissed", decided_by=cast.rae) for _ in range(2)
    ]
    one = in_force(cast, "Leave the client's own figures.", kind="do_not_raise", findings=findings)
    rae = client_of(cast.rae)
    assert "Nothing yet." in one_page(rae, cast, one)
    version = a_version(cast)
    HeldBack.objects.create(
        reading=make_reading(make_review(version), sheet=2),
        index=0,
        by=one.current,
        sheet=2,
        severity="fix",
        rule="grounding",
        quote="30%",
        text="No source for the 30%.",
    )
    html = one_page(rae, cast, one)
    assert "No source for the 30%." in html
    assert version.proposal.title in html
    assert "held back 1" in page(rae, cast)


def test_what_ended_says_why_and_offers_no_act(cast, client_of):
    one = in_force(cast)
    retire(learning=one, actor=cast.max, why="Not true any more.")
    html = one_page(client_of(cast.max), cast, one)
    assert "Retired" in html
    assert "Change it" not in html


def test_text_of_a_learning_is_escaped(cast, client_of):
    one = in_force(cast, "<script>alert(1)</script> is a rule")
    for html in (page(client_of(cast.rae), cast), one_page(client_of(cast.rae), cast, one)):
        assert "<script>alert" not in html
        assert "&lt;script&gt;alert" in html


def test_the_file_goes_out_and_comes_in_again(cast, client_of):
    in_force(cast)
    max_ = client_of(cast.max)
    out = max_.get(url(cast, "learnings-export"))
    assert out["Content-Disposition"].startswith('attachment; filename="learnings-field-systems-')
    assert RULE in out.content.decode()
    file = SimpleUploadedFile("learnings.yaml", out.content)
    answer = max_.post(url(cast, "learnings-import"), {"file": file}, follow=True)
    assert "0 learnings added, 0 worded anew, 1 as they were." in html_of(answer)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"learnings: [", "Line "),
        (b"\xff\xfe\x00", "no text in UTF-8"),
        (b"", "empty"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(cast, client_of, content, told):
    file = SimpleUploadedFile("learnings.yaml", content)
    answer = client_of(cast.max).post(url(cast, "learnings-import"), {"file": file})
    assert answer.status_code == 422
    assert told in html_of(answer)
    assert not Learning.objects.exists()


def test_a_last_day_that_is_refused_stands_where_it_was_typed(cast, client_of):
    given = in_force(cast)
    answer = act(client_of(cast.max), cast, given, "expiry", expires_on="2001-01-01")
    assert answer.status_code == 422
    assert 'value="2001-01-01"' in html_of(answer)


def _stale_act(client, learning, act, **said):
    path = reverse("learning-act", args=[learning.workspace.slug, learning.number, act])
    return client.post(path, {"based_on": "1", **said})


@pytest.mark.parametrize(
    ("act", "said"),
    [("approve", {}), ("decline", {"why": "No."}), ("revise", {"text": "Mine."})],
)
def test_an_act_on_a_wording_that_is_not_the_newest_any_more_shows_the_newest(
    cast, client_of, act, said
):
    learning = proposed(cast, "Prices have a currency.")
    revise(learning=learning, actor=cast.rae, text="Theirs.")
    client = client_of(cast.max)
    answer = _stale_act(client, learning, act, **said)
    shown = answer.content.decode()
    assert answer.status_code == 409
    assert "Somebody else worded this learning" in shown
    assert "Theirs." in shown
    assert said.get("text", "") in shown
    learning.refresh_from_db()
    assert (learning.status, learning.pending.text) == ("proposed", "Theirs.")
    assert answer.context["newest"] == 2
    assert _stale_act(client, learning, act, **{**said, "based_on": "2"}).status_code == 302

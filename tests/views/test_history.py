"""The history of a finding: what saw it, what was said and decided, what its words became."""

import pytest
from django.urls import reverse

from reviewer.models import Finding
from reviewer.services.comments import add_comment
from reviewer.services.findings import dismiss, undo_last
from reviewer.services.history import history_of
from reviewer.services.placing import carry_findings
from reviewer.services.triage import merge
from tests.factories import (
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_sighting,
    make_version,
)

pytestmark = pytest.mark.django_db
TEXT = "The pilot will cut detention costs by 30% in a quarter."


@pytest.fixture
def finding(cast) -> Finding:
    """Seen by two passes, checked once, and asked about again without an answer."""
    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=[TEXT])
    found = make_finding(version)
    review = make_review(version)
    for number in (1, 2):
        make_sighting(
            make_reading(review, sheet=1, pass_number=number, model="reader-1"),
            found,
            text=f"Pass {number} says: there is no source.",
        )
    said = {"number": found.number, "verdict": "holds", "severity": "fix", "why": "No source."}
    asked = {"candidates": [found.number], "pass_number": 1, "sheet": 1, "model": "reader-1"}
    make_reading(review, kind="check", verdicts=[said], **asked)
    make_reading(review, kind="recheck", outcome="provider_error", reason="Overloaded.", **asked)
    return found


def _page(client, finding):
    of = finding.proposal
    url = reverse("finding-history", args=[of.workspace.slug, of.pk, finding.number])
    return client.get(url)


def test_every_sighting_is_there_with_its_pass_and_words(cast, client_of, finding):
    history = history_of(finding)
    assert [line.label for line in history.sightings] == ["Pass 1, sheet 1", "Pass 2, sheet 1"]
    shown = _page(client_of(cast.wen), finding).content.decode()
    assert "Pass 2 says: there is no source." in shown
    assert "seen in 2 of 3 passes" in shown


def _comment(client, finding, text):
    of = finding.proposal
    url = reverse("finding-comment", args=[of.workspace.slug, of.pk, finding.number])
    return client.post(url, {"text": text})


def test_a_comment_is_shown_in_its_place_escaped_with_author_and_time(cast, client_of, finding):
    client = client_of(cast.wen)
    answer = _comment(client, finding, "See <b>sheet 2</b>.\nThere it is.")
    assert answer.status_code == 302
    assert answer.url.endswith(f"/findings/{finding.number}/#comment-{finding.comments.get().pk}")
    shown = client.get(answer.url).content.decode()
    assert "See &lt;b&gt;sheet 2&lt;/b&gt;.\nThere it is." in shown
    assert f'id="comment-{finding.comments.get().pk}"' in shown
    assert "<b>Wen</b> said" in shown


def test_a_comment_that_is_too_long_is_kept_in_the_form(cast, client_of, finding):
    answer = _comment(client_of(cast.wen), finding, "y" * 2001)
    assert answer.status_code == 422
    assert "2,000 characters and this one has 2,001" in answer.content.decode()
    assert "y" * 2001 in answer.content.decode()


def test_an_outsider_finds_nothing_to_comment_on(cast, client_of, finding):
    assert _comment(client_of(cast.ola), finding, "Hello.").status_code == 404
    assert not finding.comments.exists()


def test_every_check_is_there_with_its_reason_and_one_without_an_answer_says_so(finding):
    lines = history_of(finding).verdicts
    assert [(line.label, line.verdict, line.why) for line in lines] == [
        ("Fresh check", "holds", "No source."),
        ("Check after a change", "no answer", "Overloaded."),
    ]


def test_every_decision_is_there_with_who_and_why_and_whether_it_was_taken_back(cast, finding):
    version = finding.first_version
    dismiss(by=cast.rae, finding=finding, version=version, reason="It is in the RFP.")
    undo_last(by=cast.rae, proposal=finding.proposal, version=version)
    lines = history_of(finding).decisions
    assert [(line.who, line.what, line.was_taken_back) for line in lines] == [
        (cast.rae.user, "dismissed", True),
        (cast.rae.user, "took back", False),
    ]
    assert lines[0].reason == "It is in the RFP."


def test_its_words_are_followed_from_version_to_version(finding):
    old, of = finding.first_version, finding.proposal
    for text in (TEXT, TEXT.replace("30%", "25%"), "A new text entirely, of other things.", TEXT):
        new = make_version(of, texts=[text])
        carry_findings(old, new)
        old = new
    assert [(line.version, line.became) for line in history_of(finding).words] == [
        (1, "raised"),
        (2, "unchanged"),
        (3, "changed"),
        (4, "gone"),
        (5, "back"),
    ]


def test_what_was_merged_into_it_brings_its_sightings_and_decisions(cast, finding):
    version = finding.first_version
    other = make_finding(version, quote="in a quarter")
    make_sighting(make_reading(make_review(version), sheet=1), other)
    into = Finding.objects.select_related("proposal").get(pk=finding.pk)
    one = Finding.objects.select_related("proposal").get(pk=other.pk)
    merge(by=cast.rae, finding=one, into=into, version=version, reason="They are one.")
    history = history_of(into)
    assert [one.number for one in history.merged] == [other.number]
    assert history.sightings[-1].of_another == other.number
    assert (history.decisions[-1].what, history.decisions[-1].about) == (
        f"merged it into #{finding.number}",
        other.number,
    )


def test_the_page_asks_as_much_for_twenty_of_everything_as_for_two(
    cast, client_of, finding, django_assert_num_queries
):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client = client_of(cast.wen)
    _page(client, finding)
    with CaptureQueriesContext(connection) as few:
        assert _page(client, finding).status_code == 200
    review = make_review(finding.first_version)
    for number in range(3, 21):
        add_comment(by=cast.wen, finding=finding, version=review.version, text=f"{number}")
        make_sighting(make_reading(review, sheet=1, pass_number=number), finding)
        said = {"number": finding.number, "verdict": "unsure", "severity": "", "why": "?"}
        make_reading(
            review,
            kind="recheck",
            sheet=0,
            pass_number=number,
            candidates=[finding.number],
            verdicts=[said],
        )
    with django_assert_num_queries(len(few)):
        assert _page(client, finding).status_code == 200

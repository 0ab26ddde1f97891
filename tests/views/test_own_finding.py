"""A finding of one's own: over selected words, or over words that are typed."""

import pytest
from django.urls import reverse

from reviewer.models import Finding
from tests.factories import make_proposal, make_version
from tests.views.html import html_of

SAID = {"severity": "block", "rule": "grounding", "text": "Who measured that?", "edit": "Name it."}


@pytest.fixture
def version(cast):
    return make_version(make_proposal(cast.workspace, owner=cast.wen, title="Control tower"))


def url(version, query=""):
    slug = version.proposal.workspace.slug
    return reverse("own-finding", args=[slug, version.proposal_id, version.number]) + query


@pytest.mark.parametrize("who", ["wen", "rae", "max"])
def test_everybody_raises_a_finding_over_selected_words(cast, client_of, version, who):
    client = client_of(getattr(cast, who))
    where = url(version, "?sheet=1&first=1&last=4")
    assert "pilot runs for 12" in html_of(client.get(where))
    answer = client.post(where, SAID, follow=True)
    found = Finding.objects.get()
    assert (found.quote, found.sheet, found.raised) == ("pilot runs for 12", 1, "person")
    assert found.is_upheld
    assert found.places.get().first_word == 1
    assert f"Raised: #{found.number}." in html_of(answer)
    assert "raised by a person" in html_of(answer)


def test_without_a_selection_the_words_are_typed(cast, client_of, version):
    client = client_of(cast.rae)
    assert 'value="2"' in html_of(client.get(url(version, "?sheet=2")))
    client.post(url(version), {**SAID, "on_sheet": "2", "quote": "The total  is $82,500"})
    assert Finding.objects.get().quote == "The total is $82,500"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"quote": "nowhere to be found"}, "These words are not on that sheet"),
        ({"on_sheet": "99"}, "There is no sheet of that number"),
        ({"on_sheet": "²"}, "There is no sheet of that number"),
        ({"text": " "}, "Say what is wrong"),
        ({"severity": "fatal"}, "Say what is wrong, and how grave it is"),
        ({"rule": "taste"}, "That rule is not in the rubric"),
    ],
)
def test_what_cannot_be_raised_is_said_and_nothing_that_was_written_is_lost(
    cast, client_of, version, changed, why
):
    said = {**SAID, "on_sheet": "2", "quote": "The total is $82,500", **changed}
    answer = client_of(cast.rae).post(url(version), said)
    assert answer.status_code == 422
    assert why in html_of(answer)
    assert "Name it." in html_of(answer)
    assert not Finding.objects.exists()


@pytest.mark.parametrize(
    "query", ["?sheet=1&first=4&last=1", "?sheet=1&first=0&last=9999", "?sheet=x"]
)
def test_a_selection_that_is_none_asks_for_the_words(cast, client_of, version, query):
    assert "Words, as they stand there" in html_of(client_of(cast.rae).get(url(version, query)))

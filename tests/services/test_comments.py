"""Comments on a finding: by anybody inside, in order, deciding nothing."""

import pytest

from reviewer.models import Answer, Comment, Event, Finding
from reviewer.models.comment import LONGEST_COMMENT
from reviewer.services.comments import add_comment
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.history import history_of
from reviewer.services.readings import _forget
from reviewer.services.triage import merge
from tests.factories import (
    make_decision,
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_sighting,
    make_version,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(cast):
    return make_version(make_proposal(cast.workspace, owner=cast.wen))


@pytest.fixture
def finding(version) -> Finding:
    return make_finding(version, severity="block")


def _say(by, finding, text="Ask the client."):
    return add_comment(by=by, finding=finding, version=finding.first_version, text=text)


@pytest.mark.parametrize("who", ["wen", "rae", "max"])
def test_everybody_inside_may_comment_and_it_is_told_by_one_event(cast, finding, who):
    by = getattr(cast, who)
    comment = _say(by, finding, "  Ask the client.\r\nOr leave it out. ")
    assert comment.text == "Ask the client.\nOr leave it out."
    event = Event.objects.get(verb="commented")
    assert (event.subject, event.subject_id, event.actor) == ("comment", comment.pk, by.user)
    assert (event.proposal_id, event.from_state, event.to_state) == (finding.proposal_id, "", "")


def test_an_outsider_may_not(cast, finding):
    with pytest.raises(NotAllowed):
        _say(cast.ola, finding)
    assert not Comment.objects.exists()


def test_it_changes_nothing_of_the_finding(cast, finding):
    before = Finding.objects.filter(pk=finding.pk).values().get()
    _say(cast.rae, finding)
    assert Finding.objects.filter(pk=finding.pk).values().get() == before


@pytest.mark.parametrize("text", ["", "  \n ", "x" * (LONGEST_COMMENT + 1)])
def test_an_empty_one_and_one_that_is_too_long_are_refused_with_what_to_do(cast, finding, text):
    with pytest.raises(Refused, match=r"nothing was added\. (Write|Shorten)"):
        _say(cast.wen, finding, text)
    assert not Comment.objects.exists()
    assert not Event.objects.exists()


def test_the_longest_is_taken_whole_and_nul_is_replaced(cast, finding):
    assert len(_say(cast.wen, finding, "x" * LONGEST_COMMENT).text) == LONGEST_COMMENT
    assert _say(cast.wen, finding, "a\0b").text == "a\N{REPLACEMENT CHARACTER}b"


def test_comments_and_decisions_stand_in_the_order_in_which_they_came(cast, finding):
    _say(cast.wen, finding, "Is this one?")
    make_decision(finding, cast.rae, act="dismiss", reason="No.")
    _say(cast.max, finding, "Agreed.")
    lines = history_of(finding).by_people
    assert [getattr(line, "text", None) or line.what for line in lines] == [
        "Is this one?",
        "dismissed",
        "Agreed.",
    ]
    assert [line.who for line in lines] == [cast.wen.user, cast.rae.user, cast.max.user]


def test_what_was_said_of_a_merged_finding_counts_for_the_one_it_was_merged_into(
    cast, version, finding
):
    other = make_finding(version, severity="fix", quote="two sites")
    for one in (finding, other):
        _say(cast.wen, one, f"Of {one}.")
    into = Finding.objects.select_related("proposal").get(pk=finding.pk)
    merge(by=cast.rae, finding=other, into=into, version=version, reason="They are one.")
    on_desk = Finding.objects.for_desk(version)
    assert [(one.number, one.comment_count) for one in on_desk] == [(finding.number, 2)]
    said = [(line.text, line.about) for line in history_of(into).comments]
    assert said == [(f"Of {finding}.", finding.number), (f"Of {other}.", other.number)]


def test_a_finding_that_somebody_commented_on_outlives_the_answer_that_brought_it(cast, version):
    reading = make_reading(make_review(version), sheet=1)
    Answer.objects.filter(reading=reading).delete()
    kept, gone = make_finding(version), make_finding(version)
    for one in (kept, gone):
        make_sighting(reading, one)
    _say(cast.wen, kept)
    _forget(reading.sightings.all())
    assert list(Finding.objects.all()) == [kept]


def test_what_was_said_stays_when_its_author_is_deleted(cast, finding):
    comment = _say(cast.wen, finding)
    cast.wen.user.delete()
    comment.refresh_from_db()
    assert (comment.author, comment.text) == (None, "Ask the client.")

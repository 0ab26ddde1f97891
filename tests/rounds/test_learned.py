"""What the house has learned, in reviews from end to end: given, named, held back, checked."""

import pytest

from reviewer.models import Event, Finding, HeldBack, Learning, Pinned, Reading, Sighting
from reviewer.services.learnings import approve, promote, retire
from reviewer.services.offers import offers_of
from reviewer.services.reviews import start_review
from tests.factories import make_finding, make_proposal, make_version
from tests.fakes.replies import finding, finds
from tests.learned import TEXT, make_learning
from tests.rounds.house import Fault, House, the

SHEETS = "Discovery takes four weeks.\n\nThe fee is 82,500 dollars.\n"
BANNED = "We leveraged our platform.\n\nThe fee is 82,500 dollars.\n"
NEVER_SAY = {"kind": "never_say", "text": "Never say “leverage”.", "phrase": "leverage"}


def _reports(house: House, **more) -> None:
    """Every pass reports one finding, with `more` of its fields."""
    entry = finding(sheet=1, severity="fix", rule="unambiguous_scope", quote="four weeks", **more)
    house.reader.fails_on(lambda reading: reading.kind == Reading.Kind.PASS, finds([entry]))


def _dismissed(house: House, severity: str = "fix") -> list[Finding]:
    """The same remark on two earlier proposals, dismissed for the same reason."""
    return [
        make_finding(
            make_version(make_proposal(house.cast.workspace)),
            severity=severity,
            rule="unambiguous_scope",
            quote="six weeks",
            text="How long six weeks are is left open, and a buyer would ask.",
            status="dismissed",
            decision_reason="Weeks are calendar weeks in our terms.",
            decided_by=house.cast.rae.user,
        )
        for _ in range(2)
    ]


def _do_not_raise(house: House) -> Learning:
    learning = promote(
        actor=house.cast.rae,
        workspace=house.cast.workspace,
        kind="do_not_raise",
        text="Weeks need no definition.",
        rule="unambiguous_scope",
        findings=_dismissed(house),
    )
    return approve(learning=learning, actor=house.cast.max)


SAYS = "How long four weeks are is left open, and a buyer would ask."


def test_a_learning_is_in_every_prompt_and_its_version_is_stored_with_each_reading(house):
    learning = make_learning(house.cast)
    version = house.upload(SHEETS)
    review = house.read(version)
    assert house.server.requests
    assert all(f"{learning.number}. {TEXT}" in seen.prompt for seen in house.server.requests)
    assert all(reading.learnings == [[1, 1]] for reading in review.readings.all())
    assert review.pinned.learnings == [[1, 1]]


def test_a_finding_is_raised_under_the_learning_that_its_answers_name(house):
    learning = make_learning(house.cast)
    _reports(house, finding=SAYS, learning="1")
    version = house.upload(SHEETS)
    house.read(version)
    raised = the(version.proposal, "four weeks")
    assert (raised.learning, raised.votes) == (learning, 3)
    assert set(raised.sightings.values_list("learning", flat=True)) == {learning.pk}


def test_a_learning_that_was_not_given_is_left_out_and_said_so_and_the_finding_is_kept(house):
    make_learning(house.cast)
    make_learning(house.cast, client="Another client")
    _reports(house, finding=SAYS, learning="2")
    version = house.upload(SHEETS)
    house.read(version)
    raised = the(version.proposal, "four weeks")
    assert (raised.learning, raised.votes) == (None, 3)
    assert set(Sighting.objects.values_list("learning_as_written", flat=True)) == {"2"}


def test_a_learning_of_mid_review_is_for_the_next_one(house):
    version = house.upload(SHEETS)
    review = start_review(by=house.cast.wen, version=version)
    house.perform(review.readings.order_by("pk").first())
    make_learning(house.cast)
    house.finish(review)
    assert not any(TEXT in seen.prompt for seen in house.server.requests)
    assert set(map(str, review.readings.values_list("learnings", flat=True))) == {"[]"}


def test_a_learning_that_is_retired_in_mid_review_is_read_with_to_its_end(house):
    learning = make_learning(house.cast)
    version = house.upload(SHEETS)
    review = start_review(by=house.cast.wen, version=version)
    house.perform(review.readings.order_by("pk").first())
    retire(learning=learning, actor=house.cast.max, why="It is no longer so.")
    house.finish(review)
    assert len({str(seen.body["system"]) for seen in house.server.requests}) == 1


def test_a_new_learning_un_clears_nothing_and_a_reading_anew_is_offered(house):
    version = house.upload(SHEETS)
    house.read(version)
    assert house.gate(version).is_open
    assert offers_of(version).anew is None
    make_learning(house.cast)
    assert house.gate(version).is_open
    offers = offers_of(version)
    assert offers.read.calls == 0
    assert offers.anew is not None
    assert "What the house has learned changed" in offers.anew.sentence
    before = house.calls
    house.read(version, anew=True)
    assert house.calls - before == 4
    assert all(TEXT in seen.prompt for seen in house.server.requests[before:])
    assert house.gate(version).is_open
    assert offers_of(version).anew is None


def test_what_people_dismissed_for_one_reason_is_held_back_and_listed(house):
    learning = _do_not_raise(house)
    _reports(house, finding=SAYS)
    version = house.upload(SHEETS)
    review = house.read(version)
    assert not Finding.objects.filter(proposal=version.proposal).exists()
    held = HeldBack.objects.filter(reading__review=review)
    assert {(row.by, row.quote, row.text) for row in held} == {
        (learning.current, "four weeks", SAYS)
    }
    assert held.count() == 3
    assert not any("need no definition" in seen.prompt for seen in house.server.requests)
    assert Pinned.objects.get(review=review).learnings == [[1, 1]]


def test_a_block_is_never_held_back(house):
    _do_not_raise(house)
    house.reader.faults = [Fault("four weeks", "block", says=SAYS)]
    version = house.upload(SHEETS)
    house.read(version)
    assert the(version.proposal, "four weeks").severity == "block"
    assert not HeldBack.objects.exists()


def test_another_fault_of_the_same_rule_is_not_held_back(house):
    _do_not_raise(house)
    house.reader.faults = [
        Fault("82,500", says="The fee names no travel, and a buyer would ask who pays it.")
    ]
    version = house.upload(SHEETS)
    house.read(version)
    assert the(version.proposal, "82,500").votes == 3


def test_retiring_what_held_back_raises_nothing_by_itself_and_keeps_the_list(house):
    learning = _do_not_raise(house)
    _reports(house, finding=SAYS)
    version = house.upload(SHEETS)
    house.read(version)
    retire(learning=learning, actor=house.cast.max, why="Buyers do ask.")
    assert not Finding.objects.filter(proposal=version.proposal).exists()
    assert HeldBack.objects.count() == 3
    assert offers_of(version).anew is None
    house.read(version, widen=1)
    assert the(version.proposal, "four weeks").learning is None


@pytest.fixture
def checked_house(house):
    house.cast.workspace.policy["checks"].pop("never_say", None)
    house.cast.workspace.save()
    return house


def test_what_is_never_said_is_found_by_code_in_its_forms_and_no_prompt_names_it(checked_house):
    house = checked_house
    learning = make_learning(house.cast, instead="use", rule="clients_words", **NEVER_SAY)
    version = house.upload(BANNED)
    raised = the(version.proposal, "leveraged")
    assert (raised.learning, raised.raised, raised.rule) == (learning, "check", "clients_words")
    assert raised.edit == "Say instead: use"
    house.read(version)
    assert not any("leverage" in str(seen.body["system"]) for seen in house.server.requests)
    fixed = house.upload("We used our platform.\n", of=version.proposal)
    raised.refresh_from_db()
    fixed.refresh_from_db()
    assert (raised.shown_state, fixed.checked_with) == ("fixed", [[1, 1]])


def test_a_phrase_that_was_learned_since_the_upload_is_looked_for_when_a_review_starts(
    checked_house,
):
    house = checked_house
    version = house.upload(BANNED)
    assert not version.proposal.findings.exists()
    make_learning(house.cast, **NEVER_SAY)
    house.read(version)
    assert the(version.proposal, "leveraged").check_code == "never_say"


def test_a_phrase_for_another_client_is_not_looked_for(checked_house):
    make_learning(checked_house.cast, client="Harbor Mutual", **NEVER_SAY)
    assert not checked_house.upload(BANNED).proposal.findings.exists()


def test_every_step_of_a_learning_stands_in_the_events(house):
    _do_not_raise(house)
    verbs = Event.objects.filter(subject="learning").values_list("verb", "actor__username")
    assert list(verbs) == [("proposed", "rae"), ("approved", "max")]

"""What changes while a review runs is for the next one: rubric, sources, client, models, server."""

from reviewer.core.rubric import Rule
from reviewer.models import Finding, ModelSettings, Review, Source
from reviewer.services.proposals import change_details, remove_source
from reviewer.services.reviews import start_review
from reviewer.services.rubric import change_rubric
from reviewer.services.standing import standing_of
from tests.factories import make_source
from tests.rounds.house import Fault, House, reasons, the

TEXT = "Discovery takes four weeks.\n---\nThe fee is 82,500 dollars.\n"


def _begun(house: House) -> Review:
    """A review whose first reading has been made."""
    version = house.upload(TEXT)
    make_source(version.proposal, text="Notes of the call in March.", name="notes.txt")
    review = start_review(by=house.cast.wen, version=version)
    house.perform(review.readings.order_by("pk").first())
    return review


def _rest(house: House, review: Review) -> list[str]:
    house.finish(review)
    return [seen.prompt for seen in house.server.requests[1:]]


def test_a_rule_that_is_added_in_mid_review_is_for_the_next_one(house):
    review = _begun(house)
    rule = Rule("", "Plain prices", "Look whether every price is plain.")
    change_rubric(by=house.cast.max, house_rules=[rule], banned=[], based_on=0)
    assert not any("Plain prices" in prompt for prompt in _rest(house, review))
    gate = house.gate(review.version)
    assert gate.is_open
    assert "The rubric changed" in standing_of(review.version).notes[0]


def test_house_rules_of_a_review_are_asked_for_and_kept_by_their_codes(house):
    rule = Rule("", "Plain prices", "Look whether every price is plain.")
    change_rubric(by=house.cast.max, house_rules=[rule], banned=[], based_on=0)
    house.reader.faults = [
        Fault("82,500", rule="plain_prices"),
        Fault("four weeks", rule="Plain Prices!", says="A duration is no price."),
    ]
    version = house.upload(TEXT)
    house.read(version)
    first = house.server.requests[0]
    assert "Look whether every price is plain." in first.prompt
    enum = first.body["tools"][0]["input_schema"]["properties"]["findings"]["items"]
    assert "plain_prices" in enum["properties"]["rule"]["enum"]
    assert set(Finding.objects.values_list("rule", flat=True)) == {"plain_prices"}


def test_a_source_that_comes_or_goes_in_mid_review_is_for_the_next_one(house):
    review = _begun(house)
    make_source(review.version.proposal, text="A price list of May.", name="prices.txt")
    remove_source(by=house.cast.wen, source=Source.objects.get(name="notes.txt"))
    prompts = _rest(house, review)
    assert all("Notes of the call in March." in prompt for prompt in prompts)
    assert not any("A price list of May." in prompt for prompt in prompts)


def test_a_client_who_is_renamed_in_mid_review_makes_it_a_review_of_another_document(house):
    review = _begun(house)
    of = review.version.proposal
    change_details(
        by=house.cast.max,
        proposal=of,
        title=of.title,
        client="Harbor Mutual",
        kind=of.kind,
        checks_only=False,
    )
    assert not any("Harbor Mutual" in prompt for prompt in _rest(house, review))
    review.version.refresh_from_db()
    assert reasons(house.gate(review.version)) == ["not_cleared"]


def test_a_model_that_is_chosen_in_mid_review_reads_the_next_one(house):
    review = _begun(house)
    ModelSettings.objects.create(
        workspace=house.cast.workspace, base_url=house.server.url, model="reader-9"
    )
    _rest(house, review)
    assert {seen.model for seen in house.server.requests} == {"reader-1"}
    assert house.gate(review.version).is_open


def test_a_server_that_is_changed_in_mid_review_is_sent_nothing_and_says_so(house, start_server):
    other = start_server()
    review = _begun(house)
    ModelSettings.objects.create(workspace=house.cast.workspace, base_url=other.url)
    house.finish(review)
    review.refresh_from_db()
    assert (review.status, other.requests) == (Review.Status.FINISHED, [])
    stand = standing_of(review.version)
    assert "so its text was sent to neither" in stand.not_read[0].sentence
    assert reasons(stand.gate) == ["not_cleared"]


def test_every_prompt_of_a_review_begins_with_the_same_bytes(house):
    house.reader.faults = [Fault("82,500", "block")]
    version = house.upload(TEXT)
    house.read(version)
    systems = {str(seen.body["system"]) for seen in house.server.requests}
    documents = {str(seen.body["messages"][0]["content"][0]) for seen in house.server.requests}
    assert (len(systems), len(documents)) == (1, 1)
    assert the(version.proposal, "82,500").votes == 3

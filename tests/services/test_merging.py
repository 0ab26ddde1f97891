"""Sightings become findings: the same ones in whatever order the answers came."""

import json
import random
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from reviewer.models import Finding, Reading, Review, Sighting, Version
from reviewer.providers.scripted import ScriptedProvider
from reviewer.services import conversion, recorded
from reviewer.services.findings import accept, dismiss, mark_fixed
from reviewer.services.readings import perform_reading
from reviewer.services.uploads import upload_proposal
from tests.factories import make_finding, make_proposal, make_reading, make_review, make_version
from tests.fakes.replies import finding
from tests.services.readers import Reader, read_all

SAMPLES = Path(recorded.__file__).resolve().parent.parent / "samples"
TEXT = "The pilot runs for 12 weeks at two sites. It will cut detention costs by 30%."
PERCENT = finding(quote="cut detention costs by 30%", finding="Thirty percent has no source.")
PERCENT_AGAIN = finding(
    quote="It will cut detention costs by 30%", finding="No source is given for thirty percent."
)
SITES = finding(
    rule="unambiguous_scope", quote="at two sites", finding="Which two sites is not said."
)


def _running(cast, *, passes: int = 2, text: str = TEXT, **fields) -> Review:
    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=[text])
    review = make_review(version, status=Review.Status.READING, passes=passes, **fields)
    for number in range(1, passes + 1):
        make_reading(review, sheet=1, pass_number=number, status="waiting")
    return review


def _perform(review: Review, number: int, *findings: dict) -> Reading | None:
    pk = review.readings.get(kind="pass", pass_number=number).pk
    return perform_reading(pk, provider=Reader({1: findings}))


# The recorded readings of a real draft --------------------------------------------------------


@pytest.fixture
def harbor(cast, read_once, monkeypatch):
    """The 12-sheet draft, ready, once more in a proposal of its own at each call."""
    text = (SAMPLES / "harbor-claims-12-sheets.md").read_text()
    monkeypatch.setattr(conversion, "read_file", lambda path, workdir, **options: read_once(text))

    def make() -> Version:
        file = SimpleUploadedFile("harbor.md", text.encode())
        return conversion.convert_version(
            upload_proposal(by=cast.wen, file=file, client="Harbor Mutual").pk
        )

    return make


PASSES = [json.loads((SAMPLES / f"harbor-claims-{name}.json").read_text()) for name in "ABC"]


def _record_in(order: random.Random, version: Version) -> Review:
    """As `record_review` does, the answers coming in another order."""
    sheets = list(version.sheets.order_by("number").values_list("number", flat=True))
    review = make_review(
        version, status=Review.Status.READING, provenance=Review.Provenance.RECORDED
    )
    readings = [
        make_reading(review, sheet=sheet, pass_number=number, status="waiting")
        for number in (1, 2, 3)
        for sheet in sheets
    ]
    order.shuffle(readings)
    for reading in readings:
        answer = recorded._answer(PASSES[reading.pass_number - 1], reading.sheet, sheets, "m")
        perform_reading(reading.pk, provider=ScriptedProvider([answer], streams=False))
    return review


def _groups(review: Review) -> set[frozenset[tuple[int, int, int]]]:
    groups: dict[int, set[tuple[int, int, int]]] = {}
    for sighting in Sighting.objects.filter(reading__review=review).select_related("reading"):
        name = (sighting.reading.pass_number, sighting.reading.sheet, sighting.index)
        groups.setdefault(sighting.finding_id, set()).add(name)
    return {frozenset(group) for group in groups.values()}


def test_the_order_in_which_answers_come_changes_no_group(harbor):
    first = recorded.record_review(version=harbor(), passes=PASSES, model="m")
    assert first.status == Review.Status.FINISHED
    other = _record_in(random.Random(7), harbor())
    other.refresh_from_db()
    assert other.status == Review.Status.FINISHED
    assert _groups(other) == _groups(first)
    assert sum(map(len, _groups(first))) == sum(len(p["findings"]) for p in PASSES)
    assert 150 <= len(_groups(first)) <= 200
    _stand_at_their_words(first.version)


def _stand_at_their_words(version: Version) -> None:
    quoted = Finding.objects.filter(proposal=version.proposal_id).exclude(quote="")
    placed = quoted.filter(places__version=version, places__position=0).distinct()
    assert placed.count() >= 0.95 * quoted.count()


# Small cases ------------------------------------------------------------------------------------


def test_two_passes_that_mean_the_same_are_one_finding_with_two_votes(cast):
    review = _running(cast)
    _perform(review, 1, PERCENT)
    _perform(review, 2, PERCENT_AGAIN)
    raised = Finding.objects.get()
    assert (raised.votes, raised.passes) == (2, 2)
    assert raised.text == PERCENT["finding"]


def test_two_findings_of_one_answer_stay_two(cast):
    review = _running(cast)
    _perform(review, 1, PERCENT, PERCENT_AGAIN)
    assert Finding.objects.count() == 2


def test_a_fault_that_the_readings_of_every_sheet_name_is_one_finding(cast):
    version = make_version(
        make_proposal(cast.workspace, owner=cast.wen), texts=[TEXT, "Two.", "Three."]
    )
    review = make_review(version, status=Review.Status.READING, passes=2)
    for number in (1, 2):
        for sheet in (1, 2, 3):
            make_reading(review, sheet=sheet, pass_number=number, status="waiting")
    for reading in review.readings.order_by("pk"):
        perform_reading(reading.pk, provider=Reader({reading.sheet: (PERCENT,)}))
    raised = Finding.objects.get(raised="model", proposal=version.proposal)
    assert raised.votes == 2
    assert raised.sightings.count() == 6


def test_the_gravest_severity_that_was_sighted_counts(cast):
    review = _running(cast)
    _perform(review, 1, {**PERCENT, "severity": "consider"})
    _perform(review, 2, {**PERCENT_AGAIN, "severity": "fix"})
    assert Finding.objects.get().severity == "fix"


def test_what_a_check_raised_and_a_model_sees_is_one_finding(cast):
    review = _running(cast)
    by_check = make_finding(
        review.version, quote=PERCENT["quote"], raised=Finding.Raised.CHECK, check_code="outcome"
    )
    _perform(review, 1, PERCENT)
    assert Finding.objects.get() == by_check
    by_check.refresh_from_db()
    assert (by_check.raised, by_check.votes) == (Finding.Raised.CHECK, 1)


def test_a_quote_that_stands_nowhere_is_kept_and_said_to(cast):
    review = _running(cast)
    _perform(review, 1, finding(quote="words of another document entirely"))
    raised = Finding.objects.get()
    assert raised.is_on_sheet is False
    assert not raised.places.exists()


@pytest.mark.parametrize("act", ["fixed", "dismissed", "accepted"])
def test_a_finding_that_was_decided_survives_the_settling(cast, act):
    review = _running(cast, passes=3)
    _perform(review, 1, PERCENT)
    streamed = Finding.objects.get()
    decision = {"by": cast.rae, "finding": streamed, "version": review.version}
    if act == "fixed":
        mark_fixed(**decision)
    else:
        {"dismissed": dismiss, "accepted": accept}[act](**decision, reason="It is in the RFP.")
    _perform(review, 2, PERCENT_AGAIN)
    _perform(review, 3, SITES)
    read_all(review, Reader())
    kept = Finding.objects.get(pk=streamed.pk)
    assert kept.status != Finding.Status.OPEN
    assert kept.votes == 2
    assert Finding.objects.count() == 2


def test_what_is_seen_graver_than_it_was_dismissed_is_open_again(cast):
    review = _running(cast)
    _perform(review, 1, {**PERCENT, "severity": "consider"})
    raised = Finding.objects.get()
    dismiss(by=cast.wen, finding=raised, version=review.version, reason="A matter of taste.")
    _perform(review, 2, {**PERCENT_AGAIN, "severity": "block"})
    raised.refresh_from_db()
    assert (raised.status, raised.severity) == (Finding.Status.OPEN, "block")
    assert raised.decided_by is None


def test_a_finding_of_an_earlier_review_keeps_its_number_and_gains_the_new_sightings(cast):
    first = _running(cast, passes=1, depth="quick")
    _perform(first, 1, PERCENT)
    read_all(first, Reader())
    known = Finding.objects.get()
    again = make_review(first.version, status=Review.Status.READING, passes=1, depth="quick")
    make_reading(again, sheet=1, status="waiting")
    _perform(again, 1, PERCENT_AGAIN, SITES)
    read_all(again, Reader())
    assert Finding.objects.count() == 2
    assert known.sightings.count() == 2

"""Findings stand at their words, and go with them to the next version."""

import pytest

from reviewer.models import Finding
from reviewer.services.ground import Ground
from reviewer.services.placing import carry_findings, place_finding
from tests.factories import make_finding, make_proposal, make_version

FIRST = "The pilot runs for 12 weeks at two sites."
SECOND = "It will cut detention costs by 30% in the first quarter of the year."
THIRD = "Discovery is billed at $18,000 on the first working day of the month."


def _carried(cast, quote: str, before: list[str], after: list[str], **fields) -> Finding:
    proposal = make_proposal(cast.workspace)
    old, new = make_version(proposal, texts=before), make_version(proposal, texts=after)
    finding = make_finding(old, quote=quote, **fields)
    carry_findings(old, new)
    finding.refresh_from_db()
    finding.here = finding.places.filter(version=new).order_by("position")
    return finding


def test_a_place_is_its_words_and_a_box_for_each_line(cast):
    version = make_version(make_proposal(cast.workspace), texts=[f"{FIRST} {SECOND}"])
    finding = make_finding(version, quote="")
    finding.quote = "cut detention costs by 30%"
    assert place_finding(finding, Ground(version)) is True
    place = finding.places.get()
    words = version.sheets.get().words
    assert [w[0] for w in words[place.first_word : place.last_word + 1]] == finding.quote.split()
    width, height = version.sheets.get().width, version.sheets.get().height
    assert all(0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height for x0, y0, x1, y1 in place.boxes)


def test_words_that_stand_are_present_wherever_they_went(cast):
    finding = _carried(cast, "12 weeks", [FIRST, SECOND], [THIRD, SECOND, FIRST])
    assert (finding.evidence, finding.sheet) == ("present", 3)
    assert finding.here[0].sheet == 3


def test_words_that_changed_keep_their_place_and_say_so(cast):
    changed = SECOND.replace("30%", "25%")
    finding = _carried(cast, SECOND, [FIRST, SECOND], [FIRST, changed], sheet=2)
    assert finding.evidence == "changed"
    assert finding.here[0].sheet == 2


def test_words_that_are_gone_have_no_place_and_the_finding_stays(cast):
    finding = _carried(cast, "cut detention costs by 30%", [FIRST, SECOND], [FIRST], sheet=2)
    assert finding.evidence == "gone"
    assert not finding.here.exists()
    assert finding.is_lost
    assert finding.shown_state == "open"


def test_a_finding_without_words_is_not_lost_with_any(cast):
    finding = _carried(cast, "", [FIRST], [SECOND], sheet=0)
    assert (finding.evidence, finding.is_lost) == ("present", False)


def test_where_another_place_changed_the_finding_is_looked_at_again(cast):
    also = [{"sheet": 2, "quote": "$18,000"}]
    proposal = make_proposal(cast.workspace)
    old = make_version(proposal, texts=[FIRST, THIRD])
    new = make_version(proposal, texts=[FIRST, THIRD.replace("$18,000", "$21,500")])
    finding = make_finding(old, quote="", also=also, recheck=Finding.Verdict.DOES_NOT_HOLD)
    finding.quote = "12 weeks"
    finding.save()
    place_finding(finding, Ground(old))
    carry_findings(old, new)
    finding.refresh_from_db()
    assert finding.shown_state != "fixed"
    assert finding.places.filter(version=new, position=0).exists()


@pytest.mark.parametrize("status", ["fix_claimed", "dismissed", "accepted"])
def test_what_people_decided_is_carried_with_it(cast, status):
    finding = _carried(cast, "12 weeks", [FIRST], [FIRST], status=status, decided_by=cast.rae)
    assert finding.status == status


def test_only_places_are_carried_to_a_version_that_is_not_the_newest(cast):
    proposal = make_proposal(cast.workspace)
    old, new = make_version(proposal, texts=[FIRST]), make_version(proposal, texts=[SECOND])
    finding = make_finding(old, quote="12 weeks")
    carry_findings(old, new, places_only=True)
    finding.refresh_from_db()
    assert finding.evidence == "present"


def test_words_in_a_line_share_a_box_and_boxes_hold_all_their_words(cast):
    version = make_version(make_proposal(cast.workspace), texts=[f"{FIRST} {SECOND} {THIRD}"])
    sheet = Ground(version).sheets[1]
    boxes = sheet.boxes(0, len(sheet.words) - 1)
    assert len(boxes) == len({word[2] for word in sheet.words})
    for _, x0, y0, x1, y1 in sheet.words:
        assert any(b[0] <= x0 and b[1] <= y0 and b[2] >= x1 and b[3] >= y1 for b in boxes)


def test_a_dismissed_finding_without_a_source_stays_dismissed_when_other_text_comes(cast):
    first = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=["Old words here."])
    finding = make_finding(
        first, rule="grounding", status="dismissed", decision_reason="The client gave it."
    )
    second = make_version(first.proposal, texts=["Old words here.", "A new sheet of words."])
    carry_findings(first, second)
    finding.refresh_from_db()
    assert finding.status == "dismissed"

"""The list: what is shown of each proposal, what is found, and what it costs to ask."""

import itertools
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from reviewer.core.prompts import ReadingKind, recipe_of
from reviewer.models import Calibration, Membership, Proposal, Review, Version
from reviewer.services.gates import gate_of
from tests.factories import (
    Cast,
    make_approval,
    make_export,
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_version,
    make_waiver,
)

HTMX = {"HX-Request": "true"}


@pytest.fixture
def url(cast: Cast) -> str:
    return reverse("proposals", args=[cast.workspace.slug])


@pytest.fixture
def wen(cast: Cast, client_of) -> Any:
    return client_of(cast.wen)


@pytest.fixture
def row_of(wen, url) -> Callable[[Proposal], Any]:
    """The row that the list shows for a proposal."""

    def found(proposal: Proposal) -> Any:
        rows = wen.get(url).context["rows"]
        return next(row for row in rows if row.proposal.pk == proposal.pk)

    return found


def read_by_a_model(version: Version, *, readings: int = 3, **fields: Any) -> Review:
    context = {"client": version.proposal.client}
    review = make_review(version, passes=1, context=context, **fields)
    for sheet in range(1, readings + 1):
        make_reading(review, sheet=sheet)
    return review


def full_of(cast: Cast, number: int) -> None:
    """Proposals in every state, each with findings and a review."""
    states = [Version.Status.READY, Version.Status.CONVERTING, Version.Status.UNREADABLE]
    for at in range(number):
        proposal = make_proposal(cast.workspace, owner=cast.members[at % 3])
        make_version(proposal)
        version = make_version(proposal, status=states[at % 3])
        if version.status == Version.Status.READY:
            read_by_a_model(version, status=["finished", "reading"][at % 2])
            make_finding(version, severity="block" if at % 4 else "consider")


def test_twenty_proposals_cost_as_many_queries_as_two(cast: Cast, wen, url) -> None:
    def queries(rows: int) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert len(wen.get(url).context["rows"]) == rows
            return len(asked)

    full_of(cast, 2)
    wen.get(url)
    two = queries(2)
    full_of(cast, 18)
    assert 5 < queries(20) == two <= 14


def test_a_row_names_title_client_kind_and_owner_and_leads_to_the_desk(
    cast: Cast, wen, url
) -> None:
    proposal = make_proposal(
        cast.workspace, owner=cast.wen, title="Tower", client="Northwind", kind="scope"
    )
    make_version(proposal)
    page = wen.get(url).content.decode()
    assert reverse("desk", args=[cast.workspace.slug, proposal.pk]) in page
    assert ">Tower</a>" in page
    assert "Northwind · scope of work · Wen · md" in page


def test_blocks_are_told_before_fixes(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    version = make_version(proposal)
    make_finding(version, severity="fix")
    make_finding(version, severity="block")
    row = row_of(proposal)
    assert (row.stands.tone, row.stands.words) == ("block", "1 block open")
    assert row.open_count == 2


def test_fixes_wait_for_a_decision(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    version = make_version(proposal)
    make_finding(version)
    make_finding(version)
    make_finding(version, status="dismissed", decided_by=cast.rae)
    row = row_of(proposal)
    assert (row.stands.tone, row.stands.words) == ("fix", "2 fixes to decide")


def test_the_list_counts_as_open_what_the_desk_shows_as_open(cast: Cast, wen, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    version = make_version(proposal)
    for raised, evidence, recheck, status, times in itertools.product(
        ("model", "check"),
        ("present", "changed", "gone"),
        ("none", "holds", "does_not_hold", "unsure"),
        ("open", "fix_claimed", "dismissed", "accepted"),
        (0, 2),
    ):
        make_finding(
            version,
            severity="block",
            quote="",
            raised=raised,
            evidence=evidence,
            recheck=recheck,
            status=status,
            times_still_there=times,
            gone_by=["one", "other"] if evidence == "gone" else [],
            is_closed_by_reviewer=evidence == "changed" and times == 2,
        )
    make_finding(version, severity="block", merged_into=proposal.findings.first())
    row = row_of(proposal)
    args = [cast.workspace.slug, proposal.pk]
    desk = wen.get(reverse("desk", args=args)).context
    assert row.open_count == desk["open_blocks"] > 20
    assert row.stands.words == f"{row.open_count} blocks open"


def calibrate(cast: Cast, review: Review) -> None:
    """The model that made this review's readings may clear text."""
    recipe = recipe_of(ReadingKind.PASS)
    review.readings.update(model=review.model, prompt_hash=recipe)
    Calibration.objects.create(
        workspace=cast.workspace,
        server=review.server,
        model=review.model,
        recipe=recipe,
        status="done",
        found=10,
        planted=10,
    )


def test_what_a_model_read_and_nothing_holds_is_clear(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    calibrate(cast, read_by_a_model(make_version(proposal)))
    row = row_of(proposal)
    assert (row.stands.tone, row.stands.words) == ("clear", "clear")
    assert (row.read, row.read_note) == ("1 pass", "claude-opus-5-5")


def test_what_no_model_has_read_is_never_called_clear(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    make_version(proposal)
    row = row_of(proposal)
    assert (row.stands.tone, row.stands.words) == ("", "no model has read it")
    assert row.read == "checks only"


def test_a_new_version_is_not_covered_by_the_reading_of_the_old_one(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    read_by_a_model(make_version(proposal))
    make_version(proposal)
    row = row_of(proposal)
    assert row.stands.words == "no model has read it"
    assert (row.read, row.read_note) == ("v1 was read", "v2 not yet")


def test_lost_answers_are_not_hidden_behind_a_clear_chip(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    review = read_by_a_model(make_version(proposal), readings=2)
    make_reading(review, sheet=3, outcome="provider_error", fault="overloaded")
    row = row_of(proposal)
    assert (row.stands.tone, row.stands.words) == ("fix", "not fully read")
    assert "1 of 3 answers not read" in row.read_note


def test_a_review_of_which_no_answer_could_be_read_counts_as_no_reading(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    review = make_review(make_version(proposal), passes=1)
    make_reading(review, sheet=1, outcome="provider_error", fault="wrong_key")
    row = row_of(proposal)
    assert row.stands.words == "no model has read it"
    assert row.read_note == "no answer of the model could be read"


def test_kept_to_checks_is_said_as_a_choice(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace, checks_only=True)
    make_version(proposal)
    row = row_of(proposal)
    assert row.stands.words == "clear by the checks"
    assert (row.read, row.read_note) == ("checks only", "kept to them on purpose")


def test_recorded_answers_are_called_recorded_once(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    version = make_version(proposal)
    read_by_a_model(version, provenance=Review.Provenance.RECORDED)
    row = row_of(proposal)
    assert (row.stands.words, row.read_note) == ("recorded answers do not clear", "")
    make_finding(version, severity="block")
    row = row_of(proposal)
    assert (row.stands.words, row.read_note) == ("1 block open", "recorded answers")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"provenance": "recorded"}, "recorded answers do not clear"),
        ({"depth": "quick"}, "looked over, not read"),
        ({}, "read, but not cleared"),
    ],
)
def test_what_its_gate_holds_for_its_reading_is_never_called_clear(
    cast: Cast, row_of, made, words
) -> None:
    proposal = make_proposal(cast.workspace)
    version = make_version(proposal)
    read_by_a_model(version, **made)
    assert row_of(proposal).stands.words == words
    assert not gate_of(version).is_open


def test_layout_and_sheets_without_text_hold_it_in_the_list_until_they_are_signed_for(
    cast: Cast, row_of
) -> None:
    clipped = {"code": "clipped", "sheet": 1, "message": "3 words are cut off."}
    for fields, kind, words in (
        ({"fit": [clipped]}, {"kind": "fit", "code": "clipped"}, "1 fault of layout"),
        ({}, {"kind": "unread", "code": ""}, "1 sheet not read"),
    ):
        proposal = make_proposal(cast.workspace)
        version = make_version(proposal, **fields)
        calibrate(cast, read_by_a_model(version))
        if not fields:
            version.sheets.filter(number=1).update(unread="no_text")
        assert row_of(proposal).stands.words == words
        make_waiver(version, cast.max, sheet=1, says="3 words are cut off.", **kind)
        assert row_of(proposal).stands.words == "clear"


@pytest.mark.parametrize(
    ("answer", "words", "why"),
    [
        ({"status": "asked"}, "clear, waits for a manager", ""),
        ({"status": "given"}, "approved by Max", ""),
        ({"status": "refused", "reason": "Two figures."}, "Max said no", "Two figures."),
        ({"status": "fallen", "why_fallen": "The gate changed."}, "clear", ""),
    ],
)
def test_what_a_manager_was_asked_and_answered_stands_in_the_list_and_on_the_desk(
    cast: Cast, row_of, client_of, answer, words, why
) -> None:
    proposal = make_proposal(cast.workspace)
    version = make_version(proposal)
    calibrate(cast, read_by_a_model(version))
    asked = make_approval(version, cast.max, **answer)
    stands = row_of(proposal).stands
    assert (stands.words, stands.why) == (words, why)
    desk = client_of(cast.wen).get(reverse("desk", args=(cast.workspace.slug, proposal.pk)))
    chip = words.removeprefix("clear, ")
    assert (f">{chip}</a>" in desk.content.decode()) is (asked.status != "fallen")
    assert why in desk.content.decode()

    finding = make_finding(version, severity="block")
    stands = row_of(proposal).stands
    if asked.status == "refused":
        assert stands.words == "Max said no"
    else:
        told = "waits for a manager" if asked.status == "asked" else ""
        assert (stands.words, stands.why) == ("1 block open", told)
    finding.delete()
    make_export(version, cast.max)
    left = f"{timezone.localdate():%-d %B}"
    expected = "Max said no" if asked.status == "refused" else f"sent {left}"
    assert row_of(proposal).stands.words == expected
    make_version(proposal)
    assert row_of(proposal).stands.words == "no model has read it"


def test_a_running_reading_says_how_far_it_is(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    version = make_version(proposal)
    review = make_review(version, status="reading", passes=2)
    for sheet in (1, 2, 3):
        make_reading(review, sheet=sheet, pass_number=1)
        make_reading(review, sheet=sheet, pass_number=2, status="waiting")
    make_finding(version)
    row = row_of(proposal)
    assert (row.read, row.read_note) == ("reading, 3 of 6", "pass 2 of 2 · 1 finding so far")
    assert row.is_busy


def test_a_stopped_reading_says_what_it_covered(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    review = make_review(make_version(proposal), status="cancelled", passes=1)
    make_reading(review, sheet=1)
    make_reading(review, sheet=2, status="cancelled")
    row = row_of(proposal)
    assert row.read == "stopped after 1 of 2"
    assert row.stands.words == "not fully read"


def test_a_conversion_says_how_far_it_is(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    make_version(proposal, status=Version.Status.CONVERTING, done=37, total=120)
    row = row_of(proposal)
    assert (row.stands.words, row.stands.done) == ("converting, 37 of 120", 37)
    assert row.is_busy


def test_a_step_that_cannot_be_measured_shows_no_share(cast: Cast, row_of) -> None:
    proposal = make_proposal(cast.workspace)
    make_version(proposal, status=Version.Status.CONVERTING, total=1, doing="Opening the file")
    stands = row_of(proposal).stands
    assert (stands.words, stands.total) == ("opening the file", 0)


def test_a_file_that_could_not_be_read_says_why(cast: Cast, wen, url) -> None:
    proposal = make_proposal(cast.workspace)
    make_version(proposal, status=Version.Status.UNREADABLE, reason="It is locked.")
    page = wen.get(url).content.decode()
    assert "could not be read" in page
    assert "It is locked." in page


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("q=tower", {"Control tower"}),
        ("q=harbor+claims", {"Claims intake"}),
        ("q=harbor+tower", set()),
        ("kind=scope", {"Claims intake"}),
        ("kind=nonsense", {"Control tower", "Claims intake"}),
        ("archived=on", {"Old tower"}),
        ("archived=on&q=claims", set()),
        ("", {"Control tower", "Claims intake"}),
    ],
)
def test_search_kind_and_archive_narrow_the_list(
    asked: str, found: set[str], cast: Cast, wen, url
) -> None:
    make_proposal(cast.workspace, title="Control tower", client="Northwind")
    make_proposal(cast.workspace, title="Claims intake", client="Harbor Mutual", kind="scope")
    make_proposal(cast.workspace, title="Old tower", archived_at=timezone.now())
    make_proposal(cast.ola.workspace, title="Tower of somebody else")
    rows = wen.get(f"{url}?{asked}").context["rows"]
    assert {row.proposal.title for row in rows} == found


def test_the_newest_work_stands_first_and_pages_hold_fifty(cast: Cast, wen, url) -> None:
    for at in range(53):
        proposal = make_proposal(cast.workspace, title=f"Proposal {at:02}")
        moved = timezone.now() - timedelta(hours=at)
        Proposal.objects.filter(pk=proposal.pk).update(touched_at=moved)
    first, second = wen.get(url), wen.get(f"{url}?page=2&q=proposal")
    assert [row.proposal.title for row in first.context["rows"]][:2] == [
        "Proposal 00",
        "Proposal 01",
    ]
    assert len(first.context["rows"]) == 50
    assert len(second.context["rows"]) == 3
    assert 'href="?page=1&amp;q=proposal"' in second.content.decode()
    assert wen.get(f"{url}?page=nonsense").status_code == 200


def test_htmx_gets_the_table_alone_and_both_answers_say_that_they_vary(
    cast: Cast, wen, url
) -> None:
    make_version(make_proposal(cast.workspace))
    page, part = wen.get(url), wen.get(url, headers=HTMX)
    boosted = wen.get(url, headers={**HTMX, "HX-Boosted": "true"})
    assert "<html" in page.content.decode()
    assert "<html" in boosted.content.decode()
    assert part.content.decode().strip().startswith('<div id="proposal-list"')
    for answer in (page, part, boosted):
        assert "HX-Request" in answer["Vary"]


def test_a_live_search_leaves_an_address_that_can_be_shared(cast: Cast, wen, url) -> None:
    headers = {**HTMX, "HX-Trigger": "search"}
    answer = wen.get(f"{url}?q=tower&kind=&archived=", headers=headers)
    assert answer["HX-Replace-Url"] == f"{url}?q=tower"
    assert wen.get(f"{url}?q=&kind=", headers=headers)["HX-Replace-Url"] == url


def test_the_list_asks_for_itself_only_while_something_is_under_way(cast: Cast, wen, url) -> None:
    version = make_version(make_proposal(cast.workspace), status=Version.Status.WAITING)
    assert "every 2s" in wen.get(url).content.decode()
    Version.objects.filter(pk=version.pk).update(status="unreadable", reason="It is locked.")
    assert "every 2s" not in wen.get(url, headers=HTMX).content.decode()


def test_an_empty_workspace_teaches_the_next_step(wen, url) -> None:
    assert "Upload the first proposal" in wen.get(url).content.decode()
    assert "Nothing matches “tower”" in wen.get(f"{url}?q=tower").content.decode()
    assert "The archive is empty" in wen.get(f"{url}?archived=on").content.decode()


def test_every_page_says_when_no_model_is_connected(cast: Cast, wen, url, settings) -> None:
    members = reverse("members", args=[cast.workspace.slug])
    for page in (url, members):
        assert "No model is connected" in wen.get(page).content.decode()
    settings.MODEL_API_KEY = "sk-test"
    for page in (url, members):
        assert "No model is connected" not in wen.get(page).content.decode()


def test_the_last_workspace_used_is_where_one_comes_back_to(cast: Cast, client_of) -> None:
    Membership.objects.create(workspace=cast.ola.workspace, user=cast.max.user, role="writer")
    browser = client_of(cast.max)
    home = reverse("home")
    assert browser.get(home).url == reverse("proposals", args=["elsewhere"])
    page = browser.get(reverse("proposals", args=["field-systems"])).content.decode()
    assert reverse("proposals", args=["elsewhere"]) in page
    assert browser.get(home).url == reverse("proposals", args=["field-systems"])
    cast.max.delete()
    assert browser.get(home).url == reverse("proposals", args=["elsewhere"])

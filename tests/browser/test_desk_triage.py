"""Signing, raising and more on the desk in a real browser, with keys and with the mouse."""

import re

import pytest
from playwright.sync_api import expect

from reviewer.models import Finding
from tests.browser.conftest import NARROW, WIDE, watched
from tests.factories import make_finding, make_proposal, make_version

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def version(transactional_db, cast):
    return make_version(make_proposal(cast.workspace, owner=cast.wen, title="Control tower"))


@pytest.fixture
def undecided(version):
    return make_finding(version, severity="block", votes=1, passes=3)


@pytest.fixture
def desk(page, signed_in, cast, version, undecided):
    signed_in(page, cast.rae)
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/")
    return page


def test_u_signs_an_undecided_block_in_place(desk, undecided):
    desk.keyboard.press("j")
    desk.keyboard.press("u")
    expect(desk.locator("#said")).to_contain_text(f"Signed: #{undecided.number} stands.")
    expect(desk.locator("[data-act='sign']")).to_have_count(0)
    expect(desk.locator(f"#finding-{undecided.number}")).to_have_attribute("aria-current", "true")
    assert Finding.objects.get().is_upheld
    assert desk.faults == []


def test_m_leads_to_more_and_a_change_leads_back(desk, undecided):
    desk.keyboard.press("j")
    desk.keyboard.press("m")
    desk.get_by_label("Make it").select_option("consider")
    desk.locator("#severity-reason").fill("It may stay.")
    desk.get_by_role("button", name="Change", exact=True).click()
    expect(desk).to_have_url(re.compile(rf"#finding-{undecided.number}$"))
    expect(desk.get_by_text(f"#{undecided.number} is now: consider.")).to_be_visible()


def test_c_leads_to_a_comment_that_can_be_typed_at_once(desk, undecided):
    desk.keyboard.press("j")
    desk.keyboard.press("c")
    field = desk.get_by_label("Comment", exact=True)
    expect(field).to_be_focused()
    desk.keyboard.type("Ask the client.")
    desk.get_by_role("button", name="Comment", exact=True).click()
    expect(desk.get_by_text("Ask the client.")).to_be_visible()
    expect(desk).to_have_url(re.compile(rf"#comment-{undecided.comments.get().pk}$"))


def test_n_raises_a_finding_over_the_words_that_are_selected(desk):
    words = desk.locator("#words-2 tspan")
    desk.locator("#sheet-2").scroll_into_view_if_needed()
    expect(words.nth(3)).to_be_attached()
    desk.evaluate(
        """() => {
            const words = document.querySelectorAll("#words-2 tspan");
            getSelection().setBaseAndExtent(words[0].firstChild, 3, words[2].firstChild, 2);
        }"""
    )
    desk.keyboard.press("n")
    expect(desk.locator(".own-quote")).to_have_text("Discovery and data")
    desk.get_by_label("What is wrong").fill("Which data?")
    desk.get_by_role("button", name="Raise it").click()
    expect(desk.locator("#list .finding", has_text="Which data?")).to_be_visible()
    raised = Finding.objects.get(text="Which data?")
    assert (raised.sheet, raised.quote) == (2, "Discovery and data")
    expect(desk.locator(f"#mark-{raised.number} rect")).to_have_count(1)


def test_n_without_a_selection_asks_for_the_words_of_the_sheet_in_sight(desk):
    desk.keyboard.press("n")
    expect(desk.get_by_label("Sheet", exact=True)).to_have_value("1")


def test_where_it_stands_comes_by_itself_and_follows_what_is_decided(desk, undecided):
    standing = desk.locator("#standing")
    expect(standing).to_contain_text("hold the export")
    standing.locator("#holdings > summary").click()
    expect(standing.get_by_role("link", name=f"#{undecided.number}, sheet 1")).to_be_visible()
    desk.keyboard.press("j")
    desk.keyboard.press("d")
    desk.keyboard.type("It is sourced.")
    desk.keyboard.press("Enter")
    expect(standing.get_by_role("link", name=f"#{undecided.number}, sheet 1")).to_have_count(0)
    expect(standing.locator("#holdings")).to_have_attribute("open", "")
    assert desk.faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW])
def test_axe_finds_nothing_wrong(
    open_context, signed_in, cast, version, undecided, axe, viewport, scheme
):
    page = watched(open_context(viewport=viewport, color_scheme=scheme).new_page())
    signed_in(page, cast.rae)
    base = f"/w/field-systems/proposals/{version.proposal_id}/v/1/"
    page.goto(base)
    page.locator("#holdings > summary").click()
    assert axe(page) == []
    for path in ("standing/", f"findings/{undecided.number}/more/", "findings/own/"):
        page.goto(base + path)
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


@pytest.mark.parametrize("key", ["d", "a"])
def test_a_key_that_a_writer_may_not_use_says_who_may(
    page, signed_in, cast, version, undecided, key
):
    signed_in(page, cast.wen)
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/")
    page.keyboard.press("j")
    page.keyboard.press(key)
    said = page.locator("#said")
    expect(said).to_have_text(
        re.compile("A reviewer or a manager dismisses or accepts a block. Nothing was changed.")
    )
    said.get_by_role("button", name="Close this message").click()
    expect(said.locator("p")).to_have_count(0)
    expect(page.locator(".keys .hints")).not_to_contain_text("accept")

"""The desk in a real browser: pointing, keys, live findings, small windows, no scripts."""

import re

import pytest
from playwright.sync_api import expect

from reviewer.models import Finding, Reading, Review
from tests.browser.conftest import NARROW, WIDE, watched
from tests.factories import (
    make_finding,
    make_place,
    make_proposal,
    make_reading,
    make_review,
    make_version,
)

pytestmark = pytest.mark.django_db(transaction=True)

LONG = " ".join(f"Line {n} of a sheet that is read to its end." for n in range(60))
TEXTS = [f"Sheet {n} begins here. The price of part {n} is fixed. {LONG}" for n in range(1, 7)]


@pytest.fixture
def version(transactional_db, cast):
    proposal = make_proposal(cast.workspace, owner=cast.wen, title="Warehouse control tower")
    return make_version(proposal, texts=TEXTS)


@pytest.fixture
def blocks(version):
    """One block a sheet, over its own words."""
    return [
        make_finding(
            version,
            severity="block",
            rule="commercial_clarity",
            sheet=n,
            quote=f"price of part {n} is fixed",
            text=f"The price of part {n} differs.",
        )
        for n in range(1, 7)
    ]


@pytest.fixture
def desk(page, signed_in, cast, version):
    """Opens the desk as Rae, or as `who`; gives the page."""

    def opened(query="", who=None, on=page):
        signed_in(on, who or cast.rae)
        on.goto(f"/w/field-systems/proposals/{version.proposal_id}/{query}")
        return on

    return opened


def card(page, finding):
    return page.locator(f"#finding-{finding.number}")


def in_view(page, selector, pane):
    return page.evaluate(
        """([selector, pane]) => {
            const a = document.querySelector(selector).getBoundingClientRect();
            const b = document.querySelector(pane).getBoundingClientRect();
            return a.bottom > b.top && a.top < b.bottom;
        }""",
        [selector, pane],
    )


def scrolled(page, pane):
    """Waits until `pane` has scrolled; the page's policy allows no script to wait in it."""
    for _ in range(100):
        if page.locator(pane).evaluate("pane => pane.scrollTop") > 0:
            return
        page.wait_for_timeout(50)
    pytest.fail(f"{pane} did not scroll")


def status_of(finding):
    finding.refresh_from_db()
    return finding.status


def test_no_script_fails_and_the_policy_blocks_nothing(desk, blocks):
    page = desk()
    for key in ("j", "]", "?"):
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.wait_for_load_state("networkidle")
    assert page.faults == []


def test_a_mark_on_the_sheet_selects_its_finding(desk, blocks):
    page = desk()
    # The words of the sheet lie over the mark, and hand the click on to it.
    page.locator(f"#mark-{blocks[0].number} rect").first.click(force=True)
    expect(card(page, blocks[0])).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(re.compile(rf"#finding-{blocks[0].number}$"))
    expect(page.locator(f"#mark-{blocks[0].number}")).to_have_class(re.compile(r"\bon\b"))


def test_a_selected_finding_brings_its_words_into_view(desk, blocks):
    page = desk()
    assert not in_view(page, f"#mark-{blocks[4].number}", "#sheets")
    card(page, blocks[4]).locator(".says").click()
    scrolled(page, "#sheets")
    assert in_view(page, f"#mark-{blocks[4].number}", "#sheets")
    expect(page.locator("#rail [aria-current]")).to_contain_text("5")


def test_scrolling_the_sheets_brings_their_findings_along(desk, blocks):
    page = desk()
    assert not in_view(page, f"#finding-{blocks[5].number}", "#scroller")
    page.locator("#sheets").hover()
    page.mouse.wheel(0, 20_000)
    scrolled(page, "#scroller")
    assert in_view(page, f"#finding-{blocks[5].number}", "#scroller")
    expect(page.locator("#rail [aria-current]")).to_contain_text("6")


def test_pointing_at_a_finding_lights_its_words(desk, blocks):
    page = desk()
    card(page, blocks[0]).hover()
    expect(page.locator(f"#mark-{blocks[0].number}")).to_have_class(re.compile(r"\bnear\b"))


def test_a_link_to_a_finding_opens_the_line_it_is_on(desk, version):
    found = [make_finding(version, severity="consider", quote="") for _ in range(5)]
    page = desk(f"#finding-{found[3].number}")
    expect(card(page, found[3])).to_be_visible()
    expect(card(page, found[3])).to_have_attribute("aria-current", "true")


def test_a_link_to_a_finding_in_another_tab_goes_there(desk, blocks, version):
    gone = make_finding(version, status="dismissed", text="Decided long ago.")
    page = desk(f"#finding-{gone.number}")
    expect(card(page, gone)).to_have_attribute("aria-current", "true")
    expect(page.locator("#tab-settled")).to_have_attribute("aria-current", "true")
    page.goto("about:blank")
    page = desk("#finding-4711")
    expect(card(page, blocks[0])).to_be_visible()


def test_a_link_to_another_place_of_a_finding_shows_that_sheet(desk, version):
    other = {"sheet": 5, "quote": "price of part 5 is fixed"}
    finding = make_finding(version, severity="block", quote="", also=[other])
    make_place(finding, version, position=1, **other)
    page = desk()
    card(page, finding).get_by_role("link", name="sheet 5").click()
    scrolled(page, "#sheets")
    assert in_view(page, f"#mark-{finding.number}-1", "#sheets")


def test_the_keyboard_alone_triages(desk, blocks):
    page = desk()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(card(page, blocks[1])).to_be_focused()
    page.keyboard.press("f")
    expect(card(page, blocks[1])).to_have_count(0)
    expect(page.locator("#said")).to_contain_text(f"Marked as fixed: #{blocks[1].number}")
    expect(card(page, blocks[2])).to_have_attribute("aria-current", "true")
    assert status_of(blocks[1]) == "fix_claimed"

    page.keyboard.press("z")
    expect(card(page, blocks[1])).to_have_attribute("aria-current", "true")
    assert status_of(blocks[1]) == "open"

    page.keyboard.press("d")
    page.keyboard.type("fine, agreed with z and d")
    page.keyboard.press("Enter")
    expect(card(page, blocks[1])).to_have_count(0)
    assert status_of(blocks[1]) == "dismissed"
    assert blocks[1].decision_reason == "fine, agreed with z and d"
    expect(page.locator("#tab-settled")).to_have_text("Settled 1")

    page.keyboard.press("k")
    page.keyboard.press("a")
    page.keyboard.type("until the next version")
    page.keyboard.press("Enter")
    expect(page.locator("#tab-settled")).to_have_text("Settled 2")
    assert page.faults == []


def test_a_kind_is_opened_and_dismissed_from_the_keyboard(desk, version):
    same = [make_finding(version, quote="") for _ in range(3)]
    page = desk()
    page.keyboard.press("j")
    expect(page.locator("#line-fix-grounding-head")).to_be_focused()
    page.keyboard.press("d")
    page.keyboard.type("the sources are attached")
    page.keyboard.press("Enter")
    expect(page.locator("#tab-settled")).to_have_text("Settled 3")
    assert {status_of(one) for one in same} == {"dismissed"}


def test_a_folded_line_is_one_step_for_the_keyboard(desk, version):
    for severity in ("fix", "fix", "fix", "consider"):
        make_finding(version, severity=severity, quote="")
    page = desk()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("#line-consider-head")).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.keyboard.press("j")
    expect(page.locator("#list .finding[aria-current]")).to_contain_text("Fault 1:")


def test_keys_in_quick_succession_each_act_on_the_next_finding(desk, blocks):
    page = desk()
    for key in ("j", "f", "f", "f"):
        page.keyboard.press(key)
    expect(page.locator("#tab-claimed")).to_have_text("Fix claimed 3")
    assert [status_of(block) for block in blocks] == ["fix_claimed"] * 3 + ["open"] * 3
    expect(card(page, blocks[3])).to_have_attribute("aria-current", "true")


def test_an_act_moves_the_list_to_the_next_finding_and_no_further(
    open_context, signed_in, cast, version
):
    """Where movement is welcome: the list that comes back does not run past what is looked at."""
    findings = [make_finding(version, severity="block", quote="") for _ in range(60)]
    page = watched(open_context(reduced_motion="no-preference").new_page())
    signed_in(page, cast.rae).goto(f"/w/field-systems/proposals/{version.proposal_id}/")
    page.evaluate(
        """() => {
            const list = document.getElementById("scroller");
            window.furthest = 0;
            list.addEventListener("scroll", () => {
                window.furthest = Math.max(window.furthest, list.scrollTop);
            });
        }"""
    )
    for _ in range(8):
        page.keyboard.press("j")
    expect(card(page, findings[7])).to_have_attribute("aria-current", "true")
    before = page.evaluate("window.furthest = document.getElementById('scroller').scrollTop")
    assert before > 0
    for done in (1, 2, 3):
        page.keyboard.press("f")
        expect(page.locator("#tab-claimed")).to_have_text(f"Fix claimed {done}")
        expect(card(page, findings[7 + done])).to_have_attribute("aria-current", "true")
        box = card(page, findings[7 + done]).bounding_box()
        seen = page.locator("#scroller").bounding_box()
        # What was done is said below the list, and may cover the end of the next.
        assert seen["y"] - 1 <= box["y"]
        assert seen["y"] + seen["height"] - box["y"] >= 0.8 * box["height"]
    page.wait_for_timeout(300)
    assert page.evaluate("window.furthest") <= before + 3 * box["height"]
    assert in_view(page, f"#finding-{findings[10].number}", "#scroller")


def test_what_somebody_else_decided_first_is_said_and_shown(desk, blocks, cast):
    page = desk()
    Finding.objects.filter(pk=blocks[0].pk).update(
        status="dismissed", decision_reason="Max was first.", decided_by=cast.max.user
    )
    page.keyboard.press("j")
    page.keyboard.press("f")
    expect(page.locator("#said .wrong")).to_be_visible()
    expect(card(page, blocks[0])).to_have_count(0)
    expect(page.locator("#tab-settled")).to_have_text("Settled 1")
    assert status_of(blocks[0]) == "dismissed"


def test_a_server_that_is_away_loses_neither_the_finding_nor_the_reason(desk, blocks):
    page = desk()
    page.route("**/dismiss/**", lambda route: route.abort())
    page.keyboard.press("j")
    page.keyboard.press("d")
    page.keyboard.type("agreed")
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("The server could not be reached")
    expect(card(page, blocks[0]).locator("input[name=reason]")).to_have_value("agreed")
    expect(card(page, blocks[0])).not_to_have_class(re.compile("leaving"))
    page.unroute("**/dismiss/**")
    card(page, blocks[0]).locator("input[name=reason]").press("Enter")
    expect(page.locator("#tab-settled")).to_have_text("Settled 1")


def test_escape_leaves_a_reason_and_decides_nothing(desk, blocks):
    page = desk()
    page.keyboard.press("j")
    page.keyboard.press("d")
    page.keyboard.type("no, wait")
    page.keyboard.press("Escape")
    expect(page.locator("form.reason")).to_have_count(0)
    expect(card(page, blocks[0])).to_be_focused()
    assert status_of(blocks[0]) == "open"


def test_brackets_turn_sheets(desk, blocks):
    page = desk()
    for _ in range(2):
        page.keyboard.press("]")
    expect(page.locator("#rail [aria-current]")).to_contain_text("3")
    page.keyboard.press("[")
    expect(page.locator("#rail [aria-current]")).to_contain_text("2")


def test_keys_rest_while_somebody_types_and_can_be_switched_off(desk, blocks):
    page = desk()
    page.keyboard.press("/")
    page.keyboard.type("jfz")
    expect(page.locator("#q")).to_have_value("jfz")
    expect(page.locator("#list")).to_contain_text("No finding here says")
    page.locator("#q").fill("")
    expect(card(page, blocks[0])).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.get_by_label("Single keys act on this page").uncheck()
    page.get_by_role("button", name="Close", exact=True).click()
    page.keyboard.press("j")
    expect(page.locator("#list .finding[aria-current]")).to_have_count(0)
    page.reload()
    page.keyboard.press("j")
    expect(page.locator("#list .finding[aria-current]")).to_have_count(0)
    expect(page.locator("#order kbd")).to_be_hidden()
    page.get_by_role("button", name="All keys").click()
    page.get_by_label("Single keys act on this page").check()
    page.get_by_role("button", name="Close", exact=True).click()
    page.keyboard.press("j")
    expect(card(page, blocks[0])).to_have_attribute("aria-current", "true")


def test_keys_with_ctrl_are_left_to_the_browser(desk, blocks):
    page = desk()
    page.keyboard.press("j")
    page.keyboard.press("Control+f")
    page.keyboard.press("Alt+d")
    expect(page.locator("form.reason")).to_have_count(0)
    assert status_of(blocks[0]) == "open"


def test_the_filter_narrows_the_list_and_the_address_keeps_it(desk, blocks):
    page = desk()
    page.keyboard.press("/")
    page.keyboard.type("part 4")
    expect(page.locator("#list .finding")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"q=part(\+|%20)4"))
    page.reload()
    expect(page.locator("#list .finding")).to_have_count(1)
    expect(page.locator("#q")).to_have_value("part 4")


def test_tabs_change_in_place_and_back_returns(desk, blocks, version):
    make_finding(version, status="dismissed", text="Decided long ago.")
    page = desk()
    page.locator("#tab-settled").click()
    expect(page.locator("#list")).to_contain_text("Decided long ago.")
    page.go_back()
    expect(page.locator("#list")).to_contain_text("The price of part 1 differs.")


def test_findings_appear_while_a_reason_is_being_written(desk, blocks, version):
    review = make_review(version, status=Review.Status.READING)
    make_reading(review, sheet=1, status=Reading.Status.CLAIMED)
    more = [make_finding(version, rule="structure", quote="") for _ in range(3)]
    page = desk()
    page.locator("#line-fix-structure-head").click()
    page.keyboard.press("k")
    page.keyboard.press("d")
    page.keyboard.type("half a rea")
    new = make_finding(
        version, severity="block", sheet=6, quote="Sheet 6 begins here", text="Just written."
    )
    expect(card(page, new)).to_be_visible()
    expect(page.locator(f"#mark-{new.number}")).to_have_count(1)
    expect(page.locator("#line-fix-structure")).to_have_attribute("open", "")
    expect(page.locator("form.reason input[name=reason]")).to_be_focused()
    page.keyboard.type("son")
    expect(page.locator("form.reason input[name=reason]")).to_have_value("half a reason")
    assert more
    review.readings.update(status=Reading.Status.DONE, outcome="read")
    Review.objects.filter(pk=review.pk).update(
        status=Review.Status.FINISHED, finished_at=review.started_at
    )
    expect(page.locator("#reading")).to_contain_text("Read by 3 blind passes")
    expect(page.locator("form.reason input[name=reason]")).to_have_value("half a reason")
    assert page.faults == []


def test_a_tab_that_is_pressed_while_findings_come_in_is_opened(desk, blocks, version):
    make_finding(version, status="dismissed", text="Decided long ago.")
    review = make_review(version, status=Review.Status.READING)
    make_reading(review, sheet=1, status=Reading.Status.CLAIMED)
    page = desk()
    page.locator("#tab-settled").hover()
    page.mouse.down()
    new = make_finding(version, severity="block", sheet=6, text="Just written.")
    for _ in range(2):
        page.wait_for_event("response", lambda response: "/progress/" in response.url)
    page.mouse.up()
    expect(page.locator("#list")).to_contain_text("Decided long ago.")
    page.locator("#tab-open").click()
    expect(card(page, new)).to_be_visible()


def test_where_it_stands_does_not_move_what_is_pressed(desk, blocks, page):
    held = []
    page.route("**/standing/**", lambda route: held.append(route))
    desk()
    card(page, blocks[0]).get_by_role("button", name="Mark fixed").hover()
    before = page.locator("#standing").inner_text()
    page.mouse.down()
    with page.expect_response("**/standing/**"):
        held.pop().continue_()
    page.wait_for_timeout(100)
    assert page.locator("#standing").inner_text() == before
    page.unroute_all()
    page.mouse.up()
    expect(page.locator("#tab-claimed")).to_have_text("Fix claimed 1")
    expect(page.locator("#standing")).to_contain_text("hold")


def test_a_plain_reload_shows_what_the_live_page_showed(desk, blocks):
    page = desk()
    page.keyboard.press("j")
    page.keyboard.press("f")
    expect(page.locator("#tab-claimed")).to_have_text("Fix claimed 1")
    live = page.locator("#list").inner_text()
    page.reload()
    assert page.locator("#list").inner_text() == live


def test_everything_works_without_scripts(open_context, signed_in, cast, version, blocks):
    page = open_context(java_script_enabled=False).new_page()
    signed_in(page, cast.rae)
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/")
    expect(page.locator("kbd").first).to_be_hidden()
    card(page, blocks[0]).get_by_role("button", name="Mark fixed").click()
    expect(page).to_have_url(re.compile(rf"#finding-{blocks[1].number}$"))
    assert status_of(blocks[0]) == "fix_claimed"
    expect(page.locator("#said")).to_contain_text("Marked as fixed")
    page.locator("#said").get_by_role("button", name="Undo").click()
    assert status_of(blocks[0]) == "open"
    card(page, blocks[0]).get_by_role("link", name="Dismiss").click()
    page.get_by_label("Reason").fill("Agreed in the call.")
    page.get_by_role("button", name="Dismiss").click()
    assert status_of(blocks[0]) == "dismissed"
    page.get_by_role("link", name="Settled 1").click()
    expect(card(page, blocks[0])).to_contain_text("Agreed in the call.")
    card(page, blocks[0]).get_by_role("button", name="Reopen").click()
    assert status_of(blocks[0]) == "open"
    page.get_by_role("link", name="Open 6").click()
    page.get_by_role("link", name="by sheet").click()
    expect(page.locator("#list h3").first).to_contain_text("Sheet 1")


@pytest.mark.parametrize("width", [390, 360])
def test_a_narrow_window_has_one_column_that_fits(
    open_context, signed_in, cast, version, blocks, width
):
    page = watched(open_context(viewport=NARROW | {"width": width}).new_page())
    signed_in(page, cast.rae)
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("link", name="Findings").click()
    expect(card(page, blocks[0])).to_be_in_viewport()
    card(page, blocks[0]).get_by_role("link", name="Dismiss").click()
    page.keyboard.type("Agreed in the call.")
    page.keyboard.press("Enter")
    expect(page.locator("#tab-settled")).to_have_text("Settled 1")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.faults == []


def test_the_size_of_the_sheets_is_chosen_below_them_on_one_line(desk, blocks):
    page = desk()
    sheets, zoom = page.locator("#sheets"), page.locator("#zoom")
    above = (
        "([one, other]) => one.getBoundingClientRect().bottom - other.getBoundingClientRect().top"
    )
    both = [sheets.element_handle(), zoom.element_handle()]
    assert page.evaluate(above, both) <= 0
    for width in (390, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        lines = zoom.evaluate(
            "one => new Set([...one.children].filter((each) => each.checkVisibility())"
            ".map((each) => Math.round(each.getBoundingClientRect().top / 8))).size"
        )
        assert lines == 1
        assert zoom.evaluate("one => one.scrollWidth <= one.clientWidth")
        assert zoom.evaluate("one => one.getBoundingClientRect().height < 40")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW])
def test_axe_finds_nothing_wrong(
    open_context, signed_in, cast, version, blocks, axe, scheme, viewport
):
    for severity in ("fix", "consider"):
        for _ in range(4):
            make_finding(version, severity=severity, quote="")
    Finding.objects.filter(pk=blocks[0].pk).update(status="fix_claimed", decided_by=cast.wen.user)
    page = open_context(color_scheme=scheme, viewport=viewport).new_page()
    signed_in(page, cast.rae)
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/")
    assert axe(page) == []
    page.locator("#list .line > summary").first.click()
    page.keyboard.press("k")
    page.keyboard.press("d")
    assert axe(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert axe(page) == []
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/?tab=claimed&order=sheet")
    assert axe(page) == []


def test_on_paper_sheets_and_findings_follow_each_other_whole(desk, blocks, version):
    for _ in range(4):
        make_finding(version, severity="consider", quote="")
    page = desk()
    page.emulate_media(media="print")
    expect(page.locator("#rail")).to_be_hidden()
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height > 6 * 700
    shown = page.evaluate(
        "[...document.querySelectorAll('#list .finding')].filter(c => c.offsetHeight > 0).length"
    )
    assert shown == 10

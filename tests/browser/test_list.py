"""The list in a real browser: the keyboard, live search, work under way, narrow and dark."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from reviewer.models import Version
from tests.browser.conftest import NARROW, WIDE, watched
from tests.factories import Cast, make_finding, make_proposal, make_version


@pytest.fixture
def cast(transactional_db) -> Cast:
    from tests.factories import make_cast

    return make_cast()


@pytest.fixture
def filled(cast: Cast) -> Cast:
    """Twenty proposals of every state, one of them with a long title."""
    long = "A title that somebody gave without thinking of a narrow table " * 3
    states = [Version.Status.READY, Version.Status.CONVERTING, Version.Status.UNREADABLE]
    for at in range(20):
        proposal = make_proposal(
            cast.workspace,
            owner=cast.wen,
            title=long[:190] if at == 4 else f"Fleet renewal {at:02}",
            client="Harbor Mutual" if at == 7 else "Aster",
        )
        version = make_version(proposal, texts=["One."], status=states[at % 3], done=2, total=9)
        if version.status == Version.Status.READY:
            make_finding(version, severity=["block", "fix"][at % 2], quote="")
    return cast


def list_of(cast: Cast) -> str:
    return reverse("proposals", args=[cast.workspace.slug])


def test_the_slash_key_finds_the_search_and_typing_narrows_the_list(
    filled: Cast, page: Page, signed_in
) -> None:
    signed_in(page, filled.wen).goto(list_of(filled))
    rows = page.locator(".proposals tbody tr")
    expect(rows).to_have_count(20)
    page.keyboard.press("/")
    page.keyboard.type("harbor")
    expect(rows).to_have_count(1)
    expect(page.locator("#id_q")).to_be_focused()
    expect(page).to_have_url(f"{page.url.split('?')[0]}?q=harbor")
    page.reload()
    expect(rows).to_have_count(1)
    page.locator("#id_q").fill("harbor tower")
    expect(page.get_by_text("Nothing matches “harbor tower”")).to_be_visible()
    assert page.faults == []


def test_rows_that_are_under_way_refresh_themselves_and_keep_the_focus(
    cast: Cast, page: Page, signed_in
) -> None:
    proposal = make_proposal(cast.workspace, owner=cast.wen, title="Control tower")
    version = make_version(proposal, status=Version.Status.CONVERTING, done=1, total=9)
    signed_in(page, cast.wen).goto(list_of(cast))
    link = page.get_by_role("link", name="Control tower")
    link.focus()
    expect(page.get_by_text("converting, 1 of 9")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    Version.objects.filter(pk=version.pk).update(status="unreadable", reason="It is locked.")
    expect(page.get_by_text("It is locked.")).to_be_visible()
    expect(link).to_be_focused()
    assert len(asked) == 1
    page.wait_for_timeout(2500)
    assert len(asked) == 1, "nothing is under way any more, so nothing is asked"
    assert page.faults == []


def test_a_row_is_opened_from_the_keyboard_and_by_a_click_anywhere_on_it(
    cast: Cast, page: Page, signed_in
) -> None:
    proposal = make_proposal(cast.workspace, owner=cast.wen, title="Control tower")
    make_version(proposal)
    desk = reverse("desk", args=[cast.workspace.slug, proposal.pk])
    signed_in(page, cast.wen).goto(list_of(cast))
    page.locator(".proposals .read").click(force=True)
    page.wait_for_url(f"**{desk}")
    page.goto(list_of(cast))
    page.get_by_role("link", name="Control tower").press("Enter")
    page.wait_for_url(f"**{desk}")


def test_a_server_that_is_away_is_said_once_and_taken_back(
    cast: Cast, page: Page, signed_in
) -> None:
    make_version(make_proposal(cast.workspace), status=Version.Status.WAITING)
    signed_in(page, cast.wen).goto(list_of(cast))
    page.context.set_offline(True)
    gone = page.get_by_text("The server could not be reached")
    expect(gone).to_be_visible()
    page.wait_for_timeout(2500)
    assert gone.count() == 1
    page.context.set_offline(False)
    expect(gone).to_have_count(0)


def test_the_menu_switches_workspaces_and_signs_out(cast: Cast, page: Page, signed_in) -> None:
    cast.ola.pk, cast.ola.user = None, cast.max.user
    cast.ola.save()
    signed_in(page, cast.max).goto(list_of(cast))
    me = page.get_by_role("button", name="Field Systems · Max (manager)")
    me.press("Enter")
    page.get_by_role("link", name="Elsewhere").click()
    expect(page.get_by_role("button", name="Elsewhere · Max (manager)")).to_be_visible()
    page.get_by_role("button", name="Elsewhere · Max (manager)").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.faults == []


@pytest.mark.parametrize(("size", "colours"), [(WIDE, "light"), (NARROW, "dark")])
def test_no_page_of_the_list_has_a_fault_of_access_or_runs_out_of_the_window(
    size, colours: str, filled: Cast, open_context, signed_in, axe: Callable[[Page], list[str]]
) -> None:
    page = watched(open_context(viewport=size, color_scheme=colours).new_page())
    page.goto("/sign-in/")
    checked(page, axe)
    signed_in(page, filled.max)
    listed = list_of(filled)
    proposal = filled.workspace.proposals.first()
    about = [
        reverse(name, args=[filled.workspace.slug, proposal.pk])
        for name in ("details", "sources", "new-version")
    ]
    for url in (
        listed,
        f"{listed}?archived=on",
        f"{listed}?q=nothing+like+it",
        reverse("members", args=[filled.workspace.slug]),
        *about,
        "/password/",
    ):
        page.goto(url)
        checked(page, axe)
    assert page.faults == []


def checked(page: Page, axe: Callable[[Page], list[str]]) -> None:
    assert axe(page) == [], page.url
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0, page.url

"""What stands on paper: all that is said, and nothing to press."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.factories import Cast, make_finding, make_proposal, make_version

pytestmark = pytest.mark.django_db(transaction=True)

PRESSED = "button:not(.chip), .button, input[type='search'], input[type='file']"


@pytest.fixture
def printed(page: Page, signed_in, cast: Cast):
    """Opens a page as Max, as it is printed; gives it."""
    version = make_version(make_proposal(cast.workspace, owner=cast.wen))
    for number in range(30):
        make_finding(version, severity="fix", raised="check", text=f"Fault number {number}.")
    signed_in(page, cast.max)
    page.emulate_media(media="print")

    def opened(name: str, *more: int) -> Page:
        page.goto(reverse(name, args=[cast.workspace.slug, *more]))
        expect(page.locator(PRESSED).filter(visible=True)).to_have_count(0)
        return page

    opened.version = version  # type: ignore[attr-defined]
    return opened


def test_the_gate_is_printed_with_all_that_holds_it(printed) -> None:
    page = printed("gate", printed.version.proposal_id, 1)
    expect(page.locator(".reasons").get_by_text("Fault number 29.")).to_be_visible()
    expect(page.get_by_text("Sign for it")).to_be_hidden()


def test_every_sheet_is_printed_with_its_number(printed) -> None:
    page = printed("desk", printed.version.proposal_id)
    said = page.locator("#sheet-2").evaluate("one => getComputedStyle(one, '::after').content")
    assert "Sheet " in said


def test_the_list_is_printed_without_what_is_for_the_hand(printed) -> None:
    page = printed("proposals")
    expect(page.locator(".proposals tbody tr")).to_have_count(1)
    expect(page.locator(".upload")).to_be_hidden()

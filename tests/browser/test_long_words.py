"""One word without a space, as long as a field takes it, widens no page."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from reviewer.models import Version
from reviewer.services.comments import add_comment
from tests.browser.conftest import NARROW, WIDE
from tests.factories import (
    Cast,
    make_export,
    make_finding,
    make_proposal,
    make_review,
    make_source,
    make_text,
    make_version,
)
from tests.views.learned import in_force, proposed

pytestmark = pytest.mark.django_db(transaction=True)

WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 3
"""Longer than any line of any page, with no place to break it."""
FILE = WORD[:200] + ".md"

WIDER = "document.scrollingElement.scrollWidth - innerWidth"
STICKING_OUT = """() => [...document.querySelectorAll('body *')]
    .filter((one) => one.checkVisibility() && !one.closest('.sr-only, svg')
        && one.getBoundingClientRect().right > innerWidth + 1)
    .map((one) => `${one.tagName} ${one.id} ${one.className}`).slice(0, 8)"""
SPILLED = """() => [...document.querySelectorAll('td, .card, .dossier, .finding, .menu')]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1
        && getComputedStyle(one).overflowX === 'visible')
    .map((one) => `${one.tagName} ${one.id} ${one.className}`).slice(0, 8)"""


@pytest.fixture
def version(cast: Cast) -> Version:
    """A proposal in which everything that somebody may name or write is one long word."""
    cast.wen.user.first_name = WORD[:150]
    cast.wen.user.save()
    cast.workspace.name = WORD[:120]
    cast.workspace.save()
    proposal = make_proposal(cast.workspace, owner=cast.wen, title=WORD[:200], client=WORD[-120:])
    first = make_text(make_version(proposal, texts=["Before. " + WORD]), f"# {WORD}\n\n{WORD}\n")
    version = make_text(make_version(proposal, texts=[WORD]), f"# {WORD}\n\nNew. {WORD}\n")
    Version.objects.filter(proposal=proposal).update(original_name=FILE)
    make_source(proposal, name=FILE)
    make_review(version)
    finding = make_finding(
        first, checked_version=version, quote=WORD[:200], text=WORD[:200], edit=WORD[:200]
    )
    make_finding(
        version,
        status="accepted",
        decided_by=cast.wen,
        decision_reason=WORD[:200],
        decided_version=version,
        text=WORD[:200],
    )
    add_comment(by=cast.wen, finding=finding, version=version, text=WORD[:200])
    make_export(version, cast.wen, client_name=FILE, record_name=FILE)
    proposed(cast, WORD[:200])
    in_force(cast, WORD[:200])
    return version


def _addresses(cast: Cast, version: Version) -> list[str]:
    slug, proposal, number = cast.workspace.slug, version.proposal_id, version.number
    of_proposal = ("desk", "details", "new-version", "sources", "edit")
    of_version = ("desk-version", "standing", "own-finding", "gate")
    of_house = ("proposals", "upload", "exports", "learnings", "learning-new", "members", "models")
    return [
        *(reverse(name, args=[slug, proposal]) for name in of_proposal),
        *(reverse(name, args=[slug, proposal, number]) for name in of_version),
        *(reverse(name, args=[slug]) for name in of_house),
        *(reverse("finding-more", args=[slug, proposal, number, one]) for one in (1, 2)),
        reverse("finding-act", args=[slug, proposal, number, 1, "dismiss"]),
        reverse("finding-learn", args=[slug, proposal, number, 1]),
        reverse("finding-history", args=[slug, proposal, 1]),
        reverse("desk", args=[slug, proposal]) + "?tab=settled",
        reverse("compare", args=[slug, proposal, number, 1]),
        reverse("compare", args=[slug, proposal, number, 1]) + "?look=sheets",
        reverse("export", args=[slug, 1]),
        reverse("learning", args=[slug, 1]),
        reverse("learning", args=[slug, 2]),
        reverse("sheet-text", args=[slug, version.sheets.get(number=1).pk]),
    ]


def _wrong(page: Page, address: str) -> list[str]:
    answer = page.goto(address)
    assert answer is not None
    assert answer.ok, address
    path = address.split("/w/", 1)[1]
    wider, width = page.evaluate(WIDER), page.evaluate("innerWidth")
    said = []
    if wider > 0:
        said.append(f"{path} at {width}: {wider} too wide: {page.evaluate(STICKING_OUT)}")
    if spilled := page.evaluate(SPILLED):
        said.append(f"{path} at {width}: words run out of {spilled}")
    return said


def test_no_page_is_wider_than_its_window(page: Page, cast: Cast, version, signed_in) -> None:
    signed_in(page, cast.max)
    wrong = []
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        for address in _addresses(cast, version):
            wrong += _wrong(page, address)
    assert not wrong, "\n".join(wrong)


def test_a_long_client_leaves_the_other_columns_their_words(
    page: Page, cast: Cast, version, signed_in
) -> None:
    """No column of the list is pressed to a word a line."""
    signed_in(page, cast.max)
    page.goto(reverse("proposals", args=[cast.workspace.slug]))
    box = page.locator(".proposals .read").bounding_box()
    assert box is not None
    assert box["width"] > 90


def test_a_long_workspace_is_cut_short_and_the_person_is_not(
    page: Page, cast: Cast, version, signed_in
) -> None:
    signed_in(page, cast.max)
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        page.goto(reverse("proposals", args=[cast.workspace.slug]))
        who = page.locator(".topbar .who")
        assert who.inner_text() == "· Max (manager)"
        assert who.evaluate("one => one.scrollWidth <= one.clientWidth")
        right = who.evaluate("one => one.getBoundingClientRect().right")
        assert right < size["width"]

"""A version against one before it: words, sheets, and who may look."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from reviewer.models import Version
from tests.factories import Cast, make_proposal, make_version
from tests.views.html import html_of


@pytest.fixture
def url(cast: Cast):
    def made(version: Version, other: int, look: str = "text") -> str:
        at = (cast.workspace.slug, version.proposal_id, version.number, other)
        return reverse("compare", args=at) + f"?look={look}"

    return made


@pytest.fixture
def second(cast: Cast) -> Version:
    """The second version of a proposal, of which one figure was changed and a sheet came."""
    proposal = make_proposal(cast.workspace, owner=cast.wen)
    make_version(proposal, texts=["The pilot costs $54,000.", "Thank you."])
    return make_version(proposal, texts=["The pilot costs $58,000.", "Thank you.", "<b>New</b>"])


def test_changed_words_are_marked_and_hostile_ones_are_text(second, client_of, cast, url) -> None:
    html = html_of(client_of(cast.wen).get(url(second, 1)))
    assert "The pilot costs $<del>54,000</del><ins>58,000</ins>." in html
    assert "<ins>&lt;b&gt;New&lt;/b&gt;</ins>" in html
    assert "2 paragraphs changed" in html
    assert "1 as they were" in html


def test_sheets_stand_side_by_side(second, client_of, cast, url) -> None:
    html = html_of(client_of(cast.wen).get(url(second, 1, "sheets")))
    images = [reverse("sheet-image", args=(cast.workspace.slug, s.pk))
              for v in second.proposal.versions.all() for s in v.sheets.all()]  # fmt: skip
    assert all(html.count(image) == 1 for image in images)
    assert html.count("words changed") == 1
    assert html.count("same words") == 1
    assert "No such sheet." in html


def test_the_desk_leads_to_it_where_there_is_something_to_compare(
    second, client_of, cast, url
) -> None:
    writer = client_of(cast.wen)
    desk = reverse("desk", args=(cast.workspace.slug, second.proposal_id))
    link = url(second, 1).partition("?")[0]
    assert link in html_of(writer.get(desk))
    first = reverse("desk-version", args=(cast.workspace.slug, second.proposal_id, 1))
    assert "/against/" not in html_of(writer.get(first))
    third = make_version(second.proposal)
    html = html_of(writer.get(url(third, 2)))
    assert url(third, 1) in html.replace("&amp;", "&")


def test_a_version_is_compared_with_an_earlier_one_that_has_sheets(
    second, client_of, cast, url
) -> None:
    make_version(second.proposal, status=Version.Status.UNREADABLE)
    last = make_version(second.proposal)
    first = second.proposal.versions.get(number=1)
    writer = client_of(cast.wen)
    for version, other in ((second, 2), (first, 2), (second, 0), (last, 3), (second, 99)):
        assert writer.get(url(version, other)).status_code == 404
    assert writer.get(url(last, 1)).status_code == 200


def test_it_costs_as_many_queries_for_ten_sheets_as_for_two(second, client_of, cast, url) -> None:
    writer = client_of(cast.wen)
    long = make_version(second.proposal, texts=[f"Sheet {n}." for n in range(10)])
    asked = []
    for version, other in ((second, 1), (long, 1)):
        for look in ("text", "sheets"):
            writer.get(url(version, other, look))
            with CaptureQueriesContext(connection) as queries:
                writer.get(url(version, other, look))
            asked.append(len(queries))
    assert asked[:2] == asked[2:]
    assert max(asked) <= 12

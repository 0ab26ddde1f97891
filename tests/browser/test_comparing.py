"""Two versions beside each other, as they are seen."""

import pytest

from tests.factories import make_proposal, make_version


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_comparison_can_be_read_by_everybody_on_any_screen(
    open_context, signed_in, cast, transactional_db, axe, scheme
):
    proposal = make_proposal(cast.workspace, owner=cast.wen)
    make_version(proposal, texts=["The pilot costs $54,000.", "Gone tomorrow.", "Kept."])
    make_version(proposal, texts=["The pilot costs $58,000.", "Kept.", "w" * 300])
    page = open_context(color_scheme=scheme, viewport={"width": 390, "height": 800}).new_page()
    signed_in(page, cast.wen)
    for look in ("text", "sheets"):
        page.goto(f"/w/field-systems/proposals/{proposal.pk}/v/2/against/1/?look={look}")
        assert page.locator("#compared > li").count() >= 3
        assert axe(page) == []
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 390

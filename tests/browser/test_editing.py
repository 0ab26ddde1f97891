"""The text of a proposal in a page, as it is used."""

import pytest

from tests.factories import make_finding, make_proposal, make_text, make_version

TEXT = (
    "# Tower\n\nThe **pilot** costs\n$54,000 in all.\n\n" + "More text.\n\n" * 80 + "Thank you.\n"
)


@pytest.fixture
def version(cast, transactional_db):
    version = make_version(make_proposal(cast.workspace, owner=cast.wen))
    make_finding(version, severity="block", quote="The pilot costs $54,000", text="Two prices.")
    make_finding(version, severity="fix", quote="Thank you.", text="Say when.")
    return make_text(version, TEXT)


def test_the_words_of_a_finding_are_shown_in_the_text(page, signed_in, cast, version):
    signed_in(page, cast.wen)
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/edit/")
    field = page.locator("#id_text")
    chosen = "() => { const f = document.getElementById('id_text'); return f.value.slice(f.selectionStart, f.selectionEnd) }"
    page.get_by_role("button", name="The pilot costs $54,000").click()
    assert page.evaluate(chosen) == "The **pilot** costs\n$54,000"
    page.get_by_role("button", name="Thank you.").click()
    assert page.evaluate(chosen) == "Thank you"
    assert field.evaluate("f => f.scrollTop") > 0
    field.fill(TEXT.replace("54,000", "58,000"))
    page.get_by_role("button", name="Save as v2").click()
    page.wait_for_url(f"**/proposals/{version.proposal_id}/")
    assert version.proposal.versions.count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_editor_can_be_used_by_everybody_on_any_screen(
    open_context, signed_in, cast, version, axe, scheme
):
    page = open_context(color_scheme=scheme, viewport={"width": 390, "height": 800}).new_page()
    signed_in(page, cast.wen)
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/edit/")
    assert axe(page) == []
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390

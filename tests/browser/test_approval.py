"""Wen asks, Max signs and approves, it leaves, a new version takes it back, and a no comes back."""

import re

import pytest
from playwright.sync_api import expect

from reviewer.models import Approval, Export, Finding
from reviewer.services.exports import make_export
from tests.browser.conftest import NARROW, watched
from tests.factories import make_finding, make_proposal, make_version
from tests.services.papers import ready_version

pytestmark = pytest.mark.django_db(transaction=True)
CLIPPED = [{"code": "clipped", "sheet": 2, "message": "Text is cut off at the foot of the sheet."}]


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr("reviewer.services.queue._took", lambda task, pk: True)


@pytest.fixture
def version(cast):
    proposal = make_proposal(cast.workspace, owner=cast.wen, title="Warehouse control tower")
    version = ready_version(cast.wen, proposal, fit=CLIPPED)
    make_finding(version, severity="block", raised="check", status="dismissed",
                 decided_by=cast.rae, decision_reason="The client gave the figure.")  # fmt: skip
    make_finding(version, votes=1, text="No source stands beside the 30%.")
    return version


def test_three_people_take_a_proposal_through_the_gate_and_back(
    cast, version, open_context, signed_in, axe, tmp_path
) -> None:
    gate = f"/w/field-systems/proposals/{version.proposal_id}/v/1/gate/"
    wen = signed_in(watched(open_context().new_page()), cast.wen)
    max_ = signed_in(watched(open_context().new_page()), cast.max)

    wen.goto(f"/w/field-systems/proposals/{version.proposal_id}/v/1/")
    wen.get_by_role("link", name="Gate").click()
    expect(wen.get_by_text("Not yet. 2 things hold it.")).to_be_visible()
    assert wen.get_by_role("button", name="Approve").count() == 0
    wen.get_by_label("A word to the managers").fill("The client waits.")
    wen.get_by_role("button", name="Ask for approval").click()
    expect(wen.get_by_text("Wen asked for approval now: “The client waits.”")).to_be_visible()

    max_.goto("/w/field-systems/proposals/")
    max_.get_by_role("button", name="1 waits for your yes").click()
    max_.get_by_role("link", name="Warehouse control tower, v1").click()
    expect(max_.get_by_role("button", name="Approve")).to_be_disabled()
    assert axe(max_) == []
    for reason in ("A line of legal text; nobody misses it.", "Read by hand, all three sheets."):
        max_.get_by_text("Sign for it").first.click()
        max_.get_by_label("Why it may leave all the same").first.fill(reason)
        max_.get_by_role("button", name="Sign", exact=True).first.click()
        expect(max_.get_by_text(reason)).to_be_visible()
    max_.get_by_role("button", name="Approve").click()
    expect(max_.get_by_text("Yes. A manager approved it as it is now.")).to_be_visible()
    assert axe(max_) == []

    wen.goto(gate)
    wen.get_by_role("button", name="Export").click()
    expect(wen.get_by_text("Waiting for a worker.")).to_be_visible()
    make_export(Export.objects.get().pk)
    for link in ("Download the PDF", "Download the record"):
        with wen.expect_download() as download:
            wen.get_by_role("link", name=link).click()
        assert download.value.suggested_filename.startswith("Warehouse control tower - Northwind")
        download.value.save_as(tmp_path / "record.pdf")
    assert axe(wen) == []
    wen.goto("/w/field-systems/exports/")
    wen.get_by_label("A file").set_input_files(tmp_path / "record.pdf")
    wen.get_by_role("button", name="Check").click()
    expect(wen.get_by_text("Yes. It is an approved file of export 1")).to_be_visible()
    assert axe(wen) == []

    make_version(version.proposal)
    max_.goto(gate.replace("/v/1/", "/v/2/"))
    told = "The approval by Max does not stand any more: Version 2 was uploaded."
    expect(max_.get_by_text(told)).to_be_visible()
    max_.get_by_text("Say no").first.click()
    max_.get_by_label("Why not").fill("Name the source first.")
    max_.get_by_label("No source stands beside the 30%.").check()
    max_.get_by_role("button", name="Say no").click()
    wen.goto(gate.replace("/v/1/", "/v/2/"))
    expect(wen.get_by_text("Max said no: “Name the source first.”")).to_be_visible()
    wen.get_by_role("link", name="#2").click()
    expect(wen.locator("#finding-2")).to_be_visible()
    assert Finding.objects.get(number=2).is_upheld
    assert [a.status for a in Approval.objects.order_by("pk")] == ["fallen", "refused"]
    assert wen.faults == max_.faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_gate_fits_a_telephone(cast, version, open_context, signed_in, axe, scheme) -> None:
    page = watched(open_context(viewport=NARROW, color_scheme=scheme).new_page())
    signed_in(page, cast.max)
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/v/1/gate/")
    assert axe(page) == []
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= NARROW["width"]
    copies_the_receipt(page)
    assert axe(page) == []
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/v/1/")
    copies_the_receipt(page)
    page.goto("/w/field-systems/exports/")
    assert axe(page) == []
    assert page.faults == []


def copies_the_receipt(page) -> None:
    """Opens the receipt and presses its button: it is on the clipboard, or selected to be."""
    page.locator("#receipt > summary").click()
    expect(page.locator("#receipt-text")).to_contain_text("Next: ")
    button = page.locator("[data-copy]")
    button.click()
    expect(button).to_have_text(re.compile("^(Copied|Selected: copy it with your keys)$"))

"""Uploading in a real browser: dropped, chosen, refused, without scripts, and followed."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from reviewer.models import Proposal, Version
from tests.browser.conftest import NARROW, WIDE, watched
from tests.browser.hands import choosers_are_caught
from tests.factories import Cast, make_cast

DROP = """
(names) => {
  const carried = new DataTransfer();
  for (const [name, text] of names) carried.items.add(new File([text], name));
  const zone = document.querySelector(".drop");
  for (const kind of ["dragover", "drop"]) {
    zone.dispatchEvent(new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
  }
}
"""


@pytest.fixture
def cast(transactional_db) -> Cast:
    return make_cast()


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two documents and an empty file."""
    contents = {"one.md": "# One\n", "two.md": "# Two\n", "empty.md": ""}
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    return [tmp_path / name for name in contents]


def list_of(cast: Cast) -> str:
    return reverse("proposals", args=[cast.workspace.slug])


def upload_of(cast: Cast) -> str:
    return reverse("upload", args=[cast.workspace.slug])


def test_files_dropped_together_each_have_their_own_result(
    cast: Cast, page: Page, signed_in, settings
) -> None:
    signed_in(page, cast.wen).goto(list_of(cast))
    # The page was loaded before the limit was lowered, so only the server refuses.
    settings.MAX_UPLOAD_MB = 1
    huge = "x" * (1024 * 1024 + 1)
    page.evaluate(DROP, [["one.md", "# One"], ["two.md", "# Two"], ["huge.md", huge]])
    expect(page.get_by_label("Chosen files").locator(".file")).to_have_count(3)
    send = page.get_by_role("button", name="Upload 3 files")
    expect(send).to_be_focused()
    expect(page.get_by_label("Title", exact=True)).to_be_hidden()
    page.get_by_label("Client", exact=True).fill("Harbor Mutual")
    send.click()
    results = page.get_by_label("Uploads").locator(".file")
    expect(results).to_have_count(3)
    expect(results.filter(has_text="one.md")).to_contain_text("waiting to be converted")
    expect(results.filter(has_text="huge.md")).to_contain_text("is larger than 1 MB, so it was")
    # The list below follows without being asked.
    expect(page.locator(".proposals tbody tr")).to_have_count(2)
    assert set(Proposal.objects.values_list("title", "client")) == {
        ("one", "Harbor Mutual"),
        ("two", "Harbor Mutual"),
    }


def test_a_result_follows_its_conversion_to_the_sheets(
    cast: Cast, page: Page, signed_in, files
) -> None:
    signed_in(page, cast.wen).goto(upload_of(cast))
    page.locator("#id_file").set_input_files(files[0])
    page.get_by_label("Title", exact=True).fill("Control tower")
    page.get_by_role("button", name="Upload", exact=True).click()
    result = page.get_by_label("Uploads").locator(".file")
    expect(result).to_contain_text("waiting to be converted")
    ours = Version.objects.all()
    ours.update(status="converting", done=3, total=12)
    expect(result).to_contain_text("converting, 3 of 12")
    ours.update(status="ready", sheet_count=12)
    expect(result).to_contain_text("12 sheets")
    result.get_by_role("link", name="Open Control tower").click()
    page.wait_for_url(f"**{reverse('desk', args=[cast.workspace.slug, ours.get().proposal_id])}")


def test_a_chosen_file_can_be_left_out_again(cast: Cast, page: Page, signed_in, files) -> None:
    signed_in(page, cast.wen).goto(list_of(cast))
    field = page.locator("#id_file")
    expect(page.get_by_label("Client", exact=True)).to_be_hidden()
    field.set_input_files(files[0])
    field.set_input_files(files[1])
    expect(page.get_by_role("button", name="Upload 2 files")).to_be_visible()
    page.get_by_role("button", name="Leave out one.md").click()
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.locator(".proposals tbody tr")).to_have_count(1)
    assert [proposal.title for proposal in Proposal.objects.all()] == ["two"]
    assert page.faults == []


def test_a_file_that_will_not_be_taken_is_told_before_it_is_sent(
    cast: Cast, page: Page, signed_in, settings
) -> None:
    settings.MAX_UPLOAD_MB = 1
    signed_in(page, cast.wen).goto(upload_of(cast))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    page.evaluate(DROP, [["huge.pdf", "x" * (1024 * 1024 + 1)], ["empty.md", ""]])
    expect(page.get_by_label("Chosen files")).to_contain_text("larger than 1 MB")
    expect(page.get_by_label("Chosen files")).to_contain_text("This file is empty")
    expect(page.get_by_role("button", name="Upload", exact=True)).to_be_disabled()
    page.evaluate(DROP, [["good.md", "# Good"]])
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_label("Uploads")).to_contain_text("waiting to be converted")
    assert sent.count("POST") == 1
    assert [proposal.title for proposal in Proposal.objects.all()] == ["good"]


def test_a_connection_that_breaks_costs_that_file_alone_and_says_so(
    cast: Cast, page: Page, signed_in, files
) -> None:
    signed_in(page, cast.wen).goto(upload_of(cast))
    page.route("**/upload/", lambda route: route.abort(), times=1)
    page.locator("#id_file").set_input_files(files[:2])
    page.get_by_role("button", name="Upload 2 files").click()
    results = page.get_by_label("Uploads").locator(".file")
    expect(results.filter(has_text="It did not arrive")).to_have_count(1)
    expect(results.filter(has_text="waiting to be converted")).to_have_count(1)
    assert Proposal.objects.count() == 1


def test_without_scripts_the_same_form_takes_several_files(
    cast: Cast, open_context, signed_in, files
) -> None:
    page = signed_in(open_context(java_script_enabled=False).new_page(), cast.wen)
    page.goto(list_of(cast))
    page.locator("#id_file").set_input_files(files)
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.locator(".proposals tbody tr")).to_have_count(2)
    expect(page.get_by_text("“one.md” was uploaded")).to_be_visible()
    expect(page.get_by_text("“empty.md” is empty")).to_be_visible()


def test_the_keyboard_alone_uploads(cast: Cast, page: Page, signed_in, files) -> None:
    choosers_are_caught(page)
    signed_in(page, cast.wen).goto(upload_of(cast))
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "id_file":
            break
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Space")
    chooser.value.set_files(files[0])
    expect(page.get_by_role("button", name="Upload", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Uploads")).to_contain_text("waiting to be converted")
    assert page.faults == []


@pytest.mark.parametrize(("size", "colours"), [(WIDE, "light"), (NARROW, "dark")])
def test_the_upload_page_has_no_fault_of_access(
    size, colours: str, cast: Cast, open_context, signed_in, axe, settings
) -> None:
    settings.MODEL_API_KEY = "sk-test"
    page = watched(open_context(viewport=size, color_scheme=colours).new_page())
    signed_in(page, cast.wen).goto(upload_of(cast))
    expect(page.get_by_text("Read with claude")).to_be_visible()
    assert axe(page) == []
    page.evaluate(DROP, [["a rather long name of a file " * 4 + ".md", "# One"], ["e.md", ""]])
    assert axe(page) == []
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_label("Uploads")).to_contain_text("waiting to be converted")
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0

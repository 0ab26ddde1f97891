"""Words over the sheets in a real browser: every word can be selected where it stands, at any
size, and what is copied is what was written. So do the marks, at any size."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from playwright.sync_api import expect

from reviewer.services.conversion import convert_version
from reviewer.services.uploads import upload_proposal
from tests.browser.conftest import NARROW, watched
from tests.factories import make_finding, make_proposal, make_version
from tests.reads import reading_of
from tests.shared_cases import case, needs_cases

pytestmark = pytest.mark.django_db(transaction=True)

RIGHT_TO_LEFT = """<!DOCTYPE html><html lang="ar" dir="rtl"><body><h1>مقترح المشروع</h1>
<p>السعر الثابت هو 54,000 دولار للمرحلة الأولى مع Harbor Mutual Claims من أجل 12 أسبوعا</p>
<p lang="he">אנו מציעים לבצע את העבודה בשלושה שלבים</p></body></html>"""
UNSPACED = """<!DOCTYPE html><html lang="ja"><body><p>標準マーケットモデルは 2 次元で説明する。</p>
<p>価格は一意である</p></body></html>"""
ZOOMS = ("fit", "100", "200")

MISSED = """
([number, words]) => {
  const layer = document.getElementById(`words-${number}`);
  document.getElementById("zoom").hidden = true; // it lies over the lower edge
  const box = layer.getBoundingClientRect();
  const scale = box.width / layer.viewBox.baseVal.width;
  const pieces = [...layer.querySelectorAll("tspan")];
  const chosen = getSelection();
  const caret = (x, y) => document.caretRangeFromPoint(x, y);
  const missed = [];
  words.forEach(([word, x0, y0, x1, y1], index) => {
    const [left, right] = [box.left + x0 * scale, box.left + x1 * scale];
    const y = box.top + (y0 + y1) / 2 * scale;
    pieces[index].scrollIntoView({ block: "center", inline: "center" });
    const now = layer.getBoundingClientRect();
    const [dx, dy] = [now.left - box.left, now.top - box.top];
    const under = document.elementFromPoint((left + right) / 2 + dx, y + dy);
    const tiny = right - left < 4; // less than what whole pixels can be told apart by
    if (under !== pieces[index] && !tiny) missed.push([word, "pointed at", under?.textContent]);
    const from = caret(Math.ceil(left + dx + 0.25), y + dy), to = caret(Math.floor(right + dx - 0.25), y + dy);
    chosen.setBaseAndExtent(from.startContainer, from.startOffset, to.startContainer, to.startOffset);
    const mixed = /[\\u0590-\\u08ff]/.test(word) && /[\\d\\w]/.test(word);
    const fine = (right - left) / [...word].length < 5; // letters of a few pixels, cut by whole ones
    if (chosen.toString().trim() !== word && !mixed && !fine) missed.push([word, "selected", chosen.toString()]);
  });
  document.getElementById("zoom").hidden = false;
  return missed;
}
"""


@pytest.fixture
def shown(page, signed_in, cast, transactional_db, monkeypatch):
    """`shown(path or html)` converts a document and opens its desk; gives page and version."""

    def read(path, workdir, *, name, **_):
        return reading_of(path, name).result()

    monkeypatch.setattr("reviewer.services.conversion.read_file", read)

    def show(document):
        if isinstance(document, Path):
            file = SimpleUploadedFile(document.name, document.read_bytes())
        else:
            file = SimpleUploadedFile("made.html", document.encode())
        version = convert_version(upload_proposal(by=cast.wen, file=file).pk)
        assert version.status == "ready", version.reason
        signed_in(page, cast.rae)
        page.goto(f"/w/field-systems/proposals/{version.proposal_id}/")
        return page, version

    return show


def words_of(page, sheet):
    """The words of a sheet once it has come into sight and they have been laid over it."""
    page.locator(f"#sheet-{sheet.number}").scroll_into_view_if_needed()
    pieces = page.locator(f"#words-{sheet.number} tspan")
    expect(pieces).to_have_count(len(sheet.words))
    return pieces


def assert_every_word_can_be_selected(page, version, *, sheets):
    for zoom in ZOOMS:
        page.locator(f"#zoom [data-zoom='{zoom}']").click()
        expect(page.locator("#sheets")).to_have_attribute("data-zoom", zoom)
        for sheet in version.sheets.order_by("number")[:sheets]:
            words_of(page, sheet)
            missed = page.evaluate(MISSED, [sheet.number, sheet.words])
            assert missed == [], (zoom, sheet.number)
    assert page.faults == []


@needs_cases
@pytest.mark.parametrize(
    "path",
    [
        "hard/rotation.pdf",
        "hard/hello_world_rotated.pdf",
        "hard/sizes.pdf",
        "hard/issue16538.pdf",
        "proposals/ogrants_zhu_rebecca_2018.pdf",
    ],
)
def test_every_word_can_be_selected_where_it_stands(shown, path):
    page, version = shown(case("documents", path))
    assert_every_word_can_be_selected(page, version, sheets=5)


def test_every_word_can_be_selected_on_a_page_that_runs_from_right_to_left(shown):
    page, version = shown(RIGHT_TO_LEFT)
    assert_every_word_can_be_selected(page, version, sheets=1)


def copied(page, number):
    page.evaluate(f"getSelection().selectAllChildren(document.getElementById('words-{number}'))")
    return page.evaluate("getSelection().toString()")


@pytest.mark.parametrize("document", [RIGHT_TO_LEFT, UNSPACED], ids=["right to left", "unspaced"])
def test_what_is_copied_is_the_text_of_the_sheet(shown, document):
    page, version = shown(document)
    sheet = version.sheets.get()
    words_of(page, sheet)
    assert copied(page, 1).split("\n") == sheet.text.split("\n")


@pytest.fixture
def desk(page, signed_in, cast, transactional_db):
    """A desk of two sheets with a block over words of the first; gives page and finding."""
    text = "The price of the pilot is fixed and stays so. " * 8
    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=[text, text])
    block = make_finding(version, severity="block", quote="price of the pilot")
    signed_in(page, cast.rae)
    page.goto(f"/w/field-systems/proposals/{version.proposal_id}/")
    expect(page.locator("#words-1 tspan")).to_have_count(80)
    return page, block


def middle_of(page, selector):
    """In whole pixels, as a mouse is."""
    box = page.locator(selector).bounding_box()
    return round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)


def test_the_mouse_selects_words_and_a_word_under_a_mark_too(desk):
    page, _ = desk
    page.mouse.dblclick(*middle_of(page, "#words-1 tspan >> nth=2"))
    assert page.evaluate("getSelection().toString()").strip() == "of"
    x, y = middle_of(page, "#words-1 tspan >> nth=20")
    page.mouse.move(*middle_of(page, "#words-1 tspan >> nth=1"))
    page.mouse.down()
    page.mouse.move(x, y)
    page.mouse.up()
    assert page.evaluate("getSelection().toString()").count(" ") + 1 >= 15


LINES = """() => [...document.querySelectorAll("#words-1 text")].map((line) => {
  const box = line.getBoundingClientRect();
  const words = [...line.querySelectorAll("tspan")].map((word) => word.textContent);
  return { left: box.left, right: box.right, top: box.top, bottom: box.bottom, words };
})"""


def drag(page, start, end):
    """Press at one place and let go at another; what is selected then, word by word."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()
    return page.evaluate("getSelection().toString()").split()


def test_a_drag_that_begins_or_ends_beside_a_line_selects_the_line(desk):
    page, _ = desk
    lines = [line for line in page.evaluate(LINES) if len(line["words"]) > 2]
    line, after = lines[1], lines[2]
    inside, middle = line["left"] + 3, (line["top"] + line["bottom"]) / 2
    assert drag(page, (inside, middle), (line["right"] + 20, middle)) == line["words"]
    assert drag(page, (line["left"] - 8, middle), (line["right"] + 3, middle)) == line["words"]
    assert drag(page, (line["right"] + 20, middle), (line["left"] - 8, middle)) == line["words"]
    low = (after["top"] + after["bottom"]) / 2
    both = drag(page, (line["left"] - 8, middle), (after["right"] + 20, low))
    assert both == [*line["words"], *after["words"]]
    gap = (line["bottom"] + after["top"]) / 2
    assert drag(page, (inside, middle), (inside, gap))[:1] == line["words"][:1]
    page.keyboard.press("n")
    expect(page.locator(".own-quote")).to_contain_text(line["words"][0])


def test_a_press_without_a_drag_selects_nothing_and_leaves_what_was_typed_in(desk):
    page, _ = desk
    page.locator("#filter input, #search, input[type=search]").first.focus()
    page.mouse.click(*middle_of(page, "#words-1 tspan >> nth=30"))
    assert page.evaluate("getSelection().isCollapsed")
    assert page.evaluate("document.activeElement === document.body")


def test_a_click_on_a_word_under_a_mark_selects_the_finding(desk):
    page, block = desk
    page.mouse.move(*middle_of(page, "#words-1 tspan >> nth=2"))
    expect(page.locator(f"#finding-{block.number}.near")).to_have_count(1)
    page.mouse.click(*middle_of(page, "#words-1 tspan >> nth=2"))
    expect(page.locator(f"#finding-{block.number}")).to_have_attribute("aria-current", "true")
    page.mouse.move(*middle_of(page, "#words-1 tspan >> nth=30"))
    expect(page.locator(f"#finding-{block.number}.near")).to_have_count(0)


def test_marks_stay_on_their_words_at_every_size(desk):
    page, block = desk
    for key in ("0", "+", "+", "+"):
        page.keyboard.press(key)
        mark = page.locator(f"#mark-{block.number} rect").bounding_box()
        first = page.locator("#words-1 tspan >> nth=1").bounding_box()
        last = page.locator("#words-1 tspan >> nth=4").bounding_box()
        assert mark["x"] == pytest.approx(first["x"], abs=2)
        assert mark["x"] + mark["width"] == pytest.approx(last["x"] + last["width"], abs=2)
        assert mark["y"] == pytest.approx(first["y"], abs=3)


def test_keys_make_sheets_larger_and_smaller_and_a_reload_keeps_it(desk):
    page, _ = desk
    sheet = page.locator("#sheet-1 img")
    fit = sheet.bounding_box()["width"]
    widths = []
    for key in ("+", "=", "+", "+", "-"):
        page.keyboard.press(key)
        widths.append(round(sheet.bounding_box()["width"]))
    assert widths == [816, 1224, 1632, 1632, 1224]
    page.reload()
    assert round(sheet.bounding_box()["width"]) == 1224
    expect(page.locator("#zoom [aria-current]")).to_have_text("150 %")
    page.keyboard.press("0")
    assert sheet.bounding_box()["width"] == fit
    assert page.faults == []


def test_what_is_in_the_middle_stays_there(desk):
    page, _ = desk
    page.locator("#sheet-2").evaluate("sheet => sheet.scrollIntoView({ block: 'center' })")
    at = "document.elementFromPoint(innerWidth / 3, innerHeight / 2).closest('.sheet')?.id"
    before = page.evaluate(at)
    for key in ("+", "+", "+", "-", "0"):
        page.keyboard.press(key)
        assert page.evaluate(at) == before


def test_the_largest_size_has_a_picture_that_is_as_sharp(desk):
    page, _ = desk
    with page.expect_request("**/closer/"):
        for key in ("+", "+", "+"):
            page.keyboard.press(key)
    page.keyboard.press("0")
    assert page.locator("#sheet-1 img").get_attribute("srcset") is None


def test_sizes_are_links_without_scripts_and_the_browser_keeps_them(
    desk, open_context, signed_in, cast
):
    page, _ = desk
    still = open_context(java_script_enabled=False).new_page()
    signed_in(still, cast.rae)
    still.goto(page.url)
    still.get_by_role("link", name="150 %").click()
    assert round(still.locator("#sheet-1 img").bounding_box()["width"]) == 1224
    still.goto(page.url)
    assert round(still.locator("#sheet-1 img").bounding_box()["width"]) == 1224
    still.get_by_role("link", name="Sheet 2 as text").click()
    expect(still.get_by_role("heading", name="Sheet 2 as text")).to_be_visible()
    expect(still.locator(".plain-text")).to_contain_text("The price of the pilot is fixed")


@pytest.mark.parametrize("viewport", [NARROW, {"width": 1440, "height": 900}])
def test_at_every_size_nothing_but_the_sheets_is_wider_than_the_window(
    desk, open_context, signed_in, cast, axe, viewport
):
    url = desk[0].url
    page = watched(open_context(viewport=viewport).new_page())
    signed_in(page, cast.rae)
    page.goto(url + "?zoom=200")
    expect(page.locator("#words-1 tspan")).to_have_count(80)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    assert axe(page) == []

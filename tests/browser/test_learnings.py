"""A fault met on two proposals becomes a rule: Rae words it, Max approves it, the third reading is
given it and raises it under its name, and on the fourth proposal it is gone."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from reviewer.models import Version
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import start_review
from tests.browser.conftest import NARROW, watched
from tests.factories import make_proposal, make_version
from tests.fakes.messages_server import MessagesServer, Seen
from tests.fakes.replies import Reply, finding, finds, judges
from tests.views.learned import in_force, met_twice, proposed, said_same

pytestmark = pytest.mark.django_db(transaction=True)

FAULT = "other tools as needed"
RULE = "Name every integration, or say that it comes later."
PILOT = "The pilot runs for 12 weeks at two sites. Invoices are sent on the first working day."


def answers(seen: Seen) -> Reply:
    """Finds the fault where its words stand, under the learning where it was given one."""
    if "Give one verdict" in seen.task:
        listed = re.findall(r'<finding[^>]* number="(\d+)"', seen.task)
        return judges({"number": int(n), "why": "Looked.", "verdict": "holds"} for n in listed)
    if not re.search(r"^Read sheet \d+ with", seen.task, re.MULTILINE) or FAULT not in seen.prompt:
        return finds()
    told = finding(
        rule="unambiguous_scope", quote=FAULT, finding="“other tools as needed” has no end."
    )
    return finds([told | {"learning": "1"} if RULE in seen.prompt else told])


@pytest.fixture
def server(settings, monkeypatch) -> Iterator[MessagesServer]:
    monkeypatch.setattr("reviewer.services.queue._took", lambda task, pk: True)
    with MessagesServer(answers) as server:
        settings.MODEL_BASE_URL, settings.MODEL_RETRIES = server.url, 0
        yield server


@pytest.fixture
def read(cast, server):
    """`read("Northwind")` has a proposal for that client read to the end, with the fault or not."""

    def to_the_end(client: str, text: str = f"{PILOT} Integrations: {FAULT}.") -> Version:
        proposal = make_proposal(
            cast.workspace, owner=cast.wen, client=client, title=f"Pilot for {client}"
        )
        version = make_version(proposal, texts=[text])
        review = start_review(by=cast.wen, version=version, passes=1)
        waiting = review.readings.filter(status="waiting").order_by("pk")
        while pk := waiting.values_list("pk", flat=True).first():
            perform_reading(pk)
        review.refresh_from_db()
        assert review.status == "finished"
        return version

    return to_the_end


def desk(version: Version) -> str:
    return f"/w/field-systems/proposals/{version.proposal_id}/v/{version.number}/"


def prompts(server: MessagesServer, since: int = 0) -> list[str]:
    """The prompts of the passes, as the server received them."""
    return [seen.prompt for seen in server.requests[since:] if "Read sheet" in seen.task]


def test_a_fault_met_twice_becomes_a_rule_and_goes_away(
    cast, server, read, open_context, signed_in, axe
) -> None:
    first = read("Northwind")
    read("Harbor Mutual")
    assert prompts(server)
    assert all(RULE not in prompt for prompt in prompts(server))

    rae = signed_in(watched(open_context().new_page()), cast.rae)
    rae.goto(desk(first))
    rae.keyboard.press("j")
    card = rae.locator("#list .finding").first
    question = card.get_by_text("Looks like 1 finding on 1 other proposal: the same?")
    expect(question).to_be_visible()
    expect(card.get_by_role("link", name="Pilot for Harbor Mutual, #1")).to_be_visible()
    rae.keyboard.press("y")
    expect(card.get_by_text("the same fault")).to_be_visible()
    rae.keyboard.press("l")
    words = card.get_by_label("What it says")
    expect(words).to_be_focused()
    expect(words).to_have_value("“other tools as needed” has no end.")
    assert axe(rae) == []
    rae.keyboard.press("ControlOrMeta+a")
    rae.keyboard.type(RULE)
    rae.keyboard.press("Enter")
    expect(rae.locator("#said")).to_contain_text("Proposed as learning 1. It waits for another")
    expect(card.locator("form.learn")).to_have_count(0)
    expect(card).to_have_attribute("aria-current", "true")

    max_ = signed_in(watched(open_context().new_page()), cast.max)
    max_.goto("/w/field-systems/learnings/")
    expect(max_.get_by_text("waits for approval")).to_be_visible()
    max_.get_by_role("link", name=RULE).click()
    expect(max_.get_by_role("link", name="Pilot for Harbor Mutual, #1")).to_be_visible()
    max_.get_by_role("button", name="Approve").click()
    expect(max_.get_by_text("Approved. Reviews that start from now on")).to_be_visible()
    assert axe(max_) == []

    asked = len(server.requests)
    third = read("Calder Freight")
    assert prompts(server, asked)
    assert all(RULE in prompt for prompt in prompts(server, asked))
    rae.goto(desk(third))
    learned = rae.locator("#list .finding .learned")
    expect(learned).to_have_text(f"Learning 1, met on 3 proposals: {RULE}")
    learned.get_by_role("link").click()
    expect(rae.get_by_role("heading", name="Learning 1")).to_be_visible()

    read("Tidewater", PILOT)
    rae.goto("/w/field-systems/learnings/")
    row = rae.get_by_role("row", name=RULE)
    for column, number in (("read with", "2"), ("met", "3"), ("upheld", "3")):
        expect(row.locator(f'[data-label="{column}"]')).to_have_text(number)
    told = (
        "Findings of its pattern a proposal: 1, 1 on 2 proposals before; 1, 0 on 2 proposals since"
    )
    chart = row.get_by_role("img", name=told)
    points = chart.locator("polyline").get_attribute("points").split()
    assert [point.split(",")[1] for point in points] == ["3.0", "3.0", "3.0", "31.0"]
    expect(chart.locator("line")).to_have_count(1)
    assert axe(rae) == []
    assert rae.faults == max_.faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_fit_a_telephone(cast, open_context, signed_in, axe, scheme) -> None:
    said_same(cast)
    in_force(cast, findings=met_twice(cast))
    proposed(cast, "Prices have a currency, and it is the same on every sheet.")
    page = watched(open_context(viewport=NARROW, color_scheme=scheme).new_page())
    signed_in(page, cast.max)
    for address in ("", "1/", "2/", "new/", "import/"):
        page.goto(f"/w/field-systems/learnings/{address}")
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], address
    assert page.faults == []

"""Two rounds to an open gate: the planted sample is read, triaged, repaired and read again.

Wen writes, Rae reviews, each in a browser of their own. The model behind the test server finds
the planted faults and two that are none; it is calibrated, so it may clear text.
What is sent to workers is done by the test, in the order in which it was sent.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from reviewer import tasks
from reviewer.core.prompts import ReadingKind, recipe_of
from reviewer.models import Calibration, Finding, Review
from tests.browser.conftest import watched
from tests.fakes.messages_server import MessagesServer, Seen
from tests.fakes.replies import Reply, finding, finds, judges
from tests.shared_cases import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

SAMPLE = ROOT / "reviewer" / "samples" / "planted.md"
PLANTED = json.loads(SAMPLE.with_suffix(".json").read_text(encoding="utf-8"))
WRONG = finding(
    sheet=2,
    severity="block",
    quote="At Ashby the receptionist decides, at Carrow the doctor does.",
    finding="Blames people of the client by name.",
)
NEEDLESS = finding(
    sheet=6,
    severity="fix",
    rule="clients_words",
    quote="A phase is accepted when Ruth Sandoval confirms it in writing",
    finding="The client has no word for a phase.",
)
CURES = {
    "In today's fast-paced healthcare landscape, patient expectations are evolving at an "
    "unprecedented pace. As your trusted partner, we are excited to embark on this "
    "transformative journey with you.\n\n": "",
    "Missed appointments will fall by 45% within three months of go-live.": "In phase 1 we agree "
    "with you from which rate we start and what we aim for.",
    "for a fixed price of $186,000": "for a fixed price of $190,400",
    "Studies show that 38% of patients leave a practice after a single bad experience with "
    "booking. As the country's leading experts in patient access, we know what these numbers "
    "mean for your clinics.": "One appointment in eight stays empty while others wait for one.",
    "the call centre agents at all seven": "the staff of the Patient Access Desk at all six",
    "patient record system and other systems as needed": "patient record system, MediRecord 8",
    "We will also provide reports, dashboards, etc.": "Each clinic gets one report a month.",
    "[insert reference from the cardiology group once they approve]\n\nWe are confident that the "
    "approach that worked there will work for Harbor Mutual too.": "A cardiology group with three "
    "practices answers the same letters since 2030. Its manager takes your call.",
    "| Total | 136 | $194,400 |": "| Total | 136 | $190,400 |",
    "20% at the end of week 20": "10% at the end of week 20",
    "With the 18% rate of missed appointments that you reported to us, each": "Each",
    "We could start with phases 1 and 2 only, do all four, or begin with a free half-day to get "
    "to know each other. Let us know what you think whenever it suits you.": "We propose all four "
    "phases. Please sign and return this page by Friday 28 May 2032.",
    "We fully understand if this is not the right time for a project of this size, and you should "
    "of course feel free to say no. We hope this proposal might be of some interest.\n\n": "",
    "If you go ahead, the first day at Ashby would be Monday 15 June": "The first day at Ashby "
    "is Monday 14 June",
}


def repaired(folder: Path) -> Path:
    """The sample without its planted faults, in a file of the same name."""
    text = SAMPLE.read_text(encoding="utf-8")
    for fault, instead in CURES.items():
        assert fault in text
        text = text.replace(fault, instead)
    again = text.rindex("### How reminders work")
    text = text[:again] + text[text.index("---", again) :]
    path = folder / SAMPLE.name
    path.write_text(text, encoding="utf-8")
    return path


def reader(seen: Seen) -> Reply:
    """Names what stands on the sheet; upholds what is planted as long as its words stand."""
    sheets = _sheets_in(seen.prompt)
    if "Give one verdict" in seen.task:
        told = re.findall(r'<finding[^>]* number="(\d+)">(.*?)</finding', seen.task, re.DOTALL)
        return judges(
            {"number": int(number), "why": "Looked for it.", "verdict": _verdict(about, sheets)}
            for number, about in told
        )
    read = re.search(r"^Read sheet (\d+) with", seen.task, re.MULTILINE)
    if read is None:
        return finds()
    sheet = int(read[1])
    faults = [*PLANTED, NEEDLESS, WRONG]
    return finds(
        {key: value for key, value in fault.items() if key != "check"}
        for fault in faults
        if fault["sheet"] == sheet and fault["quote"] in sheets[sheet]
    )


def _verdict(about: str, sheets: dict[int, str]) -> str:
    if WRONG["finding"] in about:
        return "does_not_hold"
    for fault in PLANTED:
        if fault["finding"] in about and fault["quote"] not in sheets[fault["sheet"]]:
            return "does_not_hold"
    return "holds"


def _sheets_in(prompt: str) -> dict[int, str]:
    sent = re.findall(r'<sheet-\w+ number="(\d+)"[^>]*>(.*?)</sheet-', prompt, re.DOTALL)
    return {int(number): " ".join(text.split()) for number, text in sent}


@pytest.fixture
def work(monkeypatch) -> Callable[[], None]:
    """Does all that was sent to workers so far, and what that leads to."""
    sent: list[tuple[str, int]] = []

    def took(task: str, pk: int) -> bool:
        sent.append((task, pk))
        return True

    def do() -> None:
        while sent:
            task, pk = sent.pop(0)
            getattr(tasks, task)(pk)

    monkeypatch.setattr("reviewer.services.queue._took", took)
    return do


@pytest.fixture
def server(settings, cast, work) -> Iterator[MessagesServer]:
    """The model's server; the model found all planted faults when it was calibrated."""
    with MessagesServer(reader) as server:
        settings.MODEL_BASE_URL = server.url
        settings.MODEL_NAME, settings.PASSES = "claude-test-1", 2
        Calibration.objects.create(
            workspace=cast.workspace,
            server=server.url.removeprefix("http://"),
            model="claude-test-1",
            recipe=recipe_of(ReadingKind.PASS),
            status=Calibration.Status.DONE,
            found=len(PLANTED),
            planted=len(PLANTED),
        )
        yield server


def test_two_rounds_by_a_writer_and_a_reviewer_lead_to_an_open_gate(
    cast, server, work, open_context, signed_in, tmp_path
) -> None:
    wen = signed_in(watched(open_context().new_page()), cast.wen)
    rae = signed_in(watched(open_context().new_page()), cast.rae)

    # Discovery: Wen uploads it, and it is read.
    wen.goto("/w/field-systems/upload/")
    wen.locator("#id_file").set_input_files(SAMPLE)
    wen.get_by_label("Client", exact=True).fill("Northgate Clinics")
    wen.get_by_role("button", name="Upload", exact=True).click()
    desk = opens(wen.get_by_label("Uploads").get_by_role("link", name="Open"))
    away(wen, work)
    wen.goto(desk)
    expect(wen.locator("#reading")).to_contain_text("Read by 2 blind passes")
    found = Finding.objects.shown()
    assert found.count() == len(PLANTED) + 2

    # Triage: Rae dismisses, with reasons, what is no fault; what she leaves holds it.
    rae.goto(desk)
    settle(rae, WRONG, "Ruth Sandoval told us so herself.")
    settle(rae, NEEDLESS, "Their contract speaks of phases.")
    rae.get_by_role("link", name="Gate").click()
    expect(rae.get_by_text("Not yet. 20 things hold it")).to_be_visible()
    expect(rae.get_by_text("Dismissed by Rae: “Ruth Sandoval told us so herself.”")).to_be_visible()

    # Fixing: Wen says what she repaired, and uploads the repaired text.
    wen.goto(desk)
    claim = wen.locator("#list .finding", has_text="Another client's name.")
    claim.get_by_role("button", name="Mark fixed").click()
    expect(wen.locator("#tab-claimed")).to_have_text("Fix claimed 1")
    wen.get_by_role("link", name="New version").click()
    wen.locator("#id_file").set_input_files(repaired(tmp_path))
    wen.get_by_role("button", name="Upload the new version").click()

    # Verification: the sheets that changed are read, and what was found is asked about once.
    expect(wen.locator("#converting")).to_be_visible()
    away(wen, work)
    wen.goto(desk)
    expect(wen.locator("#reading")).to_contain_text("Read by 2 blind passes")
    expect(wen.locator("#reading .counts")).to_have_text("Nothing is open")
    expect(wen.locator("#tab-settled")).to_have_text(f"Settled {len(PLANTED) + 2}")
    made = Review.objects.latest("pk").readings
    assert set(made.filter(kind="pass").values_list("sheet", flat=True)) == {1, 2, 3, 4, 5, 7}
    assert made.exclude(kind="pass").count() == 2
    fixed = [one for one in found.all() if one.shown_state == "fixed"]
    assert len(fixed) == len(PLANTED)

    # The gate is open, and says what was dismissed by whom.
    for page in (wen, rae):
        page.goto(desk)
        page.get_by_role("link", name="Gate").click()
        expect(page.get_by_text("Nothing holds it. It takes a manager’s yes.")).to_be_visible()
        expect(page.get_by_text("Dismissed by Rae")).to_have_count(2)
    assert wen.faults == rae.faults == []


def opens(link: Locator) -> str:
    """The address that a link leads to."""
    address = link.get_attribute("href")
    assert address is not None
    return address


def away(page: Page, work: Callable[[], None]) -> None:
    """Leave, so that no page asks every second how far it is, while the work is done."""
    page.goto("about:blank")
    work()


def settle(page: Page, fault: Mapping[str, Any], reason: str) -> None:
    """Dismiss a finding on the desk, on the line that opens where it stands on one.

    Not before what stands above the list is there: it moves what is clicked.
    """
    expect(page.locator("#standing")).not_to_contain_text("What holds it, what is left")
    card = page.locator("#list .finding", has_text=fault["finding"])
    inside = page.locator(".finding", has_text=fault["finding"])
    for line in page.locator("#list details.line:not([open])", has=inside).all():
        line.locator(":scope > summary").click()
    card.get_by_role("link", name="Dismiss").click()
    card.get_by_role("textbox").fill(reason)
    card.get_by_role("button", name="Dismiss", exact=True).click()
    expect(card).to_have_count(0)

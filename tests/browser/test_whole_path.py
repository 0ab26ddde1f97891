"""From an upload to findings that a new version carries on, through every part at once.

A real worker converts and reads, a real server of the Messages API answers, and two people
look: one with scripts, who acts with the mouse or with the keyboard alone, and one without,
who must see the same whenever they reload.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import watched
from tests.browser.hands import Keyboard, Mouse
from tests.fakes.messages_server import MessagesServer, Seen
from tests.fakes.replies import Reply, finding, finds, judges
from tests.fakes.workers import Worker, forget_messages
from tests.shared_cases import CASES, ROOT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite_only]

UNHURRIED = {
    "REVIEWER_LEASE_SECONDS": "60",
    "REVIEWER_RESEND_SECONDS": "60",
    "REVIEWER_RESCUE_EVERY_SECONDS": "20",
}
SECONDS = 1_000
WORK = 90 * SECONDS


@dataclass(frozen=True)
class Paper:
    """A document, and words in three of its places: to be changed, to be left, to be dismissed.

    Those to be changed are not on the first sheet, which is read before all others are.
    """

    path: Path
    change: str
    leave: str
    dismiss: str
    instead: str

    def changed(self, folder: Path) -> Path:
        """The document with other words in the first place."""
        text = self.path.read_text(encoding="utf-8")
        assert self.change in text
        new = folder / self.path.name
        new.write_text(text.replace(self.change, self.instead), encoding="utf-8")
        return new

    def faults_on(self, sheet: int, sheets: Mapping[int, str]) -> list[dict[str, Any]]:
        """What the model finds on a sheet; two faults where words are, or were, to be changed."""
        plain = {"rule": "clients_words", "severity": "fix"}
        first = min(n for n, text in sheets.items() if self.change in text or self.instead in text)
        faults = []
        if sheet == first and self.change in sheets[sheet]:
            claim = finding(sheet=sheet, quote=self.change, finding="A claim too far.")
            faults.append(claim | {"severity": "block"})
        if sheet == first:
            missing = finding(sheet=sheet, quote="", finding="The sheet has no heading.")
            faults.append(missing | {"severity": "fix"})
        if self.leave in sheets[sheet]:
            counted = finding(sheet=sheet, quote=self.leave, finding="Who counted that?", **plain)
            faults.append(counted)
        if self.dismiss in sheets[sheet]:
            needed = finding(sheet=sheet, quote=self.dismiss, finding="Who needs that?", **plain)
            faults.append(needed)
        return faults


CLEAN = Paper(
    path=ROOT / "reviewer" / "samples" / "clean.md",
    change="Two were broken on the road in 1998",
    leave="without a plate leaving Calder Valley",
    dismiss="The emulsion side is not touched",
    instead="They are not insured for the road",
)
SEED = (
    Paper(
        path=CASES / "documents" / "proposals" / "czi-seed-rfa.md",
        change="will accurately capture biological sources of variability",
        leave="have trained over 400 scientists in basic bioinformatics",
        dismiss="are predicted to be much faster",
        instead="may capture biological sources of variability",
    )
    if CASES
    else CLEAN
)


class Reader:
    """The model: finds the paper's faults, upholds them, and sees when one is gone.

    The answer about the first sheet with a fault is held after its first finding, until the
    server is released.
    """

    def __init__(self, paper: Paper) -> None:
        self.paper = paper

    def __call__(self, seen: Seen) -> Reply:
        if "Give one verdict" in seen.task:
            return judges(self._verdicts(seen))
        read = re.search(r"^Read sheet (\d+) with", seen.task, re.MULTILINE)
        faults = self.paper.faults_on(int(read[1]), sheets_in(seen.prompt)) if read else []
        return finds(faults, hold_after=_pieces(faults[0]) if len(faults) > 1 else None)

    def _verdicts(self, seen: Seen) -> Iterator[dict[str, Any]]:
        changed = "its text has changed since" in seen.task
        for number, told in re.findall(_CANDIDATE, seen.task, re.DOTALL):
            is_gone = changed and "A claim too far." in told
            verdict = "does_not_hold" if is_gone else "holds"
            yield {"number": int(number), "why": "Looked for it.", "verdict": verdict}


def sheets_in(prompt: str) -> dict[int, str]:
    """The words of each sheet as the model was given them, on one line."""
    sent = re.findall(r'<sheet-\w+ number="(\d+)"[^>]*>(.*?)</sheet-', prompt, re.DOTALL)
    return {int(number): " ".join(text.split()) for number, text in sent}


_CANDIDATE = r'<finding[^>]* number="(\d+)">(.*?)</finding'


def _pieces(fault: Mapping[str, Any]) -> int:
    """How many pieces of an answer bring its first finding to its end."""
    return (len(json.dumps(fault, ensure_ascii=False)) + 40) // 40 + 1


@pytest.fixture
def worker(settings) -> Iterator[Worker]:
    """Started by the test; has the test's database, files and queue."""
    forget_messages()
    settings.MEDIA_ROOT = str(settings.VAR / "files")
    settings.PASSES = 1
    settings.MODEL_NAME = "claude-test-1"
    with MessagesServer() as server:
        settings.MODEL_BASE_URL = server.url
        worker = Worker(
            server.url, REVIEWER_PASSES="1", REVIEWER_MODEL="claude-test-1", **UNHURRIED
        )
        worker.server = server  # type: ignore[attr-defined]
        yield worker
        worker.kill()


@pytest.mark.parametrize(
    ("hands", "paper"), [(Mouse, SEED), (Keyboard, CLEAN)], ids=["mouse", "keyboard"]
)
def test_from_an_upload_to_a_new_version(
    hands, paper, cast, open_context, signed_in, worker, tmp_path
):
    worker.server.script = Reader(paper)
    page = watched(open_context().new_page())
    still = open_context(java_script_enabled=False).new_page()
    signed_in(still, cast.rae)
    do = hands(page)

    page.goto("/")
    do.sign_in("rae")
    upload(do, page, paper)
    expect(page.locator("#converting")).to_contain_text("Waits for a worker to convert it")
    expect_same(page, still, "#converting h2")
    worker.start()

    claim = page.locator("#list .finding", has_text="A claim too far.")
    expect(claim).to_be_visible(timeout=WORK)
    number = claim.get_attribute("data-finding")
    expect(page.locator(f"#mark-{number} rect")).not_to_have_count(0)
    sheets = page.locator(".sheet").count()
    assert sheets >= 5
    done = f"{sheets} of {sheets + 1}"
    expect(page.locator("#reading progress")).to_have_text(done, timeout=WORK)
    expect(page.locator("#list")).not_to_contain_text("The sheet has no heading.")
    expect_same(page, still, "#reading progress", *DESK)

    worker.server.released.set()
    expect(page.locator("#reading")).to_contain_text("Read by 1 blind pass", timeout=WORK)
    left = page.locator("#list .finding", has_text="Who counted that?")
    expect(left.locator(".votes")).to_have_text("seen 1 of 1 · verified")
    expect_same(page, still, "#reading p", *DESK)

    do.mark_fixed(claim)
    expect(claim).to_have_count(0)
    do.undo()
    expect(page.locator("#said")).to_contain_text("is open again")
    expect(claim).to_be_visible()
    do.mark_fixed(claim)
    expect(page.locator("#tab-claimed")).to_have_text("Fix claimed 1")
    needless = page.locator("#list .finding", has_text="Who needs that?")
    do.dismiss(needless, "The client asked for it.")
    expect(page.locator("#tab-settled")).to_have_text("Settled 1")
    expect_same(page, still, *DESK)

    asked = len(worker.server.requests)
    do.press(page.get_by_role("button", name="Read again"))
    expect(page.locator("#said")).to_contain_text("Nothing has changed since this text was read")
    assert len(worker.server.requests) == asked
    expect(page.locator("#tab-settled")).to_have_text("Settled 1")
    expect(needless).to_have_count(0)
    expect_same(page, still, "#reading p", *DESK)

    new_version(do, page, paper.changed(tmp_path))
    expect(page.locator("#versions-button")).to_have_text("v2 of 2", timeout=WORK)
    expect(page.locator("#reading")).to_contain_text("No model has read this version", timeout=WORK)
    expect(page.locator(f"#mark-{left.get_attribute('data-finding')} rect")).not_to_have_count(0)
    expect(page.locator("#tab-claimed")).to_have_text("Fix claimed 1")
    expect(page.locator("#tab-settled")).to_have_text("Settled 1")
    expect_same(page, still, *DESK)

    do.press(page.get_by_role("button", name="Read", exact=True))
    expect(page.locator("#tab-settled")).to_have_text("Settled 2", timeout=WORK)
    # While findings still come in, the tabs are made anew, perhaps under a finger.
    expect(page.locator("#reading")).to_contain_text("Read by 1 blind pass", timeout=WORK)
    do.press(page.locator("#tab-settled"))
    expect(claim).to_contain_text("Fixed, confirmed in v2")
    expect(needless).to_contain_text("“The client asked for it.”")
    expect_same(page, still, *DESK)
    # The browser notes the refusal to read again; nothing else may have gone wrong.
    assert [fault for fault in page.faults if "status of 422" not in fault] == []


STACKED = "#sheets .marks a"
"""These lie in the order of drawing, and that of the chosen finding is brought to the top."""

DESK = (
    "#chips .chip",
    "#tabs a",
    ".counts span",
    "#rail .dots",
    "#list .finding h4",
    "#list .finding .says",
    "#list .finding .votes",
    "#list .finding .decided b",
    STACKED,
)
"""What the desk shows of a state, leaving out how long ago something was."""


def expect_same(page: Page, still: Page, *shown: str) -> None:
    """Reload without scripts, and with them: both show what the live page shows."""
    live = {selector: _texts(page, selector) for selector in shown}
    still.goto(page.url.partition("#")[0])  # with it, nothing would be loaded again
    page.reload()
    for other in (still, page):
        assert {selector: _texts(other, selector) for selector in shown} == live


def _texts(page: Page, selector: str) -> list[str]:
    texts = [" ".join(text.split()) for text in page.locator(selector).all_text_contents()]
    return sorted(texts) if selector == STACKED else texts


def upload(do: Mouse, page: Page, paper: Paper) -> None:
    do.press(page.get_by_role("link", name="Upload", exact=True))
    do.choose(page.locator("#id_file"), paper.path)
    do.press(page.get_by_role("button", name="Upload", exact=True))
    do.press(page.get_by_label("Uploads").get_by_role("link", name="Open"))


def new_version(do: Mouse, page: Page, path: Path) -> None:
    do.press(page.get_by_role("link", name="New version"))
    do.choose(page.locator("#id_file"), path)
    do.untick(page.get_by_role("checkbox"))
    do.press(page.get_by_role("button", name="Upload the new version"))

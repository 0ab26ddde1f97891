"""The first finding of an answer is on the page long before the answer is whole."""

import json
import threading

from django.db import connection
from playwright.sync_api import expect

from reviewer.models import Reading
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import start_review
from tests.factories import make_proposal, make_version
from tests.fakes.messages_server import MessagesServer
from tests.fakes.replies import finds
from tests.fakes.workers import SHEETS, TEXTS, faults_on
from tests.views.test_desk import desk_url

WORK = 60_000
PIECE = 40
A_SECOND = 1500
"""Characters the model writes in a second."""
FAULTS = [fault for sheet in range(1, SHEETS + 1) for fault in faults_on(sheet)]


def test_the_first_finding_is_on_the_page_within_a_quarter_of_its_reading(
    cast, page, signed_in, settings
):
    """The model writes at an even speed and stops at a quarter until the finding was seen."""
    quarter = len(json.dumps({"findings": FAULTS, "keeps": []})) // PIECE // 4
    slow = finds(FAULTS, characters_per_second=A_SECOND, piece=PIECE, hold_after=quarter)
    with MessagesServer(slow) as server:
        settings.MODEL_BASE_URL = server.url
        version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=TEXTS)
        reading = start_review(by=cast.wen, version=version, depth="quick").readings.get()
        signed_in(page, cast.wen).goto(desk_url(version))
        expect(page.locator("#reading")).to_contain_text("Queued")
        expect(page.locator("#list .finding")).to_have_count(0)
        worker = threading.Thread(target=_read, args=(reading.pk,))
        worker.start()
        try:
            expect(page.locator("#list .finding").first).to_be_visible(timeout=WORK)
            expect(page.locator("#reading progress")).to_have_text("0 of 1")
            reading.refresh_from_db()
            assert reading.status == Reading.Status.CLAIMED
        finally:
            server.released.set()
            worker.join()
    expect(page.locator("#reading progress")).to_have_count(0, timeout=WORK)
    reading.refresh_from_db()
    assert (reading.outcome, reading.kept) == ("read", len(FAULTS))
    assert page.faults == []


def _read(pk: int) -> None:
    try:
        perform_reading(pk)
    finally:
        connection.close()

"""The Models pages in a real browser: no violations, nothing out of sight, wide and narrow."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from reviewer.core.raw import RawAnswer
from reviewer.models import Answer, Event, ModelSettings, Reading
from tests.browser.conftest import NARROW, WIDE, watched
from tests.factories import Cast, make_cast, make_proposal, make_review, make_version

LOCAL = "qwen3-coder-30b-a3b-instruct-q4_k_m.gguf"
TEXT = "I have read the sheet.\n" + "<tool_call>" * 40


@pytest.fixture
def house(transactional_db) -> Cast:
    """Thirty days of three models, of which one loses every fourth answer."""
    cache.clear()
    cast = make_cast()
    review = make_review(make_version(make_proposal(cast.workspace, owner=cast.wen)))
    made = []
    for model, way, cost, number in (
        ("claude-opus-5-5", "strict_tool", Decimal("0.15"), 60),
        ("claude-sonnet-4-6", "forced_tool", Decimal("0.05"), 60),
        (LOCAL, "text", None, 40),
    ):
        for at in range(number):
            lost = model == LOCAL and at % 4 == 0
            reading = Reading(
                review=review,
                sheet=len(made) + 1,
                pass_number=1,
                status="done",
                outcome="no_call" if lost else "partly_read" if at == 1 else "read",
                way_asked=way,
                way_read="text_call" if model == LOCAL and not lost else "",
                model=model,
                cost=cost,
                kept=0 if lost else 6,
                first_finding_seconds=2.1,
                input_tokens=900,
                output_tokens=1800,
                finished_at=timezone.now() - timedelta(days=at % 29),
            )
            made.append(reading)
    Reading.objects.bulk_create(made)
    for reading in Reading.objects.filter(outcome="no_call"):
        Answer.objects.create(reading=reading, raw=RawAnswer(text=TEXT).as_json())
    ModelSettings.objects.create(workspace=cast.workspace, base_url="http://llm.local", model=LOCAL)
    Event.objects.create(
        workspace=cast.workspace,
        subject="workspace",
        subject_id=cast.workspace.pk,
        verb="replay ended",
        why="160 answers read again, 4 read differently, 9 findings or verdicts recovered.",
    )
    return cast


def _addresses(cast: Cast) -> list[str]:
    here = [cast.workspace.slug]
    answer = Answer.objects.order_by("pk").first()
    assert answer is not None
    return [
        *(reverse(name, args=here) for name in ("models", "answers", "queue", "model-settings")),
        reverse("answer", args=[*here, answer.pk]),
    ]


@pytest.mark.parametrize(
    ("viewport", "scheme"), [(WIDE, "light"), (NARROW, "dark")], ids=["wide", "narrow and dark"]
)
def test_nothing_is_wrong_with_them_and_nothing_stands_beside_the_page(
    house: Cast, open_context, signed_in, axe, viewport, scheme
) -> None:
    page = watched(open_context(viewport=viewport, color_scheme=scheme).new_page())
    signed_in(page, house.max)
    for address in _addresses(house):
        page.goto(address)
        assert axe(page) == [], address
        beside = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert beside == 0, address
    assert page.faults == []


def test_every_figure_of_a_model_is_in_sight_on_a_phone(house: Cast, open_context, signed_in):
    page: Page = watched(open_context(viewport=NARROW).new_page())
    signed_in(page, house.max).goto(_addresses(house)[0])
    row = page.locator(".models tbody tr").filter(has_text=LOCAL)
    for cell in row.locator("td").all():
        expect(cell).to_be_visible()
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= NARROW["width"]
    expect(page.get_by_text("loses one answer in four")).to_be_visible()
    page.get_by_role("link", name="See the lost ones").click()
    expect(page.locator("tbody tr")).to_have_count(10)

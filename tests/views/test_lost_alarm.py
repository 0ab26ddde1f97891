"""The alarm on lost answers stands on every page that a manager opens, and on no one else's."""

import pytest
from django.core.cache import cache
from django.urls import reverse

from reviewer.models import ModelSettings
from reviewer.services.model_settings import change_model_settings
from tests.factories import make_reading, make_review
from tests.views.html import html_of
from tests.views.test_every_url import TABLE, Scene

TOLD = "4 % of the answers of the last 30 days were lost: 1 of 25."
PIECES = frozenset({"upload-result", "progress", "conversion-progress", "desk"})
"""Addresses whose answer is a part of a page, or leads on to one."""


@pytest.fixture
def scene(db) -> Scene:
    """One answer in twenty-five was lost, and the workspace puts up with three percent."""
    cache.clear()
    scene = Scene.make()
    review = make_review(scene.version)
    for number in range(1, 25):
        outcome = "no_call" if number == 1 else "read"
        make_reading(review, sheet=number, model="m", way_asked="text", outcome=outcome)
    ModelSettings.objects.create(workspace=scene.cast.workspace, lost_alarm_percent=3)
    return scene


def _pages(scene: Scene, client) -> dict[str, str]:
    """Every page of the workspace that this person may open, by its address."""
    pages = {}
    for line in TABLE:
        if line.gets and line.url not in PIECES:
            args = {"workspace": scene.cast.workspace.slug, **line.args(scene)}
            answer = client.get(reverse(line.url, kwargs=args))
            if answer.streaming:
                assert b"".join(answer.streaming_content)
            elif answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
                pages[answer.request["PATH_INFO"]] = html_of(answer)
    return pages


def test_it_stands_on_every_page_of_a_manager(scene, client_of):
    pages = _pages(scene, client_of(scene.cast.max))
    assert len(pages) > 15
    assert [path for path, page in pages.items() if TOLD not in page] == []


@pytest.mark.parametrize("who", ["wen", "rae"])
def test_it_stands_on_no_page_of_anybody_else(scene, client_of, who):
    pages = _pages(scene, client_of(getattr(scene.cast, who)))
    assert len(pages) > 10
    assert [path for path, page in pages.items() if "were lost" in page] == []


def test_a_share_that_is_not_passed_is_no_alarm_at_once(scene, client_of):
    max_, page = client_of(scene.cast.max), reverse("proposals", args=[scene.cast.workspace.slug])
    assert TOLD in html_of(max_.get(page))
    change_model_settings(by=scene.cast.max, lost_alarm_percent=4)
    assert TOLD not in html_of(max_.get(page))
    change_model_settings(by=scene.cast.max, lost_alarm_percent=3)
    assert TOLD in html_of(max_.get(page))

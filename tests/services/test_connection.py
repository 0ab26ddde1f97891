"""Who reads for a workspace, to which server its text goes, and what is said where nobody does."""

import pytest
from django.urls import reverse

from reviewer.models import ModelSettings, Review
from reviewer.services.connection import connection, why_not_connected
from reviewer.services.errors import Refused
from reviewer.services.model_settings import change_model_settings
from reviewer.services.reviews import start_review
from tests.factories import make_proposal, make_version
from tests.views.html import html_of


def test_without_a_key_and_without_a_server_there_is_none(cast):
    assert connection(cast.workspace) is None
    assert connection() is None


def test_a_workspaces_own_stands_before_the_installations(cast, settings):
    settings.MODEL_API_KEY, settings.MODEL_NAME = "installation", "installed-1"
    theirs = connection(cast.workspace)
    assert (theirs.model, theirs.server, theirs.api_key) == (
        "installed-1",
        "api.anthropic.com",
        "installation",
    )
    change_model_settings(by=cast.max, base_url="http://llm.local:8080", model="qwen3")
    own = connection(cast.workspace)
    assert (own.model, own.server, own.api_key) == ("qwen3", "llm.local:8080", "")
    assert connection(cast.ola.workspace) == theirs


def test_an_installations_key_never_goes_to_a_workspaces_server(cast, settings):
    settings.MODEL_API_KEY = "installation"
    change_model_settings(by=cast.max, base_url="http://elsewhere.example")
    assert connection(cast.workspace).api_key == ""


def test_a_server_is_named_without_user_and_password(settings):
    settings.MODEL_BASE_URL = "http://user:secret@llm.local:8080/v1"
    assert connection().server == "llm.local:8080"


@pytest.mark.parametrize(
    ("own", "installed", "by_list"),
    [
        ({"base_url": "http://llm.local"}, {}, False),
        ({"base_url": "http://llm.local"}, {"MODEL_IS_NAMED": True}, False),
        ({"base_url": "http://llm.local", "model": "claude-opus-5-5"}, {}, True),
        ({"api_key": "sk-1"}, {}, True),
        ({}, {"MODEL_BASE_URL": "http://llm.local"}, False),
        ({}, {"MODEL_BASE_URL": "http://llm.local", "MODEL_IS_NAMED": True}, True),
        ({"model": "x"}, {"MODEL_BASE_URL": "http://llm.local"}, True),
        ({}, {"MODEL_API_KEY": "sk-1"}, True),
    ],
)
def test_the_public_price_list_counts_where_it_can_be_true(cast, settings, own, installed, by_list):
    for name, value in installed.items():
        setattr(settings, name, value)
    if own:
        change_model_settings(by=cast.max, **own)
    assert connection(cast.workspace).is_by_price_list is by_list


def test_who_wants_a_reading_without_a_model_is_told_both_ways_to_connect_one(cast):
    said = why_not_connected(cast.workspace)
    assert "A manager can connect one under Models, Settings" in said
    assert "ANTHROPIC_API_KEY" in said


# A key that another SECRET_KEY sealed -----------------------------------------------------------


@pytest.fixture
def shut(cast, settings):
    """A workspace whose key was stored before the installation's secret was changed."""
    change_model_settings(by=cast.max, api_key="sk-secret-1234abcd", model="opus")
    settings.SECRET_KEY = "another-" + "1" * 50
    settings.MODEL_BASE_URL = "http://elsewhere.example"
    return ModelSettings.objects.get(workspace=cast.workspace)


def test_its_workspace_is_not_connected_and_its_text_goes_nowhere_else(cast, shut):
    assert connection(cast.workspace) is None
    assert connection(cast.ola.workspace) is not None
    version = make_version(make_proposal(cast.workspace, owner=cast.wen))
    with pytest.raises(Refused, match=r"key cannot be opened.*enter the key again under Models"):
        start_review(by=cast.wen, version=version)
    assert not Review.objects.exists()


def test_every_page_says_that_it_cannot_be_opened_and_what_to_do(cast, shut, client_of):
    settings_page = reverse("model-settings", args=[cast.workspace.slug])
    for member, move in ((cast.max, "Enter it again"), (cast.wen, "A manager can enter it again")):
        page = html_of(client_of(member).get(reverse("proposals", args=[cast.workspace.slug])))
        assert "The workspace's key cannot be opened" in page
        assert move in page
        assert (settings_page in page) is member.is_manager
        assert "No model is connected: only" not in page


def test_the_settings_page_does_not_call_it_stored(cast, shut, client_of):
    address = reverse("model-settings", args=[cast.workspace.slug])
    page = html_of(client_of(cast.max).get(address))
    assert "The stored key ending in …abcd cannot be opened." in page
    assert "Enter it again below" in page
    assert "is stored." not in page


def test_entered_again_it_is_used_again(cast, shut, client_of):
    address = reverse("model-settings", args=[cast.workspace.slug])
    said = {"depth": "standard", "calls_at_once": 4, "keep_answers_days": 30}
    client = client_of(cast.max)
    client.post(address, {**said, "lost_alarm_percent": 5, "api_key": "sk-secret-9999wxyz"})
    assert connection(cast.workspace).api_key == "sk-secret-9999wxyz"
    page = html_of(client.get(address))
    assert "cannot be opened" not in page
    assert "…wxyz</code> is stored." in page

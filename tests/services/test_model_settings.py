"""What a manager enters about models is judged before it is stored."""

import pytest

from reviewer.models import ModelSettings
from reviewer.services.errors import Refused
from reviewer.services.model_settings import change_model_settings
from reviewer.services.sealing import unseal
from tests.factories import Cast

SOUND = [
    "http://127.0.0.1:8080",
    "https://models.example.com/anthropic",
    "http://[::1]:8080",
    "http://[fe80::1%25eth0]",
    "http://llm",
]


@pytest.mark.parametrize("address", SOUND)
def test_an_address_that_a_request_can_be_sent_to_is_stored(cast: Cast, address: str) -> None:
    assert change_model_settings(by=cast.max, base_url=f" {address}/ ").base_url == address


@pytest.mark.parametrize(
    "address",
    [
        "models.example.com",
        "//models.example.com",
        "ftp://models.example.com",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://",
        "http://:8080",
        "http://[::1",
        "http://a]b",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0",
        "https://models:port",
        "http://two words",
        "http://models\t.example.com",
        "http://exa\u202emple.com",
    ],
)
def test_what_is_no_address_is_refused_and_changes_nothing(cast: Cast, address: str) -> None:
    with pytest.raises(Refused, match=r"reads like http.*Nothing was changed"):
        change_model_settings(by=cast.max, base_url=address)
    assert not ModelSettings.objects.exists()


@pytest.mark.parametrize(
    "address",
    ["http://me:secret@models.example.com", "http://models?key=1", "http://models#part"],
)
def test_an_address_carries_no_password(cast: Cast, address: str) -> None:
    with pytest.raises(Refused, match="may hold no user name, password"):
        change_model_settings(by=cast.max, base_url=address)
    assert not ModelSettings.objects.exists()


@pytest.mark.parametrize("key", ["sk-1\r\nX-Evil: 1", "ключ", "sk one", "sk-1\0", "sk\u20282"])
def test_a_key_that_no_header_can_carry_is_refused(cast: Cast, key: str) -> None:
    with pytest.raises(Refused, match="Copy it again"):
        change_model_settings(by=cast.max, api_key=key)
    assert not ModelSettings.objects.exists()


def test_a_key_may_have_space_around_it(cast: Cast) -> None:
    row = change_model_settings(by=cast.max, api_key=" sk-ant_1+/= \n")
    assert unseal(row.api_key) == "sk-ant_1+/="

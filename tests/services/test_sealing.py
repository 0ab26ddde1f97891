"""Keys at rest: what one installation sealed, no other opens."""

import pytest

from reviewer.services.sealing import seal, unseal


@pytest.mark.parametrize("secret", ["sk-ant-1234", "", "k" * 5000, "ключ"])
def test_what_was_sealed_is_opened_by_the_same_secret(secret):
    sealed = seal(secret)
    assert unseal(sealed) == secret
    assert secret == "" or secret not in sealed


def test_the_same_key_is_sealed_otherwise_each_time():
    assert seal("sk-ant-1234") != seal("sk-ant-1234")


def test_another_secret_does_not_open_it(settings):
    sealed = seal("sk-ant-1234")
    settings.SECRET_KEY = "another-" + "1" * 50
    assert unseal(sealed) is None


@pytest.mark.parametrize(
    "change", [lambda s: s[:-1], lambda s: s[::-1], lambda s: "", lambda s: "é"]
)
def test_what_was_changed_at_rest_is_not_opened(change):
    assert unseal(change(seal("sk-ant-1234"))) is None

"""One sentence and one next move for each outcome and fault, wherever it is told."""

import string
from itertools import product

import pytest

from reviewer.core.outcomes import Outcome, next_move, sentence
from reviewer.core.raw import FaultKind, ProviderFault

NAMES = {"server": "models.example", "model": "claude-opus-5-5"}


def told_of(kind: FaultKind, **more) -> str:
    return sentence(Outcome.PROVIDER_ERROR, fault=ProviderFault(kind, **more), **NAMES)


@pytest.mark.parametrize(("kind", "names"), list(product(FaultKind, ({}, NAMES))))
def test_each_fault_says_what_happened_and_what_to_do(kind, names) -> None:
    fault = ProviderFault(kind)
    said = sentence(Outcome.PROVIDER_ERROR, fault=fault, **names)
    for words in (said, next_move(Outcome.PROVIDER_ERROR, fault=fault)):
        assert words[0] in string.ascii_uppercase
        assert words.endswith(".")
        assert "{" not in words
        assert "  " not in words
    assert bool(names) == ("models.example" in said or "claude-opus" in said)


@pytest.mark.parametrize("outcome", sorted(set(Outcome) - {Outcome.PROVIDER_ERROR}))
def test_each_outcome_says_what_happened_and_what_to_do(outcome) -> None:
    for words in (sentence(outcome), sentence(outcome, reason="so it is"), next_move(outcome)):
        assert words[0] in string.ascii_uppercase
        assert words.endswith(".")


def test_no_two_say_the_same() -> None:
    said = {told_of(kind) for kind in FaultKind} | {sentence(outcome) for outcome in Outcome}
    assert len(said) == len(FaultKind) + len(Outcome)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "1 second"),
        (7, "7 seconds"),
        (89, "89 seconds"),
        (120, "2 minutes"),
        (3601, "61 minutes"),
        (5401, "2 hours"),
        (7 * 86400, "7 days"),
    ],
)
def test_the_wait_a_provider_asks_for_is_told_in_words(seconds, words) -> None:
    assert told_of(FaultKind.RATE_LIMIT, retry_after=seconds).endswith(f"asks to wait {words}.")
    fault = ProviderFault(FaultKind.RATE_LIMIT, retry_after=seconds)
    assert next_move(Outcome.PROVIDER_ERROR, fault=fault) == f"Wait {words}, then read again."


def test_what_a_server_did_not_accept_is_told_in_its_own_words() -> None:
    said = told_of(FaultKind.BAD_REQUEST, message="messages: roles must alternate")
    assert said == (
        "The server models.example did not accept the request. "
        "It said: Messages: roles must alternate."
    )


def test_a_refusal_is_told_with_the_providers_category() -> None:
    said = sentence(Outcome.REFUSAL, refusal_category="general_harms", reason="general_harms")
    assert said.count("general_harms") == 1


def test_what_broke_an_answer_that_was_read_in_part_does_not_say_that_nothing_was_kept() -> None:
    for kind in FaultKind:
        said = sentence(Outcome.PARTLY_READ, fault=ProviderFault(kind), **NAMES)
        assert "is kept" in said
        assert "none is kept" not in said
        assert "nothing was read" not in said

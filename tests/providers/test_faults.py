"""Faults told apart by what the server said."""

import email.utils
import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.raw import FaultKind
from reviewer.providers.faults import fault_of_error, retry_after

OF_THE_SERVER = {FaultKind.OVERLOADED, FaultKind.SERVER_ERROR, FaultKind.TIMEOUT}


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("enforced_spend_limit_reached", 429, FaultKind.NO_CREDIT),
        ("contract_spend_limit_reached", 429, FaultKind.NO_CREDIT),
        ("linked_organization_billing_unavailable", 402, FaultKind.NO_CREDIT),
        ("ramp_limit_exceeded", 429, FaultKind.RATE_LIMIT),
    ],
)
def test_the_providers_own_code_counts(code, status, kind) -> None:
    assert fault_of_error(status, "rate_limit_error", "No.", code).kind is kind


@given(st.none() | st.integers(100, 599), st.text(max_size=30), st.text(max_size=80))
def test_every_error_has_a_kind(status, error_type, message) -> None:
    fault = fault_of_error(status, error_type, message)
    assert fault.kind in FaultKind
    assert len(fault.message) <= 300


def test_a_status_of_trouble_is_never_the_callers_fault() -> None:
    for status, told in product((500, 502, 503, 504, 529), ("api_error", "unheard_of", "")):
        assert fault_of_error(status, told, "It failed.").kind in OF_THE_SERVER


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "12.5"}, 12.5),
        ({"retry-after": "12", "retry-after-ms": "500"}, 0.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "inf"}, None),
    ],
)
def test_how_long_a_provider_asks_to_wait(headers, seconds) -> None:
    assert retry_after(headers) == seconds


def test_a_date_to_wait_until_is_in_the_future() -> None:
    said = email.utils.formatdate(time.time() + 3600, usegmt=True)
    wait = retry_after({"retry-after": said})
    assert wait is not None
    assert 3000 < wait <= 3600


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "1e15"},
        {"retry-after": "604801"},
        {"retry-after-ms": "9" * 30},
        {"retry-after": "Thu, 31 Dec 2099 00:00:00 GMT"},
        {"retry-after": "Thu, 31 Dec 999999999999 00:00:00 GMT"},
    ],
)
def test_a_wait_of_more_than_a_week_is_no_plan(headers) -> None:
    assert retry_after(headers) is None

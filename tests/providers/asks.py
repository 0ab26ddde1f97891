"""Requests and providers that the tests of this folder share."""

from typing import Any

from reviewer.core.prompts import Setting, SheetText, pass_request
from reviewer.providers.base import Request
from reviewer.providers.messages import MessagesProvider

KEY = "sk-test-0123456789"
NEWEST = "claude-opus-5-5"
OLDER = "claude-opus-4-8"
LOCAL = "qwen2.5-coder-1.5b-instruct"


def a_request(model: str = NEWEST, *, sheet: int = 1, number: int = 1, **more: Any) -> Request:
    """A pass over one sheet of a document long enough to be cached."""
    sheets = tuple(
        SheetText(at, f"Part {at}", f"Sheet {at} says: a claim takes {at} hours. " * 60)
        for at in range(1, 4)
    )
    prompt = pass_request(Setting(sheets=sheets), sheet=sheet, number=number)
    return Request.of(prompt, model=model, **more)


def a_provider(url: str, **more: Any) -> MessagesProvider:
    """A client of the server at `url` that does not retry unless told to."""
    return MessagesProvider(**{"api_key": KEY, "base_url": url, "max_retries": 0, **more})

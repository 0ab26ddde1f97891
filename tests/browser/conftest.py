"""A real Chromium against a live server: what a person sees, and what the keyboard does.

Where there is no Chromium these tests are skipped and say so; with `CI=true` they fail.
"""

import os
from collections.abc import Callable, Iterator
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from reviewer.models import Membership
from tests.chromium import CHROMIUM, MISSING

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}
PATIENCE = 20_000
"""Milliseconds to wait for what must come: a limit for a machine with much else to do."""
expect.set_options(timeout=PATIENCE)

# Playwright's own loop runs in this thread, which Django would take for an async view.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        message = f"CHROMIUM ABSENT: {MISSING} to run the browser tests"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_context(browser: Browser, live_server) -> Iterator[Callable[..., BrowserContext]]:
    """A browser profile of its own; closed, with what it was loading, before the server is."""
    opened: list[BrowserContext] = []

    def context(**options) -> BrowserContext:
        options.setdefault("viewport", WIDE)
        options.setdefault("reduced_motion", "reduce")
        new = browser.new_context(base_url=live_server.url, **options)
        new.set_default_timeout(PATIENCE)
        opened.append(new)
        return new

    yield context
    for each in opened:
        each.close()


@pytest.fixture
def page(open_context) -> Page:
    """A page of a wide, light browser without script errors; see `signed_in` to be someone."""
    return watched(open_context().new_page())


LEFT = ("htmx:sendAbort", "htmx:afterRequest")
"""What htmx says of a question that was under way when the page was left or loaded anew."""


def watched(page: Page) -> Page:
    """Any error of a script or of the content security policy fails the test that met it."""
    page.faults = []  # type: ignore[attr-defined]

    def note(said: ConsoleMessage) -> None:
        if said.type == "error" and not said.text.startswith(LEFT):
            page.faults.append(said.text)  # type: ignore[attr-defined]

    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("console", note)
    return page


@pytest.fixture
def signed_in(live_server) -> Callable[[Page, Membership], Page]:
    """`signed_in(page, cast.rae)` gives the page's browser Rae's session."""

    def sign_in(page: Page, person: Membership) -> Page:
        client = Client()
        client.force_login(person.user, backend="django.contrib.auth.backends.ModelBackend")
        cookies: SimpleCookie = client.cookies
        page.context.add_cookies(
            [
                {
                    "name": settings.SESSION_COOKIE_NAME,
                    "value": cookies[settings.SESSION_COOKIE_NAME].value,
                    "url": live_server.url,
                }
            ]
        )
        return page

    return sign_in


@pytest.fixture
def axe() -> Callable[[Page], list[str]]:
    """What axe finds wrong on the page, one line each; an empty list is what is wanted."""
    script = Axe().axe_script

    def violations(page: Page) -> list[str]:
        if not page.evaluate("'axe' in window"):
            page.evaluate(script)
        found: list[str] = page.evaluate(VIOLATIONS)
        return found

    return violations


VIOLATIONS = """async () => {
    const found = await axe.run(document, {resultTypes: ['violations'], preload: false});
    return found.violations.map(({id, help, nodes}) =>
        `${id}: ${help}: ${nodes.slice(0, 5).map((node) => node.target).join(', ')}`);
}"""
"""All rules that axe applies by default. What passed stays in the browser: bringing it here
takes as long as looking. Preloading fetches style sheets for a rule that is off by default."""

"""Take the pictures in docs/ again, from the demo workspace of a fresh installation.

    python -m tests.screenshots

Needs Chromium. The installation is a temporary one; nothing of yours is touched.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.chromium import CHROMIUM, MISSING

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}
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
DRAFT = "Claims Intake and Routing"


def main() -> int:
    if CHROMIUM is None:
        print(f"The pictures need Chromium. Debian and Ubuntu: {MISSING}")
        return 1
    with tempfile.TemporaryDirectory(prefix="reviewer-pictures-") as var:
        environment = {**os.environ, "REVIEWER_VAR": var, "ANTHROPIC_API_KEY": ""}
        password = _password_of_the_manager(environment)
        port = _free_port()
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "gunicorn",
                "reviewer.wsgi",
                "--bind",
                f"127.0.0.1:{port}",
                "--threads",
                "4",
            ],
            cwd=ROOT,
            env=environment,
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/healthz")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
                _take(browser, f"http://127.0.0.1:{port}", password)
                browser.close()
        finally:
            server.terminate()
            server.wait(10)
    return 0


def _password_of_the_manager(environment: dict[str, str]) -> str:
    manage = [sys.executable, "manage.py"]
    for command in (["migrate", "-v0"], ["collectstatic", "--noinput", "-v0"]):
        subprocess.run(manage + command, cwd=ROOT, env=environment, check=True)
    said = subprocess.run(
        [*manage, "demo"], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    found = re.search(r"^\s+max\s+(\S+)", said.stdout, re.MULTILINE)
    assert found is not None, said.stdout
    return found[1]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str) -> None:
    for _ in range(100):
        try:
            urllib.request.urlopen(url, timeout=1)
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"The server did not answer at {url}.")


def _take(browser: Browser, address: str, password: str) -> None:
    for suffix, viewport, scheme in (
        ("", WIDE, "light"),
        ("-dark", WIDE, "dark"),
        ("-narrow", NARROW, "light"),
    ):
        context = browser.new_context(
            viewport=viewport, color_scheme=scheme, reduced_motion="reduce", base_url=address
        )
        page = context.new_page()
        page.goto("/sign-in/")
        page.get_by_label("User name").fill("max")
        page.get_by_label("Password").fill(password)
        page.keyboard.press("Enter")
        page.wait_for_url("**/proposals/")
        _picture(page, f"list{suffix}")
        page.goto(page.url.replace("/proposals/", "/upload/"))
        _picture(page, f"upload{suffix}")
        page.goto(page.url.replace("/upload/", "/proposals/"))
        page.get_by_role("link", name=DRAFT).first.click()
        page.wait_for_selector("article")
        _picture(page, f"desk{suffix}")
        context.close()


def _picture(page: Page, name: str) -> None:
    page.wait_for_load_state("networkidle")
    page.screenshot(path=DOCS / f"{name}.png")
    print(f"docs/{name}.png")


if __name__ == "__main__":
    sys.exit(main())

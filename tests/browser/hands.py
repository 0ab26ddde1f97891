"""Two ways to do the same things on a page: with a mouse, and with a keyboard alone."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.factories import PASSWORD

FURTHEST = 80
"""Presses of a key after which something counts as out of reach."""


def choosers_are_caught(page: Page) -> None:
    """Before a key is pressed: a listener that comes with it may come too late."""
    page.on("filechooser", lambda _: None)


class Mouse:
    """Clicks, and types where something is to be written."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def sign_in(self, user: str) -> None:
        self.page.get_by_label("User name").fill(user)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.press(self.page.get_by_role("button", name="Sign in"))

    def press(self, button: Locator) -> None:
        button.click()

    def choose(self, field: Locator, file: Path) -> None:
        field.set_input_files(file)

    def untick(self, box: Locator) -> None:
        box.uncheck()

    def mark_fixed(self, card: Locator) -> None:
        card.get_by_role("button", name="Mark fixed").click()

    def dismiss(self, card: Locator, reason: str) -> None:
        card.get_by_role("link", name="Dismiss").click()
        card.get_by_role("textbox").fill(reason)
        card.get_by_role("button", name="Dismiss", exact=True).click()

    def undo(self) -> None:
        self.page.locator("#said").get_by_role("button", name="Undo").click()


class Keyboard(Mouse):
    """Presses keys, and nothing else."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        choosers_are_caught(page)

    def sign_in(self, user: str) -> None:
        self.go_to(self.page.get_by_label("User name"))
        self.page.keyboard.type(user)
        self.page.keyboard.press("Tab")
        self.page.keyboard.type(PASSWORD)
        self.page.keyboard.press("Enter")

    def press(self, button: Locator) -> None:
        self.go_to(button)
        self.page.keyboard.press("Enter")

    def choose(self, field: Locator, file: Path) -> None:
        self.go_to(field)
        with self.page.expect_file_chooser() as chooser:
            self.page.keyboard.press("Space")
        chooser.value.set_files(file)

    def untick(self, box: Locator) -> None:
        self.go_to(box)
        self.page.keyboard.press("Space")
        expect(box).not_to_be_checked()

    def mark_fixed(self, card: Locator) -> None:
        self.select(card)
        self.page.keyboard.press("f")

    def dismiss(self, card: Locator, reason: str) -> None:
        self.select(card)
        self.page.keyboard.press("d")
        self.page.keyboard.type(reason)
        self.page.keyboard.press("Enter")

    def undo(self) -> None:
        self.page.keyboard.press("z")

    def go_to(self, what: Locator) -> None:
        """Press Tab until `what` has the focus."""
        expect(what).to_be_visible()
        for _ in range(FURTHEST):
            if what.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{what} is not reached in {FURTHEST} presses of Tab")

    def select(self, card: Locator) -> None:
        """Step through the list, from its first finding on, until `card` is the one at hand."""
        for key in ("k", "j"):
            for _ in range(FURTHEST):
                if card.get_attribute("aria-current") == "true":
                    return
                self.page.keyboard.press(key)
        raise AssertionError(f"{card} is not reached with j and k")

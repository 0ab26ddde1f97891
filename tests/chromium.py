"""The Chromium of the browser tests: its headless shell where it is installed, which draws
pages as the whole browser does and has no windows to keep, in half the processor time."""

import shutil

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
MISSING = "install the package chromium-headless-shell, or chromium"

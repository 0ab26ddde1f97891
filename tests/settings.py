"""The product's settings, in a temporary folder of their own and without the world outside.

Values are set before the product's settings are read, because those read the environment
once; whatever the developer's `.env` names is overridden here.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_folder = Path(tempfile.mkdtemp(prefix="reviewer-tests-"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ.update(
    REVIEWER_VAR=str(_folder),
    DEBUG="false",
    SECRET_KEY="only-for-tests-" + "0" * 50,
    ANTHROPIC_API_KEY="",
    ANTHROPIC_BASE_URL="",
    BROKER_URL=os.environ.get("TEST_BROKER_URL", "filesystem://localhost")
    if os.environ.get("REVIEWER_TEST_SERVICES")
    else "filesystem://localhost",
    EMAIL_URL="memorymail://",
    REVIEWER_HTTPS="false",
)

from reviewer.settings import *  # noqa: E402, F403
from reviewer.settings import DATABASES, STORAGES  # noqa: E402

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, as in real use: the threads of a live server each have their own connection.
    DATABASES["default"]["TEST"] = {"NAME": str(_folder / "test.sqlite3")}
# WhiteNoise warns where nothing was collected; the tests find static files where they lie.
(_folder / "static").mkdir()
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

"""Numbered checks of this installation, each with a hint that says what to do.

E001 a system library that WeasyPrint needs is missing
W001 several hosts, but the secret key is this host's own (deploy)
W002 SQLite, but a broker that several hosts can share (deploy)
W003 converters are not confined by the kernel as far as they could be
W004 sign-in cookies travel without HTTPS (deploy)
W005 the fonts that text is laid out in are not installed
W006 files of this host, but a broker that several hosts can share (deploy)
"""

import ctypes.util
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from reviewer.documents import fonts, sandbox

TAG = "reviewer"
FONTS = ("Liberation Sans", "Liberation Mono")
"""The first that `documents/print.css` asks for; with others, lines and sheets break elsewhere."""
PANGO = ("pango-1.0", "pangoft2-1.0", "harfbuzz", "harfbuzz-subset")


@register(TAG)
def system_libraries(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """Whether the libraries are there without which no Markdown or HTML becomes sheets."""
    missing = [name for name in PANGO if ctypes.util.find_library(name) is None]
    if not missing:
        return []
    return [
        Error(
            f"Pango is missing, so no proposal could be rendered ({', '.join(missing)}).",
            hint="Debian and Ubuntu: apt install libpango-1.0-0 libpangoft2-1.0-0 "
            "libharfbuzz-subset0. Fedora: dnf install pango. macOS: brew install pango.",
            id="reviewer.E001",
        )
    ]


@register(Tags.security, deploy=True)
def own_secret(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """A key that was made on this host is not known to the other hosts."""
    if settings.SECRET_KEY_IS_GIVEN:
        return []
    return [
        Warning(
            "The secret key is the one made for this host alone.",
            hint="Set SECRET_KEY to the same long random text on every host.",
            id="reviewer.W001",
        )
    ]


@register(Tags.database, deploy=True)
def shared_database(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """SQLite serves one host; a shared broker says that there are several."""
    on_sqlite = settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")
    if not on_sqlite or settings.BROKER_URL.startswith("filesystem:"):
        return []
    return [
        Warning(
            "Workers on several hosts cannot share an SQLite database.",
            hint="Set DATABASE_URL to a PostgreSQL database.",
            id="reviewer.W002",
        )
    ]


@register(Tags.files, deploy=True)
def shared_files(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """Files of one host are unknown to the workers of another; see `shared_database`."""
    backend = settings.STORAGES["default"]["BACKEND"]
    if "FileSystemStorage" not in backend or settings.BROKER_URL.startswith("filesystem:"):
        return []
    return [
        Warning(
            f"Uploaded files are kept in {settings.MEDIA_ROOT}, which every host must see.",
            hint="Mount one folder there on all hosts, or set STORAGE_URL to a bucket. With one "
            "host nothing is missing.",
            id="reviewer.W006",
        )
    ]


@register(TAG)
def confinement(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """What the kernel does not offer to confine a converter with."""
    missing = _not_confined()
    if not missing:
        return []
    return [
        Warning(
            f"Files are converted without {' and without '.join(missing)}: this kernel does "
            "not offer it here. Limits on time, memory and output hold all the same.",
            hint="Use a Linux kernel with user namespaces and Landlock to confine them fully.",
            id="reviewer.W003",
        )
    ]


@register(Tags.security, deploy=True)
def https(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """Cookies are sent over HTTPS alone only where the installation says it has it."""
    if settings.HTTPS:
        return []
    return [
        Warning(
            "Sign-in cookies may travel without encryption.",
            hint="Serve Reviewer over HTTPS and set REVIEWER_HTTPS=1.",
            id="reviewer.W004",
        )
    ]


@register(TAG)
def own_fonts(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """With other fonts the same text takes other sheets than on a machine that has them."""
    missing = [name for name in FONTS if not fonts.has_family(name)]
    if not missing:
        return []
    return [
        Warning(
            f"{' and '.join(missing)} not found: Markdown, HTML and text are laid out in "
            "other fonts, and may take more or fewer sheets than elsewhere.",
            hint="Debian and Ubuntu: apt install fonts-liberation. Fedora: dnf install "
            "liberation-fonts. macOS: brew install --cask font-liberation.",
            id="reviewer.W005",
        )
    ]


def _not_confined() -> list[str]:
    guards = sandbox.available()
    kept = (("a closed network", guards.network), ("a closed file system", guards.files))
    return [name for name, holds in kept if not holds]

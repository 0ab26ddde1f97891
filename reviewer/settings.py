"""All settings, each from the environment, with a default that runs out of the box.

A value that cannot be used stops the program at start with its name. What a default
trades away (SQLite, no HTTPS, no mail) is named by `manage.py check --deploy`.
"""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from reviewer.providers.address import is_address
from reviewer.storage_url import storage_of

ROOT = Path(__file__).resolve().parent.parent

env = environ.Env()
if (ROOT / ".env").is_file():
    env.read_env(ROOT / ".env")


def _positive(name: str, default: int) -> int:
    value = env.int(name, default=default)
    if value < 1:
        raise ImproperlyConfigured(f"{name} must be 1 or more; it is {value}.")
    return value


VAR = Path(env.str("REVIEWER_VAR", default=str(ROOT / "var"))).resolve()
"""Everything that this installation keeps on disk, unless other stores are named."""
VAR.mkdir(parents=True, exist_ok=True)


def _secret_key() -> str:
    """The installation's own secret, made once; several hosts must share SECRET_KEY instead.

    It appears under its name only when it is whole, and of two processes that start at once
    one makes it, so an empty or a second secret is never read.
    """
    kept = VAR / "secret_key"
    if not kept.exists():
        with tempfile.NamedTemporaryFile("w", dir=VAR, prefix=".secret-") as new:
            new.write(secrets.token_urlsafe(50))
            new.flush()
            with contextlib.suppress(FileExistsError):
                os.link(new.name, kept)
    return kept.read_text().strip()


SECRET_KEY_IS_GIVEN = "SECRET_KEY" in env.ENVIRON
SECRET_KEY = env.str("SECRET_KEY") if SECRET_KEY_IS_GIVEN else _secret_key()
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
    "csp",
    "reviewer",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "reviewer.urls"
WSGI_APPLICATION = "reviewer.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "reviewer.views.context.house",
            ],
        },
    }
]

# Data -------------------------------------------------------------------------------

DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{VAR / 'reviewer.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Writers wait for each other instead of failing; readers never wait (WAL).
    DATABASES["default"]["ENGINE"] = "reviewer.sqlite3"
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
    )
elif DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    # A reading lets go of its connection while a model is asked; the pool keeps it open.
    DATABASES["default"]["CONN_MAX_AGE"] = 0
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    DATABASES["default"].setdefault("OPTIONS", {})["pool"] = {
        "min_size": 1,
        "max_size": env.int("DATABASE_POOL", default=20),
        "timeout": 10,
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

MEDIA_ROOT = VAR / "files"
STATIC_URL = "static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [ROOT / "static"]
STORAGES = {
    "default": storage_of(env.str("STORAGE_URL", default="")),
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# Work -------------------------------------------------------------------------------

BROKER_URL = env.str("BROKER_URL", default="filesystem://localhost")
CELERY_BROKER_URL = BROKER_URL
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {}
if BROKER_URL.startswith("filesystem:"):
    QUEUE = VAR / "queue"
    for folder in ("messages", "control"):
        (QUEUE / folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE / "messages"),
        "data_folder_out": str(QUEUE / "messages"),
        "control_folder": str(QUEUE / "control"),
        "polling_interval": 0.1,
    }
else:
    # A broker that is away must cost a web request a moment, not a minute: the row is
    # kept, and the rescue re-sends it when the broker is back.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_timeout": 5,
        "socket_connect_timeout": 3,
        "max_retries": 1,
        "interval_start": 0,
        "interval_max": 0.2,
    }
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_TIMEOUT = 3
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
# On a folder a worker that has all it may have looks for done work every 2 seconds only.
CELERY_WORKER_PREFETCH_MULTIPLIER = 4 if BROKER_URL.startswith("filesystem:") else 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR / "beat-schedule")
RESCUE_EVERY_SECONDS = _positive("REVIEWER_RESCUE_EVERY_SECONDS", 20)
CELERY_BEAT_SCHEDULE = {
    "forget-answers": {"task": "reviewer.tasks.forget_answers", "schedule": 6 * 3600.0},
    "rescue": {"task": "reviewer.tasks.rescue", "schedule": float(RESCUE_EVERY_SECONDS)},
}
LEASE_SECONDS = _positive("REVIEWER_LEASE_SECONDS", 90)
"""How long after its worker died a reading may be taken by another; a live one renews it."""
RESEND_SECONDS = _positive("REVIEWER_RESEND_SECONDS", 120)
"""After how long a message that no worker has met is sent again."""
CONVERSIONS_AT_ONCE = _positive("REVIEWER_CONVERSIONS_AT_ONCE", 2)
"""Of each process: how many children it has at most that read or make files."""

# Files ------------------------------------------------------------------------------

MAX_UPLOAD_MB = _positive("REVIEWER_MAX_UPLOAD_MB", 25)
MAX_SHEETS = _positive("REVIEWER_MAX_SHEETS", 200)
CONVERSION_SECONDS = _positive("REVIEWER_CONVERSION_SECONDS", 120)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_HANDLERS = [
    "reviewer.views.receiving.ReadableNames",
    "reviewer.views.receiving.SizeGuard",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# Who reads --------------------------------------------------------------------------

MODEL_API_KEY = env.str("ANTHROPIC_API_KEY", default="")
MODEL_BASE_URL = env.str("ANTHROPIC_BASE_URL", default="")
if MODEL_BASE_URL and not is_address(MODEL_BASE_URL):
    raise ImproperlyConfigured(f"ANTHROPIC_BASE_URL is not an address: {MODEL_BASE_URL}")
MODEL_NAME = env.str("REVIEWER_MODEL", default="claude-opus-5-5")
MODEL_IS_NAMED = bool(env.str("REVIEWER_MODEL", default=""))
"""Without a name, a server of one's own is asked for the default one and answers with whatever
it has, which no public price list knows."""
MODEL_TIMEOUT_SECONDS = _positive("REVIEWER_MODEL_TIMEOUT_SECONDS", 300)
MODEL_RETRIES = env.int("REVIEWER_MODEL_RETRIES", default=2)
PASSES = _positive("REVIEWER_PASSES", 3)

# Who may come in --------------------------------------------------------------------

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    }
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"
AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = 0.25
"""Hours. Long enough to stop guessing, short enough that nobody needs to call a manager."""
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_TEMPLATE = "registration/locked_out.html"
AXES_VERBOSE = False

HTTPS = env.bool("REVIEWER_HTTPS", default=False)
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
if env.bool("REVIEWER_BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# The rest ---------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
USE_I18N = True
USE_TZ = True
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
EMAIL_TIMEOUT = 20  # seconds; a mail server that hangs holds a thread no longer
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="reviewer@localhost")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
    "loggers": {"reviewer": {"level": env.str("LOG_LEVEL", default="INFO")}},
}
